//! Converts durations between the text `[-][d.]hh:mm:ss[.fffffff]`, ticks of 100 ns, and the time span object in
//! responses.

use serde::{Deserialize, Serialize};

use super::number;

/// One tick is 100 ns.
pub const TICKS_PER_SECOND: i64 = 10_000_000;
const TICKS_PER_MILLISECOND: i64 = TICKS_PER_SECOND / 1000;
const TICKS_PER_MINUTE: i64 = 60 * TICKS_PER_SECOND;
const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;
const TICKS_PER_DAY: i64 = 24 * TICKS_PER_HOUR;
const FRACTION_DIGITS: usize = 7;

/// Parses `[-][d.]hh:mm:ss[.f…]`. Hours may exceed 23, minutes and seconds must not exceed 59. Returns `None` for other
/// texts, for digits finer than a tick, and for durations out of range.
#[must_use]
pub fn parse_ticks(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let mut parts = text.splitn(3, ':');
    let (front, minutes, back) = (parts.next()?, parts.next()?, parts.next()?);
    let (days, hours) =
        front.split_once('.').map_or(Some((0, front)), |(days, hours)| Some((parse_digits(days)?, hours)))?;
    let (seconds, fraction) = back.split_once('.').map_or(Some((back, 0)), |(s, f)| Some((s, parse_fraction(f)?)))?;
    let total = days
        .checked_mul(TICKS_PER_DAY)?
        .checked_add(parse_digits(hours)?.checked_mul(TICKS_PER_HOUR)?)?
        .checked_add(parse_sixtieth(minutes)? * TICKS_PER_MINUTE)?
        .checked_add(parse_sixtieth(seconds)? * TICKS_PER_SECOND)?
        .checked_add(fraction)?;
    Some(sign * total)
}

/// Formats `[-][d.]hh:mm:ss[.fffffff]`. Days and fraction are omitted if they are zero.
#[must_use]
pub fn format_ticks(ticks: i64) -> String {
    let rest = ticks.unsigned_abs();
    let per_second = TICKS_PER_SECOND.unsigned_abs();
    let (seconds, fraction) = (rest / per_second, rest % per_second);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let sign = if ticks < 0 { "-" } else { "" };
    let days = if days == 0 { String::new() } else { format!("{days}.") };
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:07}") };
    format!("{sign}{days}{:02}:{:02}:{:02}{fraction}", hours % 24, minutes % 60, seconds % 60)
}

/// Formats `[-]hh:mm:ss[.fffffff]` as in event payloads. Days are converted to hours.
#[must_use]
pub fn format_ticks_in_hours(ticks: i64) -> String {
    let rest = ticks.unsigned_abs();
    let per_second = TICKS_PER_SECOND.unsigned_abs();
    let (seconds, fraction) = (rest / per_second, rest % per_second);
    let sign = if ticks < 0 { "-" } else { "" };
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:07}") };
    format!("{sign}{:02}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn parse_digits(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn parse_sixtieth(text: &str) -> Option<i64> {
    parse_digits(text).filter(|value| *value < 60 && text.len() <= 2)
}

fn parse_fraction(text: &str) -> Option<i64> {
    parse_digits(text.get(..text.len().min(18))?)?;
    let beyond_ticks = text.get(FRACTION_DIGITS..).unwrap_or("");
    if beyond_ticks.bytes().any(|byte| byte != b'0') {
        return None;
    }
    let digits = text.get(..FRACTION_DIGITS).unwrap_or(text);
    parse_digits(&format!("{digits:0<FRACTION_DIGITS$}"))
}

/// A duration in responses. `ticks` (100 ns) is the value, from which the other ten members are derived.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeSpan {
    #[serde(deserialize_with = "number::deserialize_integer")]
    pub ticks: i64,
    #[serde(deserialize_with = "number::deserialize_integer", default)]
    pub days: i64,
    #[serde(deserialize_with = "number::deserialize_integer", default)]
    pub hours: i64,
    #[serde(deserialize_with = "number::deserialize_integer", default)]
    pub minutes: i64,
    #[serde(deserialize_with = "number::deserialize_integer", default)]
    pub seconds: i64,
    #[serde(deserialize_with = "number::deserialize_integer", default)]
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
    /// Derives all members from ticks. Each member has the sign of the duration.
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
