//! What of a text may be meant otherwise: quotes that swallow what follows, and letters that another encoding reads otherwise.

use super::encoding::Letters;
use crate::{LettersDoubt, QuoteDoubt, TextDoubts};

/// So many places are kept of each kind; all are counted.
const MOST_KEPT: usize = 200;

/// Collects doubts while a text is read.
pub(super) struct DoubtKeeper {
    letters: Letters,
    rivals: Vec<Letters>,
    doubts: TextDoubts,
}

impl DoubtKeeper {
    pub(super) fn new(letters: Letters, rivals: &[&'static str]) -> Self {
        let rivals = rivals.iter().filter_map(|name| Letters::by_name(name)).collect();
        Self { letters, rivals, doubts: TextDoubts::default() }
    }

    pub(super) fn quote(&mut self, doubt: QuoteDoubt) {
        self.doubts.quote_count = self.doubts.quote_count.saturating_add(1);
        if self.doubts.quotes.len() < MOST_KEPT {
            self.doubts.quotes.push(doubt);
        }
    }

    /// Takes a cell at a 0-based place.
    #[inline]
    pub(super) fn letters(&mut self, place: (u32, u32), text: &str) {
        if !self.rivals.is_empty() && !text.is_ascii() {
            self.compare(place, text);
        }
    }

    fn compare(&mut self, (row, column): (u32, u32), text: &str) {
        let bytes = self.letters.encode(text);
        let others: Vec<String> = self.rivals.iter().map(|rival| rival.decode(&bytes).into_owned()).collect();
        if others.iter().all(|other| other == text) {
            return;
        }
        self.doubts.letters_count = self.doubts.letters_count.saturating_add(1);
        if self.doubts.letters.len() < MOST_KEPT {
            self.doubts.letters.push(LettersDoubt {
                row: row.saturating_add(1),
                column,
                text: text.to_owned(),
                others,
            });
        }
    }

    /// What was found so far; nothing is left of it.
    pub(super) fn take(&mut self) -> TextDoubts {
        std::mem::take(&mut self.doubts)
    }

    /// Doubts that were found in lines by themselves, the first of which is this 0-based row.
    pub(super) fn append(&mut self, doubts: TextDoubts, first: u32) {
        let TextDoubts { quotes, quote_count, letters, letters_count } = doubts;
        let own = &mut self.doubts;
        let quotes = quotes.into_iter().map(|doubt| QuoteDoubt { row: doubt.row.saturating_add(first), ..doubt });
        own.quotes.extend(quotes.take(MOST_KEPT.saturating_sub(own.quotes.len())));
        own.quote_count = own.quote_count.saturating_add(quote_count);
        let letters = letters.into_iter().map(|doubt| LettersDoubt { row: doubt.row.saturating_add(first), ..doubt });
        own.letters.extend(letters.take(MOST_KEPT.saturating_sub(own.letters.len())));
        own.letters_count = own.letters_count.saturating_add(letters_count);
    }

    pub(super) fn finish(self) -> TextDoubts {
        self.doubts
    }
}
