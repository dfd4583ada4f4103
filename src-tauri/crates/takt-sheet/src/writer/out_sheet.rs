//! Sheets to write, with their columns and cells.

use jiff::civil::DateTime;

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
    /// Creates a column that is as wide as its heading needs, from 10 to 60 characters.
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

/// A sheet whose rows are produced while it is written.
pub struct OutStream<'a> {
    pub name: &'a str,
    /// Empty for a sheet without headings.
    pub columns: Vec<OutColumn>,
    pub rows: Box<dyn Iterator<Item = Vec<OutCell>> + 'a>,
}

impl std::fmt::Debug for OutStream<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("OutStream").field("name", &self.name).finish_non_exhaustive()
    }
}

impl OutStream<'_> {
    /// Returns the sheet without its rows, and moves the columns out of the stream.
    pub(super) fn take_head(&mut self) -> OutSheet {
        OutSheet { name: self.name.to_owned(), columns: std::mem::take(&mut self.columns), ..OutSheet::default() }
    }
}
