//! What of a text may be meant otherwise: quotes that swallow what follows, and letters that another encoding reads otherwise.

use super::{encoding::Letters, split::QuoteFault};

/// So many places are kept of each kind; all are counted.
const MOST_KEPT: usize = 200;

/// A cell that begins with a quote, and may not have been meant to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteDoubt {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// 0-based.
    pub column: u32,
    pub fault: QuoteFault,
    /// Further lines of the file that became part of the row.
    pub lines: u32,
}

/// A cell that reads otherwise in other encodings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LettersDoubt {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// 0-based.
    pub column: u32,
    pub text: String,
    /// Beside [`crate::TextForm::rivals`].
    pub others: Vec<String>,
}

/// At most some hundred of each kind, in the order of the rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextDoubts {
    pub quotes: Vec<QuoteDoubt>,
    /// How many there are.
    pub quote_count: u32,
    pub letters: Vec<LettersDoubt>,
    pub letters_count: u32,
}

/// Collects doubts while a text is read.
pub(super) struct DoubtKeeper {
    letters: Letters,
    rivals: Vec<Letters>,
    kept: TextDoubts,
}

impl DoubtKeeper {
    pub(super) fn new(letters: Letters, rivals: &[&'static str]) -> Self {
        let rivals = rivals.iter().filter_map(|name| Letters::by_name(name)).collect();
        Self { letters, rivals, kept: TextDoubts::default() }
    }

    pub(super) fn quote(&mut self, doubt: QuoteDoubt) {
        self.kept.quote_count = self.kept.quote_count.saturating_add(1);
        if self.kept.quotes.len() < MOST_KEPT {
            self.kept.quotes.push(doubt);
        }
    }

    /// Takes a cell at a 0-based place.
    pub(super) fn letters(&mut self, (row, column): (u32, u32), text: &str) {
        if self.rivals.is_empty() || text.is_ascii() {
            return;
        }
        let bytes = self.letters.encode(text);
        let others: Vec<String> = self.rivals.iter().map(|rival| rival.decode(&bytes).into_owned()).collect();
        if others.iter().all(|other| other == text) {
            return;
        }
        self.kept.letters_count = self.kept.letters_count.saturating_add(1);
        if self.kept.letters.len() < MOST_KEPT {
            self.kept.letters.push(LettersDoubt { row: row.saturating_add(1), column, text: text.to_owned(), others });
        }
    }

    pub(super) fn finish(self) -> TextDoubts {
        self.kept
    }
}
