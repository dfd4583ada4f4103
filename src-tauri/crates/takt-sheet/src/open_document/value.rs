//! What a cell of an ods file holds: its typed value where it has one, else its paragraphs.

use std::borrow::Cow;

use crate::{Cell, CellRef, number_text::number, serial};

/// More blanks in a row than this are somebody's joke.
const MOST_BLANKS: usize = 1_000;

/// The local names of the attributes that a cell is read from.
pub(super) const ATTRIBUTES: [&str; 10] = [
    "value-type",
    "value",
    "date-value",
    "time-value",
    "boolean-value",
    "string-value",
    "formula",
    "number-columns-repeated",
    "number-rows-spanned",
    "number-columns-spanned",
];

/// A cell's attributes.
pub(super) struct CellHead<'t> {
    pub(super) repeat: u32,
    kind: Option<Cow<'t, str>>,
    value: Option<Cow<'t, str>>,
    is_error: bool,
    has_formula: bool,
}

/// What a cell holds.
#[derive(Debug)]
pub(super) enum Content<'t> {
    Text(Cow<'t, str>),
    Other(Cell),
}

/// A cell where it was found. The column is 0-based.
#[derive(Debug)]
pub(super) struct FoundCell<'t> {
    pub(super) column: u32,
    pub(super) repeat: u32,
    pub(super) content: Content<'t>,
}

/// A cell that goes over several rows and columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) column: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
}

impl Content<'_> {
    pub(super) fn as_ref(&self) -> CellRef<'_> {
        match self {
            Self::Text(text) => CellRef::of_text(text),
            Self::Other(cell) => cell.as_ref(),
        }
    }

    /// False for a cell that need not be kept.
    pub(super) fn is_there(&self) -> bool {
        let cell = self.as_ref();
        !cell.is_empty() || cell.is_formula_without_value()
    }
}

impl FoundCell<'_> {
    /// The column behind its last repetition.
    pub(super) fn end(&self) -> u64 {
        u64::from(self.column) + u64::from(self.repeat)
    }
}

impl<'t> CellHead<'t> {
    /// Of the values of [`ATTRIBUTES`].
    pub(super) fn new(values: [Option<Cow<'t, str>>; ATTRIBUTES.len()], is_error: bool, repeat: u32) -> Self {
        let [kind, number, date, time, boolean, string, formula, ..] = values;
        let value = match kind.as_deref() {
            Some("date") => date,
            Some("time") => time,
            Some("boolean") => boolean,
            Some("string") => string,
            _ => number,
        };
        Self { repeat, kind, value, is_error, has_formula: formula.is_some() }
    }

    /// What the cell holds, with the text that its paragraphs show.
    pub(super) fn content(self, shown: Cow<'t, str>) -> Content<'t> {
        if self.is_error {
            return Content::Other(Cell::error(shown));
        }
        let value = self.value.as_deref().unwrap_or_default();
        let typed = match self.kind.as_deref().unwrap_or_default() {
            "string" => None,
            "float" => number(value.trim()).map(|number| number_shown(number, &shown)),
            "currency" | "percentage" => number(value.trim()).map(Cell::number),
            "date" => serial::civil(value).map(Cell::date_time),
            "time" => duration(value).map(Cell::duration),
            "boolean" => Some(Cell::boolean(value.trim() == "true")),
            "" if shown.is_empty() && self.has_formula => Some(Cell::formula_without_value()),
            _ => None,
        };
        match typed {
            Some(cell) => Content::Other(cell),
            None => Content::Text(self.value.filter(|_| shown.is_empty()).unwrap_or(shown)),
        }
    }
}

/// What the format adds to a whole number is kept where it makes a code of it: leading zeros, or letters (`WO-00123`). Grouping,
/// decimals and currencies are the format's own matter.
fn number_shown(number: f64, shown: &str) -> Cell {
    if !shown.starts_with('0') && !shown.chars().any(char::is_alphabetic) {
        return Cell::number(number);
    }
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '/' | '_' | ':' | '#' | ' ');
    let has_letters = shown.chars().any(char::is_alphabetic) && shown.chars().all(plain);
    let has_zeros = digits.len() > 1 && digits.starts_with('0') && digits.len() == shown.len();
    let same = digits.parse::<f64>().is_ok_and(|value| value.total_cmp(&number).is_eq());
    if (has_zeros || has_letters) && same { Cell::number_shown(number, shown) } else { Cell::number(number) }
}

/// `PT36H00M00S` in ticks.
fn duration(text: &str) -> Option<i64> {
    let (sign, rest) = text.trim().strip_prefix('-').map_or((1, text.trim()), |rest| (-1, rest));
    let (days, clock) = rest.strip_prefix('P')?.split_once('T')?;
    let days: i64 = if days.is_empty() { 0 } else { days.strip_suffix('D')?.parse().ok()? };
    let mut seconds = days.checked_mul(86_400)?;
    let mut fraction = 0;
    let mut number = String::new();
    for character in clock.chars() {
        let scale = match character {
            'H' => 3600,
            'M' => 60,
            'S' => 1,
            _ => {
                number.push(if character == ',' { '.' } else { character });
                continue;
            }
        };
        let (whole, part) = number.split_once('.').unwrap_or((&number, ""));
        seconds = seconds.checked_add(whole.parse::<i64>().ok()?.checked_mul(scale)?)?;
        let digits: String = part.chars().chain("0000000".chars()).take(7).collect();
        fraction = if part.is_empty() { fraction } else { digits.parse().ok()? };
        number.clear();
    }
    let ticks = seconds.checked_mul(serial::TICKS_PER_SECOND)?.checked_add(fraction)?;
    number.is_empty().then_some(sign * ticks)
}

/// The text of a cell, gathered from its paragraphs as ODF spells blanks, tabs and line breaks.
#[derive(Default)]
pub(super) struct Paragraphs {
    text: String,
    depth: u32,
    count: u32,
}

impl Paragraphs {
    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// Begins a paragraph.
    pub(super) fn begin(&mut self) {
        if self.depth == 0 && self.count > 0 {
            self.text.push('\n');
        }
        self.depth += 1;
        self.count += 1;
    }

