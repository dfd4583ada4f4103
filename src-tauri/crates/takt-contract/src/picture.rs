//! Charts of a list's rows, which assign roles to fields. The user interface decides how they look.

use serde::{Deserialize, Serialize};

use crate::{Names, Provenance};

/// A chart of an operation's rows (`x-takt-picture`, a list). Fields are paths, for example `rawMaterials.code`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Picture {
    /// Unique among the charts of its operation.
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

/// The service's status values for running and for paused orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StatusValues {
    pub running: Vec<String>,
    pub paused: Vec<String>,
}

/// The fields for a begin and an end, both date-times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DateRangeFields {
    pub begin: String,
    pub end: String,
}

/// The sync to send if the user moves a bar, with its fields for the new values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BarMove {
    pub operation: String,
    pub begin: String,
    pub end: String,
    /// Absent if a bar can't be moved to another lane.
    #[serde(default)]
    pub lane: Option<String>,
}

/// A grouping of rows. Rows with equal values in these fields make one bar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Grouping {
    pub names: Names,
    pub fields: Vec<String>,
    /// The fields that divide a bar. Empty if bars aren't divided.
    #[serde(default)]
    pub stack: Vec<String>,
}

/// Weekly working hours. Times are fields of a list's elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WeeklyHours {
    /// The path of the list, for example `shifts.intervals`.
    pub list: String,
    /// The field with the weekday, where 1 is Monday.
    pub weekday: String,
    /// The field with the time of day. If the end isn't after the begin, it is on the next day.
    pub begin: String,
    pub end: String,
    /// A field of the object that contains the list, for example `description` of a shift.
    pub name: String,
}

/// Hours on certain dates. Times are fields of a list's elements.
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

/// The kind of a chart, with the fields for its roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PictureKind {
    /// Planned and real times on a time line, with a lane for each value of `lane`.
    Plan {
        lane: String,
        label: Vec<String>,
        planned: DateRangeFields,
        #[serde(default)]
        real: Option<DateRangeFields>,
        #[serde(default)]
        status: Option<String>,
        /// The values of `status` for running and for paused orders.
        #[serde(default)]
        words: Option<StatusValues>,
        /// The ID of a list with a `calendar` chart of the same lanes.
        #[serde(default)]
        calendar: Option<String>,
        #[serde(default)]
        moves: Option<BarMove>,
    },
    /// Times at which alerts were opened, acknowledged and closed, on a time line.
    Alerts { lane: String, label: Vec<String>, opened: String, acknowledged: String, closed: String },
    /// The number of rows per group.
    Counted { by: Vec<Grouping> },
    /// The time spent per group.
    Spent { by: Vec<Grouping>, time: String },
    /// Good and bad quantities compared with the requested ones.
    Produced { by: Vec<Grouping>, requested: String, good: String, bad: String },
    /// Consumed quantities compared with the planned ones, for each element of `list` or for each row.
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
    /// Predicted times compared with spent times. If there are no spent times, only predicted times are shown.
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
