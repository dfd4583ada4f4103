//! Views of how a file was read, for the window and the command line, and the user's choices about it.

use serde::{Deserialize, Serialize};
use takt_core::ExcelRow;
use takt_core::finding::{FindingCode, Severity};

/// The settings with which a file was read, and the settings that the user can change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ReadingView {
    /// The encoding of a text file. `None` for workbooks.
    pub encoding: Option<String>,
    /// The separator of a text file. One character, or empty if each line is one column.
    pub separator: Option<String>,
    /// Encodings to choose from. Empty for workbooks.
    pub encodings: Vec<String>,
    /// True if quotes in a text file are ordinary characters instead of enclosing cells.
    pub quotes_as_text: bool,
    /// The first quote of a text file that may enclose too much.
    pub quote: Option<QuoteView>,
    /// Present if the encoding was guessed and other encodings read some cell differently.
    pub letters: Option<EncodingView>,
    /// Number of header rows. The last one is the header row.
    pub heading_rows: u32,
    /// Number of hidden rows below the header row, whether they're left out or not.
    pub hidden_rows: u32,
    /// Letters of the hidden columns.
    pub hidden_columns: Vec<String>,
    /// Empty cells that merged cells cover below their first row.
    pub merged: MergedView,
    /// Row number of the last row if it contains totals, whether it's left out or not.
    pub totals_row: Option<u32>,
    pub choice: RowChoice,
}

/// Cells that Excel shows as one over several rows. Only the first one has the content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MergedView {
    pub cells: u32,
    /// Letters of their columns.
    pub columns: Vec<String>,
}

/// Which rows below the header row are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RowChoice {
    /// Leaves out the rows that Excel hides.
    pub skip_hidden: bool,
    /// Reads the row of totals like any other.
    pub keep_totals: bool,
}

/// The settings for reading a text file. Absent settings are detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TextReading {
    /// For example `windows-1252`. `None` to detect it.
    pub encoding: Option<String>,
    /// One character, or empty if each line is one column.
    pub separator: Option<String>,
    /// True if quotes are ordinary characters instead of enclosing cells.
    pub quotes_as_text: bool,
}

/// A quote that may not have been meant to enclose a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QuoteView {
    pub row: ExcelRow,
    /// The column's letters.
    pub column: String,
    /// One of the three findings about quotes.
    pub fault: FindingCode,
    /// Number of further lines of the file that became part of the row.
    pub lines: u32,
    /// Number of such quotes in the sheet, including this one.
    pub count: u32,
}

/// Cells that other encodings would read differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EncodingView {
    /// `note` if words prove the encoding. `warning` if another one is nearly as likely, or only symbols prove it.
    pub severity: Severity,
    /// The encoding in use, then the others.
    pub encodings: Vec<String>,
    /// The first of these cells (at most 20).
    pub cells: Vec<LettersCell>,
    /// Number of all such cells, including cells that aren't listed.
    pub count: u32,
}

/// A cell that other encodings would read differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LettersCell {
    pub row: ExcelRow,
    /// The column's letters.
    pub column: String,
    /// The cell's texts, in the order of the encodings.
    pub texts: Vec<String>,
}
