//! `cargo xtask package [deb|rpm|flatpak|nsis|dmg] [--version X.Y.Z] [--profile dev|release]`: what is handed out. One package holds
//! both programs, with desktop entry, icons, manual pages, completions and the list of licences.
//!
//! Made by each system's own tools out of one folder: no bundler chooses what is in it or what it depends on.

mod deb;
mod flatpak;
mod rpm;
mod tree;

use std::path::{Path, PathBuf};

use crate::{
    console::print,
    error::XtaskError,
    place,
    process::{cargo, exists, show},
    windows,
};
pub(crate) use tree::Tree;

const FORMATS: [&str; 5] = ["deb", "rpm", "flatpak", "nsis", "dmg"];
const MEGABYTE: f64 = 1_000_000.0;

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

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let (formats, options) = parse(arguments)?;
    for format in formats {
        match format {
            "deb" => report(&deb::build(&Tree::fill(&options)?, &options)?)?,
            "rpm" => report(&rpm::build(&Tree::fill(&options)?, &options)?)?,
            "flatpak" => report(&flatpak::build(&Tree::fill(&options)?)?)?,
            "nsis" => report(&windows::build_installer(&options)?)?,
            _ => disk_image()?,
        }
    }
    Ok(())
}

/// The Debian package.
pub(crate) fn debian(tree: &Tree, options: &Options) -> Result<PathBuf, XtaskError> {
    deb::build(tree, options)
}

/// The options alone, for a command that chooses the format itself.
pub(crate) fn options(arguments: &[String]) -> Result<Options, XtaskError> {
    let format = arguments.iter().find(|argument| FORMATS.contains(&argument.as_str()));
    if let Some(part) = format {
        return Err(XtaskError::Part {
            part: part.clone(),
            known: "--version X.Y.Z, --profile dev|release".to_owned(),
        });
    }
    parse(arguments).map(|(_, options)| options)
}

/// Without a format those of the system that this runs on.
fn parse(arguments: &[String]) -> Result<(Vec<&'static str>, Options), XtaskError> {
    let (mut formats, mut options) = (Vec::new(), Options::default());
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let unknown = || XtaskError::Part {
            part: word.to_owned(),
            known: format!("{}, --version X.Y.Z, --profile dev|release", FORMATS.join(", ")),
        };
        match (word, FORMATS.iter().find(|format| **format == word)) {
            (_, Some(format)) => formats.push(*format),
            ("--version", None) => {
                let is_version = |text: &&str| text.split('.').filter(|part| part.parse::<u16>().is_ok()).count() == 3;
                options.version = rest.next().filter(is_version).ok_or_else(unknown)?.to_owned();
            }
            ("--profile", None) => {
                let profiles = [Profile::Dev, Profile::Release];
                let named = rest.next().ok_or_else(unknown)?;
                options.profile = profiles.into_iter().find(|profile| profile.name() == named).ok_or_else(unknown)?;
            }
            _ => return Err(unknown()),
        }
    }
    if formats.is_empty() {
        formats = if cfg!(target_os = "macos") { vec!["dmg"] } else { vec!["deb", "rpm"] };
    }
    Ok((formats, options))
}

/// Tauri's own bundler makes it, by `src-tauri/tauri.conf.json`: there is no tool for it elsewhere.
fn disk_image() -> Result<(), XtaskError> {
    if !cfg!(target_os = "macos") {
        return Err(XtaskError::Missing("a disk image is made on macOS alone".to_owned()));
    }
    if !exists("cargo-tauri") {
        return Err(XtaskError::Missing("a disk image needs Tauri's command line: cargo install tauri-cli".to_owned()));
    }
    show(cargo(["build", "--release", "--package", "takt-cli"]))?;
    show(cargo(["tauri", "build", "--bundles", "app,dmg"]))
}

/// Where a package is, and how large.
pub(crate) fn report(package: &Path) -> Result<(), XtaskError> {
    let bytes = std::fs::metadata(package).map_err(XtaskError::file(package))?.len();
    print(&format!("✓ {:.1} MB  {}", bytes as f64 / MEGABYTE, package.display()));
    Ok(())
}

/// Where packages are made.
fn folder() -> PathBuf {
    place::target().join("package")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<(Vec<&'static str>, Options), XtaskError> {
        parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn formats_and_options_are_told_apart() {
        let (formats, options) = parsed(&["deb", "--version", "0.0.9", "rpm", "--profile", "dev"]).unwrap();
        assert_eq!((formats, options.version.as_str()), (vec!["deb", "rpm"], "0.0.9"));
        assert_eq!(options.profile, Profile::Dev);
        assert_eq!(parsed(&["nsis"]).unwrap().1.version, env!("CARGO_PKG_VERSION"));
        for wrong in [&["msi"][..], &["--version"], &["--version", "next"], &["--profile", "fast"]] {
            assert!(parsed(wrong).is_err(), "{wrong:?}");
        }
        assert!(super::options(&["deb".to_owned()]).is_err(), "the command chooses the format itself");
    }
}
