//! The options of all packages: the version and the build profile.

use std::path::{Path, PathBuf};

use crate::error::XtaskError;

/// The cargo profile with which the packaged programs are built.
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

    /// Returns the name of the profile's folder in cargo's build folder.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }
}

/// The options that all package formats have.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// The package's version. The programs show the version that they were built with.
    pub(crate) version: String,
    pub(crate) profile: Profile,
}

impl Default for Options {
    fn default() -> Self {
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), profile: Profile::Release }
    }
}

impl Options {
    /// Parses arguments. Returns the formats and the options. Fails for other words.
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
                    options.profile =
                        profiles.into_iter().find(|profile| profile.name() == named).ok_or_else(unknown)?;
                }
                _ => return Err(unknown()),
            }
        }
        Ok((chosen, options))
    }
}

/// Returns compiler flags that replace this computer's folders with fixed names.
pub(crate) fn path_flags(option: &str, source: &Path) -> String {
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let mappings = [Some((source.to_path_buf(), "/takt")), cargo_home.map(|home| (home, "/cargo"))];
    let flags = mappings.into_iter().flatten().map(|(from, to)| format!("{option}={}={to}", from.display()));
    flags.collect::<Vec<_>>().join(" ")
}
