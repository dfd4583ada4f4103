//! Where things are: the repository's root and the folder that cargo builds into.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The repository's root: this package lies three folders below it.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(3).unwrap_or(package).to_path_buf()
}

/// Where cargo builds: `CARGO_TARGET_DIR`, or `target` in the root.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .filter(|value| !value.is_empty())
        .map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// A program of the workspace, built with the development profile.
pub(crate) fn built(name: &str) -> PathBuf {
    target().join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_root() {
        assert!(root().join("ARCHITECTURE.md").is_file());
    }
}
