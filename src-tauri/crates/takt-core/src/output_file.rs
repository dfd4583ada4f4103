//! Writes files that the user chose.

use std::{io, path::Path};

use serde::{Deserialize, Serialize};
use takt_sheet::writer::write_atomically;

use crate::{Code, Problem};

/// The format of an exported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    Xlsx,
    Csv,
    Json,
}

/// Writes a file. An existing file is only replaced by a complete one.
///
/// # Errors
///
/// [`Code::WriteFailed`]: the file can't be written, or can't replace the existing one.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    write_atomically(path, |out| out.write_all(bytes)).map_err(|cause| write_problem(path, &cause))
}

/// Returns the problem of a file that couldn't be written.
pub fn write_problem(path: &Path, cause: &io::Error) -> Problem {
    Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(cause)
}
