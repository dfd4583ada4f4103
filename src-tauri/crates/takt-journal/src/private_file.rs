//! Creates folders and files that other users of the computer can't read.
//!
//! On Unix, their modes are 0700 and 0600. On Windows they inherit the permissions of the parent folder. Within a user
//! profile, only the user, the system and the administrators have access.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// Creates a folder, with missing parents, for this user only. Removes the access of others if the folder exists.
///
/// # Errors
///
/// `std::io::Error`: the folder, or one above it, can't be created.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    restrict_access(path)
}

/// Opens a file for writing, for this user only. Creates it if it is missing, and removes the access of others if it
/// exists. Doesn't change its content.
///
/// # Errors
///
/// `std::io::Error`: the file can't be opened or created.
pub fn open_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    restrict_access(path)?;
    Ok(file)
}

/// Removes the permissions of others from a folder or file. Ignores failures that are beyond this user's control.
#[cfg(unix)]
fn restrict_access(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    match fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700)) {
        // Another user's folder, a file system without modes, or a read-only disk.
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
fn restrict_access(_: &Path) -> io::Result<()> {
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
