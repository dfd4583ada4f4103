//! One column's cells one after the other, without room for any other column: a sheet may have thousands of them.

use super::{Rows, block::Block, column::Column};
use crate::{Cell, CellRef};

/// Remembers the block that it read last.
#[derive(Debug)]
pub(super) struct ColumnReader<'a> {
    rows: &'a Rows,
    /// Position before which nothing is read.
    from: usize,
    column: u32,
    opened: Option<(&'a Block, Column)>,
}

impl<'a> ColumnReader<'a> {
    pub(super) fn new(rows: &'a Rows, from: usize, column: u32) -> Self {
        Self { rows, from, column, opened: None }
    }

    /// Absent where the row has none.
    pub(super) fn cell(&mut self, position: usize) -> Option<Cell> {
        let stored = self.rows.stored(self.from + position)?;
        if let Some(patch) = self.rows.patches.get(&stored).and_then(|cells| cells.get(&self.column)) {
            return Some(patch.clone());
        }
        let block = self.rows.block(stored)?;
        if !self.opened.as_ref().is_some_and(|(opened, _)| std::ptr::eq(*opened, block)) {
            self.opened = Some((block, block.column(self.column)));
        }
        let place = u16::try_from(stored - block.first).ok()?;
        self.opened.as_ref()?.1.cell(place).map(CellRef::to_cell)
    }
}
