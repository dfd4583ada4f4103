//! `cargo xtask licenses`: whose work is part of Takt, and on which terms, as the window's About lists it. Read from what cargo says of
//! each crate and from the web UI's lock file; tidy compares it with both lock files.

use std::{collections::BTreeSet, fs};

use serde::{Deserialize, Serialize};

use crate::{
    error::XtaskError,
    place,
    process::{cargo, catch},
};

/// Where the list lies, from the root.
pub(crate) const LIST: &str = "docs/licenses.json";
/// The web UI's packages, from the root.
pub(crate) const UI_LOCK: &str = "ui/package-lock.json";

/// One crate or package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct License {
    pub(crate) name: String,
    pub(crate) version: String,
    /// In SPDX's terms.
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
    /// Absent for our own.
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
    /// Only builds or tests with it.
    #[serde(default)]
    dev: bool,
    #[serde(default)]
    optional: bool,
}

pub(crate) fn generate() -> Result<(), XtaskError> {
    let printed = catch(cargo(["metadata", "--format-version", "1", "--locked", "--all-features"]))?;
    let answer = |error: serde_json::Error| XtaskError::Answer {
        program: "cargo metadata".to_owned(),
        reason: error.to_string(),
    };
    let metadata: Metadata = serde_json::from_str(&printed).map_err(answer)?;
    let crates = metadata.packages.into_iter().filter(|package| package.source.is_some());
    let mut all: BTreeSet<License> = crates
        .map(|Package { name, version, license, .. }| License { name, version, license: license.unwrap_or_default() })
        .collect();
    let lock = place::root().join(UI_LOCK);
    let text = fs::read_to_string(&lock).map_err(XtaskError::file(&lock))?;
    all.extend(ui_packages(&text).map_err(answer)?);
    let list = place::root().join(LIST);
    let lines: Vec<String> = all.iter().filter_map(|one| serde_json::to_string(one).ok()).collect();
    fs::write(&list, format!("[\n{}\n]\n", lines.join(",\n"))).map_err(XtaskError::file(&list))
}

/// What the window is made of, without what only builds it.
pub(crate) fn ui_packages(lock: &str) -> Result<Vec<License>, serde_json::Error> {
    let lock: PackageLock = serde_json::from_str(lock)?;
    let shipped = lock.packages.into_iter().filter(|(path, one)| !path.is_empty() && !one.dev && !one.optional);
    Ok(shipped
        .map(|(path, one)| License {
            name: path.rsplit_once("node_modules/").map_or(path.as_str(), |(_, name)| name).to_owned(),
            version: one.version.unwrap_or_default(),
            license: one.license.unwrap_or_default(),
        })
        .collect())
}
