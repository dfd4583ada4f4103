//! Calendar weeks written as texts (`KW 50`, `CW 50/2026`, `2026-W50`). The user chooses the weekday for the whole
//! column. Weeks are counted as in ISO 8601.

use jiff::civil::{Date, ISOWeekDate, Weekday};

use crate::invisible_characters::{is_space, trim_blank};

/// Maximum bytes of a text that is parsed.
const MAX_TEXT_LENGTH: usize = 32;

/// The weekday of a column's calendar weeks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WeekDay {
    /// No text of the column is a week.
    Unneeded,
    /// The day isn't chosen.
    Unknown,
    /// A week without a year is in the year in which it's nearest to `today`.
    Chosen { weekday: Weekday, today: Date },
}

/// Why a text can't be read as a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WeekError {
    NotAWeek,
    WithoutDay,
}

/// The parts of a week that a text contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TypedWeek {
    week: i8,
    year: Option<i16>,
    weekday: Option<Weekday>,
}

/// Returns true for a week without a weekday, which needs the user's choice for the column.
pub(crate) fn needs_day(text: &str) -> bool {
    parse_week(text).is_some_and(|typed| typed.weekday.is_none())
}

pub(crate) fn parse(text: &str, day: WeekDay) -> Result<Date, WeekError> {
    let typed = parse_week(text).ok_or(WeekError::NotAWeek)?;
    let exact = typed.weekday.zip(typed.year);
    if let Some((weekday, year)) = exact {
        return week_date(year, typed.week, weekday).ok_or(WeekError::NotAWeek);
    }
    let WeekDay::Chosen { weekday, today } = day else { return Err(WeekError::WithoutDay) };
    let found = match typed.year {
        Some(year) => week_date(year, typed.week, weekday),
        None => nearest_date(typed.week, weekday, today),
    };
    found.ok_or(WeekError::NotAWeek)
}

fn week_date(year: i16, week: i8, weekday: Weekday) -> Option<Date> {
    ISOWeekDate::new(year, week, weekday).ok().map(ISOWeekDate::date)
}

fn nearest_date(week: i8, weekday: Weekday, today: Date) -> Option<Date> {
    let year = today.iso_week_date().year();
    let candidates = [year - 1, year, year + 1].into_iter().filter_map(|year| week_date(year, week, weekday));
    candidates.min_by_key(|date| today.until(*date).map_or(i32::MAX, |span| span.get_days().abs()))
}

/// Parses `KW50`, `KW 50`, `KW 50/2026`, `KW 50/26`, `KW 50 2026`, `2026-W50`, `2026-W50-3` and `50. KW`.
fn parse_week(text: &str) -> Option<TypedWeek> {
    // Fast path. Nearly every other date has no letters, or has a time.
    let is_short = text.len() <= MAX_TEXT_LENGTH && !text.contains(':');
    if !is_short || !text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let tokens = split_tokens(text)?;
    let (week, rest) = match tokens.as_slice() {
        [Token::Prefix, Token::Number(week), rest @ ..] => (*week, rest),
        [Token::Number(week), Token::Prefix, rest @ ..] if week.len() <= 2 => (*week, rest),
        [Token::Number(year), Token::Prefix, Token::Number(week), rest @ ..] if year.len() == 4 => {
            return parse_with_year(year, week, rest);
        }
        _ => return None,
    };
    let year = match rest {
        [] => None,
        [Token::Number(year)] => Some(parse_year(year)?),
        _ => return None,
    };
    Some(TypedWeek { week: parse_week_number(week)?, year, weekday: None })
}

fn parse_with_year(year: &str, week: &str, rest: &[Token<'_>]) -> Option<TypedWeek> {
    let weekday = match rest {
        [] => None,
        [Token::Number(day)] if day.len() == 1 => Some(Weekday::from_monday_one_offset(day.parse().ok()?).ok()?),
        _ => return None,
    };
    Some(TypedWeek { week: parse_week_number(week)?, year: Some(parse_year(year)?), weekday })
}

fn parse_week_number(week: &str) -> Option<i8> {
    let week = (week.len() <= 2).then(|| week.parse().ok()).flatten()?;
    (1..=53).contains(&week).then_some(week)
}

/// Parses a year. Two digits mean this century.
fn parse_year(year: &str) -> Option<i16> {
    match year.len() {
        2 => year.parse::<i16>().ok().map(|year| 2000 + year),
        4 => year.parse().ok().filter(|year| (1900..=9998).contains(year)),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    /// The word for a week.
    Prefix,
    Number(&'a str),
}

/// Splits a text into at most four tokens, separated by spaces, points, dashes or slashes.
fn split_tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut rest = trim_blank(text);
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        if !is_digit && !first.is_alphabetic() {
            rest = rest.strip_prefix(|letter: char| is_space(letter) || ".-/".contains(letter))?;
            continue;
        }
        let other = |letter: char| if is_digit { !letter.is_ascii_digit() } else { !letter.is_alphabetic() };
        let (word, after) = rest.split_at_checked(rest.find(other).unwrap_or(rest.len()))?;
        tokens.push(if is_digit { Token::Number(word) } else { parse_prefix(word)? });
        rest = after;
        if tokens.len() > 4 {
            return None;
        }
    }
    Some(tokens)
}

fn parse_prefix(word: &str) -> Option<Token<'static>> {
    const WORDS: [&str; 10] = ["kw", "cw", "w", "wk", "week", "woche", "sem", "semana", "s", "se"];
    WORDS.contains(&word.to_lowercase().as_str()).then_some(Token::Prefix)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn monday(text: &str) -> Result<Date, WeekError> {
        parse(text, WeekDay::Chosen { weekday: Weekday::Monday, today: date(2026, 11, 23) })
    }

    #[test]
    fn weeks_are_read_as_planners_write_them() {
        let of_2026 = date(2026, 12, 7);
        for text in [
            "KW 50",
            "KW50",
            "kw50",
            "CW 50/2026",
            "CW 50/26",
            "W50",
            "KW 50 2026",
            "KW.50",
            "50. KW",
            "2026-W50",
            "Semana 50",
            "KW\u{a0}50",
        ] {
            assert_eq!(monday(text), Ok(of_2026), "{text}");
        }
        assert_eq!(monday("KW 2"), Ok(date(2027, 1, 11)), "nearer than that of this year");
        assert_eq!(monday("KW 53/2026"), Ok(date(2026, 12, 28)));
        let friday = WeekDay::Chosen { weekday: Weekday::Friday, today: date(2026, 11, 23) };
        assert_eq!(parse("KW 50", friday), Ok(date(2026, 12, 11)));
        for text in
            ["KW 54", "KW 0", "KW", "50", "KW 53/2025", "KW 50 2026 1", "KW 50 KW", "QW 50", "KW 50:00", "KW 150"]
        {
            assert_eq!(monday(text), Err(WeekError::NotAWeek), "{text}");
        }
    }

    #[test]
    fn a_week_without_its_day_asks_and_one_with_it_does_not() {
        assert_eq!(parse("KW 50/2026", WeekDay::Unknown), Err(WeekError::WithoutDay));
        assert_eq!(parse("2026-W50-3", WeekDay::Unneeded), Ok(date(2026, 12, 9)));
        assert!(needs_day("KW 50") && !needs_day("2026-W50-3") && !needs_day("2026-12-09"));
    }
}
