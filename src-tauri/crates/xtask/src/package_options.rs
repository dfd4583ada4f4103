//! What every package is made with: the version that it says it has, and how its programs are built.

use std::path::{Path, PathBuf};

use crate::error::XtaskError;

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

impl Options {
    /// Reads arguments; words of `formats` are given back, anything else that isn't an option is an error.
    pub(crate) fn parse(
        arguments: &[String],
        formats: &[&'static str],
    ) -> Result<(Vec<&'static str>, Self), XtaskError> {
        let (mut chosen, mut options) = (Vec::new(), Self::default());
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            let unknown = || {
                let known = formats.iter().chain(&["--version X.Y.Z", "--profile dev|release"]);
                XtaskError::Part { part: word.to_owned(), known: known.copied().collect::<Vec<_>>().join(", ") }
            };
            match (word, formats.iter().find(|format| **format == word)) {
                (_, Some(format)) => chosen.push(*format),
                ("--version", None) => {
                    let numbers = |text: &str| text.split('.').filter(|part| part.parse::<u16>().is_ok()).count();
                    options.version = rest.next().filter(|text| numbers(text) == 3).ok_or_else(unknown)?.to_owned();
                }
                ("--profile", None) => {
                    let profiles = [Profile::Dev, Profile::Release];
                    let named = rest.next().ok_or_else(unknown)?;
                    options.profile = profiles.into_iter().find(|one| one.name() == named).ok_or_else(unknown)?;
                }
                _ => return Err(unknown()),
            }
        }
        Ok((chosen, options))
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
