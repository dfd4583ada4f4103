//! Converts Excel's serial numbers to civil date-times and durations, and back. Time zones are never involved.

use jiff::civil::{Date, DateTime, Time};

/// Durations are counted in ticks of 100 ns.
pub const TICKS_PER_SECOND: i64 = 10_000_000;

pub(crate) const TICKS_PER_MILLISECOND: i64 = TICKS_PER_SECOND / 1000;
const MILLISECONDS_PER_DAY: i64 = 86_400_000;
pub(crate) const SECONDS_PER_DAY: i64 = 86_400;
/// Days from 1899-12-30, the day 0 of serials from 61 on, to 1970-01-01.
const EPOCH_1900: i64 = 25_569;
/// Days from 1904-01-01 to 1970-01-01.
const EPOCH_1904: i64 = 24_107;
/// The serial of 1900-02-29, a day that exists only in Excel.
const LEAP_BUG: i64 = 60;
/// 9999-12-31 as days since 1970-01-01.
const LAST_DAY: i64 = 2_932_896;
/// Ten thousand years. A larger number isn't a duration.
const MAX_DAYS: f64 = 3_652_500.0;

/// The value of a serial number in a cell with a date format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SerialDate {
    /// Milliseconds since 1970, up to the year 9999.
    DateTime(i64),
    /// A time without a date (serial below 1), in ticks.
    TimeOfDay(i64),
}

/// Converts a serial number. Returns `None` for 1900-02-29, and if Excel shows no date either (negative, beyond 9999).
pub(crate) fn date_from_serial(serial: f64, is_1904: bool) -> Option<SerialDate> {
    let milliseconds = milliseconds_of_serial(serial)?;
    if milliseconds < 0 {
        return None;
    }
    let (days, rest) = (milliseconds / MILLISECONDS_PER_DAY, milliseconds % MILLISECONDS_PER_DAY);
    if days == 0 {
        return Some(SerialDate::TimeOfDay(rest * TICKS_PER_MILLISECOND));
    }
    let since_1970 = match (is_1904, days) {
        (true, _) => days - EPOCH_1904,
        (false, LEAP_BUG) => return None,
        (false, ..LEAP_BUG) => days + 1 - EPOCH_1900,
        (false, _) => days - EPOCH_1900,
    };
    (since_1970 <= LAST_DAY).then(|| SerialDate::DateTime(since_1970 * MILLISECONDS_PER_DAY + rest))
}

/// Returns a duration's ticks from its serial number. They are exact to the millisecond, as in Excel.
pub(crate) fn duration_ticks(serial: f64) -> Option<i64> {
    (serial.abs() < MAX_DAYS).then(|| milliseconds_of_serial(serial))?.map(|value| value * TICKS_PER_MILLISECOND)
}

/// Returns the serial number (1900 system) of a civil date-time.
#[expect(clippy::cast_precision_loss, reason = "whole milliseconds of a few thousand years fit an f64")]
pub(crate) fn from_civil(value: DateTime) -> f64 {
    let milliseconds = to_milliseconds(value) + EPOCH_1900 * MILLISECONDS_PER_DAY;
    let before_leap_bug = milliseconds <= LEAP_BUG * MILLISECONDS_PER_DAY;
    let milliseconds = if before_leap_bug { milliseconds - MILLISECONDS_PER_DAY } else { milliseconds };
    milliseconds as f64 / MILLISECONDS_PER_DAY as f64
}

/// Returns the serial number of a duration.
#[expect(clippy::cast_precision_loss, reason = "Excel keeps no more")]
pub(crate) fn from_ticks(ticks: i64) -> f64 {
    ticks as f64 / (SECONDS_PER_DAY * TICKS_PER_SECOND) as f64
}

/// Formats a duration as `[-]hh:mm:ss[.fffffff]`, with any number of hours.
pub(crate) fn format_duration(ticks: i64) -> String {
    let sign = if ticks < 0 { "-" } else { "" };
    let rest = ticks.unsigned_abs();
    let per_second = TICKS_PER_SECOND.unsigned_abs();
    let (seconds, fraction) = (rest / per_second, rest % per_second);
    let clock = format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 { clock } else { format!("{clock}.{fraction:07}").trim_end_matches('0').to_owned() }
}

/// Formats a date-time as `YYYY-MM-DD`, followed by ` HH:MM[:SS[.fff]]` unless it is midnight.
pub(crate) fn format_date_time(value: DateTime) -> String {
    let date = format!("{:04}-{:02}-{:02}", value.year(), value.month(), value.day());
    let milliseconds = value.subsec_nanosecond() / 1_000_000;
    match (value.hour(), value.minute(), value.second(), milliseconds) {
        (0, 0, 0, 0) => date,
        (hour, minute, 0, 0) => format!("{date} {hour:02}:{minute:02}"),
        (hour, minute, second, 0) => format!("{date} {hour:02}:{minute:02}:{second:02}"),
        (hour, minute, second, fraction) => format!("{date} {hour:02}:{minute:02}:{second:02}.{fraction:03}"),
    }
}

