//! A planner's own workbook with two additional columns next to its rows.
//!
//! An xlsx or xlsm is copied part by part, so everything else in it stays unchanged. Any other file (xls, xlsb, ods,
//! csv) becomes a new xlsx with all its cells, typed as they were read. The original is never written to.

use std::path::{Path, PathBuf};

use super::{notes::SheetNotes, out_sheet::OutSheet, package_edit, retype};
use crate::{FileKind, Limits, SheetError, Workbook};

/// The result of [`annotate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotated {
    /// The path of the file: the requested path with the extension that the content needs.
    pub path: PathBuf,
    /// True if the file is the original with two more columns. False if it is a new workbook with the original's cells.
    pub keeps_original: bool,
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
                    Ok(()) => Ok(Annotated { path, keeps_original: true }),
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
    Ok(Annotated { path, keeps_original: false })
}

/// Replaces the extension of a path, because Excel refuses a workbook whose extension doesn't match its content.
fn with_matching_extension(path: &Path, extension: &str) -> PathBuf {
    let same = path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    if same { path.to_path_buf() } else { path.with_extension(extension) }
}
