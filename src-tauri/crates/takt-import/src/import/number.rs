//! Numbers written as text. One decimal sign per column, proven by its values, never guessed for a single cell.

/// So many digits are kept exactly.
const MOST_DIGITS: usize = 15;
const TENS: [f64; MOST_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// How a column writes its decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decimals {
    /// No text in the column needs to know.
    Unneeded,
    Comma,
    Point,
    /// `1,375` could be either, and nothing in the column tells.
    Unknown,
    /// The column proves both: its texts can't be read.
    Mixed,
}

/// What the texts of a column say about their decimal sign.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DecimalSignCounts {
    comma: u32,
    point: u32,
    open: u32,
}

impl DecimalSignCounts {
    pub(super) fn see(&mut self, text: &str) {
        // Nearly every text is usual, and there are millions of them.
        let found = usual_sign(text.as_bytes()).unwrap_or_else(|| any_sign(text));
        match found {
            Sign::Comma => self.comma += 1,
            Sign::Point => self.point += 1,
            Sign::Open => self.open += 1,
            Sign::None => {}
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.comma += other.comma;
        self.point += other.point;
        self.open += other.open;
    }

    /// Texts that need to know, and those of them that tell.
    pub(super) fn counts(self) -> (u32, u32) {
        (self.comma + self.point, self.comma + self.point + self.open)
    }

    pub(super) fn verdict(self) -> Decimals {
        match (self.comma, self.point, self.open) {
            (0, 0, 0) => Decimals::Unneeded,
            (0, 0, _) => Decimals::Unknown,
            (_, 0, _) => Decimals::Comma,
            (0, _, _) => Decimals::Point,
            _ => Decimals::Mixed,
        }
    }
}

/// Why a text is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberError {
    NotANumber,
    /// The decimal sign isn't known.
    Ambiguous,
    /// More than 15 digits.
    TooManyDigits,
}

/// Reads a text with the column's decimal sign. A unit, a star or a bracket makes it no number: nothing is stripped silently.
pub(super) fn parse(text: &str, decimals: Decimals) -> Result<f64, NumberError> {
    simple(text.as_bytes(), decimals).map_or_else(|| parse_any(text, decimals), Ok)
}

/// The most frequent form: few digits, with the column's decimal sign between two of them at most.
#[expect(clippy::cast_precision_loss, reason = "fifteen digits are exact, and so is their quotient by a power of ten")]
pub(super) fn simple(text: &[u8], decimals: Decimals) -> Option<f64> {
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > MOST_DIGITS {
        return None;
    }
    let mut value = 0_u64;
    let mut behind = None;
    for (at, &byte) in digits.iter().enumerate() {
        match (byte, decimals) {
            (b'0'..=b'9', _) => value = value * 10 + u64::from(byte - b'0'),
            (b'.', Decimals::Point | Decimals::Unneeded) | (b',', Decimals::Comma) if at > 0 && behind.is_none() => {
                behind = Some(digits.len() - at - 1);
            }
            _ => return None,
        }
    }
    let value = match behind {
        None => value as f64,
        Some(0) => return None,
        Some(places) => value as f64 / TENS.get(places)?,
    };
    Some(if negative { -value } else { value })
}

fn parse_any(text: &str, decimals: Decimals) -> Result<f64, NumberError> {
    let text = tidied(text);
    let (decimal, group) = match (decimals, sign(&text)) {
        (Decimals::Comma, _) => (',', '.'),
        (Decimals::Point | Decimals::Unneeded, _) | (_, Sign::None) => ('.', ','),
        (Decimals::Unknown | Decimals::Mixed, _) => return Err(NumberError::Ambiguous),
    };
    let plain = without_groups(&text, decimal, group).ok_or(NumberError::NotANumber)?;
    let digits = plain.trim_start_matches(['-', '+', '0', '.']).chars().filter(char::is_ascii_digit).count();
    let valid = plain.chars().all(|letter| letter.is_ascii_digit() || "+-.".contains(letter));
    if !valid {
        return Err(NumberError::NotANumber);
    }
    let value: f64 = plain.parse().map_err(|_| NumberError::NotANumber)?;
    if digits > MOST_DIGITS { Err(NumberError::TooManyDigits) } else { Ok(value) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    Comma,
    Point,
    /// One separator with three digits behind it: thousands or decimals.
    Open,
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b',' | b'.' | b'+' | b'-'))
}

