//! Charts of a list's rows, as the roles of the service's fields. The user interface decides how a chart looks.

use serde::{Deserialize, Serialize};

use crate::{Names, Provenance};

/// One chart of an operation's rows (`x-takt-picture`, a list). Fields are named by path, for example
/// `rawMaterials.code`.
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

/// The service's status values for running and paused orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StatusValues {
    pub running: Vec<String>,
    pub paused: Vec<String>,
}

/// The fields with a begin and an end, both date-times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DateRangeFields {
    pub begin: String,
    pub end: String,
}

/// The effect of moving a bar: the sync, and its fields for the new values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BarMove {
    pub operation: String,
    pub begin: String,
    pub end: String,
    /// Absent if a bar must stay in its lane.
    #[serde(default)]
    pub lane: Option<String>,
}

/// A grouping of rows. Rows with the same values in these fields make one bar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Grouping {
    pub names: Names,
    pub fields: Vec<String>,
    /// The fields that divide the bar. Empty if it isn't divided.
    #[serde(default)]
    pub stack: Vec<String>,
}

/// Weekly working hours, as fields of the parts of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WeeklyHours {
    /// The path of the list, for example `shifts.intervals`.
    pub list: String,
    /// The field with the weekday. 1 is Monday.
    pub weekday: String,
    /// The field with the time of day. An end at or before it is on the next day.
    pub begin: String,
    pub end: String,
    /// A field of the enclosing list, for example `description` of a shift.
    pub name: String,
}

/// One-time hours, as fields of the parts of a list.
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

/// The kind of a chart, with the field for each of its roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PictureKind {
    /// Planned and real times on a time line, with a lane for each `lane`.
    Plan {
        lane: String,
        label: Vec<String>,
        planned: DateRangeFields,
        #[serde(default)]
        real: Option<DateRangeFields>,
        #[serde(default)]
        status: Option<String>,
        /// The values of `status` for running and paused orders.
        #[serde(default)]
        words: Option<StatusValues>,
        /// The id of a list with a chart of the kind `calendar` and the same lanes.
        #[serde(default)]
        calendar: Option<String>,
        #[serde(default)]
        moves: Option<BarMove>,
    },
    /// Opened, acknowledged and closed alerts on a time line.
    Alerts { lane: String, label: Vec<String>, opened: String, acknowledged: String, closed: String },
    /// The number of rows.
    Counted { by: Vec<Grouping> },
    /// The time spent.
    Spent { by: Vec<Grouping>, time: String },
    /// Good and bad quantities against the requested ones.
    Produced { by: Vec<Grouping>, requested: String, good: String, bad: String },
    /// Consumed against planned quantities, for each part of `list` or for each row.
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
    /// Predicted against spent times. Without spent times, the predicted ones alone.
    Predicted { by: Vec<Grouping>, predicted: Vec<String>, spent: Vec<String> },
    /// The shifts and stoppages of each lane over a week.
    Calendar {
        lane: String,
        label: Vec<String>,
        shifts: WeeklyHours,
        #[serde(default)]
        stoppages: Option<OneTimeHours>,
    },
}
