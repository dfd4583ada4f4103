//! Replaces a damaged file with a new one that has its readable content. The damaged file is moved to a folder next to
//! it.
//!
//! Unreadable rows are taken from the newest backup. If nothing is readable, the backup replaces the file. A file that
//! another process has open is never replaced, and the replacement is always complete.

mod repair;
mod rows;

pub use repair::RESTORED;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use crate::file_lock::{self, ExclusiveLock};
use crate::private_file::{create_private_folder, open_private_file};
use crate::schema::Schema;
use crate::{JournalError, SubmissionId, backup, connection};

/// The result of replacing a damaged file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Salvage {
    pub at: Timestamp,
    /// The path of the damaged file.
    #[serde(rename = "kept")]
    pub damaged_file: PathBuf,
    /// The backup that replaced the file, if the file was completely unreadable.
    pub backup: Option<PathBuf>,
    /// The time of that backup.
    pub backup_at: Option<Timestamp>,
    /// The number of rows that were read, in all tables.
    pub read: u64,
    /// Tables that couldn't be read, or only partially.
    pub damaged_tables: Vec<String>,
    /// Submissions with missing rows, and the numbers of these rows.
    pub missing_rows: Vec<(SubmissionId, u32)>,
    pub counts: SalvagedCounts,
}

/// The counts of recovered and lost content of a damaged file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SalvagedCounts {
    /// Submissions or events that were recovered, at least in part.
    pub recovered: u32,
    /// The maximum number of lost submissions or events. Absent if unknown.
    pub lost: Option<u32>,
    /// The rows of the recovered submissions. 0 for events.
    pub rows: u32,
    /// The rows that are missing in the recovered submissions.
    pub lost_rows: u32,
}

/// The folder of damaged files, next to the file.
const DAMAGED_FOLDER: &str = "damaged";

/// Replaces the file. Returns none if another process has it open.
pub(crate) fn salvage(file: &Path, schema: &Schema, at: Timestamp) -> Result<Option<Salvage>, JournalError> {
    let Some(_lock) = ExclusiveLock::try_lock(file)? else { return Ok(None) };
    let unfinished = file_lock::with_suffix(file, "salvaging");
    remove_if_exists(&unfinished)?;
    drop(open_private_file(&unfinished).map_err(|source| JournalError::Io { path: unfinished.clone(), source })?);
    let mut replacement = connection::open_writer(&unfinished)?;
    replacement.pragma_update(None, "page_size", schema.page_size)?;
    schema.migrate(&mut replacement, &unfinished)?;
    let mut salvage = fill_replacement(file, schema, &mut replacement, at)?;
    connection::use_wal(&replacement)?;
    drop(replacement);
    let salvaged = salvaged_path(file);
    rename(&unfinished, &salvaged)?;
    salvage.damaged_file = move_to_damaged_folder(file, at)?;
    rename(&salvaged, file)?;
    file_lock::clear_damaged_mark(file);
    Ok(Some(salvage))
}

/// Completes a replacement that was interrupted after the damaged file was moved.
pub(crate) fn complete_interrupted(file: &Path) -> Result<(), JournalError> {
    let salvaged = salvaged_path(file);
    if !file.exists() && salvaged.exists() { rename(&salvaged, file) } else { Ok(()) }
}

fn fill_replacement(
    file: &Path,
    schema: &Schema,
    replacement: &mut Connection,
    at: Timestamp,
) -> Result<Salvage, JournalError> {
    replacement.pragma_update(None, "foreign_keys", false)?;
    let damaged = open_read_only(file).ok();
    let copied = match &damaged {
        Some(damaged) => rows::copy_tables(damaged, replacement, schema)?,
        None => rows::SalvagedRows::default(),
    };
    let mut salvage = Salvage {
        at,
        damaged_file: PathBuf::new(),
        backup: None,
        backup_at: None,
        read: copied.read,
        damaged_tables: copied.damaged,
        missing_rows: Vec::new(),
        counts: SalvagedCounts::default(),
    };
    let newest =
        backup::stored_backups(file).into_iter().find_map(|stored| Some((open_read_only(&stored.path).ok()?, stored)));
    match newest {
        Some((backup, stored)) if copied.read == 0 => {
            salvage.read = rows::copy_tables(&backup, replacement, schema)?.read;
            (salvage.backup, salvage.backup_at) = (Some(stored.path), Some(stored.at));
        }
        Some((backup, _)) if !salvage.damaged_tables.is_empty() => {
            rows::fill_missing(&backup, replacement, schema, &salvage.damaged_tables)?;
        }
        _ => {}
    }
    let transaction = replacement.transaction()?;
    if schema.counts_rows {
        repair::remove_items_without_body(&transaction)?;
        repair::insert_missing_submissions(&transaction, at)?;
    }
    repair::remove_orphans(&transaction)?;
    if schema.counts_rows {
        salvage.missing_rows = repair::recount_submissions(&transaction, salvage.backup.is_some())?;
    }
    salvage.counts = count_salvaged(&transaction, damaged.as_ref(), schema, &salvage)?;
    transaction.commit()?;
    replacement.pragma_update(None, "foreign_keys", true)?;
    Ok(salvage)
}

fn count_salvaged(
    replacement: &Connection,
    damaged: Option<&Connection>,
    schema: &Schema,
    salvage: &Salvage,
) -> Result<SalvagedCounts, JournalError> {
    let table = if schema.counts_rows { "submission" } else { "event" };
    let recovered: u32 = replacement.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0))?;
    let is_intact = damaged.is_some() && !salvage.damaged_tables.iter().any(|damaged| damaged == table);
    // Numbers are never reused, so submissions or events that were removed earlier are included.
    let last_number = damaged.and_then(|damaged| {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
        damaged.query_row(sql, [table], |row| row.get::<_, u32>(0)).ok()
    });
    let lost = if is_intact { Some(0) } else { last_number.map(|last| last.saturating_sub(recovered)) };
    let rows = "SELECT COALESCE(SUM(total), 0) FROM submission WHERE purged IS NULL";
    let rows = if schema.counts_rows { replacement.query_row(rows, [], |row| row.get(0))? } else { 0 };
    let lost_rows = salvage.missing_rows.iter().map(|(_, missing)| *missing).sum();
    Ok(SalvagedCounts { recovered, lost, rows, lost_rows })
}

/// Opens a file to read it with its WAL.
fn open_read_only(file: &Path) -> Result<Connection, JournalError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// Moves the file with its WAL to the folder of damaged files.
fn move_to_damaged_folder(file: &Path, at: Timestamp) -> Result<PathBuf, JournalError> {
    let folder = file.parent().unwrap_or_else(|| Path::new(".")).join(DAMAGED_FOLDER);
    create_private_folder(&folder).map_err(|source| JournalError::Io { path: folder.clone(), source })?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let target = folder.join(format!("{stem}-{}.sqlite", at.strftime("%Y%m%dT%H%M%SZ")));
    for ending in ["-wal", "-shm", ""] {
        let with_ending = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let from = with_ending(file);
        if from.exists() {
            rename(&from, &with_ending(&target))?;
        }
    }
    Ok(target)
}

fn salvaged_path(file: &Path) -> PathBuf {
    file_lock::with_suffix(file, "salvaged")
}

fn rename(from: &Path, to: &Path) -> Result<(), JournalError> {
    std::fs::rename(from, to).map_err(|source| JournalError::Io { path: to.to_path_buf(), source })
}

fn remove_if_exists(file: &Path) -> Result<(), JournalError> {
    match std::fs::remove_file(file) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(JournalError::Io { path: file.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}
