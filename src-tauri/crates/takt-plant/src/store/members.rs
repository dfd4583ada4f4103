//! The members of a row, their values, and the state of a work order that follows from them.

use serde_json::{Map, Value, json};
use takt_contract::wire::TimeSpan;

pub(crate) type Members = Map<String, Value>;

/// Returns a text member, or an empty text.
pub(crate) fn get_text<'a>(members: &'a Members, name: &str) -> &'a str {
    members.get(name).and_then(|value| value.as_str()).unwrap_or_default()
}

/// Converts to a JSON number, without a fraction if it's whole.
pub(crate) fn to_json_number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 { json!(value as i64) } else { json!(value) }
}

/// Returns a time span object.
pub(crate) fn to_time_span(ticks: i64) -> Value {
    serde_json::to_value(TimeSpan::from_ticks(ticks)).unwrap_or_default()
}

/// The states of an order in responses.
pub(crate) const PLANNED: &str = "Planned";
pub(crate) const IN_EXECUTION: &str = "In execution";
pub(crate) const PAUSED: &str = "Paused";
pub(crate) const ENDED: &str = "Ended";

/// Returns the state of an order by its status, or by its real dates if the status is unknown.
pub(crate) fn get_order_state(row: &Members) -> &'static str {
    let status = get_text(row, "statusDescription");
    let known = [PLANNED, IN_EXECUTION, PAUSED, ENDED].into_iter().find(|state| *state == status);
    known.unwrap_or_else(|| get_state_by_dates(row))
}

/// Returns the state by the real dates.
pub(super) fn get_state_by_dates(row: &Members) -> &'static str {
    match (get_text(row, "beginReal").is_empty(), get_text(row, "endReal").is_empty()) {
        (_, false) => ENDED,
        (false, true) => IN_EXECUTION,
        (true, true) => PLANNED,
    }
}
