//! The current time at a site.
//!
//! The practice plant has its own clock, which the user can speed up or move ahead. Everywhere else it is the system's
//! clock.

use std::sync::Arc;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use takt_contract::{LocalTime, SpanEnd};

use takt_core::{Clock, Code, Problem};

use crate::{site::PRACTICE, site_list::Sites};

impl Sites {
    /// Returns a site's local time.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn local_time(&self, name: &str) -> Result<DateTime, Problem> {
        let zone = TimeZone::get(&self.find(name)?.time_zone).unwrap_or(TimeZone::UTC);
        Ok(zone.to_datetime(self.site_clock(name)()))
    }

    /// Returns the practice plant's clock, or the system's clock for any other site.
    pub fn site_clock(&self, name: &str) -> Clock {
        self.practice.clock().filter(|_| name == PRACTICE).unwrap_or_else(|| Arc::clone(&self.clock))
    }

    /// Parses an end of a time span in ISO 8601. Without an offset, it is the site's local time. A date means its first
    /// moment. Both occurrences of a repeated time are inside the span.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: `text` isn't a date, a date and time, or a timestamp.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn parse_timestamp(&self, site: &str, text: &str, end: SpanEnd) -> Result<Timestamp, Problem> {
        let invalid = |cause: jiff::Error| Problem::new(Code::InvalidInput).parameter("what", text).details(cause);
        text.parse::<Timestamp>().or_else(|_| {
            let date_time: DateTime = text.parse().map_err(invalid)?;
            let local = LocalTime::resolve(date_time, &self.time_zone(site)?).map(|local| local.bound(Some(end)));
            local.ok_or_else(|| Problem::new(Code::InvalidInput).parameter("what", text))
        })
    }
}
