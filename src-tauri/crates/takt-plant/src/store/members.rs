//! The members of a row, and their values.

use serde_json::{Map, Value, json};
use takt_contract::wire::TimeSpan;

pub(crate) type Members = Map<String, Value>;

/// Returns a text member, or an empty text.
pub(crate) fn text<'a>(members: &'a Members, name: &str) -> &'a str {
    members.get(name).and_then(|value| value.as_str()).unwrap_or_default()
}

/// Converts to a JSON number, without a fraction if it's whole.
pub(crate) fn json_number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 { json!(value as i64) } else { json!(value) }
}

/// Returns a time span object.
pub(crate) fn time_span(ticks: i64) -> Value {
    serde_json::to_value(TimeSpan::from_ticks(ticks)).unwrap_or_default()
}
