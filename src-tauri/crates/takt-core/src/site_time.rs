//! Parses date-times in a site's texts.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use takt_contract::LocalTime;

/// A date-time in a text, with or without an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteTime {
    /// A date-time with an offset.
    Timestamp(Timestamp),
    /// A date-time without an offset, in the site's local time.
    Local(DateTime),
}

impl SiteTime {
    /// Parses a date-time, or returns `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let time = text.split_once(['T', 't', ' ']).map_or("", |(_, time)| time);
        if time.contains(['Z', 'z', '+', '-']) {
            return text.parse().ok().map(Self::Timestamp);
        }
        text.parse().ok().map(Self::Local)
    }

    /// Converts the date-time to the site's local time.
    #[must_use]
    pub fn to_local(self, zone: &TimeZone) -> DateTime {
        match self {
            Self::Timestamp(at) => zone.to_datetime(at),
            Self::Local(local) => local,
        }
    }
}

/// Parses a date-time and converts it to the site's local time.
#[must_use]
pub fn parse_site_date_time(text: &str, zone: &TimeZone) -> Option<DateTime> {
    SiteTime::parse(text).map(|time| time.to_local(zone))
}

/// Parses a date-time and converts it to a timestamp. A text without an offset is in the site's local time. A repeated
/// time means its first occurrence, and a skipped time the moment of the clock change.
#[must_use]
pub fn parse_site_timestamp(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    match SiteTime::parse(text)? {
        SiteTime::Timestamp(at) => Some(at),
        SiteTime::Local(local) => LocalTime::resolve(local, zone).map(|time| time.bound(None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_with_an_offset_stays_itself_in_the_repeated_hour() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let moment = |text: &str| parse_site_timestamp(text, &zone).map(|at| at.to_string());
        assert_eq!(moment("2026-10-25T02:10:00+01:00").as_deref(), Some("2026-10-25T01:10:00Z"));
        assert_eq!(moment("2026-10-25T02:10:00+02:00").as_deref(), Some("2026-10-25T00:10:00Z"));
        assert_eq!(moment("2026-10-25T02:10:00").as_deref(), Some("2026-10-25T00:10:00Z"));
        assert_eq!(moment("2026-03-29T02:10:00").as_deref(), Some("2026-03-29T01:00:00Z"));
        assert_eq!(moment("soon"), None);
    }
}
