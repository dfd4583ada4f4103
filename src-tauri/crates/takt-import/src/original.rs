//! The planner's own file, for writing a copy with two more columns.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;
use sha2::{Digest, Sha256};
use takt_core::{Problem, Words};
use takt_sheet::{
    FileKind, SheetError, Workbook,
    writer::{NoteColumn, OutSheet, RowNote, SheetNotes, annotated_extension, write_annotated_copy},
};

use crate::takt_columns;

const STATUS_WIDTH: f64 = 16.0;
const REASON_WIDTH: f64 = 70.0;
const HASH_BLOCK_BYTES: usize = 256 * 1024;

/// A file as it was read, and the location of its rows. Changes to the file on disk don't affect it.
#[derive(Debug, Clone)]
pub struct Original {
    pub(crate) workbook: Workbook,
    pub(crate) path: PathBuf,
    pub(crate) hash: String,
    pub(crate) sheets: Vec<OriginalSheet>,
}

/// A sheet whose rows are imported.
#[derive(Debug, Clone)]
pub(crate) struct OriginalSheet {
    pub(crate) name: String,
    /// 1-based, as Excel shows it.
    pub(crate) header_row: Option<u32>,
    /// Takt's own two columns, if the file has them from an earlier copy.
    pub(crate) status_and_reason_columns: [Option<u32>; 2],
}

/// A written copy of the planner's workbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SavedCopy {
    /// The copy's path. Its extension fits its content.
    pub path: String,
    /// True if it's the planner's own workbook with two more columns. False if it's a new workbook with its cells.
    pub keeps_original: bool,
}

impl Original {
    /// Returns the hexadecimal SHA-256 of the file.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns true for xlsx and xlsm files. Their copy is the planner's own workbook with two more columns.
    #[must_use]
    pub fn is_package(&self) -> bool {
        self.workbook.kind() == FileKind::Xlsx
    }

    /// Returns the extension of a copy, `xlsm` if the file has macros, otherwise `xlsx`.
    #[must_use]
    pub fn extension(&self) -> &'static str {
        annotated_extension(&self.workbook)
    }

    /// Returns the notes next to a sheet's rows, or `None` for a sheet that isn't imported. `rows` are ascending.
    pub fn sheet_notes(&self, words: &Words, sheet: &str, rows: Vec<RowNote>) -> Option<SheetNotes> {
        let original_sheet = self.sheets.iter().find(|known| known.name == sheet)?;
        let [status, reason] = takt_columns::headings(words);
        let column = |heading, width, at| NoteColumn { heading, width, existing_index: at };
        Some(SheetNotes {
            sheet: original_sheet.name.clone(),
            header_row: original_sheet.header_row,
            columns: [
                column(status, STATUS_WIDTH, original_sheet.status_and_reason_columns[0]),
                column(reason, REASON_WIDTH, original_sheet.status_and_reason_columns[1]),
            ],
            rows,
        })
    }

    /// Writes the copy. The planner's file is never overwritten.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the copy would replace the planner's own file
    ///   (`own-file`).
    /// - A [file code](takt_core::problem#file-codes): the original can't be read again.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the copy can't be written.
    pub fn write(&self, notes: &[SheetNotes], more: &[OutSheet], path: &Path) -> Result<SavedCopy, Problem> {
        let named = path.with_extension(self.extension());
        if self.is_original_file(path) || self.is_original_file(&named) {
            return Err(Problem::obstacle("own-file").parameter("file", path.display().to_string()));
        }
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let done = write_annotated_copy(&self.workbook, notes, more, path)
            .map_err(|error| Problem::from_sheet_error(&file, error))?;
        Ok(SavedCopy { path: done.path.display().to_string(), keeps_original: done.keeps_original })
    }

    fn is_original_file(&self, path: &Path) -> bool {
        let Ok(own) = fs::canonicalize(&self.path) else { return false };
        fs::canonicalize(path).is_ok_and(|path| path == own)
    }
}

/// Returns the hexadecimal SHA-256 of a file's bytes, as in imports and submissions.
///
/// # Errors
///
/// [`Code::FileUnreadable`](takt_core::Code::FileUnreadable): the file can't be read.
pub fn file_hash(path: &Path) -> Result<String, Problem> {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let opened =
        fs::File::open(path).map_err(|error| Problem::from_sheet_error(&file, SheetError::Unreadable(error)))?;
    hash_bytes(opened).map_err(|problem| problem.parameter("file", file))
}

/// Returns the hexadecimal SHA-256 of a file's first bytes, to compare it with an earlier, shorter content.
///
/// # Errors
///
/// As [`file_hash`].
pub fn file_start_hash(path: &Path, bytes: u64) -> Result<String, Problem> {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let opened =
        fs::File::open(path).map_err(|error| Problem::from_sheet_error(&file, SheetError::Unreadable(error)))?;
    hash_bytes(opened.take(bytes)).map_err(|problem| problem.parameter("file", file))
}

/// Returns the hexadecimal SHA-256 of a workbook's file.
pub(crate) fn workbook_hash(workbook: &Workbook) -> Result<String, Problem> {
    workbook.sha256().map_or_else(|| hash_bytes(workbook.file_reader()), |known| Ok(takt_core::hex::to_hex(&known)))
}

fn hash_bytes(mut bytes: impl Read) -> Result<String, Problem> {
    let mut hasher = Sha256::new();
    let mut block = vec![0; HASH_BLOCK_BYTES];
    loop {
        let read = bytes.read(&mut block).map_err(|error| Problem::from(SheetError::Unreadable(error)))?;
        if read == 0 {
            return Ok(takt_core::hex::to_hex(&hasher.finalize()));
        }
        hasher.update(block.get(..read).unwrap_or_default());
    }
}

/// Creates the note next to a row. `status` is shared, since many rows have the same status.
pub fn row_note(row: u32, status: &Arc<str>, reason: &str) -> RowNote {
    RowNote { row, texts: [Arc::clone(status), Arc::from(reason)] }
}
