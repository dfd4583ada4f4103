//! Writes files: results, exports and samples. A file is written completely or not at all.

mod atomic;
mod blank;
mod csv;
mod excel;
mod inline;
mod notes;
mod package_edit;
mod package_parts;
mod plain_sheet;
mod retype;
mod sheet_edit;
mod sheet_survey;
mod shift;
mod stream;

use jiff::civil::DateTime;

pub use atomic::{WholeFile, write_whole};
pub use blank::{Blank, BlankBound, BlankColumn, BlankForm, write_blank};
pub use csv::{csv_heading, csv_row, write_csv, write_csv_bytes};
pub use excel::{workbook_bytes, write_workbook, write_workbook_beside, write_workbook_dated};
pub use inline::is_cut;
pub use notes::{Annotated, NoteColumn, RowNote, SheetNotes, annotate, annotated_extension};
pub use shift::shift_dates;
pub use stream::{OutStream, write_csv_streamed, write_workbook_of, write_workbook_streamed};

/// A cell to write. Text is written as text, whatever it begins with, so nothing that a user typed becomes a formula.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum OutCell {
    #[default]
    Empty,
    Text(String),
    Number(f64),
    /// A number with a number format, for example `00000`.
    FormattedNumber(f64, String),
    DateTime(DateTime),
    /// Ticks of 100 ns, which Excel shows as `[h]:mm:ss`.
    Duration(i64),
    Boolean(bool),
}

impl From<&str> for OutCell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for OutCell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for OutCell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

/// A column's heading and width in characters.
#[derive(Debug, Clone, PartialEq)]
pub struct OutColumn {
    pub heading: String,
    pub width: f64,
}

impl OutColumn {
    /// Creates a column that is as wide as its heading needs, within limits.
    #[must_use]
    pub fn new(heading: impl Into<String>) -> Self {
        let heading = heading.into();
        let characters = u16::try_from(heading.chars().count()).unwrap_or(u16::MAX);
        Self { width: (f64::from(characters) + 4.0).clamp(10.0, 60.0), heading }
    }
}

/// A sheet to write, with title lines, headings and rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutSheet {
    pub name: String,
    /// The title lines above the headings, each in column A.
    pub title: Vec<String>,
    pub columns: Vec<OutColumn>,
    pub rows: Vec<Vec<OutCell>>,
}
