//! When people work at the stations, week by week, as the site's list of them says.

use std::sync::Arc;

use jiff::{
    ToSpan as _,
    civil::{Date, DateTime, Time, Weekday},
};
use serde_json::Value;
use takt_client::Canceller;
use takt_contract::{Contract, Sense};

use super::{Freshness, ReferenceList, ReferenceRequest, age, requirement::stations};
use crate::References;

/// From begin to end on a weekday; one that ends at or before its begin lasts until the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    pub weekday: Weekday,
    begin: Time,
    end: Time,
}

/// Which list tells the hours of stations, and where in its rows.
struct HoursSource<'a> {
    list: &'a str,
    intervals: &'a str,
    names: [&'a String; 3],
}

impl References {
    /// Reads the stations' hours where they aren't at hand, or are from another day. What can't be read stays unknown.
    pub async fn learn_hours(&self, site: &str, canceller: &Canceller) {
        let Some(place) = HoursSource::of(&self.contract) else { return };
        let held = self.cache.list(site, place.list);
        if held.is_some_and(|held| age(held.at, (self.clock)()) != Freshness::Stale) {
            return;
        }
        let want = ReferenceRequest { list: place.list.to_owned(), parameter_values: None, single: false };
        if let Err(problem) = self.read_wants(site, &[want], true, canceller).await {
            tracing::debug!(%problem, "the stations' hours aren't known");
        }
    }

    /// The hours of all stations, each once, as far as they are at hand.
    pub(crate) fn hours(&self, site: &str) -> Vec<Interval> {
        let Some(place) = HoursSource::of(&self.contract) else { return Vec::new() };
        let held = self.cache.list(site, place.list).filter(|held| age(held.at, (self.clock)()) != Freshness::Stale);
        held.map(|held| place.read(&held)).unwrap_or_default()
    }
}

impl<'a> HoursSource<'a> {
    fn of(contract: &'a Contract) -> Option<Self> {
        contract.operations().iter().filter_map(|operation| operation.request.as_ref()).find_map(|shape| {
            shape.flat().into_iter().flat_map(|(_, field)| &field.sense).find_map(|sense| {
                let Sense::InShifts { station, intervals, weekday, begin, end, .. } = sense else { return None };
                Some(Self { list: stations(shape, station)?, intervals, names: [weekday, begin, end] })
            })
        })
    }

    fn read(&self, held: &Arc<ReferenceList>) -> Vec<Interval> {
        let (top, below) = self.intervals.split_once('.').unwrap_or((self.intervals, ""));
        let Some(place) = held.place(top) else { return Vec::new() };
        let mut parts = Vec::new();
        for row in 0..held.rows() {
            if let Some(value) = held.value(row, place) {
                collect(value, below, &mut parts);
            }
        }
        let mut found: Vec<Interval> = Vec::new();
        for interval in parts.into_iter().filter_map(|part| Interval::of(part, self.names)) {
            if !found.contains(&interval) {
                found.push(interval);
            }
        }
        found
    }
}

/// The parts at the end of a path through lists and objects.
pub fn collect<'a>(value: &'a Value, path: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, path, found)),
        _ if path.is_empty() => found.push(value),
        _ => {
            let (name, rest) = path.split_once('.').unwrap_or((path, ""));
            if let Some(next) = value.get(name) {
                collect(next, rest, found);
            }
        }
    }
}

impl Interval {
    pub fn of(part: &Value, [weekday, begin, end]: [&String; 3]) -> Option<Self> {
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

    /// From when to when it is on a date that is its weekday.
    pub(crate) fn on(&self, date: Date) -> Option<(DateTime, DateTime)> {
        if date.weekday() != self.weekday {
            return None;
        }
        let last = if self.begin < self.end { date } else { date.checked_add(1.day()).ok()? };
        Some((date.to_datetime(self.begin), last.to_datetime(self.end)))
    }

    /// As people write it: `06:00–14:00`.
    pub fn hours(&self) -> String {
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
        collect(&shifts, "intervals", &mut parts);
        assert_eq!(parts.len(), 3);
        let names = ["day", "from", "to"].map(str::to_owned);
        let intervals: Vec<Interval> =
            parts.into_iter().filter_map(|part| Interval::of(part, [&names[0], &names[1], &names[2]])).collect();
        assert_eq!(intervals.iter().map(Interval::hours).collect::<Vec<_>>(), ["06:00–14:00", "22:00–06:00"]);
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
