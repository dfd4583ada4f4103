//! Takes cells row by row, in order, and has a block packed whenever it is full.

use super::{Rows, block::Block, column::Column};
use crate::{Cell, CellRef, SheetRow};

/// Rows of a block: enough for like to stand beside like, few enough for a single row to be had soon.
const MAX_BLOCK_ROWS: u16 = 1024;
/// A block of very wide or wordy rows ends sooner.
const MAX_BLOCK_BYTES: usize = 8 * 1024 * 1024;

/// Rows while they come in; those of the last block aren't packed yet.
#[derive(Debug, Default)]
pub(super) struct Packer {
    rows: Rows,
    columns: Vec<Column>,
    /// How many of the columns have something in this block, at most.
    used: usize,
    /// Rows in this block.
    filled: u16,
    bytes: usize,
}

impl Packer {
    /// The number of the last row.
    pub(super) fn last(&self) -> Option<u32> {
        self.rows.numbers.last()
    }

    pub(super) fn count(&self) -> u32 {
        self.rows.numbers.len()
    }

    /// The first rows, where they aren't packed yet or lie in blocks that are.
    pub(super) fn head(&self, most: usize) -> Vec<SheetRow> {
        let first = self.rows.numbers.len() - u32::from(self.filled);
        if first > 0 {
            return self.rows.iter().take(most.min(first as usize)).collect();
        }
        let used = self.columns.get(..self.used).unwrap_or_default();
        let cells = |place: u16| {
            let mut cells: Vec<Cell> =
                used.iter().map(|column| column.cell(place).map(CellRef::to_cell).unwrap_or_default()).collect();
            while cells.pop_if(|cell| cell.is_empty() && !cell.is_formula_without_value()).is_some() {}
            cells
        };
        let numbered = (0..self.filled).zip(self.rows.numbers.iter()).take(most);
        numbered.map(|(place, number)| SheetRow { number, cells: cells(place), hidden: false }).collect()
    }

    /// Begins a row below the last one.
    pub(super) fn begin(&mut self, number: u32) {
        if self.filled >= MAX_BLOCK_ROWS || self.bytes >= MAX_BLOCK_BYTES {
            self.close();
        }
        self.rows.numbers.push(number);
        self.filled += 1;
    }

    /// Puts a cell into the last row. False if there is one already, which stays.
    #[inline]
    pub(super) fn put(&mut self, column: u32, cell: CellRef<'_>) -> bool {
        let index = column as usize;
        if index >= self.columns.len() {
            self.columns.resize_with(index + 1, Column::default);
        }
        self.used = self.used.max(index + 1);
        self.rows.widest = self.rows.widest.max(column + 1);
        let Some(place) = self.columns.get_mut(index) else { return false };
        let before = place.size();
        let is_new = place.put(self.filled.saturating_sub(1), cell);
        self.bytes = (self.bytes + place.size()).saturating_sub(before);
        is_new
    }

    /// A cell of the last row.
    pub(super) fn last_cell(&self, column: u32) -> Option<CellRef<'_>> {
        self.columns.get(column as usize)?.cell(self.filled.checked_sub(1)?)
    }

    /// A row below the last one as a whole.
    pub(super) fn put_row(&mut self, row: &SheetRow) {
        self.begin(row.number);
        for (column, cell) in (0..).zip(&row.cells) {
            if !cell.is_empty() || cell.is_formula_without_value() {
                self.put(column, cell.as_ref());
            }
        }
    }

    pub(super) fn finish(mut self) -> Rows {
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
            // Room that one odd block took isn't held for the rest.
            self.columns = Vec::new();
        }
        self.columns.iter_mut().for_each(Column::clear);
        (self.used, self.filled, self.bytes) = (0, 0, 0);
    }
}
