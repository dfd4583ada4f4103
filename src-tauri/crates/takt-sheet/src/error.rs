//! Errors of reading and writing files. Their texts are technical causes for logs and details.

use std::io;

use serde::{Deserialize, Serialize};

use crate::column_letters;

/// A recognized file format that Takt can't read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnsupportedFormat {
    /// A web page with its images in a single file (MHTML).
    WebArchive,
    /// A workbook of Excel 4 or older.
    OldExcel,
}

/// The limit that was exceeded, see [`crate::Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LimitKind {
    FileBytes,
    UnpackedBytes,
    Parts,
    Sheets,
    Cells,
    Rows,
    Columns,
    TextBytes,
    SheetTextBytes,
    /// Bytes of memory that the reader process may use.
    Memory,
    /// Seconds that the reader process may run.
    Seconds,
}

/// A reason why a file can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    #[error("the file can't be read: {0}")]
    Unreadable(#[source] io::Error),
    /// A folder, a pipe or a device.
    #[error("this is no file")]
    NotAFile,
    #[error("the file changed while it was read")]
    ChangedWhileRead,
    /// Occurs only in text files. `row` is 1-based, `column` 0-based.
    #[error("a quote opens in row {row}, column {column}, and isn't closed within {limit} bytes")]
    QuoteNotClosed { row: u32, column: u32, limit: u64 },
    #[error("the file holds nothing")]
    Empty,
    #[error("the file is encrypted with a password")]
    Protected,
    /// The file is encrypted by rights management, for example because of a sensitivity label. Only Office can open it,
    /// for users with access.
    #[error("the file is encrypted by rights management")]
    RightsManaged,
    #[error("the file is not a workbook")]
    NotAWorkbook,
    /// The file has the extension of a text file.
    #[error("the file holds bytes that no text has")]
    NotText,
    #[error("the file is {what:?} under another name")]
    UnsupportedFormat { what: UnsupportedFormat },
    #[error("the file exceeds the limit of {limit} {what:?}")]
    TooLarge { what: LimitKind, limit: u64 },
    /// The sheet has a row or a cell several times, with different content. `column` is `None` for a row. `row` is
    /// 1-based, `column` 0-based.
    #[error("the sheet `{sheet}` has {} more than once", repeated_address(*.row, *.column))]
    Repeated { sheet: String, row: u32, column: Option<u32> },
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// The package's directory, at the end of the file, is missing or damaged.
    #[error("the end of the file is missing or damaged: {0}")]
    EndMissing(String),
    /// The file is well-formed, but reading it would lose cells.
    #[error("the file uses a form that isn't read: {0}")]
    Unsupported(&'static str),
    #[error("there is no sheet `{0}`")]
    NoSuchSheet(String),
    /// An unknown encoding or separator was chosen.
    #[error("there is no `{0}` to choose")]
    UnknownChoice(String),
    #[error("reading was cancelled")]
    Cancelled,
    #[error("the file can't be written: {0}")]
    WriteFailed(String),
}

fn repeated_address(row: u32, column: Option<u32>) -> String {
    column.map_or_else(|| format!("row {row}"), |column| format!("cell {}{row}", column_letters(column)))
}

impl SheetError {
    pub(crate) fn too_large(what: LimitKind, limit: impl TryInto<u64>) -> Self {
        Self::TooLarge { what, limit: limit.try_into().unwrap_or(u64::MAX) }
    }

    pub(crate) fn damaged(cause: impl std::fmt::Display) -> Self {
        Self::Damaged(cause.to_string())
    }

    pub(crate) fn missing_part(name: &str) -> Self {
        Self::damaged("the part is missing").in_part(name)
    }

    /// Adds the name of the package's part to a [`Self::Damaged`] error. Other errors don't change.
    pub(crate) fn in_part(self, name: &str) -> Self {
        match self {
            Self::Damaged(cause) if !cause.starts_with(name) => Self::Damaged(format!("{name}: {cause}")),
            other => other,
        }
    }
}
