//! The weekly shifts of a work station.

use jiff::civil::{DateTime, Time, Weekday};
use serde_json::Value;

use crate::store::{Members, get_text};

/// A work station's code and working hours.
#[derive(Debug, Clone)]
pub(crate) struct ShiftCalendar {
    pub(crate) station: String,
    intervals: Vec<Interval>,
}

/// Working hours that begin on a weekday. If `end` isn't after `begin`, they end on the next day.
#[derive(Debug, Clone, Copy)]
struct Interval {
    /// The index of the shift.
    shift: usize,
    weekday: Weekday,
    begin: Time,
    end: Time,
}

impl ShiftCalendar {
    /// Reads a row of a work station. An inactive station has no working hours.
    pub(crate) fn from_row(row: &Members) -> Self {
        let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let mut intervals = Vec::new();
        let shifts =
            if row.get("isActive") == Some(&Value::Bool(false)) { Vec::new() } else { list(row.get("shifts")) };
        for (shift, row) in shifts.iter().enumerate() {
            intervals.extend(list(row.get("intervals")).iter().filter_map(|row| Interval::from_row(shift, row)));
        }
        Self { station: get_text(row, "code").to_owned(), intervals }
    }

    /// Returns whether the station has any working hours.
    pub(crate) fn has_working_hours(&self) -> bool {
        !self.intervals.is_empty()
    }

    /// Returns the index of the shift at a time. None if there is no shift then.
    pub(crate) fn shift_at(&self, now: DateTime) -> Option<usize> {
        let mut working = self.intervals.iter().filter(|interval| interval.contains(now));
        working.next().map(|interval| interval.shift)
    }
}

impl Interval {
    fn from_row(shift: usize, row: &Value) -> Option<Self> {
        let weekday = row["weekday"].as_i64().and_then(|day| i8::try_from(day).ok())?;
        let time = |name: &str| row[name].as_str().and_then(|time| time.parse::<Time>().ok());
        let weekday = Weekday::from_monday_one_offset(weekday).ok()?;
        Some(Self { shift, weekday, begin: time("begin")?, end: time("end")? })
    }

    fn contains(&self, now: DateTime) -> bool {
        let (today, time) = (now.date().weekday(), now.time());
        if self.begin < self.end {
            return today == self.weekday && (self.begin..self.end).contains(&time);
        }
        let next = self.weekday.wrapping_add(1_i8);
        today == self.weekday && time >= self.begin || today == next && time < self.end
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_night_shift_lasts_until_the_morning() {
        let row = json!({ "code": "WS-1", "shifts": [
            { "intervals": [{ "weekday": 1, "begin": "06:00:00", "end": "14:00:00" }] },
            { "intervals": [{ "weekday": 7, "begin": "22:00:00", "end": "06:00:00" }] },
        ]});
        let Value::Object(row) = row else { unreachable!("it is an object") };
        let calendar = ShiftCalendar::from_row(&row);
        // 2026-11-23 is a Monday.
        for (now, shift) in [
            ("2026-11-22T21:59:59", None),
            ("2026-11-22T22:00:00", Some(1)),
            ("2026-11-23T05:59:59", Some(1)),
            ("2026-11-23T06:00:00", Some(0)),
            ("2026-11-23T13:59:59", Some(0)),
            ("2026-11-23T14:00:00", None),
            ("2026-11-24T03:00:00", None),
        ] {
            assert_eq!(calendar.shift_at(now.parse().unwrap()), shift, "{now}");
        }
        let mut closed = row;
        closed.insert("isActive".to_owned(), json!(false));
        assert_eq!(ShiftCalendar::from_row(&closed).shift_at("2026-11-23T06:00:00".parse().unwrap()), None);
    }
}
