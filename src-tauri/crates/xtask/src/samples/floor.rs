//! The practice plant's data that doesn't depend on its seed: codes, the operations of orders, the orders of
//! inspections, and the working time.

use jiff::{
    SignedDuration,
    civil::{Date, DateTime, date, time},
};

/// The Monday on which all dates in the files are based.
pub(super) const TODAY: Date = date(2026, 11, 23);
pub(super) const MATERIALS: i64 = 140;
pub(super) const RAW_MATERIALS: i64 = 60;
pub(super) const INSPECTIONS: i64 = 200;
/// Two shifts of eight hours.
const MINUTES_PER_WORKDAY: i64 = 16 * 60;

/// An operation of one of the plant's orders. Every third order has two.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) order: String,
    pub(super) operation: &'static str,
}

pub(super) fn order_code(number: i64) -> String {
    format!("WO-{}", 260_000 + number)
}

/// Returns the operations of the orders from `first` to `last`, which are order numbers.
pub(super) fn order_steps(first: i64, last: i64) -> Vec<Step> {
    let operations = |number: i64| if number % 3 == 0 { vec!["010", "020"] } else { vec!["010"] };
    let order_steps = |number: i64| {
        operations(number).into_iter().map(move |operation| Step { order: order_code(number), operation })
    };
    (first..=last).flat_map(order_steps).collect()
}

/// Returns the code of the material that an order produces.
pub(super) fn material_of_order(number: i64) -> String {
    material_code(1 + (number - 1) * 7 % MATERIALS)
}

/// Returns the code of the operation that an inspection belongs to. Inspections have the order of operations.
pub(super) fn inspected_operation(number: i64) -> &'static str {
    if number % 4 == 0 { "020" } else { "010" }
}

/// Returns the code of a material, whose number is 1-based.
pub(super) fn material_code(number: i64) -> String {
    format!("MAT-{}", 1000 + number)
}

/// Returns the code of a raw material, whose number is 1-based.
pub(super) fn raw_material_code(number: i64) -> String {
    format!("RAW-{}", 2000 + number)
}

pub(super) fn unit_of_raw_material(number: i64) -> &'static str {
    match (number - 1) % 5 {
        0 | 1 => "m",
        2 => "kg",
        _ => "pcs",
    }
}

pub(super) fn inspection_code(number: i64) -> String {
    format!("INS-{number:05}")
}

pub(super) fn process_code(number: i64) -> String {
    format!("IP-{number:02}")
}

/// Returns the code of a process that is an inspection.
pub(super) fn quality_process_code(position: i64) -> String {
    process_code(position % 2 * 20 + 16 + position % 5)
}

pub(super) fn station_code(number: i64) -> String {
    format!("WS-{number:02}")
}

/// Returns the time after `minutes` of work since the first morning. Work starts at 06:00, in two shifts on five days a
/// week.
pub(super) fn work_time(minutes: i64) -> DateTime {
    let day = minutes.div_euclid(MINUTES_PER_WORKDAY);
    let days = day.div_euclid(5) * 7 + day.rem_euclid(5);
    let morning = TODAY.to_datetime(time(6, 0, 0, 0));
    morning.saturating_add(SignedDuration::from_mins(days * 24 * 60 + minutes.rem_euclid(MINUTES_PER_WORKDAY)))
}

/// Returns midnight at the start of the day that is `days` later.
pub(super) fn days_later(moment: DateTime, days: i64) -> DateTime {
    moment.date().to_datetime(time(0, 0, 0, 0)).saturating_add(SignedDuration::from_hours(24 * days))
}
