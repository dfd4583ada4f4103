//! Durations written as texts with units (`7h30`, `7,5 h`, `450 min`), and bare numbers. The user chooses the unit of
//! bare numbers for the whole column.

use takt_sheet::{CellRef, CellValue};

use crate::{
    invisible_characters::trim_blank,
    number::{self, DecimalSignCounts, Decimals, NumberError},
};

const TICKS_PER_SECOND: i64 = takt_sheet::TICKS_PER_SECOND;
/// Limit of a duration in ticks. It fits an `i64` and exceeds every real plan.
const MAX_TICKS: f64 = 9e18;

/// The unit of durations that a column writes as bare numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DurationUnit {
    /// No cell of the column is a bare number.
    Unneeded,
    /// The unit isn't chosen. 7.5 may be hours or days.
    Unknown,
    Hours,
    Minutes,
    Days,
}

impl DurationUnit {
    fn seconds(self) -> Option<i64> {
        match self {
            Self::Unneeded | Self::Unknown => None,
            Self::Hours => Some(3_600),
            Self::Minutes => Some(60),
            Self::Days => Some(86_400),
        }
    }
}

/// Counts of a column's cells that determine how its durations are read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DurationCounts {
    /// Number of cells without a unit.
    bare_numbers: u32,
    numbers: DecimalSignCounts,
}

impl DurationCounts {
    pub(crate) fn add_cell(&mut self, cell: CellRef<'_>) {
        match cell.value() {
            CellValue::Number(_) => self.bare_numbers += 1,
            // `7:30` needs no unit, and no number with a unit has a colon.
            CellValue::Text(text) if text.as_bytes().contains(&b':') => {}
            CellValue::Text(text) if is_bare_number(text) => {
                self.bare_numbers += 1;
                self.numbers.add_text(text);
            }
            CellValue::Text(text) => {
                split_parts(text).into_iter().flatten().for_each(|part| self.numbers.add_text(part.number));
            }
            _ => {}
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.bare_numbers += other.bare_numbers;
        self.numbers.merge(other.numbers);
    }

    pub(crate) fn bare_numbers(self) -> u32 {
        self.bare_numbers
    }

    pub(crate) fn decimals(self) -> Decimals {
        self.numbers.decimals()
    }

    pub(crate) fn unit(self) -> DurationUnit {
        if self.bare_numbers > 0 { DurationUnit::Unknown } else { DurationUnit::Unneeded }
    }
}

/// Why a text or a number can't be read as a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DurationError {
    NotADuration,
    /// A bare number, and its unit isn't chosen.
    WithoutUnit,
    /// The decimal sign isn't known.
    AmbiguousNumber,
}

/// Reads a text without colons as ticks of 100 ns, by the column's unit and decimal sign.
pub(crate) fn parse(text: &str, unit: DurationUnit, decimals: Decimals) -> Result<i64, DurationError> {
    if is_bare_number(text) {
        let seconds = unit.seconds().ok_or(DurationError::WithoutUnit)?;
        return to_ticks(parse_number(text, decimals)?, seconds);
    }
    let parts = split_parts(text).ok_or(DurationError::NotADuration)?;
    let last = parts.len().saturating_sub(1);
    let mut total = 0_i64;
    for (at, part) in parts.iter().enumerate() {
        let value = parse_number(part.number, decimals)?;
        // Only the last part may have a fraction. `7.5 h 30 min` is ambiguous.
        if at < last && value.fract() != 0.0 {
            return Err(DurationError::NotADuration);
        }
        total = total.checked_add(to_ticks(value, part.seconds)?).ok_or(DurationError::NotADuration)?;
    }
    Ok(total)
}

/// Converts a number in the column's unit to ticks.
pub(crate) fn from_number(value: f64, unit: DurationUnit) -> Result<i64, DurationError> {
    to_ticks(value, unit.seconds().ok_or(DurationError::WithoutUnit)?)
}

fn parse_number(text: &str, decimals: Decimals) -> Result<f64, DurationError> {
    number::parse(text, decimals).map_err(|error| match error {
        NumberError::Ambiguous => DurationError::AmbiguousNumber,
        NumberError::NotANumber | NumberError::TooManyDigits => DurationError::NotADuration,
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "bounded before, and whole ticks")]
fn to_ticks(value: f64, seconds: i64) -> Result<i64, DurationError> {
    let ticks = (value * (seconds * TICKS_PER_SECOND) as f64).round();
    if ticks.abs() < MAX_TICKS { Ok(ticks as i64) } else { Err(DurationError::NotADuration) }
}

/// A number with a unit, such as `7h`.
struct DurationPart<'a> {
    number: &'a str,
    /// The number of seconds in the unit.
    seconds: i64,
}

