//! Parses date-times into the plant's time, and time windows.

use jiff::{
    Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};

/// The error for a time window that doesn't end after its begin.
pub(crate) const REVERSED_WINDOW: &str = "from must be before to.";

/// A range of the plant's time, without its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TimeWindow {
    from: Option<DateTime>,
    until: Option<DateTime>,
}

impl TimeWindow {
    /// Parses the bounds, which are dates or date-times. If `to` is a date, the window includes that day.
    pub(crate) fn parse(from: Option<&str>, to: Option<&str>, zone: &TimeZone) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let mut parse_bound = |name: &str, text: Option<&str>| {
            let read = text.map(|text| parse_date_or_time(text, zone));
            if read == Some(None) {
                errors.push(date_error(name));
            }
            read.flatten()
        };
        let (from, to) = (parse_bound("from", from), parse_bound("to", to));
        if !errors.is_empty() {
            return Err(errors);
        }
        let until = to.map(|to| match to {
            DateOrTime::Day(date) => {
                date.tomorrow().map_or(DateTime::MAX, |next| next.to_datetime(jiff::civil::Time::midnight()))
            }
            DateOrTime::Time(time) => time,
        });
        Ok(Self { from: from.map(DateOrTime::start), until })
    }

    /// Returns whether the window doesn't end after its begin.
    pub(crate) fn is_reversed(&self) -> bool {
        matches!((self.from, self.until), (Some(from), Some(until)) if until <= from)
    }

    pub(crate) fn is_unbounded(&self) -> bool {
        self.from.is_none() && self.until.is_none()
    }

    /// Returns whether a time span overlaps the window.
    pub(crate) fn overlaps(&self, begin: DateTime, end: DateTime) -> bool {
        self.from.is_none_or(|from| end >= from) && self.until.is_none_or(|until| begin < until)
    }
}

/// Returns the error for a parameter that isn't a date or date-time.
pub(crate) fn date_error(name: &str) -> String {
    format!("{name} must be an ISO 8601 date or date-time.")
}

/// Returns whether a text is a date or date-time.
pub(crate) fn is_date_or_time(text: &str, zone: &TimeZone) -> bool {
    parse_date_or_time(text, zone).is_some()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum DateOrTime {
    Day(Date),
    Time(DateTime),
}

impl DateOrTime {
    fn start(self) -> DateTime {
        match self {
            Self::Day(date) => date.to_datetime(jiff::civil::Time::midnight()),
            Self::Time(time) => time,
        }
    }
}

fn parse_date_or_time(text: &str, zone: &TimeZone) -> Option<DateOrTime> {
    if text.len() == 10 {
        return text.parse().ok().map(DateOrTime::Day);
    }
    parse_date_time(text, zone).map(DateOrTime::Time)
}

/// Parses a date-time into the plant's time. A time with an offset is converted. None for dates without a time.
pub(crate) fn parse_date_time(text: &str, zone: &TimeZone) -> Option<DateTime> {
    if text.len() > 40 {
        return None;
    }
    let (_, time) = text.split_once(['T', 't', ' '])?;
    if time.contains(['Z', 'z', '+', '-', '[']) {
        return text.parse::<Timestamp>().ok().map(|timestamp| zone.to_datetime(timestamp));
    }
    text.parse().ok()
}
