//! Collects the ambiguities of a text while it is read.

use super::encoding::TextEncoding;
use crate::{CellPlace, FieldCount, LettersDoubt, QuoteDoubt, TextDoubts};

/// The maximum number of listed cells of each kind.
const MAX_CELLS: usize = 10_000;

/// Collects the ambiguities of a text.
pub(super) struct DoubtCollector {
    encoding: TextEncoding,
    rivals: Vec<TextEncoding>,
    ambiguous: AmbiguousCharacters,
    doubts: TextDoubts,
}

/// The characters beyond ASCII that some rival reads differently.
enum AmbiguousCharacters {
    All,
    /// Ascending.
    Some(Vec<char>),
}

impl AmbiguousCharacters {
    fn new(encoding: TextEncoding, rivals: &[TextEncoding]) -> Self {
        if !encoding.is_single_byte() || rivals.iter().any(|rival| !rival.is_single_byte()) {
            return Self::All;
        }
        let is_ambiguous = |byte: &u8| {
            let own = encoding.decode(std::slice::from_ref(byte));
            rivals.iter().any(|rival| rival.decode(std::slice::from_ref(byte)) != own)
        };
        let bytes: Vec<u8> = (0x80..=u8::MAX).filter(is_ambiguous).collect();
        let mut characters: Vec<char> = encoding.decode(&bytes).chars().collect();
        characters.sort_unstable();
        Self::Some(characters)
    }

    fn are_in(&self, text: &str) -> bool {
        match self {
            Self::All => !text.is_ascii(),
            Self::Some(characters) => {
                text.chars().any(|letter| !letter.is_ascii() && characters.binary_search(&letter).is_ok())
            }
        }
    }
}

impl DoubtCollector {
    pub(super) fn new(encoding: TextEncoding, rivals: &[&'static str]) -> Self {
        let rivals: Vec<TextEncoding> = rivals.iter().filter_map(|name| TextEncoding::by_name(name)).collect();
        let ambiguous = AmbiguousCharacters::new(encoding, &rivals);
        Self { encoding, rivals, ambiguous, doubts: TextDoubts::default() }
    }

    /// Adds a doubtful quote. All of them are listed, because none of their rows may be sent without a decision.
    pub(super) fn add_quote(&mut self, doubt: QuoteDoubt) {
        self.doubts.quotes.push(doubt);
    }

    /// Records the number of fields of a 0-based row with content. Rows must come in order.
    #[inline]
    pub(super) fn add_field_count(&mut self, row: u32, fields: usize) {
        let fields = u32::try_from(fields).unwrap_or(u32::MAX);
        if self.doubts.field_counts.last().is_none_or(|last| last.fields != fields) {
            self.doubts.field_counts.push(FieldCount { row: row.saturating_add(1), fields });
        }
    }

    /// Records that the text ends within this 0-based row.
    pub(super) fn set_open_row(&mut self, row: u32) {
        self.doubts.open_row = Some(row.saturating_add(1));
    }

    pub(super) fn add_apostrophe(&mut self, row: u32, column: u32) {
        if self.doubts.apostrophes.len() < MAX_CELLS {
            self.doubts.apostrophes.push(CellPlace { row: row.saturating_add(1), column });
        }
    }

    pub(super) fn add_text_formula(&mut self, row: u32, column: u32) {
        if self.doubts.text_formulas.len() < MAX_CELLS {
            self.doubts.text_formulas.push(CellPlace { row: row.saturating_add(1), column });
        }
    }

    /// Records an end-of-file mark, which proves that the text is complete.
    pub(super) fn set_end_mark(&mut self) {
        (self.doubts.has_end_mark, self.doubts.open_row) = (true, None);
    }

    /// Records that the text ends within a character.
    pub(super) fn set_cut_character(&mut self) {
        self.doubts.has_cut_letter = true;
    }

    /// Checks whether a rival reads a cell differently. The address is 0-based.
    #[inline]
    pub(super) fn check_encoding(&mut self, row: u32, column: u32, text: &str) {
        if !self.rivals.is_empty() && !text.is_ascii() {
            self.compare_rivals(row, column, text);
        }
    }

    fn compare_rivals(&mut self, row: u32, column: u32, text: &str) {
        if !self.ambiguous.are_in(text) {
            return;
        }
        self.doubts.letters_count = self.doubts.letters_count.saturating_add(1);
        if self.doubts.letters.len() < MAX_CELLS {
            let bytes = self.encoding.encode(text);
            self.doubts.letters.push(LettersDoubt {
                row: row.saturating_add(1),
                column,
                text: text.to_owned(),
                others: self.rivals.iter().map(|rival| rival.decode(&bytes).into_owned()).collect(),
            });
        }
    }

    pub(super) fn finish(self) -> TextDoubts {
        self.doubts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_that_a_rival_reads_otherwise_are_doubted() {
        let western = TextEncoding::by_name("windows-1252").unwrap();
        let mut collector = DoubtCollector::new(western, &["windows-1250"]);
        for (row, text) in (0..).zip(["plain", "Größe", "Ø 12", "¥", "±0,5"]) {
            collector.check_encoding(row, 1, text);
        }
        let doubts = collector.finish();
        let cells: Vec<(u32, &str, &str)> =
            doubts.letters.iter().map(|doubt| (doubt.row, doubt.text.as_str(), doubt.others[0].as_str())).collect();
        assert_eq!(cells, [(3, "Ø 12", "Ř 12"), (4, "¥", "Ą")]);
        assert_eq!(doubts.letters_count, 2);
        let mut collector = DoubtCollector::new(western, &["Shift_JIS"]);
        (0..10_100).for_each(|row| collector.check_encoding(row, 0, "ä"));
        let doubts = collector.finish();
        assert_eq!((doubts.letters.len(), doubts.letters_count), (MAX_CELLS, 10_100));
    }
}
