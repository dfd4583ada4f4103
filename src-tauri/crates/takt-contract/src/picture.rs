//! Pictures of a list's rows: which field plays which role. Of the service's own; how a picture looks is the window's.

use serde::{Deserialize, Serialize};

use crate::{Names, Provenance};

/// One picture of an operation's rows (`x-takt-picture`, a list). Fields are named by path, as in `rawMaterials.code`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Picture {
    /// Unique among the pictures of its operation.
    pub id: String,
    pub names: Names,
    pub draw: PictureKind,
    pub provenance: Provenance,
}

impl Picture {
    pub(crate) fn is_calendar(&self) -> bool {
        matches!(self.draw, PictureKind::Calendar { .. })
    }
}

/// The service's words for what is begun, as its status has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StatusWords {
    pub running: Vec<String>,
    pub paused: Vec<String>,
}

/// A begin and an end, both date-times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Span {
    pub begin: String,
    pub end: String,
}

/// What moving a bar means: the synchronization, and its fields that take the new values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Moves {
    pub operation: String,
    pub begin: String,
    pub end: String,
    /// Absent where a bar stays in its lane.
    #[serde(default)]
    pub lane: Option<String>,
}

/// A way to add up rows: those that agree in these fields make one bar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Grouping {
    pub names: Names,
    pub fields: Vec<String>,
    /// What the bar is divided by. Empty where it isn't.
    #[serde(default)]
    pub stack: Vec<String>,
}

/// Hours that come again every week: fields of the parts of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Weekly {
    /// The path of the list, as in `shifts.intervals`.
    pub list: String,
    /// 1 is Monday.
    pub weekday: String,
    /// Of the day; an end at or before it lies on the next day.
    pub begin: String,
    pub end: String,
    /// A field of the list above the list, as in `description` of a shift.
    pub name: String,
}

/// Times once: fields of the parts of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OneTimeHours {
    pub list: String,
    pub begin: String,
    pub end: String,
    pub name: String,
    #[serde(default)]
    pub status: Option<String>,
}

/// The kind of a picture, and the field for each of its roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PictureKind {
    /// Planned against real on a time line, a lane for each `lane`.
    Plan {
        lane: String,
        label: Vec<String>,
        planned: Span,
        #[serde(default)]
        real: Option<Span>,
        #[serde(default)]
        status: Option<String>,
        /// Which of the status's words say that what is begun runs, or is paused.
        #[serde(default)]
        words: Option<StatusWords>,
        /// A list with a picture of the kind `calendar`, whose lanes are the same.
        #[serde(default)]
        calendar: Option<String>,
        #[serde(default)]
        moves: Option<Moves>,
    },
    /// What was opened, acknowledged and closed, on a time line.
    Alerts { lane: String, label: Vec<String>, opened: String, acknowledged: String, closed: String },
    /// How many rows.
    Counted { by: Vec<Grouping> },
    /// Time spent.
    Spent { by: Vec<Grouping>, time: String },
    /// Good and bad against requested.
    Produced { by: Vec<Grouping>, requested: String, good: String, bad: String },
    /// Consumed against planned, of each part of `list`, or of each row.
    Consumed {
        by: Vec<Grouping>,
        #[serde(default)]
        list: Option<String>,
        #[serde(default)]
        planned: Option<String>,
        consumed: String,
        #[serde(default)]
        unit: Option<String>,
    },
    /// Predicted against spent; without the latter, what is predicted.
    Predicted { by: Vec<Grouping>, predicted: Vec<String>, spent: Vec<String> },
    /// Each lane's shifts and stoppages over a week.
    Calendar {
        lane: String,
        label: Vec<String>,
        shifts: Weekly,
        #[serde(default)]
        stoppages: Option<OneTimeHours>,
    },
}
