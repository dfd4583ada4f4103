//! A row whose cells can be looked at, wherever it lies: unpacked and owned, or in a part of many.

use takt_sheet::{Cell, CellRef, PartRow, SheetRow};

pub(super) trait RowCells<'r>: Copy {
    /// Absent beyond the row's end.
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
