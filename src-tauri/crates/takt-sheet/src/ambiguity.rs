//! The ambiguities of a text file: quotes that may be characters, characters that differ in other encodings, rows with
//! unusual numbers of fields, and apostrophes that may guard against formulas.

use crate::CellAddress;

/// The reason why a quote may be meant as a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuoteFault {
    /// The cell extends to the end of the text.
    NotClosed,
    /// Text follows the closing quote before the cell ends.
    TextAfter,
    /// The cell contains lines with as many columns as the table has, or very many lines.
    ContainsRows,
}

/// A cell whose first quote may be meant as a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteDoubt {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// 0-based.
    pub column: u32,
    pub fault: QuoteFault,
    /// The number of further lines of the file that became part of the row.
    pub lines: u32,
}

/// A cell that other encodings decode differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodingDoubt {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// 0-based.
    pub column: u32,
    pub text: String,
    /// The cell's text in each of [`crate::TextForm::rivals`].
    pub rival_texts: Vec<String>,
}

/// A text cell that shows another text than it contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownTextDoubt {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// 0-based.
    pub column: u32,
    pub shown: String,
}

/// The number of fields, including empty ones, of a row and of all later rows with content up to the next
/// [`FieldCount`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldCount {
    /// 1-based, as Excel shows it.
    pub row: u32,
    pub fields: u32,
}

/// The ambiguities of a file in row order. Cells with ambiguous characters, apostrophes or formulas are only listed up
/// to a maximum number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextDoubts {
    pub quotes: Vec<QuoteDoubt>,
    pub encodings: Vec<EncodingDoubt>,
    /// The number of cells with ambiguous characters, including those that aren't listed.
    pub encoding_doubt_count: u32,
    /// One entry for each row that has another number of fields than the previous row with content.
    pub field_counts: Vec<FieldCount>,
    /// The row after which the text ends without a line end, 1-based.
    pub unterminated_row: Option<u32>,
    /// Cells whose leading apostrophe may guard against formulas, in a file that Takt didn't write. The apostrophe is
    /// part of the cell's text.
    pub apostrophes: Vec<CellAddress>,
    /// Cells that were written as `="00123"` and are read as the text in quotes.
    pub text_formulas: Vec<CellAddress>,
    /// The cells of an OpenDocument file that show another text than they contain.
    pub shown_texts: Vec<ShownTextDoubt>,
    /// True if a DOS end-of-file character was removed from the end.
    pub has_end_mark: bool,
    /// True if the text ends within a character, which became U+FFFD.
    pub has_cut_character: bool,
}
