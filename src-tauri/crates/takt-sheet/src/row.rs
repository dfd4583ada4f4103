//! A row of a sheet, as a reader finds it.

use crate::Cell;

/// A row that holds something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetRow {
    /// 1-based, as Excel shows it.
    pub number: u32,
    /// By column, from A; what follows the last cell with content is left out.
    pub cells: Vec<Cell>,
    /// True where Excel doesn't show the row: hidden by hand, folded away or filtered out.
    pub hidden: bool,
}

impl SheetRow {
    /// The cell of a column; an empty one beyond the row's end.
    #[must_use]
    pub fn cell(&self, column: u32) -> Option<&Cell> {
        self.cells.get(column as usize)
    }
}
