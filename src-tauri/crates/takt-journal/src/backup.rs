//! Backups of a file: one before each update of its schema, and one a day.
//!
//! Only the newest [`MAX_DAILY_BACKUPS`] and [`MAX_BACKUPS_BEFORE_UPDATES`] backups are stored. A copy becomes a backup
//! only after an integrity check.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{Timestamp, tz::TimeZone};
use rusqlite::Connection;
use rusqlite::backup::Backup;

use crate::connection::Reader;
use crate::private_file::{create_private_folder, open_private_file};
use crate::{JournalError, file_lock};

/// The folder of backups next to the file.
const BACKUP_FOLDER: &str = "backups";
/// The number of stored daily backups.
pub const MAX_DAILY_BACKUPS: u32 = 3;
/// The number of stored backups from before schema updates.
pub const MAX_BACKUPS_BEFORE_UPDATES: u32 = 2;
const ALL_PAGES: i32 = i32::MAX;

/// A backup in the folder next to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBackup {
    pub path: PathBuf,
    pub bytes: u64,
    /// The time at which the backup was written.
    pub at: Timestamp,
    /// True if it was made before the schema was updated.
    pub before_update: bool,
}

/// Makes the backup before an update of the schema. If it fails, the schema must not be updated.
pub(crate) fn make_before_update(file: &Path, schema: u32) -> Result<(), JournalError> {
    make_backup(file, &format!("schema-{schema}"))?;
    remove_old_backups(file, "schema-", MAX_BACKUPS_BEFORE_UPDATES);
    Ok(())
}

/// Makes the day's backup if the file changed since the last one. Returns none if no backup is due.
pub(crate) fn make_daily(file: &Path, at: Timestamp) -> Result<Option<PathBuf>, JournalError> {
    let day = at.to_zoned_datetime(TimeZone::UTC).date().to_string();
    let newest = stored_backups(file).into_iter().filter(|backup| !backup.before_update).map(|backup| backup.at).max();
    let is_made_today = backup_path(file, &format!("day-{day}")).exists();
    if is_made_today || newest.is_some_and(|newest| last_change(file).is_some_and(|changed| changed <= newest)) {
        return Ok(None);
    }
    let path = make_backup(file, &format!("day-{day}"))?;
    remove_old_backups(file, "day-", MAX_DAILY_BACKUPS);
    Ok(Some(path))
}

/// Removes backups of the schema versions up to `until`, which may contain secrets. A newer backup must exist.
pub(crate) fn remove_backups_with_secrets(file: &Path, until: u32) {
    for schema in 1..=until {
        // A failure is retried after the next backup.
        drop(std::fs::remove_file(backup_path(file, &format!("schema-{schema}"))));
    }
}

/// Returns the backups of a file, newest first.
pub(crate) fn stored_backups(file: &Path) -> Vec<StoredBackup> {
    let prefix = format!("{}-", file_stem(file));
    let entries = std::fs::read_dir(backup_folder(file)).into_iter().flatten().flatten();
    let mut backups: Vec<StoredBackup> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let rest = name.strip_prefix(&prefix)?.strip_suffix(".sqlite")?;
            let metadata = entry.metadata().ok()?;
            let at = Timestamp::try_from(metadata.modified().ok()?).ok()?;
            Some(StoredBackup {
                path: entry.path(),
                bytes: metadata.len(),
                at,
                before_update: rest.starts_with("schema-"),
            })
        })
        .collect();
    backups.sort_by_key(|backup| std::cmp::Reverse(backup.at));
    backups
}

fn make_backup(file: &Path, name: &str) -> Result<PathBuf, JournalError> {
    let folder = backup_folder(file);
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| JournalError::Io { path, source }
    };
    create_private_folder(&folder).map_err(io(&folder))?;
    let path = backup_path(file, name);
    let unfinished = file_lock::with_suffix(&path, &std::process::id().to_string());
    if let Err(error) = copy_database(file, &unfinished) {
        drop(std::fs::remove_file(&unfinished));
        return Err(error);
    }
    std::fs::rename(&unfinished, &path).map_err(io(&path))?;
    Ok(path)
}

/// Makes a consistent copy without blocking writers.
fn copy_database(file: &Path, to: &Path) -> Result<(), JournalError> {
    drop(std::fs::remove_file(to));
    drop(open_private_file(to).map_err(|source| JournalError::Io { path: to.to_path_buf(), source })?);
    let mut from = Reader::open(file)?;
    let mut copy = Connection::open(to)?;
    Backup::new(from.current(), &mut copy)?.run_to_completion(ALL_PAGES, Duration::ZERO, None)?;
    // The copy of a damaged file would replace a good backup.
    let sound: String = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if sound == "ok" { Ok(()) } else { Err(JournalError::Unsound { path: file.to_path_buf(), finding: sound }) }
}

/// Removes all but the newest `limit` backups of a kind.
fn remove_old_backups(file: &Path, kind: &str, limit: u32) {
    let prefix = format!("{}-{kind}", file_stem(file));
    let is_kind =
        |backup: &StoredBackup| backup.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    for old in stored_backups(file).into_iter().filter(is_kind).skip(limit as usize) {
        // A failure is retried after the next backup.
        drop(std::fs::remove_file(old.path));
    }
}

/// Returns when the file or its WAL was last written to.
fn last_change(file: &Path) -> Option<Timestamp> {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let time = |path: &Path| Timestamp::try_from(path.metadata().ok()?.modified().ok()?).ok();
    time(file).max(time(Path::new(&log)))
}

fn backup_folder(file: &Path) -> PathBuf {
    file.parent().unwrap_or_else(|| Path::new(".")).join(BACKUP_FOLDER)
}

fn backup_path(file: &Path, name: &str) -> PathBuf {
    backup_folder(file).join(format!("{}-{name}.sqlite", file_stem(file)))
}

fn file_stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