/// Returns the milliseconds since 1970-01-01T00:00.
pub(crate) fn to_milliseconds(value: DateTime) -> i64 {
    let days = days_from_civil(i64::from(value.year()), i64::from(value.month()), i64::from(value.day()));
    let seconds = i64::from(value.hour()) * 3600 + i64::from(value.minute()) * 60 + i64::from(value.second());
    (days * SECONDS_PER_DAY + seconds) * 1000 + i64::from(value.subsec_nanosecond()) / 1_000_000
}

/// Returns the date-time from its milliseconds since 1970-01-01T00:00.
pub(crate) fn from_milliseconds(milliseconds: i64) -> DateTime {
    let (days, rest) = (milliseconds.div_euclid(MILLISECONDS_PER_DAY), milliseconds.rem_euclid(MILLISECONDS_PER_DAY));
    let (year, month, day) = civil_from_days(days);
    let date = Date::new(convert_or_zero(year), convert_or_zero(month), convert_or_zero(day)).unwrap_or(Date::ZERO);
    let (seconds, nanoseconds) = (rest / 1000, rest % 1000 * 1_000_000);
    let clock = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let time = Time::new(
        convert_or_zero(clock.0),
        convert_or_zero(clock.1),
        convert_or_zero(clock.2),
        convert_or_zero(nanoseconds),
    );
    DateTime::from_parts(date, time.unwrap_or(Time::midnight()))
}

#[expect(clippy::cast_precision_loss, reason = "the factor is exact")]
fn milliseconds_of_serial(serial: f64) -> Option<i64> {
    let bounded = serial.is_finite() && serial.abs() < 1e8;
    bounded.then(|| round_half_away(serial * MILLISECONDS_PER_DAY as f64))
}

/// Rounds a number below 2^53 to the nearest integer, halves away from zero. It avoids a call into the system's
/// library, because there may be millions of numbers.
#[expect(clippy::cast_possible_truncation, reason = "below 2^53")]
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn round_half_away(value: f64) -> i64 {
    let integer = value as i64;
    let rest = value - integer as f64;
    integer + i64::from(rest >= 0.5) - i64::from(rest <= -0.5)
}

/// Converts a number that is known to fit. Returns 0 if it doesn't.
fn convert_or_zero<T: TryFrom<i64> + Default>(value: i64) -> T {
    T::try_from(value).unwrap_or_default()
}

/// Returns the days since 1970-01-01 in the proleptic Gregorian calendar. It counts from 1 March of year 0 in cycles of
/// 400 years.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let cycle = year.div_euclid(400);
    let year_of_cycle = year - cycle * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
    cycle * 146_097 + day_of_cycle - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let cycle = days.div_euclid(146_097);
    let day_of_cycle = days - cycle * 146_097;
    let year_of_cycle = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use jiff::civil::datetime;

    use super::*;

    #[test]
    fn serials_are_what_excel_shows() {
        let date = |serial, is_1904| match date_from_serial(serial, is_1904) {
            Some(SerialDate::DateTime(value)) => format_date_time(from_milliseconds(value)),
            Some(SerialDate::TimeOfDay(ticks)) => format_duration(ticks),
            None => "none".to_owned(),
        };
        assert_eq!(date(1.0, false), "1900-01-01");
        assert_eq!(date(59.0, false), "1900-02-28");
        assert_eq!(date(60.0, false), "none");
        assert_eq!(date(61.0, false), "1900-03-01");
        assert_eq!(date(45_943.541, false), "2025-10-13 12:59:02.400");
        assert_eq!(date(46_349.25, false), "2026-11-23 06:00");
        assert_eq!(date(44_887.25, true), "2026-11-23 06:00");
        assert_eq!(date(1.0, true), "1904-01-02");
        assert_eq!(date(0.25, true), "06:00:00");
        assert_eq!(date(0.25, false), "06:00:00");
        assert_eq!(date(2_958_465.0, false), "9999-12-31");
        assert_eq!(date(2_958_466.0, false), "none");
        assert_eq!(date(-1.0, false), "none");
        assert_eq!(date(f64::NAN, false), "none");
        assert_eq!(duration_ticks(1.5), Some(36 * 3600 * TICKS_PER_SECOND));
        assert_eq!(duration_ticks(f64::INFINITY), None);
    }

    #[test]
    fn numbers_are_rounded_as_the_standard_library_does() {
        let halves = (-40..40).map(|quarter| f64::from(quarter) / 4.0);
        let near =
            [0.499_999_999_999_999_94, 4_503_599_627_370_495.5, 8.64e15, 1.0 - f64::EPSILON, -0.0, f64::MIN_POSITIVE];
        for value in halves.chain(near).chain(near.map(|value| -value)) {
            #[expect(clippy::cast_possible_truncation, reason = "as the code does")]
            let expected = value.round() as i64;
            assert_eq!(round_half_away(value), expected, "{value}");
        }
    }

    #[test]
    fn every_day_goes_there_and_back() {
        for day in (-700_000..2_932_000).step_by(97) {
            let value = from_milliseconds(day * MILLISECONDS_PER_DAY + 45_296_789);
            assert_eq!(to_milliseconds(value), day * MILLISECONDS_PER_DAY + 45_296_789, "{value}");
        }
        let value = datetime(2026, 11, 23, 6, 0, 0, 0);
        assert!((from_civil(value) - 46_349.25).abs() < 1e-9);
        assert!((from_civil(datetime(1900, 1, 1, 0, 0, 0, 0)) - 1.0).abs() < 1e-9);
    }
}
