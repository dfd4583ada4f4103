//! A sample before it is a file: columns with their headings, rows of cells, and what was made wrong in them.

use jiff::civil::DateTime;
use serde::Serialize;

use super::Written;

/// A cell as a planner leaves it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Empty,
    Text(String),
    Number(f64),
    Moment(DateTime),
    /// A length of time in minutes; Excel keeps it as a part of a day.
    Minutes(i64),
    Flag(bool),
    /// A formula that ended in an error.
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
    /// The contract's field that it is for; absent for what planners keep for themselves.
    pub(super) field: Option<&'static str>,
    pub(super) width: u16,
    /// Excel's number format; empty for none.
    pub(super) format: &'static str,
}

/// A column for a field of the contract.
pub(super) fn column(heading: &'static str, field: &'static str, width: u16, format: &'static str) -> Column {
    Column { heading, field: Some(field), width, format }
}

/// A column that is for nobody but the planner.
pub(super) fn own(heading: &'static str, width: u16) -> Column {
    Column { heading, field: None, width, format: "" }
}

/// What is wrong. The first ones can be seen in the file; of the others only the service knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Required,
    NotANumber,
    NotAnInteger,
    NotADate,
    NotADuration,
    NotABoolean,
    NotAbove,
    BelowMinimum,
    NotBefore,
    TooManyDigits,
    CellError,
    DuplicateKey,
    GroupDisagrees,
    UnknownOrder,
    UnknownOperation,
    UnknownMaterial,
    UnknownWorkStation,
    UnknownProcess,
    UnknownInspection,
    UnknownLink,
    LockedProperty,
    NoInspections,
}

/// Who finds it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FoundBy {
    /// Whoever reads the file: the row isn't sent.
    File,
    /// The row is sent and refused.
    Service,
}

impl Kind {
    fn matched_by(self) -> FoundBy {
        match self {
            Self::Required
            | Self::NotANumber
            | Self::NotAnInteger
            | Self::NotADate
            | Self::NotADuration
            | Self::NotABoolean
            | Self::NotAbove
            | Self::BelowMinimum
            | Self::NotBefore
            | Self::TooManyDigits
            | Self::CellError
            | Self::DuplicateKey
            | Self::GroupDisagrees => FoundBy::File,
            Self::UnknownOrder
            | Self::UnknownOperation
            | Self::UnknownMaterial
            | Self::UnknownWorkStation
            | Self::UnknownProcess
            | Self::UnknownInspection
            | Self::UnknownLink
            | Self::LockedProperty
            | Self::NoInspections => FoundBy::Service,
        }
    }
}

/// Something wrong on purpose.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mistake {
    /// 1-based, as Excel shows them; two where rows contradict each other.
    pub(crate) rows: Vec<u32>,
    /// The field in question; for a key of several parts the first of them.
    pub(crate) field: &'static str,
    pub(crate) kind: Kind,
    pub(crate) found_by: FoundBy,
}

#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) operation: &'static str,
    pub(super) language: &'static str,
    pub(super) sheet: &'static str,
    /// Stands above the heading, with an empty row between.
    pub(super) title: Option<&'static str>,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
    pub(super) mistakes: Vec<Mistake>,
    /// A further sheet: its name and its lines.
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

    /// The heading's row, 1-based.
    pub(super) fn heading_row(&self) -> u32 {
        if self.title.is_some() { 3 } else { 1 }
    }

    /// Puts something wrong into a cell of the row at that position.
    pub(super) fn spoil(&mut self, position: usize, field: &'static str, kind: Kind, cell: impl Into<Cell>) {
        let cell = cell.into();
        self.set(position, field, |_| cell);
        self.note(vec![self.row(position)], field, kind);
    }

    /// Gives a row the key of another one.
    pub(super) fn repeat_key(&mut self, position: usize, of: usize, key: &[&'static str]) {
        for field in key {
            let same = self.cell(of, field);
            self.set(position, field, |_| same);
        }
        let field = key.first().copied().unwrap_or_default();
        self.note(vec![self.row(of), self.row(position)], field, Kind::DuplicateKey);
    }

    /// Swaps a begin and an end.
    pub(super) fn swap(&mut self, position: usize, begin: &'static str, end: &'static str) {
        let (first, second) = (self.cell(position, begin), self.cell(position, end));
        self.set(position, begin, |_| second);
        self.set(position, end, |_| first);
        self.note(vec![self.row(position)], begin, Kind::NotBefore);
    }

    pub(super) fn note(&mut self, rows: Vec<u32>, field: &'static str, kind: Kind) {
        self.mistakes.push(Mistake { rows, field, kind, found_by: kind.matched_by() });
    }

    /// The row's number in the file.
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

    pub(super) fn written(&self, ending: &str) -> Written {
        Written {
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
