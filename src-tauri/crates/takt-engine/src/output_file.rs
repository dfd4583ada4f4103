//! What Takt holds, written to a file that a person chose.

use std::{io, path::Path};

use takt_sheet::write_whole;

use crate::{Code, Problem};

/// An existing file is replaced only by a complete one.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    write_whole(path, |out| out.write_all(bytes)).map_err(|cause| unwritten(path, &cause))
}

/// Why a file couldn't be written.
pub(crate) fn unwritten(path: &Path, cause: &io::Error) -> Problem {
    Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(cause)
}
