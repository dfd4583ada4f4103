//! Dates, times and durations in ISO 8601, as Office and OpenDocument files write them.
//!
//! A cell stores a date-time to the millisecond and a duration to the tick. A value that doesn't fit is refused and
//! remains a text. It is never truncated.

use jiff::civil::{Date, DateTime};

use crate::serial::{SECONDS_PER_DAY, TICKS_PER_MILLISECOND, TICKS_PER_SECOND, from_milliseconds, to_milliseconds};

/// The digits after the decimal point in whole milliseconds and in whole ticks.
const MILLISECOND_DIGITS: usize = 3;
const TICK_DIGITS: usize = 7;
/// Clocks report at most nine digits. A longer fraction is a binary number in decimal form.
const CLOCK_DIGITS: usize = 9;
/// Fractions are compared in units of 10^-12 s.
const PICO_DIGITS: usize = 12;
const PICOS_PER_MILLISECOND: i64 = 1_000_000_000;
/// Half a microsecond. Excel's numbers for present-day dates are 0.6 microseconds apart.
const MAX_NOISE_PICOS: i64 = 500_000;

/// Parses a date, or a date and a time, without an offset. An offset or `Z` is refused, because a cell's date has no
/// time zone.
pub(crate) fn parse_date_time(text: &str) -> Option<DateTime> {
    let text = text.trim();
    let (date, rest) = text.split_at_checked("YYYY-MM-DD".len())?;
    let date = parse_date(date)?.at(0, 0, 0, 0);
    if rest.is_empty() {
        return Some(date);
    }
    let (seconds, fraction) = parse_clock(rest.strip_prefix(['T', 't', ' '])?)?;
    let ticks = fraction_ticks(fraction, MILLISECOND_DIGITS, CLOCK_DIGITS)?;
    let value = from_milliseconds(to_milliseconds(date) + seconds * 1000 + ticks / TICKS_PER_MILLISECOND);
    (value.year() <= 9999 && value >= date).then_some(value)
}

/// Parses a time without a date (`12:30:00`, `T12:30`) into ticks.
pub(crate) fn parse_time_of_day(text: &str) -> Option<i64> {
    let text = text.trim();
    let text = text.strip_prefix(['T', 't']).unwrap_or(text);
    let (seconds, fraction) = parse_clock(text)?;
    Some(seconds * TICKS_PER_SECOND + fraction_ticks(fraction, TICK_DIGITS, TICK_DIGITS)?)
}

/// Parses a duration (`PT36H30M00S`, `-P1DT0.5S`) into ticks. Years and months have no fixed length and are refused.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
    let text = text.strip_prefix('P')?;
    let (days, clock) = text.split_once('T').map_or((text, None), |(days, clock)| (days, Some(clock)));
    let days = if days.is_empty() { None } else { Some(parse_digits(days.strip_suffix('D')?)?) };
    let mut seconds = days.unwrap_or_default().checked_mul(SECONDS_PER_DAY)?;
    let (mut has_part, mut ticks) = (false, 0);
    let mut rest = clock.unwrap_or_default();
    for (unit, scale) in [('H', 3600), ('M', 60)] {
        if let Some((count, behind)) = rest.split_once(unit) {
            seconds = seconds.checked_add(parse_digits(count)?.checked_mul(scale)?)?;
            (rest, has_part) = (behind, true);
        }
    }
    if !rest.is_empty() {
        let count = rest.strip_suffix('S')?;
        let (integer, fraction) = count.split_once(['.', ',']).unwrap_or((count, "0"));
        seconds = seconds.checked_add(parse_digits(integer)?)?;
        ticks = fraction_ticks(fraction, TICK_DIGITS, TICK_DIGITS)?;
        has_part = true;
    }
    if has_part != clock.is_some() || (days.is_none() && !has_part) {
        return None;
    }
    Some(sign * seconds.checked_mul(TICKS_PER_SECOND)?.checked_add(ticks)?)
}

fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let year = if year.len() == 4 { i16::try_from(parse_digits(year)?).ok()? } else { return None };
    Date::new(year, i8::try_from(two_digits(month)?).ok()?, i8::try_from(two_digits(day)?).ok()?).ok()
}

/// Returns the seconds of the day and the digits of the fraction. `24:00` is the end of the day.
fn parse_clock(text: &str) -> Option<(i64, &str)> {
    let (clock, fraction) = text.split_once(['.', ',']).map_or((text, None), |(clock, digits)| (clock, Some(digits)));
    let mut parts = clock.split(':');
    let (hour, minute) = (two_digits(parts.next()?)?, two_digits(parts.next()?)?);
    let second = parts.next().map(two_digits);
    let second = match second {
        Some(second) => second?,
        // Without seconds, it would be a fraction of a minute.
        None if fraction.is_some() => return None,
        None => 0,
    };
    let seconds = hour * 3600 + minute * 60 + second;
    let fraction = fraction.unwrap_or("0");
    let is_within = hour < 24 || (seconds == SECONDS_PER_DAY && fraction.bytes().all(|digit| digit == b'0'));
    (parts.next().is_none() && minute < 60 && second < 60 && is_within).then_some((seconds, fraction))
}

fn two_digits(text: &str) -> Option<i64> {
    if text.len() == 2 { parse_digits(text) } else { None }
}

