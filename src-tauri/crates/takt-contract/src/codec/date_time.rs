//! Converts date-times and ISO 8601 durations between formats.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

use crate::{LocalTime, SpanEnd, form::EpochUnit, wire::duration::TICKS_PER_SECOND};

const NANOSECONDS_PER_TICK: i64 = 100;
const OFFSET_FORMAT: &str = "%Y-%m-%dT%H:%M:%S%.f%:z";

/// A date-time with an offset, or a local time in the site's zone.
enum ParsedDateTime {
    Exact(Timestamp),
    Local(DateTime),
}

fn parse_date_time(text: &str) -> Option<ParsedDateTime> {
    let text = text.trim();
    if let Ok(exact) = text.parse::<Timestamp>() {
        return Some(ParsedDateTime::Exact(exact));
    }
    let local = text
        .parse::<DateTime>()
        .ok()
        .or_else(|| text.parse::<Date>().ok().map(|date| date.to_datetime(Time::midnight())));
    local.map(ParsedDateTime::Local)
}

/// Returns the first occurrence of a repeated local time. None for a skipped local time, which can't be sent as another
/// time.
fn parse_timestamp(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    match parse_date_time(text)? {
        ParsedDateTime::Exact(exact) => Some(exact),
        ParsedDateTime::Local(local) => LocalTime::resolve(local, zone)?.timestamp(),
    }
}

/// Returns the exact time for a skipped or repeated local time that bounds a time span. None for other times.
pub(super) fn span_bound(text: &str, zone: &TimeZone, end: Option<SpanEnd>) -> Option<String> {
    let ParsedDateTime::Local(local) = parse_date_time(text)? else { return None };
    match LocalTime::resolve(local, zone)? {
        LocalTime::Once(_) => None,
        changed => Some(format_with_offset(changed.bound(end), zone)),
    }
}

fn format_with_offset(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned_datetime(zone.clone()).strftime(OFFSET_FORMAT).to_string()
}

/// Adds the offset to a local time. None if the text already has one.
pub(super) fn add_offset(text: &str, zone: &TimeZone) -> Option<String> {
    match parse_date_time(text)? {
        ParsedDateTime::Exact(_) => None,
        ParsedDateTime::Local(local) => Some(format_with_offset(LocalTime::resolve(local, zone)?.timestamp()?, zone)),
    }
}

pub(super) fn to_utc(text: &str, zone: &TimeZone) -> Option<String> {
    Some(parse_timestamp(text, zone)?.to_string())
}

/// Returns the date. None if a time of day other than midnight would be lost.
pub(super) fn to_date(text: &str) -> Option<String> {
    match parse_date_time(text)? {
        ParsedDateTime::Local(local) if local.time() == Time::midnight() => Some(local.date().to_string()),
        ParsedDateTime::Local(_) | ParsedDateTime::Exact(_) => None,
    }
}

/// Returns the date-time at the start of a date.
pub(super) fn start_of_day(text: &str) -> Option<String> {
    Some(text.trim().parse::<Date>().ok()?.to_datetime(Time::midnight()).to_string())
}

/// Returns the number of units since 1970. None if a fraction would be lost.
pub(super) fn to_epoch(text: &str, zone: &TimeZone, unit: EpochUnit) -> Option<i64> {
    let instant = parse_timestamp(text, zone)?;
    let (number, rebuilt) = match unit {
        EpochUnit::Seconds => (instant.as_second(), from_epoch(instant.as_second(), unit)?),
        EpochUnit::Milliseconds => (instant.as_millisecond(), from_epoch(instant.as_millisecond(), unit)?),
    };
    (rebuilt == instant.to_string()).then_some(number)
}

pub(super) fn from_epoch(number: i64, unit: EpochUnit) -> Option<String> {
    let instant = match unit {
        EpochUnit::Seconds => Timestamp::from_second(number),
        EpochUnit::Milliseconds => Timestamp::from_millisecond(number),
    };
    instant.ok().map(|instant| instant.to_string())
}

/// Converts an ISO 8601 duration to ticks, with days of 24 hours. None for months and years, whose length varies, and
/// for fractions of a tick.
pub(super) fn ticks_from_iso(text: &str) -> Option<i64> {
    let span: jiff::Span = text.trim().parse().ok()?;
    if span.get_years() != 0 || span.get_months() != 0 {
        return None;
    }
    let duration = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()?;
    let fraction = i64::from(duration.subsec_nanos());
    if fraction % NANOSECONDS_PER_TICK != 0 {
        return None;
    }
    duration.as_secs().checked_mul(TICKS_PER_SECOND)?.checked_add(fraction / NANOSECONDS_PER_TICK)
}

/// Converts ticks to an ISO 8601 duration in hours, minutes and seconds.
pub(super) fn ticks_to_iso(ticks: i64) -> String {
    let nanoseconds = i32::try_from(ticks % TICKS_PER_SECOND * NANOSECONDS_PER_TICK).unwrap_or_default();
    SignedDuration::new(ticks / TICKS_PER_SECOND, nanoseconds).to_string()
}
