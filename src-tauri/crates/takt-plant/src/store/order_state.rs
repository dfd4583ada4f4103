//! The state of a work order, by its row.

use super::members::{Members, text};

/// The states of an order in responses.
pub(crate) const PLANNED: &str = "Planned";
pub(crate) const IN_EXECUTION: &str = "In execution";
pub(crate) const PAUSED: &str = "Paused";
pub(crate) const ENDED: &str = "Ended";

/// Returns the state of an order by its status, or by its real dates if the status is unknown.
pub(crate) fn state(row: &Members) -> &'static str {
    let status = text(row, "statusDescription");
    let known = [PLANNED, IN_EXECUTION, PAUSED, ENDED].into_iter().find(|state| *state == status);
    known.unwrap_or_else(|| state_by_dates(row))
}

/// Returns the state by the real dates.
pub(super) fn state_by_dates(row: &Members) -> &'static str {
    match (text(row, "beginReal").is_empty(), text(row, "endReal").is_empty()) {
        (_, false) => ENDED,
        (false, true) => IN_EXECUTION,
        (true, true) => PLANNED,
    }
}
