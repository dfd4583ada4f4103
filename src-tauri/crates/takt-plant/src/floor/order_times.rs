//! Counts the labor and machine times of an order, with and without added value.
//!
//! Both machine times add up to all time counted since the order began, so the time that isn't counted yet is known.
//! The share of time with added value is assumed.

use jiff::{civil::DateTime, tz::TimeZone};
use serde_json::Value;
use takt_contract::wire::duration::TICKS_PER_SECOND;

use crate::{
    store::{IN_EXECUTION, Members, get_order_state, get_text, to_time_span},
    time_window::parse_date_time,
};

const MACHINE_VALUE_ADDED: &str = "machineValueAddedTime";
const MACHINE_NON_VALUE_ADDED: &str = "machineNonValueAddedTime";
const LABOR_VALUE_ADDED: &str = "laborValueAddedTime";
const LABOR_NON_VALUE_ADDED: &str = "laborNonValueAddedTime";

/// The shares of the running time in thousandths, which differ from order to order.
struct TimeShares {
    machine: i64,
    labor: i64,
    labor_other: i64,
}

impl TimeShares {
    fn from_row(row: &Members) -> Self {
        let own = row.get("id").and_then(Value::as_i64).unwrap_or_default().rem_euclid(1000);
        Self { machine: 880 + own * 7 % 90, labor: 350 + own * 37 % 300, labor_other: 20 + own * 13 % 80 }
    }
}

/// Counts the time since the last move. The order's state determines how it is counted.
pub(super) fn count_elapsed_time(row: &mut Members, now: DateTime, zone: &TimeZone) {
    let passed = uncounted_ticks(row, now, zone);
    if passed == 0 {
        return;
    }
    if get_order_state(row) != IN_EXECUTION {
        add_ticks(row, MACHINE_NON_VALUE_ADDED, passed);
        return;
    }
    let shares = TimeShares::from_row(row);
    let part = |share: i64| passed / 1000 * share;
    add_ticks(row, MACHINE_VALUE_ADDED, part(shares.machine));
    add_ticks(row, MACHINE_NON_VALUE_ADDED, passed - part(shares.machine));
    add_ticks(row, LABOR_VALUE_ADDED, part(shares.labor));
    add_ticks(row, LABOR_NON_VALUE_ADDED, part(shares.labor_other));
}

/// Returns how many seconds the order has run, without pauses.
pub(super) fn running_seconds(row: &Members, now: DateTime, zone: &TimeZone) -> f64 {
    let running = if get_order_state(row) == IN_EXECUTION { uncounted_ticks(row, now, zone) } else { 0 };
    let counted = get_ticks(row, MACHINE_VALUE_ADDED) / TimeShares::from_row(row).machine * 1000;
    #[expect(clippy::cast_precision_loss, reason = "an estimate of what was produced meanwhile")]
    let ticks = counted.saturating_add(running) as f64;
    ticks / 1e7
}

pub(super) fn reset_counted_times(row: &mut Members) {
    for name in [MACHINE_VALUE_ADDED, MACHINE_NON_VALUE_ADDED, LABOR_VALUE_ADDED, LABOR_NON_VALUE_ADDED] {
        row.insert(name.to_owned(), to_time_span(0));
    }
}

/// Returns the number of ticks between two times, or 0 if the end is before the begin.
pub(super) fn ticks_between(begin: DateTime, end: DateTime) -> i64 {
    end.duration_since(begin).as_secs().saturating_mul(TICKS_PER_SECOND).max(0)
}

fn uncounted_ticks(row: &Members, now: DateTime, zone: &TimeZone) -> i64 {
    let Some(begin) = parse_date_time(get_text(row, "beginReal"), zone) else { return 0 };
    let counted = get_ticks(row, MACHINE_VALUE_ADDED).saturating_add(get_ticks(row, MACHINE_NON_VALUE_ADDED));
    ticks_between(begin, now).saturating_sub(counted).max(0)
}

fn get_ticks(row: &Members, name: &str) -> i64 {
    row.get(name).and_then(|span| span["ticks"].as_i64()).unwrap_or_default()
}

fn add_ticks(row: &mut Members, name: &str, more: i64) {
    let sum = get_ticks(row, name).saturating_add(more);
    row.insert(name.to_owned(), to_time_span(sum));
}
