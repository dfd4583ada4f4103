//! Reads packed rows. [`RowSpan`] has all rows from a position on. [`RowReader`] and [`RowIter`] read them one by one.
//! [`RowBatch`] reads several rows at once, however far apart they are.

use std::borrow::Cow;

use super::{
    column::Column,
    packed_rows::{Block, PackedRows, UnpackedBlock},
};
use crate::{Cell, CellRef};

/// A row with content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetRow {
    /// 1-based, as Excel shows it.
    pub number: u32,
    /// By column, from A. Cells after the last one with content are left out.
    pub cells: Vec<Cell>,
    /// True if Excel doesn't show the row because it is hidden, collapsed or filtered out.
    pub hidden: bool,
}

impl SheetRow {
    /// Returns the cell of a column, or `None` beyond the end of the row.
    #[must_use]
    pub fn cell(&self, column: u32) -> Option<&Cell> {
        self.cells.get(column as usize)
    }
}

/// The rows from a position on. Positions in the span are relative to its first row.
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
    pub fn reader_for_columns(self, columns: impl Into<Cow<'a, [u32]>>) -> RowReader<'a> {
        RowReader::new(self.rows, self.from, Some(columns.into().into_owned()))
    }

    /// Like [`Self::reader_for_columns`], but returns an iterator.
    #[must_use]
    pub fn iter_for_columns(self, columns: impl Into<Cow<'a, [u32]>>) -> RowIter<'a> {
        RowIter::new(self.reader_for_columns(columns))
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

/// Reads rows, fastest in their order, because it caches the block that it read last.
#[derive(Debug)]
pub struct RowReader<'a> {
    rows: &'a PackedRows,
    /// The position of the span's first row.
    from: usize,
    /// The columns to read, or `None` for all.
    wanted_columns: Option<Vec<u32>>,
    unpacked: Option<UnpackedBlock<'a>>,
}

impl<'a> RowReader<'a> {
    fn new(rows: &'a PackedRows, from: usize, wanted_columns: Option<Vec<u32>>) -> Self {
        Self { rows, from, wanted_columns, unpacked: None }
    }

    /// Returns a row with all its cells. If the reader is for some columns, other cells are empty.
    #[must_use = "unpacking takes time"]
    pub fn get(&mut self, position: usize) -> Option<SheetRow> {
        let stored = self.rows.stored_index(self.from + position)?;
        let number = self.rows.numbers.get(stored)?;
        let wanted_columns = self.wanted_columns.take();
        let mut cells = self
            .open_block(stored)
            .map(|(unpacked, block_row)| unpacked.cells(block_row, wanted_columns.as_deref()))
            .unwrap_or_default();
        for (&column, cell) in self.rows.patches.get(&stored).into_iter().flatten() {
            if wanted_columns.as_ref().is_none_or(|wanted_columns| wanted_columns.contains(&column)) {
                if column as usize >= cells.len() {
                    cells.resize_with(column as usize + 1, Cell::default);
                }
                if let Some(target) = cells.get_mut(column as usize) {
                    target.clone_from(cell);
                }
            }
        }
        self.wanted_columns = wanted_columns;
        Some(SheetRow { number, cells, hidden: self.rows.hidden.contains(number) })
    }

    /// Returns a single cell without unpacking any other column, or `None` if there is none.
    pub fn cell(&mut self, position: usize, column: u32) -> Option<CellRef<'_>> {
        let stored = self.rows.stored_index(self.from + position)?;
        if let Some(patch) = self.rows.patch(stored, column) {
            return Some(patch.as_ref());
        }
        let (unpacked, block_row) = self.open_block(stored)?;
        unpacked.cell(block_row, column)
    }

    /// Returns the block of a row, and the row within the block.
    fn open_block(&mut self, stored: u32) -> Option<(&mut UnpackedBlock<'a>, u16)> {
        let block = self.rows.block(stored)?;
        if !self.unpacked.as_ref().is_some_and(|unpacked| unpacked.is_unpacked_from(block)) {
            self.unpacked = Some(UnpackedBlock::new(block));
        }
        let block_row = u16::try_from(stored - block.first).ok()?;
        Some((self.unpacked.as_mut()?, block_row))
    }
}

/// An iterator over owned rows in order.
#[derive(Debug)]
pub struct RowIter<'a> {
    reader: RowReader<'a>,
    next: usize,
}