/// What a text of digits with one separator at most proves; absent for any other text.
#[inline]
fn usual_sign(text: &[u8]) -> Option<Sign> {
    let mut found = None;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {}
            b',' | b'.' if found.is_none() => found = Some((at, byte)),
            _ => return None,
        }
    }
    let Some((at, separator)) = found else { return Some(Sign::None) };
    let groups = text.len() - at == 4 && (1..=3).contains(&at) && text.first() != Some(&b'0');
    Some(match separator {
        _ if groups => Sign::Open,
        b',' => Sign::Comma,
        _ => Sign::Point,
    })
}

fn any_sign(text: &str) -> Sign {
    if is_plain(text) { sign(text) } else { sign(&tidied(text)) }
}

/// What a text proves by itself.
fn sign(text: &str) -> Sign {
    // What holds anything else is no number, and proves nothing.
    if !is_plain(text) {
        return Sign::None;
    }
    let commas = text.bytes().filter(|&byte| byte == b',').count();
    let points = text.bytes().filter(|&byte| byte == b'.').count();
    match (commas, points) {
        (0, 0) => Sign::None,
        (1, 0) => alone(text, ',', Sign::Comma),
        (0, 1) => alone(text, '.', Sign::Point),
        // Repeated separators group thousands, so the other one is the decimal sign.
        (_, 0) => Sign::Point,
        (0, _) => Sign::Comma,
        _ if text.rfind(',') > text.rfind('.') => Sign::Comma,
        _ => Sign::Point,
    }
}

fn alone(text: &str, separator: char, proven: Sign) -> Sign {
    let (before, after) = text.split_once(separator).unwrap_or_default();
    let whole = before.trim_start_matches(['-', '+']);
    // `0,375` and `1234,567` can't be thousands; `1,375` can.
    let groups = after.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0');
    if groups { Sign::Open } else { proven }
}

/// Spaces of every kind are dropped between digits, and the real minus becomes the plain one.
fn tidied(text: &str) -> String {
    text.trim()
        .chars()
        .filter(|letter| !matches!(letter, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{200b}' | '\u{feff}' | '\''))
        .map(|letter| if letter == '\u{2212}' { '-' } else { letter })
        .collect()
}

/// Groups must have three digits each; else the text is something else.
fn without_groups(text: &str, decimal: char, group: char) -> Option<String> {
    let (whole, rest) = match text.split_once(decimal) {
        Some((whole, rest)) => (whole, Some(rest)),
        None => (text, None),
    };
    if rest.is_some_and(|rest| rest.is_empty() || rest.contains([decimal, group])) {
        return None;
    }
    let mut parts = whole.split(group);
    let first = parts.next()?;
    let grouped = parts.clone().count() > 0;
    if grouped && (first.trim_start_matches(['-', '+']).len() > 3 || parts.clone().any(|part| part.len() != 3)) {
        return None;
    }
    let mut plain = first.to_owned();
    plain.extend(parts);
    if let Some(rest) = rest {
        plain.push('.');
        plain.push_str(rest);
    }
    plain.contains(|letter: char| letter.is_ascii_digit()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(texts: &[&str]) -> Decimals {
        let mut evidence = DecimalSignCounts::default();
        for text in texts {
            evidence.see(text);
        }
        evidence.verdict()
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
                if let Some(usual) = usual_sign(text.as_bytes()) {
                    assert_eq!(usual, any_sign(&text), "{text}");
                }
                if let Some(value) = simple(text.as_bytes(), decimals) {
                    short += 1;
                    assert_eq!(parse_any(&text, decimals), Ok(value), "{text} {decimals:?}");
                }
            }
        }
        assert!(short > 10_000, "{short}");
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
