//! Parameters of reads: page and limit, the window of time, codes. What can't be used is said, all at once.

use axum::http::StatusCode;
use jiff::{
    Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};

use crate::{api::Answer, form::Parameters};

const LARGEST_PAGE: u64 = 100;
const USUAL_PAGE: u64 = 100;
/// No code is longer; a longer one would only fill the log.
const LONGEST_CODE: usize = 200;

/// Which page of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) number: u64,
    pub(crate) limit: u64,
}

impl Page {
    /// The rows of the page, as positions in the whole list.
    pub(crate) fn range(self) -> (usize, usize) {
        let skip = (self.number - 1).saturating_mul(self.limit);
        (usize::try_from(skip).unwrap_or(usize::MAX), usize::try_from(self.limit).unwrap_or_default())
    }

    pub(crate) fn count(self, total: usize) -> usize {
        total.div_ceil(usize::try_from(self.limit).unwrap_or(1).max(1))
    }

    /// A page by numbers that were already read.
    pub(crate) fn checked(number: i64, limit: i64) -> Result<Self, String> {
        let number = u64::try_from(number).ok().filter(|number| *number >= 1);
        let limit = u64::try_from(limit).ok().filter(|limit| (1..=LARGEST_PAGE).contains(limit));
        Ok(Self { number: number.ok_or(PAGE_RULE)?, limit: limit.ok_or(LIMIT_RULE)? })
    }
}

const PAGE_RULE: &str = "page must be a whole number from 1.";
const LIMIT_RULE: &str = "limit must be a whole number from 1 to 100.";

/// From when to when, in the plant's time; the end is excluded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Window {
    from: Option<DateTime>,
    until: Option<DateTime>,
}

impl Window {
    /// Reads `from` and `to`: a date or a date-time. The window ends before `to`; where that is a date, after its whole day.
    pub(crate) fn read(from: Option<&str>, to: Option<&str>, zone: &TimeZone) -> Result<Self, Vec<String>> {
        let rule = |name: &str| format!("{name} must be an ISO 8601 date or date-time.");
        let mut errors = Vec::new();
        let mut moment = |name: &str, text: Option<&str>| {
            let read = text.map(|text| moment(text, zone));
            if read == Some(None) {
                errors.push(rule(name));
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

    /// Whether the end lies before the begin.
    pub(crate) fn is_reversed(&self) -> bool {
        matches!((self.from, self.until), (Some(from), Some(until)) if until < from)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.from.is_none() && self.until.is_none()
    }

    /// Whether a span of time has any part in the window.
    pub(crate) fn meets(&self, begin: DateTime, end: DateTime) -> bool {
        self.from.is_none_or(|from| end >= from) && self.until.is_none_or(|until| begin < until)
    }
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

/// The parameters of a read.
#[derive(Debug)]
pub(super) struct Query {
    parameters: Parameters,
    errors: Vec<String>,
}

impl Query {
    pub(super) fn parse(text: &str) -> Self {
        let parameters = Parameters::parse(text.as_bytes());
        let mut errors = Vec::new();
        if let Some(name) = parameters.repeated() {
            errors.push(format!("{name} must stand only once."));
        }
        Self { parameters, errors }
    }

    pub(super) fn page(&mut self) -> Page {
        let number = self.whole("page", 1, u64::MAX, 1, PAGE_RULE);
        let limit = self.whole("limit", 1, LARGEST_PAGE, USUAL_PAGE, LIMIT_RULE);
        Page { number, limit }
    }

    pub(super) fn window(&mut self, zone: &TimeZone) -> Window {
        let read = Window::read(self.parameters.filled("from"), self.parameters.filled("to"), zone);
        read.unwrap_or_else(|errors| {
            self.errors.extend(errors);
            Window::default()
        })
    }

    /// A code, where one that isn't empty was given.
    pub(super) fn code(&mut self, name: &str) -> Option<String> {
        let code = self.parameters.filled(name)?.to_owned();
        if code.len() > LONGEST_CODE || code.contains('\u{FFFD}') {
            self.errors.push(format!("{name} must be text of at most {LONGEST_CODE} characters."));
        }
        Some(code)
    }

    /// Says what can't be used, if anything, with this status.
    pub(super) fn usable(self, window: Option<&Window>, wrong: StatusCode) -> Result<(), Answer> {
        if !self.errors.is_empty() {
            return Err(Answer::errors(wrong, self.errors));
        }
        if window.is_some_and(Window::is_reversed) {
            let text = "from must not lie after to.".to_owned();
            return Err(Answer::errors(StatusCode::PRECONDITION_FAILED, vec![text]));
        }
        Ok(())
    }

    fn whole(&mut self, name: &str, least: u64, most: u64, usual: u64, rule: &str) -> u64 {
        let Some(text) = self.parameters.get(name) else { return usual };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>().ok().filter(|value| digits && (least..=most).contains(value)) {
            Some(value) => value,
            None => {
                self.errors.push(rule.to_owned());
                usual
            }
        }
    }
}
