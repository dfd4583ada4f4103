//! What of a text may be meant otherwise: quotes that swallow what follows, letters that another encoding reads otherwise, rows with
//! more or fewer fields than others, and apostrophes that may guard against formulas.

/// Why a quote may have been meant as a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuoteFault {
    /// Everything to the end of the text is in its cell.
    NotClosed,
    /// Something follows the closing quote before the cell ends.
    TextAfter,
    /// The cell holds lines with as many columns as the table has, or very many lines.
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
    /// The cell's text in each of [`crate::TextForm::rivals`].
    pub others: Vec<String>,
}

/// A text cell that shows another text than it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDoubt {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// 0-based.
    pub column: u32,
    pub shown: String,
}

/// How many fields a row has, empty ones included, and all rows with content up to the next [`FieldCount`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldCount {
    /// 1-based, as Excel shows it.
    pub row: u32,
    pub fields: u32,
}

/// A cell's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellPlace {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// 0-based.
    pub column: u32,
}

/// In the order of the rows. Of letters, apostrophes and formulas only some thousand are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextDoubts {
    pub quotes: Vec<QuoteDoubt>,
    pub letters: Vec<LettersDoubt>,
    /// How many cells there are.
    pub letters_count: u32,
    /// One more wherever a row has another number of fields than the row with content before it.
    pub field_counts: Vec<FieldCount>,
    /// The row after which the text ends without a line end, 1-based.
    pub open_row: Option<u32>,
    /// Cells of a file that isn't Takt's whose first apostrophe may guard against formulas. It is part of their text.
    pub apostrophes: Vec<CellPlace>,
    /// Cells that were written as `="00123"`, which are read as the text in quotes.
    pub text_formulas: Vec<CellPlace>,
    /// Of an OpenDocument file.
    pub shown: Vec<ShownDoubt>,
    /// True if a character of DOS that marks the end of a file was left out.
    pub has_end_mark: bool,
    /// True if the text ends within a letter, which became U+FFFD.
    pub has_cut_letter: bool,
}
