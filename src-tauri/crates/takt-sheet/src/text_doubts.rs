//! What of a text may be meant otherwise: quotes that swallow what follows, and letters that another encoding reads otherwise.

/// Why a quote may have been meant as a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuoteFault {
    /// Everything to the end of the text is in its cell.
    NotClosed,
    /// Something follows the closing quote before the cell ends.
    TextAfter,
    /// The cell holds lines with as many columns as the table has.
    HoldsRows,
}

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
