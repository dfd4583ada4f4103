//! Reads rows one after the other. Columns that were unpacked for one row are reused for its neighbors.

use super::{block::UnpackedBlock, packed_rows::PackedRows};
use crate::{Cell, CellRef, SheetRow};

/// Reads rows, fastest in their order, because it caches the block that it read last.
#[derive(Debug)]
pub struct RowReader<'a> {
    rows: &'a PackedRows,
    /// The first position.
    from: usize,
    /// The columns to read, or `None` for all.
    wanted_columns: Option<Vec<u32>>,
    unpacked: Option<UnpackedBlock<'a>>,
}

impl<'a> RowReader<'a> {
    pub(super) fn new(rows: &'a PackedRows, from: usize, wanted_columns: Option<Vec<u32>>) -> Self {
        Self { rows, from, wanted_columns, unpacked: None }
    }

    /// Returns a row with all its cells, or with those of the columns to read.
    #[must_use = "unpacking takes time"]
    pub fn get(&mut self, position: usize) -> Option<SheetRow> {
        let stored = self.rows.stored(self.from + position)?;
        let number = self.rows.numbers.get(stored)?;
        let wanted_columns = self.wanted_columns.take();
        let mut cells = self
            .open(stored)
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
        let stored = self.rows.stored(self.from + position)?;
        if let Some(patch) = self.rows.patch(stored, column) {
            return Some(patch.as_ref());
        }
        let (unpacked, block_row) = self.open(stored)?;
        unpacked.cell(block_row, column)
    }

    /// Returns the block of a row, and the row within the block.
    fn open(&mut self, stored: u32) -> Option<(&mut UnpackedBlock<'a>, u16)> {
        let block = self.rows.block(stored)?;
        if !self.unpacked.as_ref().is_some_and(|unpacked| unpacked.is_of(block)) {
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
    pub(super) fn new(reader: RowReader<'a>) -> Self {
        Self { reader, next: 0 }
    }

    /// Returns all included rows.
    pub(super) fn of_all(rows: &'a PackedRows) -> Self {
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
