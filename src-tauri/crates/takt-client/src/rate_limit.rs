//! Parses the service's rate limit from response headers, and the wait after a 429.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp, fmt::rfc2822};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use takt_contract::wire::{X_RATE_LIMIT_LIMIT, X_RATE_LIMIT_REMAINING, X_RATE_LIMIT_RESET};

use crate::ignored_header::IgnoredHeaders;

/// The maximum wait after a 429. Longer stated waits are shortened.
const MAX_WAIT: Duration = Duration::from_secs(24 * 3600);
/// The maximum time by which a wait in a body may exceed the stated reset.
const RESET_TOLERANCE: Duration = Duration::from_secs(5);
/// The maximum plausible time between a stated reset and now, in both directions.
const MAX_RESET_DISTANCE: SignedDuration = SignedDuration::from_hours(1);
/// The maximum plausible number of requests per window.
const MAX_LIMIT: f64 = 1e9;
/// The maximum epoch number that is read as seconds. In seconds, greater ones would be after the year 5000, so they are
/// milliseconds.
const MAX_EPOCH_SECONDS: i64 = 100_000_000_000;

/// The rate limit as stated in one response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// The requests allowed per window.
    pub limit: u32,
    pub remaining: u32,
    pub reset: Option<Timestamp>,
}

impl RateLimit {
    /// Parses the headers. Returns None if limit or remainder are missing or invalid. An invalid reset is ignored.
    pub(crate) fn from_headers(headers: &HeaderMap, now: Timestamp, ignored: &mut IgnoredHeaders) -> Option<Self> {
        let limit = ignored.read(headers, X_RATE_LIMIT_LIMIT, |text| parse_count(text).filter(|limit| *limit > 0));
        let remaining = ignored.read(headers, X_RATE_LIMIT_REMAINING, parse_count);
        let reset = ignored.read(headers, X_RATE_LIMIT_RESET, |text| {
            parse_timestamp(text).filter(|reset| is_plausible_reset(*reset, now))
        });
        let (limit, remaining) = (limit?, remaining?);
        if remaining > limit {
            ignored.note(X_RATE_LIMIT_REMAINING, &remaining.to_string());
            return None;
        }
        Some(Self { limit, remaining, reset })
    }

    /// Returns the limit from counts in a body. None if they contradict each other.
    pub(crate) fn from_counts(limit: u32, remaining: u32, reset: Option<Timestamp>) -> Option<Self> {
        (limit > 0 && remaining <= limit).then_some(Self { limit, remaining, reset })
    }
}

/// Parses a non-negative integer, which may be written as `10.0`.
fn parse_count(text: &str) -> Option<u32> {
    let number: f64 = text.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within bounds")]
    (number.fract() == 0.0 && (0.0..=MAX_LIMIT).contains(&number)).then_some(number as u32)
}

/// Returns whether a reset is at most an hour away. It may be in the past, since a window may end before the response
/// arrives.
pub(crate) fn is_plausible_reset(reset: Timestamp, now: Timestamp) -> bool {
    reset.duration_since(now).abs() <= MAX_RESET_DISTANCE
}

/// Returns the `Date` header, which has whole seconds.
pub(crate) fn parse_date_header(headers: &HeaderMap) -> Option<Timestamp> {
    parse_date(headers.get(DATE)?.to_str().ok()?)
}

/// Parses a date in any format of HTTP (RFC 9110, 5.6.7): RFC 2822, RFC 850 or asctime.
fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let by_httpdate = || Timestamp::try_from(httpdate::parse_http_date(text).ok()?).ok();
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok().or_else(by_httpdate)
}

/// Parses a date and time in ISO 8601 (UTC if there is no offset), or seconds or milliseconds since 1970.
pub(crate) fn parse_timestamp(text: &str) -> Option<Timestamp> {
    if let Ok(number) = text.parse::<i64>() {
        return if number > MAX_EPOCH_SECONDS {
            Timestamp::from_millisecond(number).ok()
        } else {
            Timestamp::from_second(number).ok()
        };
    }
    text.parse().ok().or_else(|| {
        let local: jiff::civil::DateTime = text.parse().ok()?;
        local.to_zoned_datetime(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    })
}

/// Returns the wait after a 429: from the `Retry-After` header, else from the body, else until the reset. The body's
/// number is in seconds, or in milliseconds if that ends nearer to the reset. A wait from the body ends at most
/// [`RESET_TOLERANCE`] after the reset.
///
/// Waits that aren't positive are ignored, and so are resets more than an hour away.
pub(crate) fn choose_retry_after(
    headers: &HeaderMap,
    body: Option<f64>,
    reset: Option<Timestamp>,
    now: Timestamp,
) -> Option<Duration> {
    let until_reset =
        reset.filter(|reset| is_plausible_reset(*reset, now)).map(|reset| time_until(reset, now)).filter(is_positive);
    let body_wait = || {
        Some(
            interpret_body_wait(body?, until_reset)?.min(until_reset.map_or(MAX_WAIT, |until| until + RESET_TOLERANCE)),
        )
    };
    let wanted = parse_retry_after(headers, now).or_else(body_wait).or(until_reset)?;
    Some(wanted.min(MAX_WAIT))
}

/// Parses the `Retry-After` header, in seconds or as a date. Returns None if the wait isn't positive.
pub(crate) fn parse_retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => parse_date(text).map(|date| time_until(date, now)),
    };
    wait.filter(is_positive)
}

