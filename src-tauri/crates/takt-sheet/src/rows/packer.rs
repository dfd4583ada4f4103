//! Collects cells row by row, in order, and packs each full block.

use super::{block::Block, column::Column, packed_rows::PackedRows, reader::RowIter, runs::Ranges};
use crate::{Cell, CellRef, SheetRow};

/// Rows of a block: enough that similar cells compress well, few enough that a single row is unpacked quickly.
const MAX_BLOCK_ROWS: u16 = 1024;
/// A block of very wide rows or long texts ends earlier.
const MAX_BLOCK_BYTES: usize = 8 * 1024 * 1024;

/// Rows that are being collected. Those of the last block aren't packed yet.
#[derive(Debug, Default)]
pub(super) struct Packer {
    rows: PackedRows,
    columns: Vec<Column>,
    /// The number of leading columns that may have cells in this block.
    used: usize,
    /// The rows of this block.
    filled: u16,
    bytes: usize,
}

impl Packer {
    /// Packs rows by ascending number. Rows that are out of order are left out.
    pub(super) fn pack(rows: impl IntoIterator<Item = SheetRow>) -> PackedRows {
        let mut packer = Self::default();
        let mut hidden = Vec::new();
        for row in rows {
            if packer.last().is_some_and(|last| last >= row.number) {
                continue;
            }
            if row.hidden {
                hidden.push((row.number, row.number));
            }
            packer.put_row(&row);
        }
        let mut rows = packer.finish();
        rows.hidden = Ranges::new(hidden);
        rows
    }

    /// Returns the number of the last row.
    pub(super) fn last(&self) -> Option<u32> {
        self.rows.numbers.last()
    }

    pub(super) fn count(&self) -> u32 {
        self.rows.numbers.len()
    }

    /// Returns the first rows, either from packed blocks or, before the first one, from the unpacked block.
    pub(super) fn head(&self, count: usize) -> Vec<SheetRow> {
        let first = self.rows.numbers.len() - u32::from(self.filled);
        if first > 0 {
            return RowIter::of_all(&self.rows).take(count.min(first as usize)).collect();
        }
        let used = self.columns.get(..self.used).unwrap_or_default();
        let cells = |block_row: u16| {
            let mut cells: Vec<Cell> =
                used.iter().map(|column| column.cell(block_row).map(CellRef::to_cell).unwrap_or_default()).collect();
            while cells.pop_if(|cell| cell.is_empty() && !cell.is_formula_without_value()).is_some() {}
            cells
        };
        let numbered = (0..self.filled).zip(self.rows.numbers.iter()).take(count);
        numbered.map(|(block_row, number)| SheetRow { number, cells: cells(block_row), hidden: false }).collect()
    }

    /// Begins a row below the last one.
    pub(super) fn begin(&mut self, number: u32) {
        if self.filled >= MAX_BLOCK_ROWS || self.bytes >= MAX_BLOCK_BYTES {
            self.close();
        }
        self.rows.numbers.push(number);
        self.filled += 1;
    }

    /// Adds a cell to the last row. Returns false if there already is one, which stays.
    #[inline]
    pub(super) fn put(&mut self, column: u32, cell: CellRef<'_>) -> bool {
        let index = column as usize;
        if index >= self.columns.len() {
            self.columns.resize_with(index + 1, Column::default);
        }
        self.used = self.used.max(index + 1);
        self.rows.widest = self.rows.widest.max(column + 1);
        let Some(cells) = self.columns.get_mut(index) else { return false };
        let before = cells.size();
        let is_new = cells.put(self.filled.saturating_sub(1), cell);
        self.bytes = (self.bytes + cells.size()).saturating_sub(before);
        is_new
    }

    /// Returns a cell of the last row.
    pub(super) fn last_cell(&self, column: u32) -> Option<CellRef<'_>> {
        self.columns.get(column as usize)?.cell(self.filled.checked_sub(1)?)
    }

    /// Adds a complete row below the last one.
    pub(super) fn put_row(&mut self, row: &SheetRow) {
        self.begin(row.number);
        for (column, cell) in (0..).zip(&row.cells) {
            if !cell.is_empty() || cell.is_formula_without_value() {
                self.put(column, cell.as_ref());
            }
        }
    }

    pub(super) fn finish(mut self) -> PackedRows {
        self.close();
        self.rows.numbers.shrink();
        self.rows.blocks.shrink_to_fit();
        self.rows
    }

    fn close(&mut self) {
        if self.filled == 0 {
            return;
        }
        let first = self.rows.numbers.len() - u32::from(self.filled);
        self.rows.blocks.push(Block::pack(first, self.columns.get(..self.used).unwrap_or_default()));
        if self.bytes >= MAX_BLOCK_BYTES {
            // The memory of an unusually large block is released.
            self.columns = Vec::new();
        }
        self.columns.iter_mut().for_each(Column::clear);
        (self.used, self.filled, self.bytes) = (0, 0, 0);
    }
}
