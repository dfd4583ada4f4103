//! Folders and files that other users of the computer can't read, from the moment they are made.
//!
//! On Unix that is in their modes (0700 and 0600). On Windows they inherit what the folder above them allows: within a
//! person's profile that is the person, the system and its administrators.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// Makes a folder, and those above it that are missing, for this person alone; one that is there is closed to others.
///
/// # Errors
///
/// `std::io::Error`: the folder, or one above it, can't be made.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    close(path)
}

/// Opens a file to be written, made where it is missing, for this person alone; one that is there is closed to others.
/// Nothing of its content is changed.
///
/// # Errors
///
/// `std::io::Error`: the file can't be opened or made.
pub fn open_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    close(path)?;
    Ok(file)
}

/// Takes away what others may do with a folder or file; who may do nothing is left alone.
#[cfg(unix)]
fn close(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    match fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700)) {
        // Another user's folder, or a file system without modes. Its owner decides who reads it.
        // On a disk that can't be written to it stays as it is, too.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported | io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

#[cfg(not(unix))]
fn close(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_was_open_to_others_is_closed() {
        let home = tempfile::tempdir().unwrap();
        let (folder, file) = (home.path().join("a/b"), home.path().join("a/b/c"));
        create_private_folder(&folder).unwrap();
        drop(open_private_file(&file).unwrap());
        assert_eq!((mode(&home.path().join("a")), mode(&folder), mode(&file)), (0o700, 0o700, 0o600));
        fs::write(&file, "kept").unwrap();
        for (path, open) in [(&folder, 0o755), (&file, 0o664)] {
            fs::set_permissions(path, fs::Permissions::from_mode(open)).unwrap();
        }
        create_private_folder(&folder).unwrap();
        drop(open_private_file(&file).unwrap());
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    }
}
