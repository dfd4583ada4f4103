//! A planner's own workbook, given back with two columns more beside its rows.
//!
//! An xlsx or xlsm is copied part by part, so that everything else in it stays as it is. What can't be edited like that (xls,
//! xlsb, ods, csv) becomes a new xlsx with all its cells typed as they were read. The original itself is never written to.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{OutSheet, package_edit, retype};
use crate::{FileKind, Limits, Measure, SheetError, Workbook};

/// The last column that Excel has, 0-based.
const LAST_COLUMN: u32 = 16_383;

/// One of the two columns.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteColumn {
    pub heading: String,
    /// In characters.
    pub width: f64,
    /// 0-based, where the sheet has this column from an earlier time: there it is replaced. Else it goes to the right end.
    pub at: Option<u32>,
}

/// What is said beside one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowNote {
    /// 1-based, as Excel shows it.
    pub row: u32,
    /// By column; an empty text leaves its cell empty.
    pub texts: [Arc<str>; 2],
}

/// What is said beside a sheet's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetNotes {
    pub sheet: String,
    /// 1-based; without it no headings are written.
    pub header_row: Option<u32>,
    pub columns: [NoteColumn; 2],
    /// By row, ascending.
    pub rows: Vec<RowNote>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotated {
    /// Where: the path that was wished for, with the extension that the content needs.
    pub path: PathBuf,
    /// True where the file is the original with two columns more; false where it is a new workbook with the original's cells.
    pub whole: bool,
}

/// Writes a copy of `original` with the notes, and with `more` as further sheets at its end.
///
/// # Errors
/// Where the file can't be written.
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
                let path = named(path, edit.extension());
                return match edit.write(&path) {
                    Ok(()) => Ok(Annotated { path, whole: true }),
                    Err(error @ SheetError::WriteFailed(_)) => Err(error),
                    // What only shows itself while it is copied: its cells can be read, so they can be written anew.
                    Err(_) => retyped(original, notes, more, &path),
                };
            }
            Err(SheetError::TooLarge { what, limit }) => return Err(SheetError::TooLarge { what, limit }),
            Err(_) => {}
        }
    }
    retyped(original, notes, more, path)
}

/// The extension under which [`annotate`] writes its copy: `xlsx` or `xlsm`.
#[must_use]
pub fn annotated_extension(original: &Workbook) -> &'static str {
    let is_package = original.kind() == FileKind::Xlsx;
    if is_package { package_edit::extension(original.source()).unwrap_or("xlsx") } else { "xlsx" }
}

fn retyped(original: &Workbook, notes: &[SheetNotes], more: &[OutSheet], path: &Path) -> Result<Annotated, SheetError> {
    let path = named(path, "xlsx");
    retype::write(original, notes, more, &Limits::default(), &path)?;
    Ok(Annotated { path, whole: false })
}

/// Excel refuses a workbook whose extension says something else than its content.
fn named(path: &Path, extension: &str) -> PathBuf {
    let same = path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    if same { path.to_path_buf() } else { path.with_extension(extension) }
}

/// Where the columns go: to their places, or behind `used` columns.
pub(super) fn places(columns: &[NoteColumn; 2], used: u32) -> Result<[u32; 2], SheetError> {
    let mut next = used;
    let mut place = |column: &NoteColumn| {
        column.at.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    let places = [place(&columns[0]), place(&columns[1])];
    if places.iter().any(|&column| column > LAST_COLUMN) {
        return Err(SheetError::too_large(Measure::Columns, LAST_COLUMN + 1));
    }
    Ok(places)
}

impl SheetNotes {
    /// What is said beside a row, where anything is.
    pub(super) fn of_row(&self, row: u32) -> Option<[&str; 2]> {
        if Some(row) == self.header_row {
            return Some([&self.columns[0].heading, &self.columns[1].heading]);
        }
        let found = self.rows.binary_search_by_key(&row, |note| note.row).ok()?;
        self.rows.get(found).map(|note| [&*note.texts[0], &*note.texts[1]])
    }

    /// Whether what stands in the columns' places at this row is Takt's to replace.
    pub(super) fn covers(&self, row: u32) -> bool {
        self.header_row.is_none_or(|header| row >= header)
    }
}