fn is_positive(wait: &Duration) -> bool {
    !wait.is_zero()
}

fn interpret_body_wait(number: f64, until_reset: Option<Duration>) -> Option<Duration> {
    let seconds = Duration::try_from_secs_f64(number).ok()?;
    let milliseconds = Duration::try_from_secs_f64(number / 1000.0).ok()?;
    let Some(until) = until_reset else { return Some(seconds) };
    Some(if milliseconds.abs_diff(until) < seconds.abs_diff(until) { milliseconds } else { seconds })
}

/// Returns the time until `moment`, or zero if it has passed.
fn time_until(moment: Timestamp, now: Timestamp) -> Duration {
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
        let wait = |body, reset| choose_retry_after(&none, body, reset, now());
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
        assert_eq!(choose_retry_after(&none, Some(9e9), None, now()), Some(MAX_WAIT));
        assert_eq!(choose_retry_after(&none, Some(1e300), None, now()), None);
        assert_eq!(choose_retry_after(&none, Some(-4.0), None, now()), None);
        assert_eq!(choose_retry_after(&none, Some(30.0), after(20), now()), Some(Duration::from_secs(25)));
        assert_eq!(choose_retry_after(&header("3600"), None, after(10), now()), Some(Duration::from_secs(3_600)));
        assert_eq!(choose_retry_after(&header("7200"), None, None, now()), Some(Duration::from_secs(7_200)));
        assert_eq!(choose_retry_after(&header("9000000"), None, None, now()), Some(MAX_WAIT));
        assert_eq!(choose_retry_after(&header("3"), None, after(-100), now()), Some(Duration::from_secs(3)));
    }

    #[test]
    fn what_cant_be_is_as_good_as_unsaid() {
        for value in ["0", "-1", "NaN", "inf", "1e300", "soon", "Sat, 21 Nov 2026 09:00:00 GMT"] {
            assert_eq!(choose_retry_after(&header(value), None, None, now()), None, "{value}");
        }
        for reset in [after(-7200), after(7200), after(400_000_000)] {
            assert_eq!(choose_retry_after(&HeaderMap::new(), None, reset, now()), None);
            assert_eq!(choose_retry_after(&header("9"), None, reset, now()), Some(Duration::from_secs(9)));
        }
    }

    #[test]
    fn a_limit_that_cant_be_is_no_limit() {
        let read = |limit: &str, remaining: &str, reset: &str| {
            let mut headers = HeaderMap::new();
            let stated =
                [(X_RATE_LIMIT_LIMIT, limit), (X_RATE_LIMIT_REMAINING, remaining), (X_RATE_LIMIT_RESET, reset)];
            for (name, value) in stated {
                headers.insert(reqwest::header::HeaderName::try_from(name).unwrap(), value.parse().unwrap());
            }
            let mut ignored = IgnoredHeaders::default();
            (RateLimit::from_headers(&headers, now(), &mut ignored), ignored.to_list().len())
        };
        let good = "2026-11-21T10:00:30Z";
        let limit = |remaining, reset| Some(RateLimit { limit: 60, remaining, reset });
        assert_eq!(read("60", "0", good), (limit(0, after(30)), 0));
        assert_eq!(read("60.0", "60", "1795255230"), (limit(60, after(30)), 0));
        for odd in ["0", "-1", "NaN", "inf", "1.5", "99999999999999999999", "many", ""] {
            assert_eq!(read(odd, "0", good), (None, 1), "{odd}");
        }
        for odd in ["-1", "NaN", "61", "1e300"] {
            assert_eq!(read("60", odd, good), (None, 1), "{odd}");
        }
        for odd in ["30", "NaN", "soon", "2020-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "-5"] {
            assert_eq!(read("60", "59", odd), (limit(59, None), 1), "{odd}");
        }
    }

    #[test]
    fn the_header_wins_in_seconds_and_as_a_date() {
        assert_eq!(choose_retry_after(&header("4"), Some(50.0), None, now()), Some(Duration::from_secs(4)));
        for date in ["Sat, 21 Nov 2026 10:00:09 GMT", "Saturday, 21-Nov-26 10:00:09 GMT", "Sat Nov 21 10:00:09 2026"] {
            assert_eq!(
                choose_retry_after(&header(date), Some(50.0), None, now()),
                Some(Duration::from_secs(9)),
                "{date}"
            );
        }
    }

    #[test]
    fn a_moment_has_several_spellings() {
        let expected = Some(now());
        assert_eq!(parse_timestamp("2026-11-21T10:00:00Z"), expected);
        assert_eq!(parse_timestamp("2026-11-21T11:00:00+01:00"), expected);
        assert_eq!(parse_timestamp("2026-11-21T10:00:00"), expected);
        assert_eq!(parse_timestamp("1795255200"), expected);
        assert_eq!(parse_timestamp("1795255200000"), expected);
        assert_eq!(parse_timestamp("soon"), None);
    }
}
