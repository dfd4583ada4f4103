//! Replaces a file only by a complete one that has been written to the disk.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use crate::SheetError;

/// Writes a file of any kind, completely or not at all.
///
/// # Errors
///
/// `std::io::Error`: the folder can't be written to, `fill` fails, or the file can't replace the existing one, which
/// then stays.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    replace_file(path, |out| fill(out), |error| error)
}

/// Like [`write_atomically`], but with errors of sheets.
pub(super) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    replace_file(path, fill, write_error)
}

/// Returns the error for a file that can't be written.
pub(super) fn write_error(cause: impl std::fmt::Display) -> SheetError {
    SheetError::WriteFailed(cause.to_string())
}

/// A file that is being written under a temporary name. If it is dropped before it is finished, nothing remains of it.
#[derive(Debug)]
pub struct AtomicFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl AtomicFile {
    /// Creates a temporary file in the folder of `path`. When it is finished, it replaces the file at `path`.
    ///
    /// # Errors
    ///
    /// `std::io::Error`: no file can be created in the folder, or `path` exists and isn't a file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = target_path(path)?;
        Ok(Self { file: BufWriter::new(create_temporary(&path)?), path })
    }

    /// Completes the file and replaces the existing one.
    ///
    /// # Errors
    ///
    /// `std::io::Error`: the rest can't be written, or the file can't replace the existing one.
    pub fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        copy_mode(&file, &self.path)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn replace_file<E>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> Result<(), E>,
    to_error: impl Fn(io::Error) -> E,
) -> Result<(), E> {
    let path = target_path(path).map_err(&to_error)?;
    let mut file = create_temporary(&path).map_err(&to_error)?;
    let mut buffered = BufWriter::new(&mut file);
    fill(&mut buffered)?;
    buffered.flush().map_err(&to_error)?;
    drop(buffered);
    copy_mode(&file, &path).map_err(&to_error)?;
    file.as_file().sync_all().map_err(&to_error)?;
    file.persist(path).map_err(|error| to_error(error.error))?;
    Ok(())
}

/// Returns the path to write to, which is the target if `path` is a link. A folder, a device or a pipe can't be
/// replaced by a file.
fn target_path(path: &Path) -> io::Result<PathBuf> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(path.to_owned()) };
    if metadata.is_file() {
        return Ok(path.to_owned());
    }
    match fs::canonicalize(path) {
        Ok(real) if real.is_file() => Ok(real),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        // A link without a target is replaced.
        Err(_) => Ok(path.to_owned()),
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is there, and no file")),
    }
}

/// Creates a temporary file in the same folder. A file on another file system couldn't replace the existing one in one
/// step.
fn create_temporary(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".takt-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A new file has the usual mode of saved files, reduced by the umask. A file that replaces another one is never
        // readable by more users than the replaced one.
        let mode = fs::metadata(path).map_or(0o666, |old| old.permissions().mode() & 0o666);
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    builder.tempfile_in(folder)
}

/// Sets the permissions of the replaced file on the new one.
#[cfg(unix)]
fn copy_mode(file: &NamedTempFile, path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(old) => file.as_file().set_permissions(old.permissions()),
        Err(_) => Ok(()),
    }
}

/// Does nothing, because a file inherits its permissions from its folder.
#[cfg(not(unix))]
fn copy_mode(_: &NamedTempFile, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_replaced_file_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        for mode in [0o600, 0o640, 0o664, 0o444] {
            let path = folder.path().join(format!("{mode:o}.csv"));
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let found = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            write_atomically(&path, |out| out.write_all(b"new")).unwrap();
            assert_eq!((found(), fs::read_to_string(&path).unwrap().as_str()), (mode, "new"));
            let mut whole = AtomicFile::create(&path).unwrap();
            assert_eq!(whole.file.get_ref().as_file().metadata().unwrap().permissions().mode() & 0o777 & !mode, 0);
            whole.write_all(b"newer").unwrap();
            whole.finish().unwrap();
            assert_eq!((found(), fs::read_to_string(&path).unwrap().as_str()), (mode, "newer"));
        }
    }

    #[test]
    fn what_is_no_file_stays_and_a_link_leads_to_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, inner) = (folder.path().join("a.csv"), folder.path().join("inner"));
        fs::create_dir(&inner).unwrap();
        let put = |path: &Path, text: &str| write_atomically(path, |out| out.write_all(text.as_bytes()));
        put(&file, "one").unwrap();
        put(&file, "two").unwrap();
        assert!(put(&inner, "three").is_err() && inner.is_dir());
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&file, &link).unwrap();
            put(&link, "four").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read_to_string(&file).unwrap(), "four");
            let mut whole = AtomicFile::create(&link).unwrap();
            whole.write_all(b"five").unwrap();
            whole.finish().unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), "five");
            assert!(AtomicFile::create(Path::new("/dev/null")).is_err());
        }
    }
}
