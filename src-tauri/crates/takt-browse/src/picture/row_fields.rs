//! Reads fields out of a row. Unreadable values are treated as missing.

use std::collections::HashMap;
use std::hash::Hash;

use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use serde_json::Value;
use takt_contract::wire::duration::{TICKS_PER_SECOND, parse_ticks};

/// Separates the parts of a label.
const LABEL_SEPARATOR: &str = " · ";

/// Reads times in the site's time zone.
pub(super) struct LocalTimeReader {
    zone: TimeZone,
    /// The date that means "not set".
    unset: Option<String>,
}

impl LocalTimeReader {
    pub(super) fn new(zone: &str, unset: Option<&str>) -> Self {
        Self { zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC), unset: unset.map(ToOwned::to_owned) }
    }

    pub(super) fn local_seconds(&self, moment: Timestamp) -> i64 {
        seconds_as_utc(self.zone.to_datetime(moment))
    }

    /// Reads a time. A time without an offset is the site's local time, and other times are converted to it.
    pub(super) fn local_seconds_at(&self, row: &Value, path: &str) -> Option<i64> {
        let text = value_at(row, path)?.as_str()?;
        if self.unset.as_deref() == Some(text) {
            return None;
        }
        let local = match text.parse::<Timestamp>() {
            Ok(moment) => self.zone.to_datetime(moment),
            Err(_) => text.parse::<DateTime>().ok()?,
        };
        Some(seconds_as_utc(local))
    }
}

fn seconds_as_utc(local: DateTime) -> i64 {
    TimeZone::UTC.to_timestamp(local).map(Timestamp::as_second).unwrap_or_default()
}

/// Returns the value at a path through objects.
fn value_at<'a>(row: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(row, |value, name| value.get(name))
}

pub(super) fn text_at(row: &Value, path: &str) -> String {
    match value_at(row, path) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(truth)) => truth.to_string(),
        _ => String::new(),
    }
}

/// Joins the values of these fields, in their order, without empty ones.
pub(super) fn join_label<'a>(row: &Value, paths: impl IntoIterator<Item = &'a String>) -> String {
    let parts = paths.into_iter().map(|path| text_at(row, path)).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(LABEL_SEPARATOR)
}

pub(super) fn number_at(row: &Value, path: &str) -> f64 {
    value_at(row, path).and_then(Value::as_f64).unwrap_or_default()
}

/// Returns the seconds of a time span object or a duration.
pub(super) fn duration_seconds_at(row: &Value, path: &str) -> f64 {
    let ticks = value_at(row, path).and_then(|value| match value {
        Value::String(text) => parse_ticks(text),
        value => value.get("ticks").and_then(Value::as_i64),
    });
    #[expect(clippy::cast_precision_loss, reason = "a time span that is drawn needs no more than 53 bits")]
    let seconds = ticks.unwrap_or_default() as f64 / TICKS_PER_SECOND as f64;
    seconds
}

/// Returns the minutes since midnight of a time such as `hh:mm:ss`.
pub(super) fn minutes_at(row: &Value, path: &str) -> Option<u32> {
    let time: Time = value_at(row, path)?.as_str()?.parse().ok()?;
    u32::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).ok()
}

/// Assigns an index to each distinct value.
pub(super) struct Interner<T>(HashMap<T, u32>, Vec<T>);

impl<T: Eq + Hash + Clone> Interner<T> {
    pub(super) fn new() -> Self {
        Self(HashMap::new(), Vec::new())
    }

    pub(super) fn intern(&mut self, value: T) -> u32 {
        if let Some(index) = self.0.get(&value) {
            return *index;
        }
        let index = u32::try_from(self.1.len()).unwrap_or(u32::MAX);
        self.1.push(value.clone());
        self.0.insert(value, index);
        index
    }

    pub(super) fn into_values(self) -> Vec<T> {
        self.1
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_are_those_of_the_sites_clock() {
        let reader = LocalTimeReader::new("Europe/Berlin", Some("0001-01-01T00:00:00"));
        let read = |text: &str| reader.local_seconds_at(&json!({ "at": text }), "at");
        assert_eq!(read("1970-01-02T00:00:10"), Some(86_410));
        assert_eq!(read("1970-01-01T23:00:10Z"), Some(86_410));
        assert_eq!(read("1970-01-02T03:00:10+04:00"), Some(86_410));
        assert_eq!((read("0001-01-01T00:00:00"), read("soon"), read("")), (None, None, None));
        assert_eq!(reader.local_seconds(Timestamp::UNIX_EPOCH), 3_600);
    }

    #[test]
    fn spans_and_labels_are_read() {
        let row = json!({ "a": { "ticks": 600_000_000 }, "b": "25:00:00", "code": "X", "n": 7, "none": null });
        assert_eq!(
            (duration_seconds_at(&row, "a"), duration_seconds_at(&row, "b"), duration_seconds_at(&row, "none")),
            (60.0, 90_000.0, 0.0)
        );
        let paths = ["code", "none", "n"].map(ToOwned::to_owned);
        assert_eq!(join_label(&row, &paths), "X · 7");
        assert_eq!(minutes_at(&json!({ "t": "22:30:00" }), "t"), Some(1_350));
    }
}
