//! Durations as text: `[-][d.]hh:mm:ss[.fffffff]`, counted in ticks of 100 ns.

/// One second in ticks.
pub const TICKS_PER_SECOND: i64 = 10_000_000;
const TICKS_PER_MINUTE: i64 = 60 * TICKS_PER_SECOND;
const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;
const TICKS_PER_DAY: i64 = 24 * TICKS_PER_HOUR;
const FRACTION_DIGITS: usize = 7;

/// Reads `[-][d.]hh:mm:ss[.f…]`; hours above 23 are accepted, minutes and seconds above 59 are not.
/// `None` also where a digit finer than a tick would be lost, or the duration is out of range.
#[must_use]
pub fn parse_ticks(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let mut parts = text.splitn(3, ':');
    let (front, minutes, back) = (parts.next()?, parts.next()?, parts.next()?);
    let (days, hours) = front.split_once('.').map_or(Some((0, front)), |(days, hours)| Some((whole(days)?, hours)))?;
    let (seconds, fraction) = back.split_once('.').map_or(Some((back, 0)), |(s, f)| Some((s, fraction_ticks(f)?)))?;
    let total = days
        .checked_mul(TICKS_PER_DAY)?
        .checked_add(whole(hours)?.checked_mul(TICKS_PER_HOUR)?)?
        .checked_add(sixtieth(minutes)? * TICKS_PER_MINUTE)?
        .checked_add(sixtieth(seconds)? * TICKS_PER_SECOND)?
        .checked_add(fraction)?;
    Some(sign * total)
}

/// Writes `[-][d.]hh:mm:ss[.fffffff]`; days and the fraction only where there are any.
#[must_use]
pub fn format_ticks(ticks: i64) -> String {
    let rest = ticks.unsigned_abs();
    let per_second = TICKS_PER_SECOND.unsigned_abs();
    let (seconds, fraction) = (rest / per_second, rest % per_second);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let sign = if ticks < 0 { "-" } else { "" };
    let days = if days == 0 { String::new() } else { format!("{days}.") };
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:07}") };
    format!("{sign}{days}{:02}:{:02}:{:02}{fraction}", hours % 24, minutes % 60, seconds % 60)
}

/// Writes `[-]hh:mm:ss[.fffffff]`, the form of event payloads: days are counted as hours.
#[must_use]
pub fn format_ticks_in_hours(ticks: i64) -> String {
    let rest = ticks.unsigned_abs();
    let per_second = TICKS_PER_SECOND.unsigned_abs();
    let (seconds, fraction) = (rest / per_second, rest % per_second);
    let sign = if ticks < 0 { "-" } else { "" };
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:07}") };
    format!("{sign}{:02}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn whole(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn sixtieth(text: &str) -> Option<i64> {
    whole(text).filter(|value| *value < 60 && text.len() <= 2)
}

fn fraction_ticks(text: &str) -> Option<i64> {
    whole(text.get(..text.len().min(18))?)?;
    let lost = text.get(FRACTION_DIGITS..).unwrap_or("");
    if lost.bytes().any(|byte| byte != b'0') {
        return None;
    }
    let kept = text.get(..FRACTION_DIGITS).unwrap_or(text);
    whole(&format!("{kept:0<FRACTION_DIGITS$}"))
}
