//! Signatures with the owner's key, for `minisign -V` and for Tauri's updater.
//!
//! `TAKT_RELEASE_KEY` is the path of the key file, `TAKT_RELEASE_KEY_PASSWORD` its password. Neither is ever stored.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Stdio,
};

use base64::{Engine, engine::general_purpose::STANDARD};

use super::files;
use crate::{
    console::print,
    error::XtaskError,
    process::{exists, program},
};

const KEY_VARIABLE: &str = "TAKT_RELEASE_KEY";
const PASSWORD_VARIABLE: &str = "TAKT_RELEASE_KEY_PASSWORD";

pub(super) fn sign_all() -> Result<(), XtaskError> {
    let Some(key) = key_path() else {
        print(&format!("! nothing is signed: {KEY_VARIABLE} names no key (`minisign -G` makes one)"));
        return Ok(());
    };
    for file in files::files()?.iter().filter(|file| is_signed(&files::file_name(file))) {
        sign(file, &key)?;
    }
    Ok(())
}

/// Returns whether the file gets a signature. All files except signatures do.
fn is_signed(name: &str) -> bool {
    files::is_content(name) || name == files::CHECKSUMS_FILE || name.ends_with(".intoto.json")
}

fn key_path() -> Option<PathBuf> {
    std::env::var_os(KEY_VARIABLE).map(PathBuf::from)
}

fn sign(file: &Path, key: &Path) -> Result<(), XtaskError> {
    if !exists("minisign") {
        return Err(XtaskError::Missing("signing needs minisign".to_owned()));
    }
    let mut minisign = program("minisign");
    let comment = format!("file:{}\tversion:{}", files::file_name(file), env!("CARGO_PKG_VERSION"));
    minisign.arg("-S").arg("-s").arg(key).arg("-t").arg(comment).arg("-m").arg(file);
    let start = |source| XtaskError::Start { program: "minisign".to_owned(), source };
    let mut child = minisign.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map_err(start)?;
    let password = std::env::var(PASSWORD_VARIABLE).unwrap_or_default();
    if let Some(mut input) = child.stdin.take() {
        // If the key has no password, minisign may close its input before it is written.
        let _unread = input.write_all(format!("{password}\n").as_bytes());
    }
    let status = child.wait().map_err(start)?;
    if !status.success() {
        let line = format!("minisign -S -m {}", file.display());
        return Err(XtaskError::Failed { line, status: status.to_string(), output: String::new() });
    }
    Ok(())
}

/// Returns a file's signature in the updater's format: the minisign file in base64. Returns `None` without a key.
pub(super) fn updater_signature(file: &Path) -> Result<Option<String>, XtaskError> {
    let Some(key) = key_path() else { return Ok(None) };
    sign(file, &key)?;
    let signature = file.with_file_name(format!("{}.minisig", files::file_name(file)));
    let bytes = fs::read(&signature).map_err(XtaskError::file(&signature))?;
    Ok(Some(STANDARD.encode(bytes)))
}
