//! Reads and converts members of rows, and derives the state of a work order.

use serde_json::{Map, Value, json};
use takt_contract::wire::TimeSpan;

pub(crate) type Members = Map<String, Value>;

/// Returns a text member. Empty if it is missing.
pub(crate) fn get_text<'a>(members: &'a Members, name: &str) -> &'a str {
    members.get(name).and_then(|value| value.as_str()).unwrap_or_default()
}

/// Converts a number to JSON, without a fraction if it is an integer.
pub(crate) fn to_json_number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 { json!(value as i64) } else { json!(value) }
}

pub(crate) fn to_time_span(ticks: i64) -> Value {
    serde_json::to_value(TimeSpan::from_ticks(ticks)).unwrap_or_default()
}

/// The states of an order, as in responses.
pub(crate) const PLANNED: &str = "Planned";
pub(crate) const IN_EXECUTION: &str = "In execution";
pub(crate) const PAUSED: &str = "Paused";
pub(crate) const ENDED: &str = "Ended";

/// Returns the state of an order from its status. If the status is unknown, derives the state from the real dates.
pub(crate) fn get_order_state(row: &Members) -> &'static str {
    let status = get_text(row, "statusDescription");
    let known = [PLANNED, IN_EXECUTION, PAUSED, ENDED].into_iter().find(|state| *state == status);
    known.unwrap_or_else(|| get_state_by_dates(row))
}

/// Derives the state of an order from its real dates.
pub(super) fn get_state_by_dates(row: &Members) -> &'static str {
    match (get_text(row, "beginReal").is_empty(), get_text(row, "endReal").is_empty()) {
        (_, false) => ENDED,
        (false, true) => IN_EXECUTION,
        (true, true) => PLANNED,
    }
}