fn parse_digits(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Returns a fraction of a second in ticks if it has at most `exact` digits. A fraction of more than `longest` digits
/// is rounded if it differs from whole milliseconds only by the error of a binary number. Otherwise returns `None`.
fn fraction_ticks(digits: &str, exact: usize, longest: usize) -> Option<i64> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_end_matches('0');
    if digits.len() <= exact {
        return parse_digits(&format!("{digits:0<TICK_DIGITS$}"));
    }
    if digits.len() <= longest {
        return None;
    }
    let picos = parse_digits(&format!("{:0<PICO_DIGITS$}", digits.get(..PICO_DIGITS).unwrap_or(digits)))?;
    let milliseconds = (picos + PICOS_PER_MILLISECOND / 2) / PICOS_PER_MILLISECOND;
    let is_noise = (picos - milliseconds * PICOS_PER_MILLISECOND).abs() < MAX_NOISE_PICOS;
    is_noise.then_some(milliseconds * TICKS_PER_MILLISECOND)
}

#[cfg(test)]
mod tests {
    use jiff::civil::datetime;

    use super::*;

    #[test]
    fn a_date_time_is_read_to_the_millisecond_or_not_at_all() {
        let expected = datetime(2026, 11, 23, 6, 0, 0, 0);
        for text in [
            "2026-11-23T06:00:00",
            " 2026-11-23T06:00:00.000",
            "2026-11-23 06:00",
            "2026-11-23T06:00:00,0",
            "2026-11-23T06:00:00.0000000000000",
            "2026-11-23T05:59:59.9999999998137",
            "2026-11-23T06:00:00.00000000001",
        ] {
            assert_eq!(parse_date_time(text), Some(expected), "{text}");
        }
        for (text, expected) in [
            ("2026-11-23", datetime(2026, 11, 23, 0, 0, 0, 0)),
            ("2026-11-23T24:00:00", datetime(2026, 11, 24, 0, 0, 0, 0)),
            ("2026-12-31T23:59:59.9999999998", datetime(2027, 1, 1, 0, 0, 0, 0)),
            ("2026-11-23T06:00:00.120", datetime(2026, 11, 23, 6, 0, 0, 120_000_000)),
            ("2010-01-01T13:45:30.4559999820776", datetime(2010, 1, 1, 13, 45, 30, 456_000_000)),
        ] {
            assert_eq!(parse_date_time(text), Some(expected), "{text}");
        }
        for text in [
            "2026-11-23T06:00:00+01:00",
            "2026-11-23T06:00:00Z",
            "2026-11-23T06:00:00.000z",
            "2026-11-23T06:00:00.1234",
            "2026-11-23T06:00:00.123456",
            "2026-11-23T23:59:59.9999999",
            "2026-11-23T23:59:59.999999999",
            "2026-11-23T06:00:00.1234567890123",
            "2026-11-23T23:59:60",
            "2026-11-23T24:00:01",
            "2026-11-23T06:00.5",
            "2026-11-23T06",
            "2026-02-30",
            "9999-12-31T24:00:00",
            "2026-11-23T",
            "2026-11-23T06:00:00[Europe/Berlin]",
            "2026-1-2",
            "Ä026-11-2",
            "12:30:00",
            "Z",
            "",
        ] {
            assert_eq!(parse_date_time(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_is_read_to_the_tick() {
        let half_past = (12 * 3600 + 30 * 60) * TICKS_PER_SECOND;
        for (text, expected) in [
            ("12:30:00", half_past),
            ("T12:30:00", half_past),
            (" 12:30 ", half_past),
            ("12:29:59.9999999999", half_past),
            ("12:30:00.0000001", half_past + 1),
            ("12:30:00.5", half_past + TICKS_PER_SECOND / 2),
            ("24:00:00", 24 * 3600 * TICKS_PER_SECOND),
            ("00:00:00", 0),
        ] {
            assert_eq!(parse_time_of_day(text), Some(expected), "{text}");
        }
        for text in [
            "1:30",
            "12:60",
            "25:00:00",
            "24:00:00.1",
            "12:30:00.12345678",
            "12:30:0",
            "12",
            "12:30:00+01:00",
            "12:30:00.000Z",
            "-12:30",
        ] {
            assert_eq!(parse_time_of_day(text), None, "{text}");
        }
    }

    #[test]
    fn a_duration_is_read_to_the_tick() {
        let hour = 3600 * TICKS_PER_SECOND;
        for (text, expected) in [
            ("PT36H30M00S", 36 * hour + hour / 2),
            ("PT24H0M0.000S", 24 * hour),
            ("-PT00H00M01.5S", -15_000_000),
            ("P1DT01H00M00S", 25 * hour),
            ("P2D", 48 * hour),
            ("PT90M", hour + hour / 2),
            ("PT7,25S", 72_500_000),
            ("PT00H59M59.999999999S", hour),
            ("PT0.0000001S", 1),
        ] {
            assert_eq!(parse_duration(text), Some(expected), "{text}");
        }
        for text in [
            "36:30",
            "PT9",
            "PT",
            "P",
            "P1DT",
            "P1M",
            "P1Y",
            "PT1.5H",
            "PT1M1H",
            "PTS",
            "PT1.S",
            "PT0.123456789S",
            "PT+1H",
            "PT99999999999999999999H",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
