//! What the window draws: columns, one entry per bar, with the positions of the rows that each bar stands for.

use serde::{Deserialize, Serialize};

/// Which picture of a set's operation, and by which of its groupings where it adds up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PictureQuery {
    /// The id that the contract gives it.
    pub picture: String,
    /// Which of its groupings; the first is 0.
    pub by: u32,
}

/// A picture's columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PictureView {
    /// How many rows were looked at.
    pub rows: u32,
    /// Rows, or bars, that are too many to be drawn.
    pub omitted: u32,
    /// The site's wall clock, as all moments here: seconds since 1970 as if it were UTC.
    pub now: i64,
    pub drawn: DrawnPicture,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "shape", rename_all = "camelCase")]
pub enum DrawnPicture {
    Spans(SpansView),
    Bars(BarsView),
    Week(WeekView),
}

/// Bars on a time line. The columns from `rows` to `status` have one entry per bar.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SpansView {
    /// In their order from above; an empty one is that of rows without.
    pub lanes: Vec<String>,
    /// How many bars of each lane lie at the same time, drawn below each other.
    pub tracks: Vec<u32>,
    /// The row's position in the set.
    pub rows: Vec<u32>,
    /// An index into `lanes`.
    pub lane: Vec<u32>,
    /// Which of the lane's tracks.
    pub track: Vec<u32>,
    pub label: Vec<String>,
    /// What was planned, or is open until it is acknowledged. An absent end lasts until now.
    pub first_begin: Vec<Option<i64>>,
    pub first_end: Vec<Option<i64>>,
    /// What became real, or is acknowledged until it is closed. An absent end lasts until now.
    pub second_begin: Vec<Option<i64>>,
    pub second_end: Vec<Option<i64>>,
    pub standing: Vec<PlanStatus>,
    /// An index into `statuses`.
    pub status: Vec<u32>,
    /// In the service's words.
    pub statuses: Vec<String>,
    /// Rows that have no time at all: their positions, and what they are called.
    pub unplanned: Vec<u32>,
    pub unplanned_label: Vec<String>,
}

/// How a bar stands against its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum PlanStatus {
    /// As planned, or without a plan.
    Fine,
    /// Ended after it should have.
    Late,
    /// Should have ended by now.
    Overdue,
    /// Should have begun by now.
    Waiting,
}

/// What the values of bars are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    Rows,
    Quantity,
    Seconds,
}

/// Bars that add up. The columns up to `units` have one entry per bar, those that begin with `part` one per part of a bar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct BarsView {
    pub measure: Measure,
    pub labels: Vec<String>,
    /// The positions of the rows that a bar adds up.
    pub rows: Vec<Vec<u32>>,
    /// What a bar is held against. Empty where there is no such thing.
    pub against: Vec<f64>,
    /// Empty where the values have none.
    pub units: Vec<String>,
    /// An index into `labels`; the parts of a bar in their order.
    pub part_of: Vec<u32>,
    /// An index into `names`.
    pub part_name: Vec<u32>,
    pub part_value: Vec<f64>,
    /// Paths of fields, or the texts that bars are divided by.
    pub names: Vec<String>,
    /// True where `names` are fields.
    pub fields: bool,
    /// The fields that `against` adds up.
    pub against_fields: Vec<String>,
    /// Bars that are too many to be drawn.
    pub omitted: u32,
}

/// The hours of a week, and stoppages at their dates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct WeekView {
    pub lanes: Vec<String>,
    pub labels: Vec<String>,
    /// The row's position in the set.
    pub rows: Vec<u32>,
    /// An index into `lanes`.
    pub shift_lane: Vec<u32>,
    /// 1 is Monday.
    pub shift_day: Vec<u32>,
    /// Minutes of the day; an end beyond 1,440 lies on the next one.
    pub shift_begin: Vec<u32>,
    pub shift_end: Vec<u32>,
    /// An index into `names`, as the others' names and statuses.
    pub shift_name: Vec<u32>,
    pub stoppage_lane: Vec<u32>,
    pub stoppage_begin: Vec<i64>,
    pub stoppage_end: Vec<i64>,
    pub stoppage_name: Vec<u32>,
    pub stoppage_status: Vec<u32>,
    pub names: Vec<String>,
}

impl DrawnPicture {
    pub(super) fn omitted(&self) -> u32 {
        match self {
            Self::Bars(bars) => bars.omitted,
            Self::Spans(_) | Self::Week(_) => 0,
        }
    }
}