    /// So many blanks in a row, one where that is no number.
    pub(super) fn push_blanks(&mut self, count: Option<&str>) {
        let blanks = count.and_then(|count| count.parse().ok()).unwrap_or(1_usize);
        self.text.extend(std::iter::repeat_n(' ', blanks.min(MOST_BLANKS)));
    }

    /// A tab or a line break, wherever it stands.
    pub(super) fn push_break(&mut self, letter: char) {
        self.text.push(letter);
    }

    pub(super) fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// White space between elements is one blank, as ODF has it.
    pub(super) fn push(&mut self, text: &str) {
        if self.depth == 0 {
            return;
        }
        for character in text.chars() {
            if matches!(character, ' ' | '\t' | '\r' | '\n') {
                if !self.text.ends_with(' ') {
                    self.text.push(' ');
                }
            } else {
                self.text.push(character);
            }
        }
    }

    /// A letter that a reference stands for: it stays what it is.
    pub(super) fn push_letter(&mut self, letter: char) {
        if self.depth > 0 {
            self.text.push(letter);
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_a_code_of_a_number_is_kept() {
        for (shown, kept) in [("00123", true), ("WO-00123", true), ("123 pcs", true), ("123", false), ("1,23", false)] {
            let cell = number_shown(123.0, shown);
            assert_eq!((cell.is_shown_by_format(), cell.shown() == shown), (kept, kept || shown == "123"), "{shown}");
        }
        assert!(!number_shown(124.0, "WO-00123").is_shown_by_format());
        assert!(!number_shown(123.0, "123.00 EUR").is_shown_by_format());
    }

    #[test]
    fn durations_are_read_to_the_tick() {
        assert_eq!(duration("PT36H30M00S"), Some((36 * 3600 + 1800) * serial::TICKS_PER_SECOND));
        assert_eq!(duration("-PT00H00M01.5S"), Some(-15_000_000));
        assert_eq!(duration("P1DT01H00M00S"), Some(25 * 3600 * serial::TICKS_PER_SECOND));
        assert_eq!(duration("36:30"), None);
        assert_eq!(duration("PT9"), None);
        assert_eq!(duration("PT99999999999999999999H"), None);
    }
}
