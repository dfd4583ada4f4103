//! `cargo xtask release STEP...`: builds a release step by step on any computer. `docs/release.md` defines the order.
//!
//! Owns the order and the folder of the release's files. It never uploads anything.

mod changelog;
mod channel;
mod files;
mod provenance;
mod reproducibility;
mod sbom;
mod signature;
mod version;

use std::fs;

use crate::{
    console::{print, timed},
    error::XtaskError,
    package,
};

use files::{file_name, files, folder};

/// A step of a release, with the name that selects it.
type Step = (&'static str, fn() -> Result<(), XtaskError>);

/// All steps. Each step comes after the steps that it depends on.
const STEPS: [Step; 8] = [
    ("check", version::check),
    ("package", package_all),
    ("sbom", sbom::write),
    ("notes", changelog::write_notes),
    ("channel", channel::write),
    ("checksums", files::write_checksums),
    ("provenance", provenance::write),
    ("sign", signature::sign_all),
];
const COMPARE_STEP: &str = "compare";
const VERSION_STEP: &str = "version";

/// Runs the named steps, or all of them. `version X.Y.Z` sets the version, and `compare` checks reproducibility.
pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    match arguments {
        [word, number] if word == VERSION_STEP => return version::set_version(number),
        [word] if word == COMPARE_STEP => return reproducibility::compare_builds(),
        _ => {}
    }
    let unknown = |word: &&String| !STEPS.iter().any(|(name, _)| name == word);
    if let Some(word) = arguments.iter().find(unknown) {
        let names: Vec<_> = STEPS.iter().map(|(name, _)| *name).collect();
        let known = format!("{}, {VERSION_STEP} X.Y.Z, {COMPARE_STEP}", names.join(", "));
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

/// Builds this system's packages. Removes all files of an earlier release.
fn package_all() -> Result<(), XtaskError> {
    let folder = folder();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    for package in package::build_for_this_system()? {
        let to = folder.join(file_name(&package));
        fs::copy(&package, &to).map_err(XtaskError::file(&package))?;
    }
    Ok(())
}
