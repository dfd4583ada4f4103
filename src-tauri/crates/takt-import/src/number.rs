//! Numbers written as text. Each column has one decimal sign, which its values prove. It's never guessed for a single
//! cell.

use crate::invisible_characters::{is_space, trim_blank};

/// Maximum number of digits that a float represents exactly.
const MAX_DIGITS: usize = 15;
/// Maximum characters of a unit.
const MAX_UNIT_LENGTH: usize = 20;
/// Digits between two group separators.
const GROUP_DIGITS: usize = 3;
/// U+2212, the typographic minus.
const MINUS: char = '\u{2212}';
const SOFT_HYPHEN: char = '\u{ad}';
const POWERS_OF_TEN: [f64; MAX_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decimals {
    /// No text in the column depends on the decimal sign.
    Unneeded,
    Comma,
    Point,
    /// `1,375` could be either, and no text in the column proves one.
    Unknown,
    /// The column proves both, so its texts can't be read.
    Mixed,
}

/// Whether a column marks negative numbers as `50-` or `(50)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Negatives {
    /// No text of the column has such a mark.
    Unneeded,
    /// Some texts have such marks, and their meaning isn't chosen.
    Unknown,
    Marked,
}

/// Counts of a column's texts by their decimal sign, and of texts marked as negative.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DecimalSignCounts {
    comma: u32,
    point: u32,
    ambiguous: u32,
    negative_marks: u32,
}

impl DecimalSignCounts {
    pub(crate) fn add_text(&mut self, text: &str) {
        // Fast path for nearly all texts.
        let found = detect_decimal_sign_fast(text.as_bytes()).unwrap_or_else(|| self.add_any_text(text));
        match found {
            DecimalSign::Comma => self.comma += 1,
            DecimalSign::Point => self.point += 1,
            DecimalSign::Ambiguous => self.ambiguous += 1,
            DecimalSign::None => {}
        }
    }

    fn add_any_text(&mut self, text: &str) -> DecimalSign {
        match strip_negative_mark(text)
            .filter(|number| normalize_number(number, ',').or_else(|| normalize_number(number, '.')).is_some())
        {
            Some(number) => {
                self.negative_marks += 1;
                detect_decimal_sign(number)
            }
            None => detect_decimal_sign(text),
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.comma += other.comma;
        self.point += other.point;
        self.ambiguous += other.ambiguous;
        self.negative_marks += other.negative_marks;
    }

    /// Returns the number of texts such as `50-` and `(50)`.
    pub(crate) fn negative_marks(self) -> u32 {
        self.negative_marks
    }

    /// Returns the number of texts that prove the decimal sign, and the number of texts that depend on it.
    pub(crate) fn counts(self) -> (u32, u32) {
        (self.comma + self.point, self.comma + self.point + self.ambiguous)
    }

    pub(crate) fn decimals(self) -> Decimals {
        match (self.comma, self.point, self.ambiguous) {
            (0, 0, 0) => Decimals::Unneeded,
            (0, 0, _) => Decimals::Unknown,
            (_, 0, _) => Decimals::Comma,
            (0, _, _) => Decimals::Point,
            _ => Decimals::Mixed,
        }
    }
}

/// Why a text can't be read as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberError {
    NotANumber,
    /// The decimal sign isn't known.
    Ambiguous,
    /// More than 15 digits.
    TooManyDigits,
}

/// Reads a text with the column's decimal sign. A text with a unit, a star or a misplaced separator isn't a number.
pub(crate) fn parse(text: &str, decimals: Decimals) -> Result<f64, NumberError> {
    parse_fast(text.as_bytes(), decimals).map_or_else(|| parse_any(text, decimals), Ok)
}

/// Like [`parse`], but reads `50-` and `(50)` as negative numbers.
pub(crate) fn parse_marked(text: &str, decimals: Decimals) -> Result<f64, NumberError> {
    strip_negative_mark(text)
        .map_or_else(|| parse(text, decimals), |number| parse(number, decimals).map(|value| -value))
}

/// Returns the number in `50-` or `(50)`, or `None` for other texts and for a number that already has a sign.
fn strip_negative_mark(text: &str) -> Option<&str> {
    let text = trim_blank(text);
    let inner = text.strip_suffix(['-', MINUS]).or_else(|| text.strip_prefix('(')?.strip_suffix(')'))?;
    let number = inner.trim_matches(is_space);
    number.starts_with(|letter: char| letter.is_ascii_digit()).then_some(number)
}

/// A number with a unit behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NumberWithUnit<'a> {
    pub(crate) number: &'a str,
    pub(crate) unit: &'a str,
}

