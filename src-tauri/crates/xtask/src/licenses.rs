//! `cargo xtask licenses`: lists the crates and packages in Takt with their licenses, for the window's About. The list
//! is made from cargo's metadata and the web UI's lock file, and tidy compares it with both lock files.

use std::{collections::BTreeSet, fs};

use serde::{Deserialize, Serialize};

use crate::{
    error::XtaskError,
    paths,
    process::{capture_output, cargo},
};

/// The list's path, relative to the repository's root.
pub(crate) const LIST: &str = "docs/licenses.json";
/// The lock file of the web UI's packages, relative to the repository's root.
pub(crate) const UI_LOCK: &str = "ui/package-lock.json";

/// A crate or package in Takt, with its license.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct License {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The license as an SPDX expression.
    pub(crate) license: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// Absent for crates of the workspace.
    source: Option<String>,
}

#[derive(Deserialize)]
struct PackageLock {
    packages: std::collections::BTreeMap<String, LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    version: Option<String>,
    license: Option<String>,
    /// True for packages that are only used for builds or tests.
    #[serde(default)]
    dev: bool,
    #[serde(default)]
    optional: bool,
}

pub(crate) fn generate() -> Result<(), XtaskError> {
    let printed = capture_output(cargo(["metadata", "--format-version", "1", "--locked", "--all-features"]))?;
    let answer = |error: serde_json::Error| XtaskError::Answer {
        program: "cargo metadata".to_owned(),
        reason: error.to_string(),
    };
    let metadata: Metadata = serde_json::from_str(&printed).map_err(answer)?;
    let crates = metadata.packages.into_iter().filter(|package| package.source.is_some());
    let mut all: BTreeSet<License> = crates
        .map(|Package { name, version, license, .. }| License { name, version, license: license.unwrap_or_default() })
        .collect();
    let lock = paths::root().join(UI_LOCK);
    let text = fs::read_to_string(&lock).map_err(XtaskError::file(&lock))?;
    all.extend(ui_packages(&text).map_err(answer)?);
    let list = paths::root().join(LIST);
    let lines: Vec<String> = all.iter().filter_map(|license| serde_json::to_string(license).ok()).collect();
    fs::write(&list, format!("[\n{}\n]\n", lines.join(",\n"))).map_err(XtaskError::file(&list))
}

/// Returns the packages that are part of the window. Packages for builds and optional ones aren't.
pub(crate) fn ui_packages(lock: &str) -> Result<Vec<License>, serde_json::Error> {
    let lock: PackageLock = serde_json::from_str(lock)?;
    let shipped =
        lock.packages.into_iter().filter(|(path, package)| !path.is_empty() && !package.dev && !package.optional);
    Ok(shipped
        .map(|(path, package)| License {
            name: path.rsplit_once("node_modules/").map_or(path.as_str(), |(_, name)| name).to_owned(),
            version: package.version.unwrap_or_default(),
            license: package.license.unwrap_or_default(),
        })
        .collect())
}
