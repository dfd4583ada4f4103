//! A new file takes an old one's place only when it is complete and on the disk.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use tempfile::{Builder, NamedTempFile};

use crate::SheetError;

/// Writes a file of any kind, whole or not at all.
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    replace(path, |out| fill(out), |error| error)
}

pub(super) fn write(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    replace(path, fill, failed)
}

pub(super) fn failed(cause: impl std::fmt::Display) -> SheetError {
    SheetError::WriteFailed(cause.to_string())
}

fn replace<E>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> Result<(), E>,
    failed: impl Fn(io::Error) -> E,
) -> Result<(), E> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".takt-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any file that a person saves; the umask takes away what it takes away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(&failed)?;
    let mut buffered = BufWriter::new(&mut file);
    fill(&mut buffered)?;
    buffered.flush().map_err(&failed)?;
    drop(buffered);
    file.as_file().sync_all().map_err(&failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
