//! What the window and the command line see of how a file was read, and what they can say about it.

use serde::{Deserialize, Serialize};
use takt_core::ExcelRow;
use takt_core::finding::{FindingCode, Severity};

/// How the file was read, where it could be read otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ReadingView {
    /// Of a text file; absent for workbooks.
    pub encoding: Option<String>,
    /// Of a text file: one character, or nothing where the whole line is one column.
    pub separator: Option<String>,
    /// Encodings to choose from; empty for workbooks.
    pub encodings: Vec<String>,
    /// Of a text file: whether quotes are letters like any other, instead of enclosing cells.
    pub quotes_as_text: bool,
    /// The first quote of a text file that may have swallowed what follows it.
    pub quote: Option<QuoteView>,
    /// Present if the encoding was guessed and other encodings read some cell otherwise.
    pub letters: Option<LettersView>,
    /// How many rows the heading has; the last of them is the heading row.
    pub heading_rows: u32,
    /// Hidden rows below the heading, whether they are left out or not.
    pub hidden_rows: u32,
    /// Letters of the hidden columns.
    pub hidden_columns: Vec<String>,
    /// Empty cells that merged cells cover below their first row.
    pub merged: MergedView,
    /// The last row where it sums up the others, whether it is left out or not.
    pub totals_row: Option<u32>,
    pub choice: RowChoice,
}

/// Cells that Excel shows as one over several rows: only the first of them holds the content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MergedView {
    pub cells: u32,
    /// Letters of their columns.
    pub columns: Vec<String>,
}

/// Which rows below the heading are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RowChoice {
    /// Leaves out the rows that Excel hides.
    pub skip_hidden: bool,
    /// Reads the row of totals like any other.
    pub keep_totals: bool,
}

/// How a text file is to be read. What is absent is found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TextReading {
    /// By name.
    pub encoding: Option<String>,
    /// One character, or nothing where the whole line is one column.
    pub separator: Option<String>,
    /// Quotes are letters like any other.
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
    /// Further lines of the file that became part of the row.
    pub lines: u32,
    /// Such quotes in the sheet, this one among them.
    pub count: u32,
}

/// Cells that other encodings would read otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LettersView {
    /// `note` if words tell the encoding; `warning` if another one is nearly as likely, or only symbols tell it.
    pub severity: Severity,
    /// The one that is used, then the others.
    pub encodings: Vec<String>,
    /// The first of them (at most 20).
    pub cells: Vec<LettersCell>,
    /// How many there are.
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LettersCell {
    pub row: ExcelRow,
    /// The column's letters.
    pub column: String,
    /// Beside the encodings.
    pub texts: Vec<String>,
}
