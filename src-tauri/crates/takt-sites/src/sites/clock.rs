//! What time it is at a site.
//!
//! Owns whose clock counts: the practice plant's own, which a person can run fast or move ahead, and everywhere else the
//! one outside.

use std::sync::Arc;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use takt_contract::{LocalTime, SpanEnd};

use super::{PRACTICE, Sites};
use takt_core::{Clock, Code, Problem};

impl Sites {
    /// Tells the practice plant's own time; without it, its time is the one outside.
    pub fn set_practice_clock(&self, clock: Clock) {
        *self.practice_clock.write() = Some(clock);
    }

    /// What the clock on a site's wall shows.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn local_time(&self, name: &str) -> Result<DateTime, Problem> {
        let zone = TimeZone::get(&self.find(name)?.time_zone).unwrap_or(TimeZone::UTC);
        Ok(zone.to_datetime(self.now_at(name)))
    }

    pub fn now_at(&self, name: &str) -> Timestamp {
        self.clock_of(name)()
    }

    /// The clock that counts at a site.
    pub fn clock_of(&self, name: &str) -> Clock {
        let practice = self.practice_clock.read().clone();
        practice.filter(|_| name == PRACTICE).unwrap_or_else(|| Arc::clone(&self.clock))
    }

    /// An end of a span of time, as ISO 8601. Without an offset it is by the site's clock; a day alone is its begin. A time
    /// that the clock repeats is in the span both times.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidInput`]: `text` is no date, no date and time and no moment.
    pub fn moment_at(&self, site: &str, text: &str, end: SpanEnd) -> Result<Timestamp, Problem> {
        let invalid = |cause: jiff::Error| Problem::new(Code::InvalidInput).parameter("what", text).details(cause);
        text.parse::<Timestamp>().or_else(|_| {
            let shown: DateTime = text.parse().map_err(invalid)?;
            let local = LocalTime::of(shown, &self.time_zone(site)).map(|local| local.bound(Some(end)));
            local.ok_or_else(|| Problem::new(Code::InvalidInput).parameter("what", text))
        })
    }
}
