//! Date-times in a site's texts, by the site's clock.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use takt_contract::LocalTime;

/// A date-time as a text gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteTime {
    /// With an offset.
    Moment(Timestamp),
    /// Without one: the time that the site's clock shows.
    Local(DateTime),
}

impl SiteTime {
    /// Absent for a text that is no date-time.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let time = text.split_once(['T', 't', ' ']).map_or("", |(_, time)| time);
        if time.contains(['Z', 'z', '+', '-']) {
            return text.parse().ok().map(Self::Moment);
        }
        text.parse().ok().map(Self::Local)
    }

    /// The time that the site's clock shows.
    #[must_use]
    pub fn local(self, zone: &TimeZone) -> DateTime {
        match self {
            Self::Moment(at) => zone.to_datetime(at),
            Self::Local(local) => local,
        }
    }
}

/// The local time in a site's zone that a text names. A text with an offset is converted.
#[must_use]
pub fn site_date_time(text: &str, zone: &TimeZone) -> Option<DateTime> {
    SiteTime::read(text).map(|time| time.local(zone))
}

/// The moment that a text names. Without an offset it is by the site's clock: the first of a repeated time, and for a skipped
/// time the change of the clock.
#[must_use]
pub fn site_moment(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    match SiteTime::read(text)? {
        SiteTime::Moment(at) => Some(at),
        SiteTime::Local(local) => LocalTime::of(local, zone).map(|time| time.bound(None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_with_an_offset_stays_itself_in_the_repeated_hour() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let moment = |text: &str| site_moment(text, &zone).map(|at| at.to_string());
        assert_eq!(moment("2026-10-25T02:10:00+01:00").as_deref(), Some("2026-10-25T01:10:00Z"));
        assert_eq!(moment("2026-10-25T02:10:00+02:00").as_deref(), Some("2026-10-25T00:10:00Z"));
        assert_eq!(moment("2026-10-25T02:10:00").as_deref(), Some("2026-10-25T00:10:00Z"));
        assert_eq!(moment("2026-03-29T02:10:00").as_deref(), Some("2026-03-29T01:00:00Z"));
        assert_eq!(moment("soon"), None);
    }
}
