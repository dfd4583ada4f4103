//! The notes for a sheet's rows, in two columns next to them.

use std::sync::Arc;

use crate::{LimitKind, SheetError};

/// Excel's last column, 0-based.
const LAST_COLUMN: u32 = 16_383;

/// One of the two columns with notes.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteColumn {
    pub heading: String,
    /// In characters.
    pub width: f64,
    /// The 0-based index if the sheet has this column from an earlier run, which is then replaced. Otherwise it is
    /// added at the right end.
    pub existing_index: Option<u32>,
}

/// The notes for one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowNote {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// By column. An empty text leaves its cell empty.
    pub texts: [Arc<str>; 2],
}

/// The notes for a sheet's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetNotes {
    pub sheet: String,
    /// 1-based. If absent, no headings are written.
    pub header_row: Option<u32>,
    pub columns: [NoteColumn; 2],
    /// By ascending row.
    pub rows: Vec<RowNote>,
}

/// Returns the columns of the notes: their existing ones, or the next ones after `used` columns.
pub(super) fn note_columns(columns: &[NoteColumn; 2], used: u32) -> Result<[u32; 2], SheetError> {
    let mut next = used;
    let mut column_index = |column: &NoteColumn| {
        column.existing_index.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    let indexes = [column_index(&columns[0]), column_index(&columns[1])];
    if indexes.iter().any(|&column| column > LAST_COLUMN) {
        return Err(SheetError::too_large(LimitKind::Columns, LAST_COLUMN + 1));
    }
    Ok(indexes)
}

impl SheetNotes {
    /// Returns the texts for a row. For the header row, they are the headings. Returns `None` for a row without notes.
    pub(super) fn texts_of_row(&self, row: u32) -> Option<[&str; 2]> {
        if Some(row) == self.header_row {
            return Some([&self.columns[0].heading, &self.columns[1].heading]);
        }
        let found = self.rows.binary_search_by_key(&row, |note| note.row).ok()?;
        self.rows.get(found).map(|note| [&*note.texts[0], &*note.texts[1]])
    }

    /// Returns whether the notes replace the cells of their columns in this row.
    pub(super) fn replaces_cells_in(&self, row: u32) -> bool {
        self.header_row.is_none_or(|header| row >= header)
    }
}
