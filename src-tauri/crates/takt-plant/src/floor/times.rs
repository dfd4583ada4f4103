//! How long an order took people and machine, with value added and without.
//!
//! The machine's two times always add up to what has been counted since the order began, so that the next move knows
//! what is still to be counted. What counts as value is assumed: a share of the time that the order ran.

use jiff::{civil::DateTime, tz::TimeZone};
use serde_json::Value;
use takt_contract::wire::duration::TICKS_PER_SECOND;

use crate::{
    store::{IN_EXECUTION, Members, state, text, time_span},
    time_window::date_time,
};

const MACHINE_VALUE: &str = "machineValueAddedTime";
const MACHINE_OTHER: &str = "machineNonValueAddedTime";
const LABOR_VALUE: &str = "laborValueAddedTime";
const LABOR_OTHER: &str = "laborNonValueAddedTime";

/// Of a thousand parts of the time that an order runs, how many add value. Each order has its own.
struct Shares {
    machine: i64,
    labor: i64,
    labor_other: i64,
}

impl Shares {
    fn of(row: &Members) -> Self {
        let own = row.get("id").and_then(Value::as_i64).unwrap_or_default().rem_euclid(1000);
        Self { machine: 880 + own * 7 % 90, labor: 350 + own * 37 % 300, labor_other: 20 + own * 13 % 80 }
    }
}

/// Counts the time since the last move, by the state that the order was in.
pub(super) fn account(row: &mut Members, now: DateTime, zone: &TimeZone) {
    let passed = uncounted(row, now, zone);
    if passed == 0 {
        return;
    }
    if state(row) != IN_EXECUTION {
        add(row, MACHINE_OTHER, passed);
        return;
    }
    let shares = Shares::of(row);
    let part = |share: i64| passed / 1000 * share;
    add(row, MACHINE_VALUE, part(shares.machine));
    add(row, MACHINE_OTHER, passed - part(shares.machine));
    add(row, LABOR_VALUE, part(shares.labor));
    add(row, LABOR_OTHER, part(shares.labor_other));
}

/// How long the order has run by now, in seconds, without its pauses.
pub(super) fn run(row: &Members, now: DateTime, zone: &TimeZone) -> f64 {
    let running = if state(row) == IN_EXECUTION { uncounted(row, now, zone) } else { 0 };
    let counted = ticks(row, MACHINE_VALUE) / Shares::of(row).machine * 1000;
    #[expect(clippy::cast_precision_loss, reason = "an estimate of what was produced meanwhile")]
    let ticks = counted.saturating_add(running) as f64;
    ticks / 1e7
}

/// Nothing is counted yet.
pub(super) fn clear(row: &mut Members) {
    for name in [MACHINE_VALUE, MACHINE_OTHER, LABOR_VALUE, LABOR_OTHER] {
        row.insert(name.to_owned(), time_span(0));
    }
}

/// From begin to end, in ticks; never below 0.
pub(super) fn ticks_between(begin: DateTime, end: DateTime) -> i64 {
    end.duration_since(begin).as_secs().saturating_mul(TICKS_PER_SECOND).max(0)
}

fn uncounted(row: &Members, now: DateTime, zone: &TimeZone) -> i64 {
    let Some(begin) = date_time(text(row, "beginReal"), zone) else { return 0 };
    let counted = ticks(row, MACHINE_VALUE).saturating_add(ticks(row, MACHINE_OTHER));
    ticks_between(begin, now).saturating_sub(counted).max(0)
}

fn ticks(row: &Members, name: &str) -> i64 {
    row.get(name).and_then(|span| span["ticks"].as_i64()).unwrap_or_default()
}

fn add(row: &mut Members, name: &str, more: i64) {
    let sum = ticks(row, name).saturating_add(more);
    row.insert(name.to_owned(), time_span(sum));
}
