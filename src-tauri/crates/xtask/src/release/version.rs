//! Sets the version in all files that contain it, and checks whether a release can be built.

use std::{fs, path::Path};

use serde::Deserialize;

use super::changelog;
use crate::{
    error::XtaskError,
    paths,
    process::{capture_output, cargo, npm, program},
};

const WINDOW_CONFIG: &str = "src-tauri/tauri.conf.json";
const UI_PACKAGE: &str = "ui/package.json";
const CARGO_MANIFEST: &str = "Cargo.toml";

#[derive(Deserialize)]
struct VersionedFile {
    version: String,
}

#[derive(Deserialize)]
struct Metadata {
    metadata: Pins,
}

#[derive(Deserialize)]
struct Pins {
    release: ReleasePins,
}

/// The section `[workspace.metadata.release]` of Cargo.toml.
#[derive(Deserialize)]
struct ReleasePins {
    toolchain: String,
}

/// Fails if there are uncommitted changes, files with different versions, or a compiler other than the pinned one. The
/// changelog must have a section for the version.
pub(super) fn check() -> Result<(), XtaskError> {
    let version = env!("CARGO_PKG_VERSION");
    for file in [WINDOW_CONFIG, UI_PACKAGE] {
        let found = read_version(&paths::root().join(file))?;
        if found != version {
            return Err(XtaskError::Missing(format!(
                "{file} says {found}, Cargo.toml {version}: `cargo xtask release version`"
            )));
        }
    }
    check_toolchain()?;
    changelog::read()?;
    let changed = capture_output(git(&["status", "--porcelain"]))?;
    if !changed.trim().is_empty() {
        return Err(XtaskError::Failed {
            line: "git status".to_owned(),
            status: "changes that aren't committed".to_owned(),
            output: changed,
        });
    }
    Ok(())
}

fn check_toolchain() -> Result<(), XtaskError> {
    let answer = |error: serde_json::Error| XtaskError::Answer {
        program: "cargo metadata".to_owned(),
        reason: error.to_string(),
    };
    let printed = capture_output(cargo(["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: Metadata = serde_json::from_str(&printed).map_err(answer)?;
    let wanted = metadata.metadata.release.toolchain;
    let compiler = compiler()?;
    if compiler.split_whitespace().nth(1) == Some(wanted.as_str()) {
        return Ok(());
    }
    Err(XtaskError::Missing(format!("a release is built with Rust {wanted}; here is {compiler}")))
}

/// Returns the compiler's version, such as `rustc 1.95.0 (… 2026-04-14)`.
pub(super) fn compiler() -> Result<String, XtaskError> {
    let mut rustc = program(&std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
    rustc.arg("--version");
    Ok(capture_output(rustc)?.trim().to_owned())
}

pub(super) fn git(words: &[&str]) -> std::process::Command {
    let mut git = program("git");
    git.args(words);
    git
}

/// Sets the version in all files. Moves the changelog's unreleased changes into a section with the last commit's date.
pub(super) fn set_version(version: &str) -> Result<(), XtaskError> {
    let is_version = version.split('.').filter(|part| part.parse::<u16>().is_ok()).count() == 3;
    if !is_version || version.split('.').count() != 3 {
        return Err(XtaskError::Part { part: version.to_owned(), known: "X.Y.Z".to_owned() });
    }
    let root = paths::root();
    let before = env!("CARGO_PKG_VERSION");
    replace(&root.join(CARGO_MANIFEST), &format!("version = \"{before}\""), &format!("version = \"{version}\""))?;
    replace(&root.join(WINDOW_CONFIG), &format!("\"version\": \"{before}\""), &format!("\"version\": \"{version}\""))?;
    capture_output(npm(["version", version, "--no-git-tag-version", "--allow-same-version"]))?;
    let day = capture_output(git(&["log", "-1", "--format=%cs"]))?;
    let heading = format!("{}\n\n## {version}, {}", changelog::NOT_RELEASED, day.trim());
    replace(&root.join(changelog::FILE_NAME), changelog::NOT_RELEASED, &heading)?;
    capture_output(cargo(["update", "--quiet", "--workspace", "--offline"])).map(drop)
}

fn read_version(path: &Path) -> Result<String, XtaskError> {
    let text = fs::read_to_string(path).map_err(XtaskError::file(path))?;
    let answer = |error: serde_json::Error| XtaskError::Answer {
        program: path.display().to_string(),
        reason: error.to_string(),
    };
    serde_json::from_str::<VersionedFile>(&text).map(|file| file.version).map_err(answer)
}

/// Replaces the first occurrence. Fails if there is none.
fn replace(path: &Path, from: &str, to: &str) -> Result<(), XtaskError> {
    let text = fs::read_to_string(path).map_err(XtaskError::file(path))?;
    if !text.contains(from) {
        return Err(XtaskError::Missing(format!("{} has no `{from}`", path.display())));
    }
    fs::write(path, text.replacen(from, to, 1)).map_err(XtaskError::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_names_one_version() {
        for file in [WINDOW_CONFIG, UI_PACKAGE] {
            assert_eq!(read_version(&paths::root().join(file)).unwrap(), env!("CARGO_PKG_VERSION"), "{file}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "version = \"1\" and version = \"1\"").unwrap();
        replace(&file, "\"1\"", "\"2\"").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "version = \"2\" and version = \"1\"");
        assert!(replace(&file, "\"3\"", "\"4\"").is_err());
    }
}
