//! The RustSec database, of which cargo-deny keeps a copy in cargo's folder: whether there is one, how old it is, and what it knows.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::deny;
use crate::{
    console::print,
    error::XtaskError,
    process::{catch, program, show},
};

const FETCH: &str = "cargo xtask check-dependencies --refresh";
/// As cargo-deny names a copy, before what it makes of the address.
const PREFIX: &str = "advisory-db-";
const DAY: u64 = 24 * 60 * 60;
/// From then on the age is a warning.
const OLD_DAYS: u64 = 30;

/// Fails where there is no copy.
pub(super) fn check() -> Result<(), XtaskError> {
    let copy = copy_in(&folder()?).ok_or_else(|| XtaskError::Missing(missing()))?;
    check_by(&copy)
}

/// Where there is no copy, it says so, and that nothing was checked.
pub(super) fn check_where_at_hand() -> Result<(), XtaskError> {
    match copy_in(&folder()?) {
        Some(copy) => check_by(&copy),
        None => {
            print(&format!("    ! not checked: {}", missing()));
            Ok(())
        }
    }
}

pub(super) fn refresh() -> Result<(), XtaskError> {
    show(deny::command(&["fetch", "db"]))
}

fn missing() -> String {
    format!("no advisory data is at hand; `{FETCH}` fetches it from github.com/RustSec/advisory-db")
}

fn check_by(copy: &Path) -> Result<(), XtaskError> {
    let days = age(copy)?.as_secs() / DAY;
    let mark = if days > OLD_DAYS { format!("! old: `{FETCH}` renews it; ") } else { String::new() };
    print(&format!("    {mark}the advisories are {days} days old"));
    catch(deny::command(&["--offline", "check", "advisories"])).map(drop)
}

/// Cargo's own folder, in which cargo-deny keeps copies.
fn folder() -> Result<PathBuf, XtaskError> {
    let named = env::var_os("CARGO_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let usual = || env::home_dir().map(|home| home.join(".cargo"));
    let cargo = named.or_else(usual).ok_or_else(|| XtaskError::Missing("there is no cargo home".to_owned()))?;
    Ok(cargo.join("advisory-dbs"))
}

fn copy_in(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let is_copy = |path: &PathBuf| path.join("crates").is_dir();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        .map(|entry| entry.path())
        .find(is_copy)
}

/// Since its newest entry: a copy may have been fetched today from one that is old itself.
fn age(copy: &Path) -> Result<Duration, XtaskError> {
    let mut git = program("git");
    git.arg("-C").arg(copy).args(["log", "-1", "--format=%ct"]);
    let printed = catch(git)?;
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
        assert_eq!(copy_in(folder.path()), None);
        assert_eq!(copy_in(&folder.path().join("nowhere")), None);
        fs::create_dir_all(folder.path().join("advisory-db-empty")).unwrap();
        fs::create_dir_all(folder.path().join("other/crates")).unwrap();
        assert_eq!(copy_in(folder.path()), None);
        let copy = folder.path().join("advisory-db-1/crates");
        fs::create_dir_all(&copy).unwrap();
        assert_eq!(copy_in(folder.path()).as_deref(), copy.parent());
    }
}
