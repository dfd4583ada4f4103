//! `cargo xtask package [deb|rpm|flatpak|nsis|dmg] [--version X.Y.Z] [--profile dev|release]`: builds packages. On
//! Linux there are two packages: the command line for servers and scripts, and the window, which depends on it.
//!
//! The tools of each system build a package from a folder. Contents and dependencies are defined here.

mod deb;
mod rpm;
mod tree;

use std::path::{Path, PathBuf};

use crate::{
    console::{print, timed},
    error::XtaskError,
    package_options::Options,
    paths,
    process::{capture_output, cargo, exists, program, show_output},
    windows,
};
pub(crate) use deb::{Control, build as build_debian, build_one as build_one_debian};
use tree::folder;
pub(crate) use tree::{Tree, Trees, make_repeatable};

const FORMATS: [&str; 5] = ["deb", "rpm", "flatpak", "nsis", "dmg"];
const MEGABYTE: f64 = 1_000_000.0;
const FLATPAK_MANIFEST: &str = "packaging/linux/app.takt.desktop.yml";
const FLATPAK_ID: &str = "app.takt.desktop";

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let (formats, options) = parse(arguments)?;
    build(&formats, &options).map(drop)
}

/// Builds the release packages that can be built on this system.
pub(crate) fn build_for_this_system() -> Result<Vec<PathBuf>, XtaskError> {
    let formats: &[&str] = match std::env::consts::OS {
        "linux" => &["deb", "rpm", "nsis"],
        "macos" => &["dmg"],
        _ => {
            return Err(XtaskError::Missing(
                "the installer for Windows is made on Linux (`cargo xtask package nsis`)".to_owned(),
            ));
        }
    };
    build(formats, &Options::default())
}

fn build(formats: &[&str], options: &Options) -> Result<Vec<PathBuf>, XtaskError> {
    let mut packages = Vec::new();
    for format in formats {
        match *format {
            "deb" => packages.extend(deb::build(&Trees::fill(options)?, options)?),
            "rpm" => packages.extend(rpm::build(&Trees::fill(options)?, options)?),
            "flatpak" => packages.push(build_flatpak(&Trees::fill(options)?)?),
            "nsis" => packages.push(windows::build_installer(options)?),
            _ => packages.extend(build_disk_image()?),
        }
    }
    packages.iter().try_for_each(|package| report(package))?;
    Ok(packages)
}

/// Parses formats and options. Without a format, chooses this system's formats.
fn parse(arguments: &[String]) -> Result<(Vec<&'static str>, Options), XtaskError> {
    let (mut formats, options) = Options::parse(arguments, &FORMATS)?;
    if formats.is_empty() {
        formats = if cfg!(target_os = "macos") { vec!["dmg"] } else { vec!["deb", "rpm"] };
    }
    Ok((formats, options))
}

/// Builds the Flatpak with flatpak-builder. The manifest defines the runtime, and copies the files of the package
/// folders.
fn build_flatpak(_: &Trees) -> Result<PathBuf, XtaskError> {
    if !exists("flatpak-builder") || !exists("flatpak") {
        return Err(XtaskError::Missing(
            "a Flatpak needs flatpak and flatpak-builder, and the runtime of GNOME".to_owned(),
        ));
    }
    let (repository, out) = (folder().join("flatpak-repository"), folder().join("takt.flatpak"));
    timed("making the Flatpak", || {
        let mut builder = program("flatpak-builder");
        builder.args(["--force-clean", "--repo"]).arg(&repository).arg(folder().join("flatpak")).arg(FLATPAK_MANIFEST);
        capture_output(builder)?;
        let mut bundle = program("flatpak");
        bundle.arg("build-bundle").arg(&repository).arg(&out).arg(FLATPAK_ID);
        capture_output(bundle)
    })?;
    Ok(out)
}

/// Builds the macOS disk image with Tauri's bundler, which needs macOS. `src-tauri/tauri.conf.json` configures it.
fn build_disk_image() -> Result<Vec<PathBuf>, XtaskError> {
    if !cfg!(target_os = "macos") {
        return Err(XtaskError::Missing("a disk image is made on macOS alone".to_owned()));
    }
    if !exists("cargo-tauri") {
        return Err(XtaskError::Missing("a disk image needs Tauri's command line: cargo install tauri-cli".to_owned()));
    }
    show_output(cargo(["build", "--release", "--package", "takt-cli", "--bins"]))?;
    // The bundler copies the command line from this folder.
    let programs = folder().join("macos");
    std::fs::create_dir_all(&programs).map_err(XtaskError::file(&programs))?;
    let command_line = programs.join(tree::COMMAND_LINE);
    let built = paths::target().join("release").join(tree::COMMAND_LINE);
    std::fs::copy(&built, &command_line).map_err(XtaskError::file(&built))?;
    show_output(cargo(["tauri", "build", "--bundles", "app,dmg"]))?;
    let bundle = paths::target().join("release/bundle/dmg");
    let files = std::fs::read_dir(&bundle).map_err(XtaskError::file(&bundle))?.flatten().map(|entry| entry.path());
    Ok(files.filter(|path| path.extension().is_some_and(|ending| ending == "dmg")).collect())
}

/// Prints a package's path and its size in megabytes.
pub(crate) fn report(package: &Path) -> Result<(), XtaskError> {
    let bytes = std::fs::metadata(package).map_err(XtaskError::file(package))?.len();
    print(&format!("✓ {:.1} MB  {}", bytes as f64 / MEGABYTE, package.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package_options::Profile;

    fn parse_words(words: &[&str]) -> Result<(Vec<&'static str>, Options), XtaskError> {
        parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn formats_and_options_are_told_apart() {
        let (formats, options) = parse_words(&["deb", "--version", "0.0.9", "rpm", "--profile", "dev"]).unwrap();
        assert_eq!((formats, options.version.as_str()), (vec!["deb", "rpm"], "0.0.9"));
        assert_eq!(options.profile, Profile::Dev);
        assert_eq!(parse_words(&["nsis"]).unwrap().1.version, env!("CARGO_PKG_VERSION"));
        for wrong in [&["msi"][..], &["--version"], &["--version", "next"], &["--profile", "fast"]] {
            assert!(parse_words(wrong).is_err(), "{wrong:?}");
        }
        assert!(Options::parse(&["deb".to_owned()], &[]).is_err(), "the command chooses the format itself");
    }
}
