//! `SHA256SUMS`, the input of `sha256sum --check`.

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

use super::files;
use crate::error::XtaskError;

pub(super) const FILE: &str = "SHA256SUMS";

pub(super) fn write() -> Result<(), XtaskError> {
    let mut lines = String::new();
    for file in files::files()?.iter().filter(|file| is_content(&files::file_name(file))) {
        lines.push_str(&format!("{}  {}\n", checksum(file)?, files::file_name(file)));
    }
    files::write(FILE, &lines)
}

/// Returns whether the file is content. Signatures and statements are about the content, and are made later.
pub(super) fn is_content(name: &str) -> bool {
    name != FILE && ![".minisig", ".sig", ".intoto.json"].iter().any(|ending| name.ends_with(ending))
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
        assert!(is_content("takt_0.1.0_amd64.deb") && !is_content("takt_0.1.0_amd64.deb.minisig") && !is_content(FILE));
    }
}
