//! Access to the cells of a row, either unpacked or in a part of many rows.

use takt_sheet::{Cell, CellRef, PartRow, SheetRow};

pub(crate) trait RowCells<'r>: Copy {
    /// Returns `None` beyond the row's end.
    fn cell_at(self, column: u32) -> Option<CellRef<'r>>;
}

impl<'r> RowCells<'r> for &'r SheetRow {
    fn cell_at(self, column: u32) -> Option<CellRef<'r>> {
        self.cell(column).map(Cell::as_ref)
    }
}

impl<'r> RowCells<'r> for PartRow<'r> {
    fn cell_at(self, column: u32) -> Option<CellRef<'r>> {
        self.cell(column)
    }
}
