//! Cells that are looked for among the rows as the grid shows them: by their text, and by where the values end.

use takt_core::Problem;

use super::{CellPlace, FoundCells, ImportId, Imports, RowFilter};

/// Looks for cells of an import.
#[derive(Debug, Clone, Copy)]
pub struct CellSearch<'a>(&'a Imports);

impl<'a> CellSearch<'a> {
    /// In those imports.
    #[must_use]
    pub fn of(imports: &'a Imports) -> Self {
        Self(imports)
    }

    /// The cells that show a text, in the order of the rows that pass the filter.
    ///
    /// # Errors
    ///
    /// [`takt_core::Code::Unknown`]: no such import is open.
    pub fn find(self, id: ImportId, filter: &RowFilter, text: &str) -> Result<FoundCells, Problem> {
        let book = self.0.book(id)?;
        let mut book = book.lock();
        Ok(book.current_mut()?.find_cells(filter, text))
    }

    /// Where the values of a column end above or below one of its cells: the row's place among those that pass the filter.
    ///
    /// # Errors
    ///
    /// [`takt_core::Code::Unknown`]: no such import is open.
    pub fn data_edge(self, id: ImportId, filter: &RowFilter, from: CellPlace, down: bool) -> Result<u32, Problem> {
        let book = self.0.book(id)?;
        let mut book = book.lock();
        Ok(book.current_mut()?.data_edge(filter, from, down))
    }
}
