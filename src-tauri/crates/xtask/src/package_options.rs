//! What every package is made with: the version that it says it has, and how its programs are built.

use std::path::{Path, PathBuf};

/// With which of cargo's profiles the programs are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Dev,
    Release,
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }

    /// The folder that cargo builds into.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }
}

/// What can be chosen for every format.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// What the package says that it is; the programs say what they were built as.
    pub(crate) version: String,
    pub(crate) profile: Profile,
}

impl Default for Options {
    fn default() -> Self {
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), profile: Profile::Release }
    }
}

/// What tells a compiler to name the folders of this computer as everybody's: what is built says nothing of where.
pub(crate) fn path_flags(option: &str, source: &Path) -> String {
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let places = [Some((source.to_path_buf(), "/takt")), cargo_home.map(|home| (home, "/cargo"))];
    let flags = places.into_iter().flatten().map(|(from, to)| format!("{option}={}={to}", from.display()));
    flags.collect::<Vec<_>>().join(" ")
}