/// Words that multiply the number before them, in the window's languages. They aren't units.
const MULTIPLIERS: [&str; 20] = [
    "k",
    "tsd",
    "tausend",
    "thousand",
    "mil",
    "mio",
    "million",
    "millionen",
    "millions",
    "millón",
    "millones",
    "milhão",
    "milhões",
    "mrd",
    "dozen",
    "dz",
    "dutzend",
    "docena",
    "docenas",
    "dúzias",
];

/// Splits a text such as `75 Stk` or `1.250,5kg`. Returns `None` for other texts, and for words and signs that change
/// the number's value, such as `%` or `Tsd.`.
pub(crate) fn split_unit(text: &str) -> Option<NumberWithUnit<'_>> {
    let text = trim_blank(text);
    let (number, unit) = text.split_at(text.find(char::is_alphabetic).filter(|at| *at > 0)?);
    let number = number.trim_end_matches(is_space);
    let is_unit = |letter: char| letter.is_alphabetic() || matches!(letter, '.' | '/' | '²' | '³' | ' ');
    let is_number = [',', '.'].into_iter().any(|decimal| normalize_number(number, decimal).is_some());
    let first = unit.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    let fits = is_number
        && unit.chars().count() <= MAX_UNIT_LENGTH
        && unit.chars().all(is_unit)
        && !MULTIPLIERS.contains(&first.as_str());
    fits.then_some(NumberWithUnit { number, unit })
}

/// Reads the most frequent form, with few digits and at most one decimal sign between them.
#[expect(clippy::cast_precision_loss, reason = "fifteen digits are exact, and so is their quotient by a power of ten")]
pub(crate) fn parse_fast(text: &[u8], decimals: Decimals) -> Option<f64> {
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > MAX_DIGITS {
        return None;
    }
    let mut value = 0_u64;
    let mut fraction_digits = None;
    for (at, &byte) in digits.iter().enumerate() {
        match (byte, decimals) {
            (b'0'..=b'9', _) => value = value * 10 + u64::from(byte - b'0'),
            (b'.', Decimals::Point | Decimals::Unneeded) | (b',', Decimals::Comma)
                if at > 0 && fraction_digits.is_none() =>
            {
                fraction_digits = Some(digits.len() - at - 1);
            }
            _ => return None,
        }
    }
    let value = match fraction_digits {
        None => value as f64,
        Some(0) => return None,
        Some(places) => value as f64 / POWERS_OF_TEN.get(places)?,
    };
    Some(if negative { -value } else { value })
}

fn parse_any(text: &str, decimals: Decimals) -> Result<f64, NumberError> {
    // Old encodings have a soft hyphen in place of a minus.
    if text.contains(SOFT_HYPHEN) {
        return Err(NumberError::NotANumber);
    }
    let text = trim_blank(text);
    let plain = match decimals {
        Decimals::Comma => normalize_number(text, ','),
        Decimals::Point | Decimals::Unneeded => normalize_number(text, '.'),
        Decimals::Unknown | Decimals::Mixed => match (normalize_number(text, ','), normalize_number(text, '.')) {
            (None, None) => None,
            (comma, point) if comma == point => point,
            _ => return Err(NumberError::Ambiguous),
        },
    };
    let plain = plain.ok_or(NumberError::NotANumber)?;
    let digits = plain.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count();
    let value: f64 = plain.parse().map_err(|_| NumberError::NotANumber)?;
    if digits > MAX_DIGITS { Err(NumberError::TooManyDigits) } else { Ok(value) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DecimalSign {
    None,
    Comma,
    Point,
    /// One separator before three digits, which may be thousands or decimals.
    Ambiguous,
}

/// Returns the decimal sign that a text of digits with at most one separator proves, or `None` for any other text.
#[inline]
fn detect_decimal_sign_fast(text: &[u8]) -> Option<DecimalSign> {
    let mut found = None;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {}
            b',' | b'.' if found.is_none() => found = Some((at, byte)),
            _ => return None,
        }
    }
    let Some((at, separator)) = found else { return Some(DecimalSign::None) };
    let after = text.len() - at - 1;
    // `0,375` and `1234,567` can't be thousands, but `1,375` can.
    let groups = after == GROUP_DIGITS && (1..=GROUP_DIGITS).contains(&at) && text.first() != Some(&b'0');
    Some(match separator {
        _ if after == 0 => DecimalSign::None,
        _ if groups => DecimalSign::Ambiguous,
        b',' => DecimalSign::Comma,
        _ => DecimalSign::Point,
    })
}

/// Returns the decimal sign that a text proves without other texts of the column. A text that isn't a number with
/// either sign proves none.
fn detect_decimal_sign(text: &str) -> DecimalSign {
    let text = trim_blank(text);
    match (normalize_number(text, ','), normalize_number(text, '.')) {
        (Some(comma), Some(point)) if comma == point => DecimalSign::None,
        (Some(_), Some(_)) => DecimalSign::Ambiguous,
        (Some(_), None) => DecimalSign::Comma,
        (None, Some(_)) => DecimalSign::Point,
        (None, None) => DecimalSign::None,
    }
}

