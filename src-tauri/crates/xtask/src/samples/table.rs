//! A sample's content before it is written: columns with headings, rows of cells, and the mistakes in them.

use jiff::civil::DateTime;

use super::{
    manifest::SampleFile,
    mistake::{Mistake, MistakeKind},
};

/// A cell's value, before its column's number format is applied.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Empty,
    Text(String),
    Number(f64),
    Moment(DateTime),
    /// A duration in minutes, which Excel stores as a fraction of a day.
    Minutes(i64),
    Flag(bool),
    /// A formula with an error as its result.
    Broken {
        formula: &'static str,
        shows: &'static str,
    },
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        if text.is_empty() { Self::Empty } else { Self::Text(text.to_owned()) }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Number(number as f64)
    }
}

impl From<DateTime> for Cell {
    fn from(moment: DateTime) -> Self {
        Self::Moment(moment)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Empty, Into::into)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) heading: &'static str,
    /// The contract's field. Absent for columns that only the planner uses.
    pub(super) field: Option<&'static str>,
    pub(super) width: u16,
    /// Excel's number format. Empty for the general format.
    pub(super) format: &'static str,
}

/// Returns a column for a field of the contract.
pub(super) fn column(heading: &'static str, field: &'static str, width: u16, format: &'static str) -> Column {
    Column { heading, field: Some(field), width, format }
}

/// Returns a column without a field, for the planner's own use.
pub(super) fn own_column(heading: &'static str, width: u16) -> Column {
    Column { heading, field: None, width, format: "" }
}

#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) operation: &'static str,
    pub(super) language: &'static str,
    pub(super) sheet: &'static str,
    /// The text above the header row. An empty row follows it.
    pub(super) title: Option<&'static str>,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
    pub(super) mistakes: Vec<Mistake>,
    /// The name and the lines of a further sheet, which contains no data.
    pub(super) notes: Option<(&'static str, &'static [&'static str])>,
}

impl Table {
    pub(super) fn new(
        operation: &'static str,
        language: &'static str,
        sheet: &'static str,
        columns: Vec<Column>,
    ) -> Self {
        Self { operation, language, sheet, title: None, columns, rows: Vec::new(), mistakes: Vec::new(), notes: None }
    }

    /// Returns the 1-based header row.
    pub(super) fn heading_row(&self) -> u32 {
        if self.title.is_some() { 3 } else { 1 }
    }

    /// Puts a mistake into a field of the row at a 0-based position, and lists the mistake.
    pub(super) fn spoil(&mut self, position: usize, field: &'static str, kind: MistakeKind, cell: impl Into<Cell>) {
        let cell = cell.into();
        self.set(position, field, |_| cell);
        self.add_mistake(vec![self.row(position)], field, kind);
    }

    /// Copies another row's key to a row, and lists the duplicate as a mistake.
    pub(super) fn repeat_key(&mut self, position: usize, original: usize, key: &[&'static str]) {
        for field in key {
            let same = self.cell(original, field);
            self.set(position, field, |_| same);
        }
        let field = key.first().copied().unwrap_or_default();
        self.add_mistake(vec![self.row(original), self.row(position)], field, MistakeKind::DuplicateKey);
    }

    /// Swaps the begin and the end of a row, and lists that as a mistake.
    pub(super) fn swap_dates(&mut self, position: usize, begin: &'static str, end: &'static str) {
        let (first, second) = (self.cell(position, begin), self.cell(position, end));
        self.set(position, begin, |_| second);
        self.set(position, end, |_| first);
        self.add_mistake(vec![self.row(position)], begin, MistakeKind::NotBefore);
    }

    pub(super) fn add_mistake(&mut self, rows: Vec<u32>, field: &'static str, kind: MistakeKind) {
        self.mistakes.push(Mistake { rows, field, kind, found_by: kind.found_by() });
    }

    /// Returns the 1-based row number in the file for a 0-based position.
    pub(super) fn row(&self, position: usize) -> u32 {
        self.heading_row() + 1 + u32::try_from(position).unwrap_or(u32::MAX)
    }

    pub(super) fn cell(&self, position: usize, field: &str) -> Cell {
        let column = self.columns.iter().position(|column| column.field == Some(field));
        let cell = column.and_then(|column| self.rows.get(position)?.get(column));
        cell.cloned().unwrap_or(Cell::Empty)
    }

    pub(super) fn set(&mut self, position: usize, field: &str, change: impl FnOnce(&Cell) -> Cell) {
        let column = self.columns.iter().position(|column| column.field == Some(field));
        if let Some(cell) = column.and_then(|column| self.rows.get_mut(position)?.get_mut(column)) {
            *cell = change(cell);
        }
    }

    pub(super) fn sample_file(&self, ending: &str) -> SampleFile {
        SampleFile {
            file: format!("{}.{ending}", self.operation),
            operation: self.operation,
            language: self.language,
            sheet: (ending == "xlsx").then_some(self.sheet),
            heading_row: self.heading_row(),
            rows: self.rows.len(),
            wrong: self.mistakes.clone(),
        }
    }
}
