//! Reads one column's cells one after the other, without memory for other columns, of which a sheet may have thousands.

use super::{block::Block, column::Column, packed_rows::PackedRows};
use crate::{Cell, CellRef};

/// Reads the cells of a column. It caches the block that it read last.
#[derive(Debug)]
pub(super) struct ColumnReader<'a> {
    rows: &'a PackedRows,
    /// The first position.
    from: usize,
    column: u32,
    unpacked: Option<(&'a Block, Column)>,
}

impl<'a> ColumnReader<'a> {
    pub(super) fn new(rows: &'a PackedRows, from: usize, column: u32) -> Self {
        Self { rows, from, column, unpacked: None }
    }

    /// Returns the cell of a row, or `None` if the row has none.
    pub(super) fn cell(&mut self, position: usize) -> Option<Cell> {
        let stored = self.rows.stored(self.from + position)?;
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
