//! The service's rate limit: what its headers say, and how long to wait after a 429.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp, fmt::rfc2822};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use takt_contract::wire::{X_RATE_LIMIT_LIMIT, X_RATE_LIMIT_REMAINING, X_RATE_LIMIT_RESET};

/// Longest wait where the service names no reset.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// How much later than the stated reset a wait may end.
const AFTER_RESET: Duration = Duration::from_secs(5);
/// Epoch numbers above this are milliseconds: as seconds they would lie after the year 5000.
const LARGEST_EPOCH_SECONDS: i64 = 100_000_000_000;

/// The limit as the last answer stated it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests allowed in a window.
    pub limit: u32,
    pub remaining: u32,
    pub reset: Option<Timestamp>,
}

impl RateLimit {
    pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        Some(Self {
            limit: text(X_RATE_LIMIT_LIMIT)?.parse().ok()?,
            remaining: text(X_RATE_LIMIT_REMAINING)?.parse::<i64>().ok()?.max(0).try_into().unwrap_or(u32::MAX),
            reset: text(X_RATE_LIMIT_RESET).and_then(moment),
        })
    }
}

/// What the service's clock said when it answered; whole seconds.
pub(crate) fn date(headers: &HeaderMap) -> Option<Timestamp> {
    http_date(headers.get(DATE)?.to_str().ok()?)
}

fn http_date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

/// A moment as ISO 8601 (without an offset: UTC) or as seconds or milliseconds since 1970.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    if let Ok(number) = text.parse::<i64>() {
        return if number > LARGEST_EPOCH_SECONDS {
            Timestamp::from_millisecond(number).ok()
        } else {
            Timestamp::from_second(number).ok()
        };
    }
    text.parse().ok().or_else(|| {
        let local: jiff::civil::DateTime = text.parse().ok()?;
        local.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    })
}

/// How long to wait after a 429. The `Retry-After` header wins. The body's number is seconds, unless the reset says
/// otherwise: of seconds and milliseconds the one counts whose end lies nearest to it. Never longer than until the reset
/// and a little, or two minutes where there is none.
pub(crate) fn retry_after(
    headers: &HeaderMap,
    body: Option<f64>,
    reset: Option<Timestamp>,
    now: Timestamp,
) -> Option<Duration> {
    let until_reset = reset.map(|reset| until(reset, now));
    let longest = until_reset.map_or(LONGEST_WAIT, |until| until + AFTER_RESET);
    let wanted = from_header(headers, now).or_else(|| from_body(body?, until_reset)).or(until_reset)?;
    Some(wanted.min(longest))
}

/// What the header asks for, in seconds or as a date.
pub(crate) fn from_header(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    Some(until(http_date(text)?, now))
}

fn from_body(number: f64, until_reset: Option<Duration>) -> Option<Duration> {
    let seconds = Duration::try_from_secs_f64(number).ok()?;
    let milliseconds = Duration::try_from_secs_f64(number / 1000.0).ok()?;
    let Some(until) = until_reset else { return Some(seconds) };
    Some(if milliseconds.abs_diff(until) < seconds.abs_diff(until) { milliseconds } else { seconds })
}

/// Zero for what has passed.
fn until(moment: Timestamp, now: Timestamp) -> Duration {
    let distance: SignedDuration = moment.duration_since(now);
    Duration::try_from(distance).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-21T10:00:00Z".parse().unwrap_or_default()
    }

    fn after(seconds: i64) -> Option<Timestamp> {
        now().checked_add(SignedDuration::from_secs(seconds)).ok()
    }

    fn header(value: &str) -> HeaderMap {
        value.parse().map(|value| HeaderMap::from_iter([(RETRY_AFTER, value)])).unwrap_or_default()
    }

    #[test]
    fn the_unit_that_ends_nearest_to_the_reset_counts() {
        let none = HeaderMap::new();
        let wait = |body, reset| retry_after(&none, body, reset, now());
        assert_eq!(wait(Some(30.0), after(30)), Some(Duration::from_secs(30)));
        assert_eq!(wait(Some(30_000.0), after(30)), Some(Duration::from_secs(30)));
        assert_eq!(wait(Some(2.0), None), Some(Duration::from_secs(2)));
        assert_eq!(wait(Some(0.5), None), Some(Duration::from_millis(500)));
        assert_eq!(wait(None, after(7)), Some(Duration::from_secs(7)));
        assert_eq!(wait(None, None), None);
    }

    #[test]
    fn no_wait_is_longer_than_it_may_be() {
        let none = HeaderMap::new();
        assert_eq!(retry_after(&none, Some(9e9), None, now()), Some(LONGEST_WAIT));
        assert_eq!(retry_after(&none, Some(1e300), None, now()), None);
        assert_eq!(retry_after(&none, Some(-4.0), None, now()), None);
        assert_eq!(retry_after(&none, Some(30.0), after(20), now()), Some(Duration::from_secs(25)));
        assert_eq!(retry_after(&header("3600"), None, after(10), now()), Some(Duration::from_secs(15)));
        assert_eq!(retry_after(&header("3"), None, after(-100), now()), Some(Duration::from_secs(3)));
    }

    #[test]
    fn the_header_wins_in_seconds_and_as_a_date() {
        assert_eq!(retry_after(&header("4"), Some(50.0), None, now()), Some(Duration::from_secs(4)));
        let date = header("Sat, 21 Nov 2026 10:00:09 GMT");
        assert_eq!(retry_after(&date, Some(50.0), None, now()), Some(Duration::from_secs(9)));
    }

    #[test]
    fn a_moment_has_several_spellings() {
        let expected = Some(now());
        assert_eq!(moment("2026-11-21T10:00:00Z"), expected);
        assert_eq!(moment("2026-11-21T11:00:00+01:00"), expected);
        assert_eq!(moment("2026-11-21T10:00:00"), expected);
        assert_eq!(moment("1795255200"), expected);
        assert_eq!(moment("1795255200000"), expected);
        assert_eq!(moment("soon"), None);
    }
}