/// Returns true for a text of digits, signs and separators without a unit.
fn is_bare_number(text: &str) -> bool {
    let text = trim_blank(text);
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text.chars().all(|letter| matches!(letter, '0'..='9' | '+' | '-') || number::is_group_separator(letter))
}

/// Splits a text into numbers with units, from the largest unit to the smallest. The last unit may be missing, as in
/// `7h30`.
fn split_parts(text: &str) -> Option<Vec<DurationPart<'_>>> {
    let mut rest = trim_blank(text);
    let mut parts: Vec<DurationPart<'_>> = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && !",.".contains(letter)).unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(end)?;
        let spaced = after.trim_start();
        let end = spaced.find(|letter: char| !letter.is_alphabetic() && letter != '.').unwrap_or(spaced.len());
        let (unit, after) = spaced.split_at_checked(end)?;
        let before = parts.last().map(|part| part.seconds);
        let seconds = if unit.is_empty() { implied_unit(number, before?)? } else { unit_seconds(unit)? };
        if !number.starts_with(|letter: char| letter.is_ascii_digit()) || before.is_some_and(|before| before <= seconds)
        {
            return None;
        }
        parts.push(DurationPart { number, seconds });
        rest = after.trim_start();
    }
    (!parts.is_empty()).then_some(parts)
}

/// Returns the unit, in seconds, of two digits up to 59 after hours or minutes. Returns `None` for other numbers.
fn implied_unit(number: &str, before: i64) -> Option<i64> {
    let small = number.len() == 2 && number.parse::<u8>().is_ok_and(|number| number < 60);
    (small && before > 1).then_some(before / 60)
}

fn unit_seconds(unit: &str) -> Option<i64> {
    match unit.trim_end_matches('.').to_lowercase().as_str() {
        "h" | "hr" | "hrs" | "hour" | "hours" | "std" | "stdn" | "stunde" | "stunden" | "hora" | "horas" => Some(3_600),
        "m" | "min" | "mins" | "minute" | "minutes" | "minuten" | "minuto" | "minutos" => Some(60),
        "s" | "sec" | "secs" | "second" | "seconds" | "sek" | "sekunde" | "sekunden" | "seg" | "segundo"
        | "segundos" => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = TICKS_PER_SECOND;

    fn seconds(text: &str, unit: DurationUnit) -> Result<i64, DurationError> {
        let mut counts = DurationCounts::default();
        counts.numbers.add_text(text.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == ' '));
        parse(text, unit, counts.decimals()).map(|ticks| ticks / SECOND)
    }

    #[test]
    fn units_in_the_text_need_nobody() {
        for (text, expected) in [
            ("7h30", 27_000),
            ("7h05", 25_500),
            ("7 h 30 min", 27_000),
            ("7,5 h", 27_000),
            ("7.5 Std.", 27_000),
            ("450 min", 27_000),
            ("450min.", 27_000),
            ("1 hora 30 minutos", 5_400),
            ("90 s", 90),
            ("1h 2min 3s", 3_723),
            ("5min30", 330),
        ] {
            assert_eq!(seconds(text, DurationUnit::Unneeded), Ok(expected), "{text}");
        }
        for text in
            ["h", "7 m 3 h", "7h75", "7h 3 days", "7,5 h 30 min", "7 h h", "ten hours", "7h-30", "90 s 5", "5 m 5 m"]
        {
            assert_eq!(seconds(text, DurationUnit::Hours), Err(DurationError::NotADuration), "{text}");
        }
    }

    #[test]
    fn a_bare_number_needs_its_unit() {
        assert_eq!(seconds("7,5", DurationUnit::Unknown), Err(DurationError::WithoutUnit));
        assert_eq!(seconds("7,5", DurationUnit::Hours), Ok(27_000));
        assert_eq!(seconds(" 450 ", DurationUnit::Minutes), Ok(27_000));
        assert_eq!(seconds("1.5", DurationUnit::Days), Ok(129_600));
        for grouped in ["1 234", "1\u{a0}234", "1\u{2019}234"] {
            assert_eq!(seconds(grouped, DurationUnit::Minutes), Ok(74_040), "{grouped}");
        }
        for apart in ["1 30", "1'30", "7,5 0", "1 5", "1 234 min", "7 5 h"] {
            assert_eq!(seconds(apart, DurationUnit::Minutes), Err(DurationError::NotADuration), "{apart}");
        }
        assert_eq!(parse("7,500", DurationUnit::Hours, Decimals::Unknown), Err(DurationError::AmbiguousNumber));
        assert_eq!(from_number(0.1, DurationUnit::Hours), Ok(360 * SECOND));
        assert_eq!(from_number(f64::MAX, DurationUnit::Days), Err(DurationError::NotADuration));
    }
}
