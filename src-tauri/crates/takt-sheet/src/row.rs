//! A row of a sheet.

use crate::Cell;

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
