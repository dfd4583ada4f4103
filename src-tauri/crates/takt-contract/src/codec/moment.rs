//! Moments and ISO 8601 durations between their forms.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

use crate::{LocalTime, SpanEnd, form::EpochUnit, wire::duration::TICKS_PER_SECOND};

const NANOSECONDS_PER_TICK: i64 = 100;
const OFFSET: &str = "%Y-%m-%dT%H:%M:%S%.f%:z";

/// What a text says: a moment of its own, or one on the wall clock of a site.
enum Moment {
    Exact(Timestamp),
    Wall(DateTime),
}

fn moment(text: &str) -> Option<Moment> {
    let text = text.trim();
    if let Ok(exact) = text.parse::<Timestamp>() {
        return Some(Moment::Exact(exact));
    }
    let wall = text
        .parse::<DateTime>()
        .ok()
        .or_else(|| text.parse::<Date>().ok().map(|date| date.to_datetime(Time::midnight())));
    wall.map(Moment::Wall)
}

/// Of a time that the clock repeats, the first occurrence. Absent for a time that the clock skips: moving it would change it.
fn instant(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    match moment(text)? {
        Moment::Exact(exact) => Some(exact),
        Moment::Wall(wall) => LocalTime::of(wall, zone)?.moment(),
    }
}

/// The moment that bounds a span of time, with its offset. Absent for a text with an offset, and if the clock doesn't change.
pub(super) fn bound(text: &str, zone: &TimeZone, end: Option<SpanEnd>) -> Option<String> {
    let Moment::Wall(wall) = moment(text)? else { return None };
    match LocalTime::of(wall, zone)? {
        LocalTime::Once(_) => None,
        changed => Some(written(changed.bound(end), zone)),
    }
}

fn written(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned_datetime(zone.clone()).strftime(OFFSET).to_string()
}

/// As it is where it has an offset already.
pub(super) fn with_offset(text: &str, zone: &TimeZone) -> Option<String> {
    match moment(text)? {
        Moment::Exact(_) => None,
        Moment::Wall(wall) => Some(written(LocalTime::of(wall, zone)?.moment()?, zone)),
    }
}

pub(super) fn in_utc(text: &str, zone: &TimeZone) -> Option<String> {
    Some(instant(text, zone)?.to_string())
}

/// Nothing where there is a time of day: it would be lost.
pub(super) fn date_only(text: &str) -> Option<String> {
    match moment(text)? {
        Moment::Wall(wall) if wall.time() == Time::midnight() => Some(wall.date().to_string()),
        Moment::Wall(_) | Moment::Exact(_) => None,
    }
}

/// The begin of a date's day.
pub(super) fn midnight(text: &str) -> Option<String> {
    Some(text.trim().parse::<Date>().ok()?.to_datetime(Time::midnight()).to_string())
}

/// Nothing where a fraction would be lost.
pub(super) fn epoch(text: &str, zone: &TimeZone, unit: EpochUnit) -> Option<i64> {
    let instant = instant(text, zone)?;
    let (number, again) = match unit {
        EpochUnit::Seconds => (instant.as_second(), of_epoch(instant.as_second(), unit)?),
        EpochUnit::Milliseconds => (instant.as_millisecond(), of_epoch(instant.as_millisecond(), unit)?),
    };
    (again == instant.to_string()).then_some(number)
}

pub(super) fn of_epoch(number: i64, unit: EpochUnit) -> Option<String> {
    let instant = match unit {
        EpochUnit::Seconds => Timestamp::from_second(number),
        EpochUnit::Milliseconds => Timestamp::from_millisecond(number),
    };
    instant.ok().map(|instant| instant.to_string())
}

/// Days count 24 hours; months and years have no length and can't be read.
pub(super) fn ticks_of_iso(text: &str) -> Option<i64> {
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

/// In hours, minutes and seconds.
pub(super) fn iso_of_ticks(ticks: i64) -> String {
    let nanoseconds = i32::try_from(ticks % TICKS_PER_SECOND * NANOSECONDS_PER_TICK).unwrap_or_default();
    SignedDuration::new(ticks / TICKS_PER_SECOND, nanoseconds).to_string()
}
