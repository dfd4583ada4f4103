//! The copy of the RustSec database in cargo's folder, which cargo-deny manages.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::deny;
use crate::{
    console::print,
    error::XtaskError,
    process::{capture_output, program, show_output},
};

const FETCH_COMMAND: &str = "cargo xtask check-dependencies --refresh";
/// The prefix of a copy's folder name in cargo-deny.
const COPY_PREFIX: &str = "advisory-db-";
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// The age in days from which a warning is printed.
const MAX_FRESH_DAYS: u64 = 30;

/// Checks the crates. Fails without a copy of the database.
pub(super) fn check() -> Result<(), XtaskError> {
    let copy = find_copy(&copies_folder()?).ok_or_else(|| XtaskError::Missing(missing_text()))?;
    check_with_copy(&copy)
}

/// Checks the crates if there is a copy of the database. Otherwise prints that nothing was checked.
pub(super) fn check_where_at_hand() -> Result<(), XtaskError> {
    match find_copy(&copies_folder()?) {
        Some(copy) => check_with_copy(&copy),
        None => {
            print(&format!("    ! not checked: {}", missing_text()));
            Ok(())
        }
    }
}

pub(super) fn refresh() -> Result<(), XtaskError> {
    show_output(deny::command(&["fetch", "db"]))
}

fn missing_text() -> String {
    format!("no advisory data is at hand; `{FETCH_COMMAND}` fetches it from github.com/RustSec/advisory-db")
}

fn check_with_copy(copy: &Path) -> Result<(), XtaskError> {
    let days = age(copy)?.as_secs() / SECONDS_PER_DAY;
    let mark = if days > MAX_FRESH_DAYS { format!("! old: `{FETCH_COMMAND}` renews it; ") } else { String::new() };
    print(&format!("    {mark}the advisories are {days} days old"));
    capture_output(deny::command(&["--offline", "check", "advisories"])).map(drop)
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

/// Returns the time since the newest entry, since an old copy can have been fetched today.
fn age(copy: &Path) -> Result<Duration, XtaskError> {
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
