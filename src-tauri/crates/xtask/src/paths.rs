//! Paths: the repository's root and cargo's build folder.

use std::{
    env,
    path::{Path, PathBuf},
};

/// Returns the repository's root, which is three folders above this package.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(3).unwrap_or(package).to_path_buf()
}

/// Returns cargo's build folder: `CARGO_TARGET_DIR`, or `target` in the root.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .filter(|value| !value.is_empty())
        .map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Returns the path of a program of the workspace in the development profile.
pub(crate) fn built_program(name: &str) -> PathBuf {
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
