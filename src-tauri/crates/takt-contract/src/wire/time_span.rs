//! The time span object for durations in JSON responses.

use serde::{Deserialize, Serialize};

use super::{duration::TICKS_PER_SECOND, number};

const TICKS_PER_MILLISECOND: i64 = TICKS_PER_SECOND / 1000;

/// A duration in responses. `ticks` (100 ns) is the value, and the ten other members are derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeSpan {
    #[serde(deserialize_with = "number::whole")]
    pub ticks: i64,
    #[serde(deserialize_with = "number::whole", default)]
    pub days: i64,
    #[serde(deserialize_with = "number::whole", default)]
    pub hours: i64,
    #[serde(deserialize_with = "number::whole", default)]
    pub minutes: i64,
    #[serde(deserialize_with = "number::whole", default)]
    pub seconds: i64,
    #[serde(deserialize_with = "number::whole", default)]
    pub milliseconds: i64,
    #[serde(with = "number", default)]
    pub total_days: f64,
    #[serde(with = "number", default)]
    pub total_hours: f64,
    #[serde(with = "number", default)]
    pub total_minutes: f64,
    #[serde(with = "number", default)]
    pub total_seconds: f64,
    #[serde(with = "number", default)]
    pub total_milliseconds: f64,
}

impl TimeSpan {
    /// Derives all members from the ticks. The components have the sign of the duration.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "the derived members are as exact as an f64 is; `ticks` is the truth"
    )]
    pub fn from_ticks(ticks: i64) -> Self {
        let seconds = ticks / TICKS_PER_SECOND;
        let exact = ticks as f64;
        let total = |ticks_per_unit: i64| exact / ticks_per_unit as f64;
        Self {
            ticks,
            days: seconds / 86_400,
            hours: seconds / 3600 % 24,
            minutes: seconds / 60 % 60,
            seconds: seconds % 60,
            milliseconds: ticks / TICKS_PER_MILLISECOND % 1000,
            total_days: total(86_400 * TICKS_PER_SECOND),
            total_hours: total(3600 * TICKS_PER_SECOND),
            total_minutes: total(60 * TICKS_PER_SECOND),
            total_seconds: total(TICKS_PER_SECOND),
            total_milliseconds: total(TICKS_PER_MILLISECOND),
        }
    }

    #[must_use]
    pub fn ticks(&self) -> i64 {
        self.ticks
    }
}
