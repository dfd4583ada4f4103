//! The rows of a sheet from a position on.

use std::borrow::Cow;

use super::{
    column_reader::ColumnReader,
    packed_rows::PackedRows,
    reader::{RowIter, RowReader},
};
use crate::{Cell, SheetRow};

/// The rows from a position on. Positions count from there.
#[derive(Debug, Clone, Copy)]
pub struct RowSpan<'a> {
    pub(super) rows: &'a PackedRows,
    pub(super) from: usize,
}

impl<'a> RowSpan<'a> {
    pub(super) fn new(rows: &'a PackedRows, from: usize) -> Self {
        Self { rows, from: from.min(rows.len()) }
    }

    #[must_use]
    pub fn len(self) -> usize {
        self.rows.len().saturating_sub(self.from)
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// See [`Rows::number`](crate::Rows::number).
    #[must_use]
    pub fn number(self, position: usize) -> Option<u32> {
        self.rows.number(self.from + position)
    }

    /// See [`Rows::position`](crate::Rows::position).
    #[must_use]
    pub fn position(self, number: u32) -> Option<usize> {
        self.rows.position(number)?.checked_sub(self.from)
    }

    /// See [`Rows::is_hidden`](crate::Rows::is_hidden).
    #[must_use]
    pub fn is_hidden(self, position: usize) -> bool {
        self.rows.is_hidden(self.from + position)
    }

    /// See [`Rows::get`](crate::Rows::get).
    #[must_use]
    pub fn get(self, position: usize) -> Option<SheetRow> {
        self.reader().get(position)
    }

    #[must_use]
    pub fn iter(self) -> RowIter<'a> {
        RowIter::new(self.reader())
    }

    #[must_use]
    pub fn reader(self) -> RowReader<'a> {
        RowReader::new(self.rows, self.from, None)
    }

    /// Returns a reader that unpacks only these columns. Other columns appear empty.
    #[must_use]
    pub fn reader_of(self, columns: impl Into<Cow<'a, [u32]>>) -> RowReader<'a> {
        RowReader::new(self.rows, self.from, Some(columns.into().into_owned()))
    }

    /// Like [`Self::reader_of`], but returns an iterator.
    #[must_use]
    pub fn iter_of(self, columns: impl Into<Cow<'a, [u32]>>) -> RowIter<'a> {
        RowIter::new(self.reader_of(columns))
    }

    /// See [`Rows::column`](crate::Rows::column).
    pub fn column(self, column: u32) -> impl Iterator<Item = Cell> + use<'a> {
        let mut reader = ColumnReader::new(self.rows, self.from, column);
        (0..self.len()).map(move |position| reader.cell(position).unwrap_or_default())
    }
}

impl<'a> IntoIterator for RowSpan<'a> {
    type Item = SheetRow;
    type IntoIter = RowIter<'a>;

    fn into_iter(self) -> RowIter<'a> {
        self.iter()
    }
}