impl<'a> RowIter<'a> {
    fn new(reader: RowReader<'a>) -> Self {
        Self { reader, next: 0 }
    }

    /// Returns all included rows.
    pub(super) fn over_all(rows: &'a PackedRows) -> Self {
        Self::new(RowReader::new(rows, 0, None))
    }
}

impl Iterator for RowIter<'_> {
    type Item = SheetRow;

    fn next(&mut self) -> Option<SheetRow> {
        let row = self.reader.get(self.next)?;
        self.next += 1;
        Some(row)
    }

    /// Skips rows without unpacking them.
    fn nth(&mut self, count: usize) -> Option<SheetRow> {
        self.next += count;
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.reader.rows.len().saturating_sub(self.reader.from + self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for RowIter<'_> {}

/// Reads the cells of a column. It caches the block that it read last.
#[derive(Debug)]
struct ColumnReader<'a> {
    rows: &'a PackedRows,
    /// The position of the span's first row.
    from: usize,
    column: u32,
    unpacked: Option<(&'a Block, Column)>,
}

impl<'a> ColumnReader<'a> {
    fn new(rows: &'a PackedRows, from: usize, column: u32) -> Self {
        Self { rows, from, column, unpacked: None }
    }

    /// Returns the cell of a row, or `None` if the row has none.
    fn cell(&mut self, position: usize) -> Option<Cell> {
        let stored = self.rows.stored_index(self.from + position)?;
        if let Some(patch) = self.rows.patch(stored, self.column) {
            return Some(patch.clone());
        }
        let block = self.rows.block(stored)?;
        if !self.unpacked.as_ref().is_some_and(|(unpacked, _)| std::ptr::eq(*unpacked, block)) {
            self.unpacked = Some((block, block.column(self.column)));
        }
        let block_row = u16::try_from(stored - block.first).ok()?;
        self.unpacked.as_ref()?.1.cell(block_row).map(CellRef::to_cell)
    }
}

/// Rows of a span that were read together, see [`Self::read`].
#[derive(Debug)]
pub struct RowBatch {
    /// The positions of the rows, ascending.
    positions: Vec<usize>,
    rows: Vec<SheetRow>,
}

impl RowBatch {
    /// Reads the rows at these positions, in any order. Positions without a row are left out.
    ///
    /// A [`RowReader`] unpacks a whole block for each row that is far from the previous one. This function unpacks each
    /// block only once.
    #[must_use]
    pub fn read(span: RowSpan<'_>, mut positions: Vec<usize>) -> Self {
        positions.sort_unstable();
        positions.dedup();
        positions.retain(|&position| position < span.len());
        let mut reader = span.reader();
        let rows = positions.iter().filter_map(|&position| reader.get(position)).collect();
        Self { positions, rows }
    }

    /// Returns the row at a position of the span, if it was read.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<&SheetRow> {
        self.rows.get(self.positions.binary_search(&position).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rows;

    #[test]
    fn rows_are_found_in_any_order() {
        let row = |number: u32| SheetRow { number, cells: vec![Cell::text(format!("row {number}"))], hidden: false };
        let rows = Rows::from_rows((1..=5_000).map(row));
        let batch = RowBatch::read(rows.span_from(1), vec![4_998, 7, 2_000, 7, 9_000]);
        let number = |position| batch.get(position).map(|row| row.number);
        assert_eq!([7, 2_000, 4_998].map(number), [Some(9), Some(2_002), Some(5_000)]);
        assert_eq!([8, 9_000].map(number), [None, None]);
    }
}
