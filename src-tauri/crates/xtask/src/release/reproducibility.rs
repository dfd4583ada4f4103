//! Checks that a release is reproducible: builds the programs twice from the same commit, in two folders, and compares
//! them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{files, version};
use crate::{
    console::{print, timed},
    error::XtaskError,
    package, paths,
    process::{capture_output, cargo},
};

const COPIES: [&str; 2] = ["one", "another"];
const PROGRAMS: [&str; 2] = ["takt", "takt-desktop"];

pub(super) fn compare_builds() -> Result<(), XtaskError> {
    let mut built: Vec<Vec<PathBuf>> = Vec::new();
    for copy in COPIES {
        built.push(timed(&format!("building in the folder `{copy}`"), || build(copy))?);
    }
    let [first, second] = built.as_slice() else { return Ok(()) };
    let mut different = 0;
    for (one, other) in first.iter().zip(second) {
        let name = files::file_name(one);
        if files::checksum(one)? == files::checksum(other)? {
            print(&format!("✓ {name} is the same, byte by byte"));
        } else {
            different += 1;
            print(&format!("✕ {name} differs: {}", describe_difference(one, other)?));
        }
    }
    if different == 0 { Ok(()) } else { Err(XtaskError::Checks(different)) }
}

/// Builds in a separate checkout, so that differences by source path are detected, too.
fn build(copy: &str) -> Result<Vec<PathBuf>, XtaskError> {
    let folder = paths::target().join("release-compare").join(copy);
    let source = folder.join("source");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    let mut clone = version::git(&["clone", "--quiet", "--shared"]);
    clone.arg(paths::root()).arg(&source);
    capture_output(clone)?;
    // The web UI is embedded in the window's program, so its build is copied instead of repeated.
    copy_folder(&paths::root().join("ui/dist"), &source.join("ui/dist"))?;
    let mut build = cargo(["build", "--quiet", "--release", "--locked", "-p", "takt-cli", "-p", "takt-desktop"]);
    for name in PROGRAMS {
        build.args(["--bin", name]);
    }
    build.current_dir(&source).env("CARGO_TARGET_DIR", folder.join("target"));
    package::make_repeatable(&mut build, &source);
    capture_output(build)?;
    Ok(PROGRAMS
        .iter()
        .map(|name| folder.join("target/release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
        .collect())
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), XtaskError> {
    fs::create_dir_all(to).map_err(XtaskError::file(to))?;
    for entry in fs::read_dir(from).map_err(XtaskError::file(from))? {
        let entry = entry.map_err(XtaskError::file(from))?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).map_err(XtaskError::file(&target))?;
        }
    }
    Ok(())
}

/// Returns the sizes, the number of different bytes, and the position of the first difference.
fn describe_difference(one: &Path, other: &Path) -> Result<String, XtaskError> {
    let one = fs::read(one).map_err(XtaskError::file(one))?;
    let other = fs::read(other).map_err(XtaskError::file(other))?;
    let bytes = one.iter().zip(&other).filter(|(one, other)| one != other).count();
    let first = one.iter().zip(&other).position(|(one, other)| one != other).unwrap_or(one.len().min(other.len()));
    Ok(format!("{} and {} bytes, {bytes} of them different, the first at {first}", one.len(), other.len()))
}
