//! What time it is at a site.
//!
//! Owns whose clock counts: the practice plant's own, which a person can run fast or move ahead, and everywhere else the
//! one outside.

use std::sync::PoisonError;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use super::PRACTICE;
use crate::{Clock, Engine, Problem};

impl Engine {
    /// Tells the practice plant's own time; without it, its time is the one outside.
    pub fn set_practice_clock(&self, clock: Clock) {
        *self.kept_sites().practice_clock.write().unwrap_or_else(PoisonError::into_inner) = Some(clock);
    }

    /// What the clock on a site's wall shows.
    pub fn site_clock(&self, name: &str) -> Result<DateTime, Problem> {
        let zone = TimeZone::get(&self.site(name)?.time_zone).unwrap_or(TimeZone::UTC);
        Ok(zone.to_datetime(self.site_now(name)))
    }

    pub(crate) fn site_now(&self, name: &str) -> Timestamp {
        self.site_clock_of(name)()
    }

    /// The clock that counts at a site.
    pub(crate) fn site_clock_of(&self, name: &str) -> Clock {
        let practice = self.kept_sites().practice_clock.read().unwrap_or_else(PoisonError::into_inner).clone();
        practice.filter(|_| name == PRACTICE).unwrap_or_else(|| self.kept_clock())
    }
}
