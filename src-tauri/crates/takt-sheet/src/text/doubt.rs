//! Collects what of a text may be meant otherwise while the text is read.

use super::encoding::Letters;
use crate::{CellPlace, FieldCount, LettersDoubt, QuoteDoubt, TextDoubts};

/// So many cells of each kind are listed.
const MAX_CELLS: usize = 10_000;

/// Collects doubts while a text is read.
pub(super) struct DoubtKeeper {
    letters: Letters,
    rivals: Vec<Letters>,
    dependent: DependentLetters,
    doubts: TextDoubts,
}

/// Characters beyond ASCII that some rival reads otherwise.
enum DependentLetters {
    All,
    /// Ascending.
    Some(Vec<char>),
}

impl DependentLetters {
    fn new(letters: Letters, rivals: &[Letters]) -> Self {
        if !letters.is_single_byte() || rivals.iter().any(|rival| !rival.is_single_byte()) {
            return Self::All;
        }
        let is_dependent = |byte: &u8| {
            let own = letters.decode(std::slice::from_ref(byte));
            rivals.iter().any(|rival| rival.decode(std::slice::from_ref(byte)) != own)
        };
        let bytes: Vec<u8> = (0x80..=u8::MAX).filter(is_dependent).collect();
        let mut characters: Vec<char> = letters.decode(&bytes).chars().collect();
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

impl DoubtKeeper {
    pub(super) fn new(letters: Letters, rivals: &[&'static str]) -> Self {
        let rivals: Vec<Letters> = rivals.iter().filter_map(|name| Letters::by_name(name)).collect();
        let dependent = DependentLetters::new(letters, &rivals);
        Self { letters, rivals, dependent, doubts: TextDoubts::default() }
    }

    /// All of them are kept: none of their rows may be sent without a decision.
    pub(super) fn quote(&mut self, doubt: QuoteDoubt) {
        self.doubts.quotes.push(doubt);
    }

    /// Notes how many fields a 0-based row with content has. Rows must come in their order.
    #[inline]
    pub(super) fn fields(&mut self, row: u32, fields: usize) {
        let fields = u32::try_from(fields).unwrap_or(u32::MAX);
        if self.doubts.field_counts.last().is_none_or(|last| last.fields != fields) {
            self.doubts.field_counts.push(FieldCount { row: row.saturating_add(1), fields });
        }
    }

    /// The text ends within this 0-based row.
    pub(super) fn open_row(&mut self, row: u32) {
        self.doubts.open_row = Some(row.saturating_add(1));
    }

    pub(super) fn apostrophe(&mut self, (row, column): (u32, u32)) {
        if self.doubts.apostrophes.len() < MAX_CELLS {
            self.doubts.apostrophes.push(CellPlace { row: row.saturating_add(1), column });
        }
    }

    pub(super) fn text_formula(&mut self, (row, column): (u32, u32)) {
        if self.doubts.text_formulas.len() < MAX_CELLS {
            self.doubts.text_formulas.push(CellPlace { row: row.saturating_add(1), column });
        }
    }

    /// A mark behind the text says that it is whole.
    pub(super) fn end_mark(&mut self) {
        (self.doubts.has_end_mark, self.doubts.open_row) = (true, None);
    }

    /// The text ends within a letter.
    pub(super) fn cut_letter(&mut self) {
        self.doubts.has_cut_letter = true;
    }

    /// Takes a cell at a 0-based place.
    #[inline]
    pub(super) fn letters(&mut self, place: (u32, u32), text: &str) {
        if !self.rivals.is_empty() && !text.is_ascii() {
            self.compare(place, text);
        }
    }

    fn compare(&mut self, (row, column): (u32, u32), text: &str) {
        if !self.dependent.are_in(text) {
            return;
        }
        self.doubts.letters_count = self.doubts.letters_count.saturating_add(1);
        if self.doubts.letters.len() < MAX_CELLS {
            let bytes = self.letters.encode(text);
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
        let western = Letters::by_name("windows-1252").unwrap();
        let mut keeper = DoubtKeeper::new(western, &["windows-1250"]);
        for (row, text) in (0..).zip(["plain", "Größe", "Ø 12", "¥", "±0,5"]) {
            keeper.letters((row, 1), text);
        }
        let doubts = keeper.finish();
        let cells: Vec<(u32, &str, &str)> =
            doubts.letters.iter().map(|doubt| (doubt.row, doubt.text.as_str(), doubt.others[0].as_str())).collect();
        assert_eq!(cells, [(3, "Ø 12", "Ř 12"), (4, "¥", "Ą")]);
        assert_eq!(doubts.letters_count, 2);
        let mut keeper = DoubtKeeper::new(western, &["Shift_JIS"]);
        (0..10_100).for_each(|row| keeper.letters((row, 0), "ä"));
        let doubts = keeper.finish();
        assert_eq!((doubts.letters.len(), doubts.letters_count), (MAX_CELLS, 10_100));
    }
}
