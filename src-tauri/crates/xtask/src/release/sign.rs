//! Signatures by the owner's key: minisign's, which people check with `minisign -V`, and the same for Tauri's updater.
//!
//! The key is a file that `TAKT_RELEASE_KEY` names, its password comes from `TAKT_RELEASE_KEY_PASSWORD`. Neither is kept.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Stdio,
};

use base64::{Engine, engine::general_purpose::STANDARD};

use super::checksums;
use crate::{
    console::print,
    error::XtaskError,
    process::{exists, program},
};

const KEY: &str = "TAKT_RELEASE_KEY";
const PASSWORD: &str = "TAKT_RELEASE_KEY_PASSWORD";

pub(super) fn run() -> Result<(), XtaskError> {
    let Some(key) = key() else {
        print(&format!("! nothing is signed: {KEY} names no key (`minisign -G` makes one)"));
        return Ok(());
    };
    for file in super::files()?.iter().filter(|file| is_signed(&super::file_name(file))) {
        sign(file, &key)?;
    }
    Ok(())
}

/// Everything but the signatures themselves.
fn is_signed(name: &str) -> bool {
    checksums::is_content(name) || name == checksums::FILE || name.ends_with(".intoto.json")
}

fn key() -> Option<PathBuf> {
    std::env::var_os(KEY).map(PathBuf::from)
}

fn sign(file: &Path, key: &Path) -> Result<(), XtaskError> {
    if !exists("minisign") {
        return Err(XtaskError::Missing("signing needs minisign".to_owned()));
    }
    let mut minisign = program("minisign");
    let comment = format!("file:{}\tversion:{}", super::file_name(file), env!("CARGO_PKG_VERSION"));
    minisign.arg("-S").arg("-s").arg(key).arg("-t").arg(comment).arg("-m").arg(file);
    let start = |source| XtaskError::Start { program: "minisign".to_owned(), source };
    let mut child = minisign.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map_err(start)?;
    let password = std::env::var(PASSWORD).unwrap_or_default();
    if let Some(mut input) = child.stdin.take() {
        // A key without a password closes its input early.
        let _unread = input.write_all(format!("{password}\n").as_bytes());
    }
    let status = child.wait().map_err(start)?;
    if !status.success() {
        let line = format!("minisign -S -m {}", file.display());
        return Err(XtaskError::Failed { line, status: status.to_string(), output: String::new() });
    }
    Ok(())
}

/// What Tauri's updater takes as a file's signature: minisign's file, as base64. None where there is no key.
pub(super) fn for_updater(file: &Path) -> Result<Option<String>, XtaskError> {
    let Some(key) = key() else { return Ok(None) };
    sign(file, &key)?;
    let signature = file.with_file_name(format!("{}.minisig", super::file_name(file)));
    let bytes = fs::read(&signature).map_err(XtaskError::file(&signature))?;
    Ok(Some(STANDARD.encode(bytes)))
}
