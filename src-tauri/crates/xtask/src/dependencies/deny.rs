//! cargo-deny and its copy of the RustSec database. `cargo xtask setup` installs a fixed version into the build folder,
//! and the copy is in cargo's folder.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    console::{print, timed},
    error::XtaskError,
    paths,
    process::{capture_output, cargo, program, show_output},
};

const VERSION: &str = "0.20.2";
const FETCH_COMMAND: &str = "cargo xtask check-dependencies --refresh";
/// The prefix of the folders in which cargo-deny stores copies of the database.
const COPY_PREFIX: &str = "advisory-db-";
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// The age in days from which a copy of the database causes a warning.
const MAX_ADVISORIES_AGE_DAYS: u64 = 30;

/// Returns the folder that cargo-deny is installed into, below the build folder.
fn install_root() -> PathBuf {
    paths::target().join("tools")
}

fn is_installed() -> bool {
    let mut command = program(&program_file().to_string_lossy());
    command.arg("--version");
    capture_output(command).is_ok_and(|printed| printed.trim() == format!("cargo-deny {VERSION}"))
}

/// Fetches the crates of all systems and installs cargo-deny, so that checks need no network. It is built without
/// optimization, since it runs only briefly.
pub(crate) fn prepare() -> Result<(), XtaskError> {
    capture_output(cargo(["fetch", "--quiet", "--locked"]))?;
    if is_installed() {
        return Ok(());
    }
    let mut install = cargo(["install", "--quiet", "--debug", "--locked", "cargo-deny", "--version"]);
    install.arg(VERSION).arg("--root").arg(install_root()).env("CARGO_PROFILE_DEV_DEBUG", "0");
    timed("toolchain: installing cargo-deny (about two minutes)", || show_output(install))
}

/// Returns a cargo-deny command for all crates of the workspace in their locked versions.
fn command(arguments: &[&str]) -> Command {
    let mut command = program(&program_file().to_string_lossy());
    command.args(["--color", "never", "--log-level", "error", "--workspace", "--locked"]).args(arguments);
    command
}

/// Checks licenses, duplicates and sources. Needs no network after the setup.
pub(super) fn check_rules() -> Result<(), XtaskError> {
    capture_output(command(&["--offline", "check", "--deny", "unmatched-skip", "licenses", "bans", "sources"]))
        .map(drop)
}

fn program_file() -> PathBuf {
    install_root().join("bin").join(format!("cargo-deny{}", env::consts::EXE_SUFFIX))
}

/// Checks the crates for known vulnerabilities. Fails without a copy of the database.
pub(super) fn check_advisories() -> Result<(), XtaskError> {
    let copy = find_copy(&copies_folder()?).ok_or_else(|| XtaskError::Missing(missing_copy_text()))?;
    check_with_copy(&copy)
}

/// Checks the crates for known vulnerabilities. Without a copy of the database, prints that nothing was checked.
pub(super) fn check_advisories_if_available() -> Result<(), XtaskError> {
    match find_copy(&copies_folder()?) {
        Some(copy) => check_with_copy(&copy),
        None => {
            print(&format!("    ! not checked: {}", missing_copy_text()));
            Ok(())
        }
    }
}

/// Fetches the current database, which needs the network.
pub(super) fn refresh_advisories() -> Result<(), XtaskError> {
    show_output(command(&["fetch", "db"]))
}

fn missing_copy_text() -> String {
    format!("no advisory data is at hand; `{FETCH_COMMAND}` fetches it from github.com/RustSec/advisory-db")
}

fn check_with_copy(copy: &Path) -> Result<(), XtaskError> {
    let days = advisories_age(copy)?.as_secs() / SECONDS_PER_DAY;
    let mark =
        if days > MAX_ADVISORIES_AGE_DAYS { format!("! old: `{FETCH_COMMAND}` renews it; ") } else { String::new() };
    print(&format!("    {mark}the advisories are {days} days old"));
    capture_output(command(&["--offline", "check", "advisories"])).map(drop)
}

/// Returns the folder in cargo's home in which cargo-deny stores copies.
fn copies_folder() -> Result<PathBuf, XtaskError> {
    let from_environment = env::var_os("CARGO_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let default = || env::home_dir().map(|home| home.join(".cargo"));
    let cargo =
        from_environment.or_else(default).ok_or_else(|| XtaskError::Missing("there is no cargo home".to_owned()))?;
    Ok(cargo.join("advisory-dbs"))
}

fn find_copy(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let is_copy = |path: &PathBuf| path.join("crates").is_dir();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(COPY_PREFIX))
        .map(|entry| entry.path())
        .find(is_copy)
}

/// Returns the time since the newest entry. The time of fetching could be newer than the data.
fn advisories_age(copy: &Path) -> Result<Duration, XtaskError> {
    let mut git = program("git");
    git.arg("-C").arg(copy).args(["log", "-1", "--format=%ct"]);
    let printed = capture_output(git)?;
    let seconds = printed
        .trim()
        .parse()
        .map_err(|_| XtaskError::Answer { program: "git log".to_owned(), reason: "no time".to_owned() })?;
    Ok(SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_found_and_what_is_none_is_not() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(find_copy(folder.path()), None);
        assert_eq!(find_copy(&folder.path().join("nowhere")), None);
        fs::create_dir_all(folder.path().join("advisory-db-empty")).unwrap();
        fs::create_dir_all(folder.path().join("other/crates")).unwrap();
        assert_eq!(find_copy(folder.path()), None);
        let copy = folder.path().join("advisory-db-1/crates");
        fs::create_dir_all(&copy).unwrap();
        assert_eq!(find_copy(folder.path()).as_deref(), copy.parent());
    }
}