/// Returns the number in the form that `f64` parses, or `None` if the text isn't a number with this decimal sign.
fn normalize_number(text: &str, decimal: char) -> Option<String> {
    let unsigned = text.strip_prefix(['-', MINUS, '+']).unwrap_or(text);
    let sign = if text.starts_with(['-', MINUS]) { "-" } else { "" };
    // Accounting formats write `- 50`.
    let digits = if unsigned.len() < text.len() { unsigned.trim_start_matches(is_space) } else { unsigned };
    let (integer_digits, fraction) = match digits.split_once(decimal) {
        Some((integer_digits, fraction)) => (integer_digits, Some(fraction)),
        None => (digits, None),
    };
    if fraction.is_some_and(|fraction| fraction.is_empty() || !is_digits(fraction)) {
        return None;
    }
    let integer_digits = remove_group_separators(integer_digits, decimal)?;
    match fraction {
        Some(fraction) => Some(format!("{sign}{integer_digits}.{fraction}")),
        None => (!integer_digits.is_empty()).then(|| format!("{sign}{integer_digits}")),
    }
}

/// Removes group separators. Groups have three digits, the first one to three, and all separators are equal.
fn remove_group_separators(integer_digits: &str, decimal: char) -> Option<String> {
    let Some(separator) = integer_digits.chars().find(|letter| !letter.is_ascii_digit()) else {
        return Some(integer_digits.to_owned());
    };
    if separator == decimal || !is_group_separator(separator) {
        return None;
    }
    let mut groups = integer_digits.split(separator);
    let first = groups.next()?;
    let leads = (1..=GROUP_DIGITS).contains(&first.len()) && !first.starts_with('0');
    let fits = leads && groups.all(|group| group.len() == GROUP_DIGITS && is_digits(group));
    fits.then(|| integer_digits.chars().filter(char::is_ascii_digit).collect())
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for characters that may group digits. Both `.` and `,` are included, since the column's decimal sign
/// isn't known here.
pub(crate) fn is_group_separator(letter: char) -> bool {
    is_space(letter) || matches!(letter, '.' | ',' | '\'' | '\u{2019}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(texts: &[&str]) -> Decimals {
        let mut evidence = DecimalSignCounts::default();
        for text in texts {
            evidence.add_text(text);
        }
        evidence.decimals()
    }

    #[test]
    fn a_unit_is_split_from_its_number_and_nothing_else_is() {
        let split = |text| split_unit(text).map(|NumberWithUnit { number, unit }| (number, unit));
        for (text, number, unit) in [
            ("75 Stk", "75", "Stk"),
            (" 1.250,5kg ", "1.250,5", "kg"),
            ("-3,5 m²", "-3,5", "m²"),
            ("1'234.5 pcs.", "1'234.5", "pcs."),
            ("12\u{a0}St./Pal.", "12", "St./Pal."),
        ] {
            assert_eq!(split(text), Some((number, unit)), "{text}");
        }
        for text in [
            "75",
            "Stk",
            "Stk 75",
            "75 %",
            "10 - 20 Stk",
            "10 x 2",
            "2x3 m",
            "1e5",
            "5 Stk?",
            "3 m2",
            "1,2,3 kg",
            "7 (Stk)",
            "2k",
            "5 Tsd.",
            "3 Mio. Stk",
            "2 dozen",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
    }

    #[test]
    fn a_column_proves_its_decimal_sign() {
        assert_eq!(column(&["10", "20"]), Decimals::Unneeded);
        assert_eq!(column(&["13,75", "1.375"]), Decimals::Comma);
        assert_eq!(column(&["1,375", "2.5"]), Decimals::Point);
        assert_eq!(column(&["1,375"]), Decimals::Unknown);
        assert_eq!(column(&["1,5", "2.5"]), Decimals::Mixed);
        assert_eq!(column(&["1.234.567"]), Decimals::Comma);
        assert_eq!(column(&["0,375"]), Decimals::Comma);
        assert_eq!(column(&["ca. 200", "10 x 1.5"]), Decimals::Unneeded);
        assert_eq!(column(&["1'234,567"]), Decimals::Comma);
        assert_eq!(column(&["1\u{2019}234.50"]), Decimals::Point);
        assert_eq!(column(&["1.23,5", "1,2,3", "5,", "7,5 0"]), Decimals::Unneeded, "no numbers, no proof");
    }

    #[test]
    fn separators_count_only_between_groups_of_three_digits() {
        for space in [' ', '\u{a0}', '\u{202f}', '\u{2007}', '\u{2009}', '\'', '\u{2019}'] {
            for decimals in [Decimals::Unneeded, Decimals::Comma, Decimals::Point, Decimals::Unknown] {
                for (text, expected) in [("1_234", 1_234.0), ("-12_345", -12_345.0), ("1_000_000", 1_000_000.0)] {
                    let text = text.replace('_', &space.to_string());
                    assert_eq!(parse(&text, decimals), Ok(expected), "{text:?} {decimals:?}");
                }
                for text in
                    ["1_5", "10_20", "12_5", "1__234", "1_2345", "1234_567", "0_375", "1_234_5", "1_23", "12_34_567"]
                {
                    let text = text.replace('_', &space.to_string());
                    assert!(parse(&text, decimals).is_err(), "{text:?} {decimals:?}");
                }
            }
            let fraction = format!("1{space}234.50");
            assert_eq!(parse(&fraction, Decimals::Point), Ok(1_234.5), "{fraction:?}");
            assert_eq!(parse(&format!("1{space}234,50"), Decimals::Comma), Ok(1_234.5));
            for text in [format!("7,5{space}0"), format!("0,123{space}456"), format!("1{space}234.567,5")] {
                assert!(parse(&text, Decimals::Comma).is_err(), "{text:?}");
            }
        }
        for text in [
            "1 234'567",
            "1\u{a0}234 567",
            "1'234\u{2019}567",
            "1 234,567.5",
            "0,375",
            "1\t234",
            "1\u{200b}234",
            "5'",
            "'5",
        ] {
            assert!(parse(text, Decimals::Point).is_err(), "{text:?}");
        }
        for (text, expected) in
            [("- 50", -50.0), ("\u{2212}\u{a0}50", -50.0), ("+ 1 234", 1_234.0), ("\u{feff}7\u{200e} ", 7.0)]
        {
            assert_eq!(parse(text, Decimals::Point), Ok(expected), "{text:?}");
        }
        for text in ["- -5", "+-5", "5000000 - 10000000", "50-", "1 - 2", "- ", "\u{200b}"] {
            assert!(parse(text, Decimals::Point).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_short_way_reads_as_the_long_one() {
        let mut state = 11_u64;
        println!("seed {state}");
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut short = 0;
        for _ in 0..200_000 {
            let text: String = (0..next(18)).map(|_| char::from(b"00123456789.,-+ "[next(16)])).collect();
            for decimals in [Decimals::Unneeded, Decimals::Comma, Decimals::Point, Decimals::Unknown, Decimals::Mixed] {
                if let Some(fast) = detect_decimal_sign_fast(text.as_bytes()) {
                    assert_eq!(fast, detect_decimal_sign(&text), "{text}");
                }
                if let Some(value) = parse_fast(text.as_bytes(), decimals) {
                    short += 1;
                    assert_eq!(parse_any(&text, decimals), Ok(value), "{text} {decimals:?}");
                }
            }
        }
        assert!(short > 10_000, "{short}");
    }

    #[test]
    fn marks_of_negative_numbers_are_counted_and_read_if_asked() {
        let mut seen = DecimalSignCounts::default();
        for text in ["50,00-", "1.234,56-", "(50,00)", "- 50,00", "-", "12,00", "50- 60", "(x)"] {
            seen.add_text(text);
        }
        assert_eq!((seen.negative_marks(), seen.decimals()), (3, Decimals::Comma));
        for (text, expected) in [("50,00-", -50.0), ("1.234,56\u{2212}", -1234.56), ("( 50 )", -50.0), ("12,00", 12.0)]
        {
            assert_eq!(parse_marked(text, Decimals::Comma), Ok(expected), "{text}");
        }
        for text in ["-50-", "(-50)", "(50-)", "((50))", "(50", "-", "()"] {
            assert!(parse_marked(text, Decimals::Comma).is_err(), "{text}");
        }
    }

    #[test]
    fn texts_are_read_with_the_columns_sign() {
        assert_eq!(parse("13,75", Decimals::Comma), Ok(13.75));
        assert_eq!(parse("1.234,50", Decimals::Comma), Ok(1234.5));
        assert_eq!(parse("1.375", Decimals::Comma), Ok(1375.0));
        assert_eq!(parse("1\u{a0}234.5", Decimals::Point), Ok(1234.5));
        assert_eq!(parse("\u{2212}5", Decimals::Unneeded), Ok(-5.0));
        assert_eq!(parse("1,375", Decimals::Unknown), Err(NumberError::Ambiguous));
        assert_eq!(parse("12", Decimals::Unknown), Ok(12.0));
        assert_eq!(parse("1234567890123456", Decimals::Unneeded), Err(NumberError::TooManyDigits));
        for text in
            ["5 kg", "6806*", "5-", "(5)", "1e5", "1_000", "", "-", ".", "1,23,4", "1..2", "NaN", "inf", "12.34.5"]
        {
            assert!(parse(text, Decimals::Point).is_err(), "{text}");
        }
    }
}
