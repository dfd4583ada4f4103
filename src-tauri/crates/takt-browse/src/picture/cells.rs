//! Reading a role's field out of a row. What can't be read is absent, never guessed.

use std::{collections::HashMap, hash::Hash};

use jiff::{
    Timestamp,
    civil::{DateTime, Time},
    tz::TimeZone,
};
use serde_json::Value;
use takt_contract::wire::duration::{TICKS_PER_SECOND, parse_ticks};

/// What stands between the parts of a label.
const BETWEEN: &str = " · ";

/// Reads moments by the site's wall clock.
pub(super) struct Reader {
    zone: TimeZone,
    /// The date that says there is none.
    unset: Option<String>,
}

impl Reader {
    pub(super) fn new(zone: &str, unset: Option<&str>) -> Self {
        Self { zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC), unset: unset.map(ToOwned::to_owned) }
    }

    pub(super) fn now(&self, moment: Timestamp) -> i64 {
        seconds(self.zone.to_datetime(moment))
    }

    /// A date-time without an offset is the site's; one with an offset is shown by the site's clock.
    pub(super) fn moment(&self, row: &Value, path: &str) -> Option<i64> {
        let text = find(row, path)?.as_str()?;
        if self.unset.as_deref() == Some(text) {
            return None;
        }
        let local = match text.parse::<Timestamp>() {
            Ok(moment) => self.zone.to_datetime(moment),
            Err(_) => text.parse::<DateTime>().ok()?,
        };
        Some(seconds(local))
    }
}

fn seconds(local: DateTime) -> i64 {
    TimeZone::UTC.to_timestamp(local).map(Timestamp::as_second).unwrap_or_default()
}

/// The value at a path through objects.
pub(super) fn find<'a>(row: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(row, |value, name| value.get(name))
}

pub(super) fn text(row: &Value, path: &str) -> String {
    match find(row, path) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(truth)) => truth.to_string(),
        _ => String::new(),
    }
}

/// What is there of these fields, in their order.
pub(super) fn label<'a>(row: &Value, paths: impl IntoIterator<Item = &'a String>) -> String {
    let parts = paths.into_iter().map(|path| text(row, path)).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(BETWEEN)
}

pub(super) fn number(row: &Value, path: &str) -> f64 {
    find(row, path).and_then(Value::as_f64).unwrap_or_default()
}

/// The seconds of a time span object, or of a duration's text.
pub(super) fn span(row: &Value, path: &str) -> f64 {
    let ticks = find(row, path).and_then(|value| match value {
        Value::String(text) => parse_ticks(text),
        value => value.get("ticks").and_then(Value::as_i64),
    });
    #[expect(clippy::cast_precision_loss, reason = "a time span that is drawn needs no more than 53 bits")]
    let seconds = ticks.unwrap_or_default() as f64 / TICKS_PER_SECOND as f64;
    seconds
}

/// The minutes of the day of `hh:mm:ss`.
pub(super) fn minutes(row: &Value, path: &str) -> Option<u32> {
    let time: Time = find(row, path)?.as_str()?.parse().ok()?;
    u32::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).ok()
}

/// Each different thing once, by its index.
pub(super) struct Once<T>(HashMap<T, u32>, Vec<T>);

impl<T: Eq + Hash + Clone> Once<T> {
    pub(super) fn new() -> Self {
        Self(HashMap::new(), Vec::new())
    }

    pub(super) fn index(&mut self, thing: T) -> u32 {
        if let Some(index) = self.0.get(&thing) {
            return *index;
        }
        let index = u32::try_from(self.1.len()).unwrap_or(u32::MAX);
        self.1.push(thing.clone());
        self.0.insert(thing, index);
        index
    }

    pub(super) fn list(self) -> Vec<T> {
        self.1
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_are_those_of_the_sites_clock() {
        let reader = Reader::new("Europe/Berlin", Some("0001-01-01T00:00:00"));
        let read = |text: &str| reader.moment(&json!({ "at": text }), "at");
        assert_eq!(read("1970-01-02T00:00:10"), Some(86_410));
        assert_eq!(read("1970-01-01T23:00:10Z"), Some(86_410));
        assert_eq!(read("1970-01-02T03:00:10+04:00"), Some(86_410));
        assert_eq!((read("0001-01-01T00:00:00"), read("soon"), read("")), (None, None, None));
        assert_eq!(reader.now(Timestamp::UNIX_EPOCH), 3_600);
    }

    #[test]
    fn spans_and_labels_are_read() {
        let row = json!({ "a": { "ticks": 600_000_000 }, "b": "25:00:00", "code": "X", "n": 7, "none": null });
        assert_eq!((span(&row, "a"), span(&row, "b"), span(&row, "none")), (60.0, 90_000.0, 0.0));
        let paths = ["code", "none", "n"].map(ToOwned::to_owned);
        assert_eq!(label(&row, &paths), "X · 7");
        assert_eq!(minutes(&json!({ "t": "22:30:00" }), "t"), Some(1_350));
    }
}
