//! The folder of a release, its files and their checksums.

use std::{
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{error::XtaskError, paths};

pub(super) const CHECKSUMS_FILE: &str = "SHA256SUMS";

/// Returns the folder of the release's files, below the build folder.
pub(super) fn folder() -> PathBuf {
    paths::target().join("release-files")
}

/// Returns the paths of the release's files, sorted by name.
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

/// Writes a text file into the release's folder.
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

/// Writes `SHA256SUMS`, the input of `sha256sum --check`.
pub(super) fn write_checksums() -> Result<(), XtaskError> {
    let mut lines = String::new();
    for file in files()?.iter().filter(|file| is_content(&file_name(file))) {
        lines.push_str(&format!("{}  {}\n", checksum(file)?, file_name(file)));
    }
    write(CHECKSUMS_FILE, &lines)
}

/// Returns whether the file is content. Checksums, signatures and statements describe the content.
pub(super) fn is_content(name: &str) -> bool {
    name != CHECKSUMS_FILE && ![".minisig", ".sig", ".intoto.json"].iter().any(|ending| name.ends_with(ending))
}

pub(super) fn checksum(path: &Path) -> Result<String, XtaskError> {
    let bytes = fs::read(path).map_err(XtaskError::file(path))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_sha256sum() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("abc");
        fs::write(&file, "abc").unwrap();
        assert_eq!(checksum(&file).unwrap(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(
            is_content("takt_0.1.0_amd64.deb")
                && !is_content("takt_0.1.0_amd64.deb.minisig")
                && !is_content(CHECKSUMS_FILE)
        );
    }
}
