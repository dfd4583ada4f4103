//! Backups of a file: one before each change of its schema, and one a day of what is whole.
//!
//! The rule: of the daily ones the newest [`DAILY_KEPT`] stay, of those before a change of the schema the newest
//! [`BEFORE_UPDATES_KEPT`]. One is only kept once it was read and found whole.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{Timestamp, tz::TimeZone};
use rusqlite::Connection;
use rusqlite::backup::Backup;

use crate::connection::Reader;
use crate::private::{create_private_folder, open_private_file};
use crate::{JournalError, presence};

/// Beside the file.
pub(crate) const FOLDER: &str = "backups";
pub const DAILY_KEPT: u32 = 3;
pub const BEFORE_UPDATES_KEPT: u32 = 2;
const ALL_PAGES: i32 = i32::MAX;

/// A backup that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBackup {
    pub path: PathBuf,
    pub bytes: u64,
    /// When it was made.
    pub at: Timestamp,
    /// It was made before the schema was changed.
    pub before_update: bool,
}

/// Before the schema is changed. Without it nothing is changed.
pub(crate) fn before_update(file: &Path, schema: u32) -> Result<(), JournalError> {
    make(file, &format!("schema-{schema}"))?;
    prune(file, "schema-", BEFORE_UPDATES_KEPT);
    Ok(())
}

/// One a day, where the file was changed since the last one. Nothing where none is due.
pub(crate) fn daily(file: &Path, at: Timestamp) -> Result<Option<PathBuf>, JournalError> {
    let day = at.to_zoned_datetime(TimeZone::UTC).date().to_string();
    let newest = stored_backups(file).into_iter().filter(|kept| !kept.before_update).map(|kept| kept.at).max();
    let is_of_today = place(file, &format!("day-{day}")).exists();
    if is_of_today || newest.is_some_and(|newest| changed(file).is_some_and(|changed| changed <= newest)) {
        return Ok(None);
    }
    let made = make(file, &format!("day-{day}"))?;
    prune(file, "day-", DAILY_KEPT);
    Ok(Some(made))
}

/// Removes backups of versions that may hold secrets, once there is a newer one that is whole.
pub(crate) fn forget_secrets(file: &Path, until: u32) {
    for schema in 1..=until {
        // It is tried again with the next backup.
        drop(std::fs::remove_file(place(file, &format!("schema-{schema}"))));
    }
}

/// Newest first.
pub(crate) fn stored_backups(file: &Path) -> Vec<StoredBackup> {
    let prefix = format!("{}-", stem(file));
    let entries = std::fs::read_dir(folder(file)).into_iter().flatten().flatten();
    let mut backups: Vec<StoredBackup> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let rest = name.strip_prefix(&prefix)?.strip_suffix(".sqlite")?;
            let about = entry.metadata().ok()?;
            let at = Timestamp::try_from(about.modified().ok()?).ok()?;
            Some(StoredBackup {
                path: entry.path(),
                bytes: about.len(),
                at,
                before_update: rest.starts_with("schema-"),
            })
        })
        .collect();
    backups.sort_by_key(|kept| std::cmp::Reverse(kept.at));
    backups
}

fn make(file: &Path, name: &str) -> Result<PathBuf, JournalError> {
    let folder = folder(file);
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| JournalError::Io { path, source }
    };
    create_private_folder(&folder).map_err(io(&folder))?;
    let place = place(file, name);
    let unfinished = presence::beside(&place, &std::process::id().to_string());
    let made = copy(file, &unfinished);
    if let Err(error) = made {
        drop(std::fs::remove_file(&unfinished));
        return Err(error);
    }
    std::fs::rename(&unfinished, &place).map_err(io(&place))?;
    Ok(place)
}

/// A consistent copy of all of it. Writers don't wait for it.
fn copy(file: &Path, to: &Path) -> Result<(), JournalError> {
    drop(std::fs::remove_file(to));
    drop(open_private_file(to).map_err(|source| JournalError::Io { path: to.to_path_buf(), source })?);
    let mut from = Reader::open(file)?;
    let mut made = Connection::open(to)?;
    Backup::new(from.current(), &mut made)?.run_to_completion(ALL_PAGES, Duration::ZERO, None)?;
    // A copy of a damaged file would push out a good one.
    let sound: String = made.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if sound == "ok" { Ok(()) } else { Err(JournalError::Unsound { path: file.to_path_buf(), finding: sound }) }
}

fn prune(file: &Path, kind: &str, most: u32) {
    let prefix = format!("{}-{kind}", stem(file));
    let is_kind =
        |kept: &StoredBackup| kept.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    for old in stored_backups(file).into_iter().filter(is_kind).skip(most as usize) {
        // It is tried again with the next one.
        drop(std::fs::remove_file(old.path));
    }
}

/// When the file or its log was last written to.
fn changed(file: &Path) -> Option<Timestamp> {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let time = |path: &Path| Timestamp::try_from(path.metadata().ok()?.modified().ok()?).ok();
    time(file).max(time(Path::new(&log)))
}

fn folder(file: &Path) -> PathBuf {
    file.parent().unwrap_or_else(|| Path::new(".")).join(FOLDER)
}

fn place(file: &Path, name: &str) -> PathBuf {
    folder(file).join(format!("{}-{name}.sqlite", stem(file)))
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
