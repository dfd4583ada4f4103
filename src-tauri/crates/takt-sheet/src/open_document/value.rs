//! The content of a cell of an ods file: its typed value if it has one, otherwise its paragraphs.

use std::borrow::Cow;

use super::vocabulary::{
    AttributeName,
    Vocabulary::{Office, Table},
};
use crate::{Cell, CellRef, iso_time, xml_text::parse_number};

/// The attributes from which a cell is read.
pub(super) const ATTRIBUTES: [AttributeName; 10] = [
    (Office, "value-type"),
    (Office, "value"),
    (Office, "date-value"),
    (Office, "time-value"),
    (Office, "boolean-value"),
    (Office, "string-value"),
    (Table, "formula"),
    (Table, "number-columns-repeated"),
    (Table, "number-rows-spanned"),
    (Table, "number-columns-spanned"),
];

/// The attributes of a cell that determine its value.
pub(super) struct CellHead<'t> {
    pub(super) repeat: u32,
    kind: Option<Cow<'t, str>>,
    value: Option<Cow<'t, str>>,
    is_error: bool,
    has_formula: bool,
}

/// A cell's value. Texts are borrowed if possible.
#[derive(Debug)]
pub(super) enum CellContent<'t> {
    Text(Cow<'t, str>),
    Other(Cell),
}

/// A cell with its repetitions. The column is 0-based.
#[derive(Debug)]
pub(super) struct CellRun<'t> {
    pub(super) column: u32,
    pub(super) repeat: u32,
    pub(super) content: CellContent<'t>,
    /// The text that the cell shows if it differs from the text that it contains.
    pub(super) shown: Option<Cow<'t, str>>,
}

/// A cell that spans several rows or columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellSpan {
    pub(super) column: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
}

impl CellContent<'_> {
    pub(super) fn as_ref(&self) -> CellRef<'_> {
        match self {
            Self::Text(text) => CellRef::of_text(text),
            Self::Other(cell) => cell.as_ref(),
        }
    }

    /// Returns whether the cell must be stored. Empty cells without a formula aren't.
    fn is_stored(&self) -> bool {
        let cell = self.as_ref();
        !cell.is_empty() || cell.is_formula_without_value()
    }
}

impl CellRun<'_> {
    /// Returns whether the cell must be stored. Empty cells without a formula aren't, unless they show a text.
    pub(super) fn is_stored(&self) -> bool {
        self.content.is_stored() || self.shown.is_some()
    }

    /// Returns the column after the last repetition.
    pub(super) fn end_column(&self) -> u64 {
        u64::from(self.column) + u64::from(self.repeat)
    }
}

impl<'t> CellHead<'t> {
    /// Creates the head from the values of [`ATTRIBUTES`].
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

    /// Returns the content of a cell whose paragraphs show a text. Also returns the shown text if a text cell contains
    /// another one.
    pub(super) fn content(self, shown: Cow<'t, str>) -> (CellContent<'t>, Option<Cow<'t, str>>) {
        if self.is_error {
            return (CellContent::Other(Cell::error(shown)), None);
        }
        // If the attribute exists, it is the value (ODF 1.3, part 3, section 19.389).
        if self.kind.as_deref() == Some("string")
            && let Some(value) = self.value
        {
            // White space is collapsed in paragraphs only.
            let is_same = shown.is_empty() || value.split_whitespace().eq(shown.split_whitespace());
            return (CellContent::Text(value), Some(shown).filter(|_| !is_same));
        }
        let value = self.value.as_deref().unwrap_or_default();
        let typed = match self.kind.as_deref().unwrap_or_default() {
            "string" => None,
            "float" => parse_number(value.trim()).map(|number| number_cell(number, &shown)),
            "currency" | "percentage" => parse_number(value.trim()).map(Cell::number),
            "date" => iso_time::parse_date_time(value).map(Cell::date_time),
            "time" => iso_time::parse_duration(value).map(Cell::duration),
            "boolean" => match value.trim() {
                "true" | "1" => Some(Cell::boolean(true)),
                "false" | "0" => Some(Cell::boolean(false)),
                _ => None,
            },
            "" if shown.is_empty() && self.has_formula => Some(Cell::formula_without_value()),
            _ => None,
        };
        // The value of a date or a time is exact. The shown text isn't.
        let is_date_or_time = matches!(self.kind.as_deref(), Some("date" | "time"));
        let is_value_shown = shown.is_empty() || (is_date_or_time && !value.trim().is_empty());
        let content = match typed {
            Some(cell) => CellContent::Other(cell),
            None => CellContent::Text(self.value.filter(|_| is_value_shown).unwrap_or(shown)),
        };
        (content, None)
    }
}

/// Returns a number. If its format adds leading zeros or letters, as in `WO-00123`, the shown text is included.
/// Grouping, decimals and currencies are ignored.
fn number_cell(number: f64, shown: &str) -> Cell {
    if !shown.starts_with('0') && !shown.chars().any(char::is_alphabetic) {
        return Cell::number(number);
    }
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '/' | '_' | ':' | '#' | ' ');
    let has_letters = shown.chars().any(char::is_alphabetic) && shown.chars().all(plain);
    let has_zeros = digits.len() > 1 && digits.starts_with('0') && digits.len() == shown.len();
    let is_same = digits.parse::<f64>().is_ok_and(|value| value.total_cmp(&number).is_eq());
    if (has_zeros || has_letters) && is_same { Cell::number_shown(number, shown) } else { Cell::number(number) }
}

