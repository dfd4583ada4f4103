//! Moments in the plant's time, and windows between two of them.

use jiff::{
    Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};

/// What is said of a window whose begin isn't before its end.
pub(crate) const REVERSED: &str = "from must be before to.";

/// From when to when, in the plant's time; the end is excluded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TimeWindow {
    from: Option<DateTime>,
    until: Option<DateTime>,
}

impl TimeWindow {
    /// Reads `from` and `to`: a date or a date-time. The window ends before `to`; where that is a date, after its whole day.
    pub(crate) fn read(from: Option<&str>, to: Option<&str>, zone: &TimeZone) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let mut moment = |name: &str, text: Option<&str>| {
            let read = text.map(|text| moment(text, zone));
            if read == Some(None) {
                errors.push(not_a_moment(name));
            }
            read.flatten()
        };
        let (from, to) = (moment("from", from), moment("to", to));
        if !errors.is_empty() {
            return Err(errors);
        }
        let until = to.map(|to| match to {
            Moment::Day(date) => {
                date.tomorrow().map_or(DateTime::MAX, |next| next.to_datetime(jiff::civil::Time::midnight()))
            }
            Moment::Time(time) => time,
        });
        Ok(Self { from: from.map(Moment::start), until })
    }

    /// Whether the begin isn't before the end.
    pub(crate) fn is_reversed(&self) -> bool {
        matches!((self.from, self.until), (Some(from), Some(until)) if until <= from)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.from.is_none() && self.until.is_none()
    }

    /// Whether a span of time has any part in the window.
    pub(crate) fn meets(&self, begin: DateTime, end: DateTime) -> bool {
        self.from.is_none_or(|from| end >= from) && self.until.is_none_or(|until| begin < until)
    }
}

/// What is said of a parameter that is no moment.
pub(crate) fn not_a_moment(name: &str) -> String {
    format!("{name} must be an ISO 8601 date or date-time.")
}

/// Whether a text is a date or a date-time.
pub(crate) fn is_moment(text: &str, zone: &TimeZone) -> bool {
    moment(text, zone).is_some()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    Day(Date),
    Time(DateTime),
}

impl Moment {
    fn start(self) -> DateTime {
        match self {
            Self::Day(date) => date.to_datetime(jiff::civil::Time::midnight()),
            Self::Time(time) => time,
        }
    }
}

fn moment(text: &str, zone: &TimeZone) -> Option<Moment> {
    if text.len() == 10 {
        return text.parse().ok().map(Moment::Day);
    }
    date_time(text, zone).map(Moment::Time)
}

/// A date-time in the plant's time. One with an offset is brought there; one without is there already.
pub(crate) fn date_time(text: &str, zone: &TimeZone) -> Option<DateTime> {
    if text.len() > 40 {
        return None;
    }
    let (_, time) = text.split_once(['T', 't', ' '])?;
    if time.contains(['Z', 'z', '+', '-', '[']) {
        return text.parse::<Timestamp>().ok().map(|timestamp| zone.to_datetime(timestamp));
    }
    text.parse().ok()
}
