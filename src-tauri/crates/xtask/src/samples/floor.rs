//! What the practice plant holds by construction, whatever its seed: codes, which operation an order has, which order an
//! inspection belongs to. And the time on its floor.

use jiff::{
    SignedDuration,
    civil::{Date, DateTime, date, time},
};

/// A Monday; the files are about the weeks around it.
pub(super) const TODAY: Date = date(2026, 11, 23);
pub(super) const MATERIALS: i64 = 140;
pub(super) const RAW_MATERIALS: i64 = 60;
pub(super) const INSPECTIONS: i64 = 200;
/// Two shifts.
const DAY: i64 = 16 * 60;

/// An operation of an order that the plant has: every third order has two.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) order: String,
    pub(super) operation: &'static str,
}

pub(super) fn order(number: i64) -> String {
    format!("WO-{}", 260_000 + number)
}

/// The operations of the orders from one number to another.
pub(super) fn steps(first: i64, last: i64) -> Vec<Step> {
    let operations = |number: i64| if number % 3 == 0 { vec!["010", "020"] } else { vec!["010"] };
    let of =
        |number: i64| operations(number).into_iter().map(move |operation| Step { order: order(number), operation });
    (first..=last).flat_map(of).collect()
}

/// The material of an order that the plant has.
pub(super) fn material_of(number: i64) -> String {
    material(1 + (number - 1) * 7 % MATERIALS)
}

/// The operation that an inspection belongs to: they follow the operations of the orders.
pub(super) fn inspected(number: i64) -> &'static str {
    if number % 4 == 0 { "020" } else { "010" }
}

/// From 1 on.
pub(super) fn material(number: i64) -> String {
    format!("MAT-{}", 1000 + number)
}

/// From 1 on.
pub(super) fn raw_material(number: i64) -> String {
    format!("RAW-{}", 2000 + number)
}

pub(super) fn raw_unit(number: i64) -> &'static str {
    match (number - 1) % 5 {
        0 | 1 => "m",
        2 => "kg",
        _ => "pcs",
    }
}

pub(super) fn inspection(number: i64) -> String {
    format!("INS-{number:05}")
}

pub(super) fn process(number: i64) -> String {
    format!("IP-{number:02}")
}

/// One of those processes that are inspections.
pub(super) fn quality_process(position: i64) -> String {
    process(position % 2 * 20 + 16 + position % 5)
}

pub(super) fn station(number: i64) -> String {
    format!("WS-{number:02}")
}

/// The moment after so many minutes of work since the first morning: two shifts a day from 06:00, no weekends.
pub(super) fn at_work(minutes: i64) -> DateTime {
    let day = minutes.div_euclid(DAY);
    let days = day.div_euclid(5) * 7 + day.rem_euclid(5);
    let morning = TODAY.to_datetime(time(6, 0, 0, 0));
    morning.saturating_add(SignedDuration::from_mins(days * 24 * 60 + minutes.rem_euclid(DAY)))
}

/// That day at midnight, so many days later.
pub(super) fn days_later(moment: DateTime, days: i64) -> DateTime {
    moment.date().to_datetime(time(0, 0, 0, 0)).saturating_add(SignedDuration::from_hours(24 * days))
}
