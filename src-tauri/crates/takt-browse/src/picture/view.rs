//! The columns that the window draws, with one entry per bar, and the positions of each bar's rows.

use serde::{Deserialize, Serialize};

/// The picture of a set's operation to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PictureQuery {
    /// The picture's ID in the contract.
    pub picture: String,
    /// The index of the picture's grouping.
    pub by: u32,
}

/// A picture's columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PictureView {
    /// The number of rows that were evaluated.
    pub rows: u32,
    /// The number of rows or bars that are too many to draw.
    pub omitted: u32,
    /// The site's local time in seconds since 1970 as if it were UTC, like all times here.
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
    /// From top to bottom. The empty lane is for rows without a lane.
    pub lanes: Vec<String>,
    /// The number of tracks of each lane, for overlapping bars.
    pub tracks: Vec<u32>,
    /// The row's position in the set.
    pub rows: Vec<u32>,
    /// An index into `lanes`.
    pub lane: Vec<u32>,
    /// The track in the lane.
    pub track: Vec<u32>,
    pub label: Vec<String>,
    /// The planned range, or the time until the alert is acknowledged. Without an end, it lasts until now.
    pub first_begin: Vec<Option<i64>>,
    pub first_end: Vec<Option<i64>>,
    /// The real range, or the time from acknowledgement until the alert is closed. Without an end, it lasts until now.
    pub second_begin: Vec<Option<i64>>,
    pub second_end: Vec<Option<i64>>,
    pub standing: Vec<PlanStatus>,
    /// An index into `statuses`.
    pub status: Vec<u32>,
    /// As the service names them.
    pub statuses: Vec<String>,
    /// The positions and labels of rows without any time.
    pub unplanned: Vec<u32>,
    pub unplanned_label: Vec<String>,
}

/// The status of a bar compared to its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum PlanStatus {
    /// As planned, or without a plan.
    Fine,
    /// Ended later than planned.
    Late,
    /// Should have ended by now, but hasn't.
    Overdue,
    /// Should have begun by now, but hasn't.
    Waiting,
}

/// The unit of the bars' values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    Rows,
    Quantity,
    Seconds,
}

/// Bars that add up values. Columns up to `units` have one entry per bar, columns that begin with `part` one per part
/// of a bar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct BarsView {
    pub measure: Measure,
    pub labels: Vec<String>,
    /// The positions of the rows that a bar adds up.
    pub rows: Vec<Vec<u32>>,
    /// The value that a bar is compared to. Empty if there is none.
    pub against: Vec<f64>,
    /// Empty if the values have no units.
    pub units: Vec<String>,
    /// An index into `labels`. The parts of a bar are in order.
    pub part_of: Vec<u32>,
    /// An index into `names`.
    pub part_name: Vec<u32>,
    pub part_value: Vec<f64>,
    /// The paths of fields, or the texts that bars are divided by.
    pub names: Vec<String>,
    /// True if `names` are fields.
    pub fields: bool,
    /// The fields that `against` adds up.
    pub against_fields: Vec<String>,
    /// The number of bars that are too many to draw.
    pub omitted: u32,
}

/// The working hours of a week, and stoppages by date.
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
    /// In minutes of the day. An end beyond 1,440 is on the next day.
    pub shift_begin: Vec<u32>,
    pub shift_end: Vec<u32>,
    /// An index into `names`, like the other names and statuses.
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
