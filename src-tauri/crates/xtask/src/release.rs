//! `cargo xtask release STEP...`: what a release is made of, step by step, on any computer; `docs/release.md` says in which order.
//!
//! Owns the order, and the folder that everything is written to. Nothing is sent anywhere: whoever releases does that.

mod changelog;
mod channel;
mod checksums;
mod compare;
mod describe;
mod provenance;
mod sign;
mod version;

use std::{fs, path::PathBuf};

use crate::{
    console::{print, timed},
    error::XtaskError,
    package, place,
};

/// A step by its name.
type Step = (&'static str, fn() -> Result<(), XtaskError>);

/// In the order in which they need each other.
const STEPS: [Step; 8] = [
    ("check", version::check),
    ("package", package_all),
    ("sbom", describe::write),
    ("notes", changelog::write_notes),
    ("channel", channel::write),
    ("checksums", checksums::write),
    ("provenance", provenance::write),
    ("sign", sign::run),
];
const COMPARE: &str = "compare";
const VERSION: &str = "version";

/// Without a step all of them; `version X.Y.Z` sets the version, `compare` builds twice.
pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    match arguments {
        [what, number] if what == VERSION => return version::set(number),
        [what] if what == COMPARE => return compare::run(),
        _ => {}
    }
    let unknown = |word: &&String| !STEPS.iter().any(|(name, _)| name == word);
    if let Some(word) = arguments.iter().find(unknown) {
        let names: Vec<_> = STEPS.iter().map(|(name, _)| *name).collect();
        let known = format!("{}, {VERSION} X.Y.Z, {COMPARE}", names.join(", "));
        return Err(XtaskError::Part { part: word.clone(), known });
    }
    let wanted = |(name, _): &&Step| arguments.is_empty() || arguments.iter().any(|word| word == name);
    for (name, step) in STEPS.iter().filter(wanted) {
        timed(&format!("release: {name}"), step)?;
    }
    print(&format!("{} holds:", folder().display()));
    for file in files()? {
        print(&format!("  {}", file_name(&file)));
    }
    Ok(())
}

/// Where a release's files are gathered.
fn folder() -> PathBuf {
    place::target().join("release-files")
}

/// The packages of this system, in the folder that held those of an earlier release.
fn package_all() -> Result<(), XtaskError> {
    let folder = folder();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    for package in package::of_this_system()? {
        let to = folder.join(file_name(&package));
        fs::copy(&package, &to).map_err(XtaskError::file(&package))?;
    }
    Ok(())
}

/// What is there, by name.
fn files() -> Result<Vec<PathBuf>, XtaskError> {
    let folder = folder();
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(XtaskError::file(&folder))? {
        files.push(entry.map_err(XtaskError::file(&folder))?.path());
    }
    files.sort();
    Ok(files)
}

fn write(name: &str, text: &str) -> Result<(), XtaskError> {
    let folder = folder();
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    let path = folder.join(name);
    fs::write(&path, text).map_err(XtaskError::file(&path))
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
