//! Parses the weekly working hours of stations from the site's list.

use std::sync::Arc;

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, Time, Weekday};
use serde_json::Value;
use takt_contract::{Contract, ReferenceCheck};

use crate::reference::reference_list::ReferenceList;
use crate::reference::requirement::referenced_list;

/// A time range on a weekday. If it ends at or before its begin, it lasts until the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShiftInterval {
    pub weekday: Weekday,
    begin: Time,
    end: Time,
}

/// The list that contains the stations' hours, and the members of its rows.
pub(super) struct HoursSource<'a> {
    pub(super) list: &'a str,
    intervals: &'a str,
    names: [&'a String; 3],
}

impl<'a> HoursSource<'a> {
    pub(super) fn find(contract: &'a Contract) -> Option<Self> {
        contract.operations().iter().filter_map(|operation| operation.request.as_ref()).find_map(|shape| {
            shape.fields_with_paths().into_iter().flat_map(|(_, field)| &field.reference_checks).find_map(|check| {
                let ReferenceCheck::InShifts { station, intervals, weekday, begin, end, .. } = check else {
                    return None;
                };
                Some(Self { list: referenced_list(shape, station)?, intervals, names: [weekday, begin, end] })
            })
        })
    }

    pub(super) fn read(&self, cached: &Arc<ReferenceList>) -> Vec<ShiftInterval> {
        let (top, rest) = self.intervals.split_once('.').unwrap_or((self.intervals, ""));
        let Some(field) = cached.column_index(top) else { return Vec::new() };
        let mut parts = Vec::new();
        for row in 0..cached.rows() {
            if let Some(value) = cached.value(row, field) {
                collect_at_path(value, rest, &mut parts);
            }
        }
        let mut intervals: Vec<ShiftInterval> = Vec::new();
        for interval in parts.into_iter().filter_map(|part| ShiftInterval::parse(part, self.names)) {
            if !intervals.contains(&interval) {
                intervals.push(interval);
            }
        }
        intervals
    }
}

/// Collects the parts at the end of a path through lists and objects.
pub fn collect_at_path<'a>(value: &'a Value, path: &str, collected: &mut Vec<&'a Value>) {
    match value {
        Value::Array(parts) => parts.iter().for_each(|part| collect_at_path(part, path, collected)),
        _ if path.is_empty() => collected.push(value),
        _ => {
            let (name, rest) = path.split_once('.').unwrap_or((path, ""));
            if let Some(next) = value.get(name) {
                collect_at_path(next, rest, collected);
            }
        }
    }
}

impl ShiftInterval {
    pub fn parse(part: &Value, [weekday, begin, end]: [&String; 3]) -> Option<Self> {
        let day = part.get(weekday)?.as_i64().and_then(|day| i8::try_from(day).ok())?;
        let time = |name: &String| part.get(name)?.as_str()?.parse::<Time>().ok();
        Some(Self { weekday: Weekday::from_monday_one_offset(day).ok()?, begin: time(begin)?, end: time(end)? })
    }

    pub fn contains(&self, at: DateTime) -> bool {
        let (today, time) = (at.date().weekday(), at.time());
        if self.begin < self.end {
            return today == self.weekday && (self.begin..self.end).contains(&time);
        }
        let next = self.weekday.wrapping_add(1_i8);
        today == self.weekday && time >= self.begin || today == next && time < self.end
    }

    /// Returns the begin and end on a date, if the date is the interval's weekday.
    pub(crate) fn range_on(&self, date: Date) -> Option<(DateTime, DateTime)> {
        if date.weekday() != self.weekday {
            return None;
        }
        let last = if self.begin < self.end { date } else { date.checked_add(1.day()).ok()? };
        Some((date.to_datetime(self.begin), last.to_datetime(self.end)))
    }

    /// Formats the interval, for example `06:00–14:00`.
    pub fn format_hours(&self) -> String {
        format!("{}–{}", self.begin.strftime("%H:%M"), self.end.strftime("%H:%M"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_night_shift_lasts_until_the_morning() {
        let shifts = json!([
            { "intervals": [{ "day": 1, "from": "06:00:00", "to": "14:00:00" }] },
            { "intervals": [{ "day": 7, "from": "22:00:00", "to": "06:00:00" }, { "day": 9, "from": "x", "to": "y" }] },
        ]);
        let mut parts = Vec::new();
        collect_at_path(&shifts, "intervals", &mut parts);
        assert_eq!(parts.len(), 3);
        let names = ["day", "from", "to"].map(str::to_owned);
        let intervals: Vec<ShiftInterval> = parts
            .into_iter()
            .filter_map(|part| ShiftInterval::parse(part, [&names[0], &names[1], &names[2]]))
            .collect();
        assert_eq!(
            intervals.iter().map(ShiftInterval::format_hours).collect::<Vec<_>>(),
            ["06:00–14:00", "22:00–06:00"]
        );
        // 2026-11-23 is a Monday.
        for (at, works) in [
            ("2026-11-22T21:59:59", false),
            ("2026-11-22T22:00:00", true),
            ("2026-11-23T05:59:59", true),
            ("2026-11-23T13:59:59", true),
            ("2026-11-23T14:00:00", false),
            ("2026-11-24T03:00:00", false),
        ] {
            let at: DateTime = at.parse().unwrap();
            assert_eq!(intervals.iter().any(|interval| interval.contains(at)), works, "{at}");
        }
    }
}