/// The text of a cell, collected from its paragraphs.
///
/// White space is collapsed according to ODF 1.3, part 3, section 6.1.2. Tabs and line ends become spaces, several
/// spaces become one, and spaces at the ends of a paragraph are removed. Elements for white space aren't collapsed:
/// `text:s`, `text:tab` and `text:line-break` (6.1.3 to 6.1.5). A single space at the end remains, because LibreOffice
/// writes the last space of a cell like this.
#[derive(Default)]
pub(super) struct Paragraphs {
    text: String,
    depth: u32,
    count: u32,
    /// The last white space, which isn't in the text yet.
    pending_space: Space,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Space {
    /// At the start of a paragraph.
    #[default]
    Start,
    None,
    /// A single space.
    One,
    /// Any other run of white space.
    Several,
}

impl Paragraphs {
    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// Begins a paragraph. A paragraph within another one doesn't begin a new line.
    pub(super) fn begin(&mut self) {
        if self.depth == 0 {
            if self.count > 0 {
                self.text.push('\n');
            }
            self.pending_space = Space::Start;
        }
        self.depth += 1;
        self.count += 1;
    }

    /// Adds the spaces of a `text:s`: one if the count is invalid, and at most `max_spaces`.
    pub(super) fn push_spaces(&mut self, count: Option<&str>, max_spaces: usize) {
        self.end_space();
        let count =
            count.map(str::trim).filter(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()));
        let spaces = count.map_or(1, |count| count.parse().unwrap_or(usize::MAX));
        self.text.extend(std::iter::repeat_n(' ', spaces.min(max_spaces)));
    }

    /// Adds the character that an element represents.
    pub(super) fn push_element(&mut self, letter: char) {
        self.end_space();
        self.text.push(letter);
    }

    pub(super) fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            if self.pending_space == Space::One {
                self.text.push(' ');
            }
            self.pending_space = Space::Start;
        }
    }

    /// Adds character data with collapsed white space. Text outside of paragraphs is ignored.
    pub(super) fn push(&mut self, text: &str) {
        if self.depth == 0 {
            return;
        }
        for character in text.chars() {
            if matches!(character, ' ' | '\t' | '\r' | '\n') {
                self.pending_space = match self.pending_space {
                    Space::Start => Space::Start,
                    Space::None if character == ' ' => Space::One,
                    _ => Space::Several,
                };
            } else {
                self.end_space();
                self.text.push(character);
            }
        }
    }

    /// Adds the character of a reference, which isn't collapsed.
    pub(super) fn push_letter(&mut self, letter: char) {
        if self.depth > 0 {
            self.push_element(letter);
        }
    }

    /// Adds the pending space before other content.
    fn end_space(&mut self) {
        if matches!(self.pending_space, Space::One | Space::Several) {
            self.text.push(' ');
        }
        self.pending_space = Space::None;
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
        for (shown, is_code) in
            [("00123", true), ("WO-00123", true), ("123 pcs", true), ("123", false), ("1,23", false)]
        {
            let cell = number_cell(123.0, shown);
            assert_eq!(
                (cell.is_shown_by_format(), cell.shown() == shown),
                (is_code, is_code || shown == "123"),
                "{shown}"
            );
        }
        assert!(!number_cell(124.0, "WO-00123").is_shown_by_format());
        assert!(!number_cell(123.0, "123.00 EUR").is_shown_by_format());
    }

    /// Returns the text of one paragraph that consists of these pieces. `S` is a `text:s`, `T` a `text:tab`.
    fn paragraph(pieces: &[&str]) -> String {
        let mut text = Paragraphs::default();
        text.begin();
        for piece in pieces {
            match *piece {
                "S" => text.push_spaces(Some("2"), 10),
                "T" => text.push_element('\t'),
                piece => text.push(piece),
            }
        }
        text.end();
        text.finish()
    }

    #[test]
    fn white_space_is_collapsed_as_the_format_says() {
        for (pieces, expected) in [
            (&["a  b"][..], "a b"),
            (&["a \n\t b"], "a b"),
            (&["\n   a   b\n  "], "a b"),
            (&["a ", " b"], "a b"),
            (&["a", "S", "b"], "a  b"),
            (&["a ", "S", "b"], "a   b"),
            (&["a", "S", " b"], "a   b"),
            (&["a ", "S", " b"], "a    b"),
            (&["S", "a", "S"], "  a  "),
            (&[" ", "S", "a ", "S", " "], "  a    "),
            (&["a ", "T", " b"], "a \t b"),
            (&["a "], "a "),
            (&["a\u{a0} \u{a0}b"], "a\u{a0} \u{a0}b"),
            (&[" "], ""),
        ] {
            assert_eq!(paragraph(pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn spaces_are_counted() {
        for (count, expected) in [
            (None, 1),
            (Some("3"), 3),
            (Some(" 3 "), 3),
            (Some("0"), 0),
            (Some("x"), 1),
            (Some("99999999999999999999"), 8),
        ] {
            let mut text = Paragraphs::default();
            text.push_spaces(count, 8);
            assert_eq!(text.finish().len(), expected, "{count:?}");
        }
    }
}
