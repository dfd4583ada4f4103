//! A planner's own workbook with two additional columns next to its rows.
//!
//! An xlsx or xlsm is copied part by part, so everything else in it stays unchanged. Any other file (xls, xlsb, ods,
//! csv) becomes a new xlsx with all its cells, typed as they were read. The original is never written to.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{OutSheet, package_edit, retype};
use crate::{FileKind, Limits, Measure, SheetError, Workbook};

/// Excel's last column, 0-based.
const LAST_COLUMN: u32 = 16_383;

/// One of the two columns.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteColumn {
    pub heading: String,
    /// In characters.
    pub width: f64,
    /// The 0-based index if the sheet has this column from an earlier run, which is then replaced. Otherwise it is
    /// added at the right end.
    pub at: Option<u32>,
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

/// The result of [`annotate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotated {
    /// The path of the file: the requested path with the extension that the content needs.
    pub path: PathBuf,
    /// True if the file is the original with two more columns. False if it is a new workbook with the original's cells.
    pub whole: bool,
}

/// Writes a copy of `original` with the notes, and with `more` as additional sheets at its end.
///
/// # Errors
/// If the file can't be written.
pub fn annotate(
    original: &Workbook,
    notes: &[SheetNotes],
    more: &[OutSheet],
    path: &Path,
) -> Result<Annotated, SheetError> {
    if let Some(missing) = notes.iter().find(|notes| !original.sheets().iter().any(|entry| entry.name == notes.sheet)) {
        return Err(SheetError::NoSuchSheet(missing.sheet.clone()));
    }
    if original.kind() == FileKind::Xlsx {
        match package_edit::Edit::prepare(original.source(), notes, more) {
            Ok(edit) => {
                let path = with_matching_extension(path, edit.extension());
                return match edit.write(&path) {
                    Ok(()) => Ok(Annotated { path, whole: true }),
                    Err(error @ SheetError::WriteFailed(_)) => Err(error),
                    // Some errors show only during the copy. The cells can be read, so they are written to a new
                    // workbook.
                    Err(_) => write_retyped(original, notes, more, &path),
                };
            }
            Err(SheetError::TooLarge { what, limit }) => return Err(SheetError::TooLarge { what, limit }),
            Err(_) => {}
        }
    }
    write_retyped(original, notes, more, path)
}

/// Returns the extension of the copy that [`annotate`] writes: `xlsx` or `xlsm`.
#[must_use]
pub fn annotated_extension(original: &Workbook) -> &'static str {
    let is_package = original.kind() == FileKind::Xlsx;
    if is_package { package_edit::extension(original.source()).unwrap_or("xlsx") } else { "xlsx" }
}

fn write_retyped(
    original: &Workbook,
    notes: &[SheetNotes],
    more: &[OutSheet],
    path: &Path,
) -> Result<Annotated, SheetError> {
    let path = with_matching_extension(path, "xlsx");
    retype::write(original, notes, more, &Limits::default(), &path)?;
    Ok(Annotated { path, whole: false })
}

/// Replaces the extension of a path, because Excel refuses a workbook whose extension doesn't match its content.
fn with_matching_extension(path: &Path, extension: &str) -> PathBuf {
    let same = path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    if same { path.to_path_buf() } else { path.with_extension(extension) }
}

/// Returns the columns of the notes: their existing ones, or the next ones after `used` columns.
pub(super) fn note_columns(columns: &[NoteColumn; 2], used: u32) -> Result<[u32; 2], SheetError> {
    let mut next = used;
    let mut column_index = |column: &NoteColumn| {
        column.at.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    let indexes = [column_index(&columns[0]), column_index(&columns[1])];
    if indexes.iter().any(|&column| column > LAST_COLUMN) {
        return Err(SheetError::too_large(Measure::Columns, LAST_COLUMN + 1));
    }
    Ok(indexes)
}

impl SheetNotes {
    /// Returns the texts for a row, if it has any.
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
