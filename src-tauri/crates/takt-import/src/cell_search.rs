//! Searches cells in the rows that the grid shows, by text and by the end of a column's values.

use takt_core::Problem;

use crate::{
    import_id::ImportId,
    imports::Imports,
    view::{CellPlace, FoundCells, RowFilter},
};

/// Searches the cells of an import.
#[derive(Debug, Clone, Copy)]
pub struct CellSearch<'a>(&'a Imports);

impl<'a> CellSearch<'a> {
    /// Creates a search in these imports.
    #[must_use]
    pub fn of(imports: &'a Imports) -> Self {
        Self(imports)
    }

    /// Returns the cells that show a text, in the order of the rows that pass the filter.
    ///
    /// # Errors
    ///
    /// [`takt_core::Code::Unknown`]: no such import is open.
    pub fn find(self, id: ImportId, filter: &RowFilter, text: &str) -> Result<FoundCells, Problem> {
        let book = self.0.book(id)?;
        let mut book = book.lock();
        Ok(book.current_mut()?.find_cells(filter, text))
    }

    /// Returns where a column's values end above or below a cell, as the row's index among the rows that pass the
    /// filter.
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
