//! Moments in texts of a site, by its own clock.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// The wall clock's time that a text names in a site's zone: a text with an offset is converted, one without is taken as it stands.
#[must_use]
pub fn site_date_time(text: &str, zone: &TimeZone) -> Option<DateTime> {
    let text = text.trim();
    let time = text.split_once(['T', 't', ' ']).map_or("", |(_, time)| time);
    if time.contains(['Z', 'z', '+', '-']) {
        return text.parse::<Timestamp>().ok().map(|moment| zone.to_datetime(moment));
    }
    text.parse().ok()
}
