//! The folder of a release, and its files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{error::XtaskError, place};

/// Returns the folder of the release's files.
pub(super) fn folder() -> PathBuf {
    place::target().join("release-files")
}

/// Returns the release's files, sorted by name.
pub(super) fn files() -> Result<Vec<PathBuf>, XtaskError> {
    let folder = folder();
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(XtaskError::file(&folder))? {
        files.push(entry.map_err(XtaskError::file(&folder))?.path());
    }
    files.sort();
    Ok(files)
}

/// Writes a text file of the release.
pub(super) fn write(name: &str, text: &str) -> Result<(), XtaskError> {
    let folder = folder();
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    let path = folder.join(name);
    fs::write(&path, text).map_err(XtaskError::file(&path))
}

/// Returns the name of a file without its folder.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
