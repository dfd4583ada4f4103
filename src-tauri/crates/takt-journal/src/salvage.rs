//! A damaged file is replaced: what can be read of it goes into a new one, and it is kept beside.
//!
//! Holes are filled from the newest backup; where nothing at all can be read, it takes the file's place. Nothing of that is done while another process has the
//! file open, and a file that takes the place is complete before it does.

mod rows;
mod settle;

pub use settle::RESTORED;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use crate::presence::{self, ExclusiveLock};
use crate::private::{create_private_folder, open_private_file};
use crate::schema::Schema;
use crate::{JournalError, SubmissionId, backup, connection};

/// What became of a damaged file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Salvage {
    pub at: Timestamp,
    /// The damaged file as it was.
    #[serde(rename = "kept")]
    pub damaged_file: PathBuf,
    /// The backup that took its place, where nothing of it could be read.
    pub backup: Option<PathBuf>,
    /// When that backup was made.
    pub backup_at: Option<Timestamp>,
    /// Rows that were read, of all tables.
    pub read: u64,
    /// Tables of which a part, or everything, couldn't be read.
    pub damaged_tables: Vec<String>,
    /// Submissions of which rows are missing, and how many.
    pub missing_rows: Vec<(SubmissionId, u32)>,
    pub counts: SalvagedCounts,
}

/// How much of a damaged file is there again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SalvagedCounts {
    /// Submissions, or events, of which something is there again.
    pub recovered: u32,
    /// At most so many are missing; absent where that isn't known.
    pub lost: Option<u32>,
    /// Rows of these submissions; none of events.
    pub rows: u32,
    /// Rows that these submissions had beside.
    pub lost_rows: u32,
}

/// Where damaged files are kept, beside the file.
const FOLDER: &str = "damaged";

/// Replaces the file. Nothing where another process has it open.
pub(crate) fn salvage(file: &Path, schema: &Schema, at: Timestamp) -> Result<Option<Salvage>, JournalError> {
    let Some(_alone) = ExclusiveLock::with(file)? else { return Ok(None) };
    let unfinished = presence::beside(file, "salvaging");
    remove(&unfinished)?;
    drop(open_private_file(&unfinished).map_err(|source| JournalError::Io { path: unfinished.clone(), source })?);
    let mut made = connection::to_write(&unfinished)?;
    made.pragma_update(None, "page_size", schema.page)?;
    schema.migrate(&mut made, &unfinished)?;
    let mut salvage = fill(file, schema, &mut made, at)?;
    connection::use_wal(&made)?;
    drop(made);
    let finished = finished(file);
    rename(&unfinished, &finished)?;
    salvage.damaged_file = put_aside(file, at)?;
    rename(&finished, file)?;
    presence::unmark(file);
    Ok(Some(salvage))
}

/// Ends what was ended between the damaged file and the new one.
pub(crate) fn complete(file: &Path) -> Result<(), JournalError> {
    let finished = finished(file);
    if !file.exists() && finished.exists() { rename(&finished, file) } else { Ok(()) }
}

fn fill(file: &Path, schema: &Schema, made: &mut Connection, at: Timestamp) -> Result<Salvage, JournalError> {
    made.pragma_update(None, "foreign_keys", false)?;
    let damaged = open(file).ok();
    let taken = match &damaged {
        Some(damaged) => rows::take_over(damaged, made, schema)?,
        None => rows::SalvagedRows::default(),
    };
    let mut salvage = Salvage {
        at,
        damaged_file: PathBuf::new(),
        backup: None,
        backup_at: None,
        read: taken.read,
        damaged_tables: taken.damaged,
        missing_rows: Vec::new(),
        counts: SalvagedCounts::default(),
    };
    let newest = backup::stored_backups(file).into_iter().find_map(|kept| Some((open(&kept.path).ok()?, kept)));
    match newest {
        Some((backup, kept)) if taken.read == 0 => {
            salvage.read = rows::take_over(&backup, made, schema)?.read;
            (salvage.backup, salvage.backup_at) = (Some(kept.path), Some(kept.at));
        }
        Some((backup, _)) if !salvage.damaged_tables.is_empty() => {
            rows::fill_up(&backup, made, schema, &salvage.damaged_tables)?;
        }
        _ => {}
    }
    let settling = made.transaction()?;
    if schema.counts_rows {
        settle::bodies(&settling)?;
        settle::nameless(&settling, at)?;
    }
    settle::orphans(&settling)?;
    if schema.counts_rows {
        salvage.missing_rows = settle::counters(&settling, salvage.backup.is_some())?;
    }
    salvage.counts = counts(&settling, damaged.as_ref(), (schema, &salvage))?;
    settling.commit()?;
    made.pragma_update(None, "foreign_keys", true)?;
    Ok(salvage)
}

fn counts(
    made: &Connection,
    damaged: Option<&Connection>,
    (schema, salvage): (&Schema, &Salvage),
) -> Result<SalvagedCounts, JournalError> {
    let table = if schema.counts_rows { "submission" } else { "event" };
    let recovered: u32 = made.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0))?;
    let is_whole = damaged.is_some() && !salvage.damaged_tables.iter().any(|damaged| damaged == table);
    // Numbers are given one after the other; those of what was removed since count, too.
    let given = damaged.and_then(|damaged| {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
        damaged.query_row(sql, [table], |row| row.get::<_, u32>(0)).ok()
    });
    let lost = if is_whole { Some(0) } else { given.map(|given| given.saturating_sub(recovered)) };
    let rows = "SELECT COALESCE(SUM(total), 0) FROM submission WHERE purged IS NULL";
    let rows = if schema.counts_rows { made.query_row(rows, [], |row| row.get(0))? } else { 0 };
    let lost_rows = salvage.missing_rows.iter().map(|(_, missing)| *missing).sum();
    Ok(SalvagedCounts { recovered, lost, rows, lost_rows })
}

/// Reads what lies there, its log included.
fn open(file: &Path) -> Result<Connection, JournalError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// Moves the file with its log out of the way.
fn put_aside(file: &Path, at: Timestamp) -> Result<PathBuf, JournalError> {
    let folder = file.parent().unwrap_or_else(|| Path::new(".")).join(FOLDER);
    create_private_folder(&folder).map_err(|source| JournalError::Io { path: folder.clone(), source })?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let kept = folder.join(format!("{stem}-{}.sqlite", at.strftime("%Y%m%dT%H%M%SZ")));
    for ending in ["-wal", "-shm", ""] {
        let with = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let from = with(file);
        if from.exists() {
            rename(&from, &with(&kept))?;
        }
    }
    Ok(kept)
}

fn finished(file: &Path) -> PathBuf {
    presence::beside(file, "salvaged")
}

fn rename(from: &Path, to: &Path) -> Result<(), JournalError> {
    std::fs::rename(from, to).map_err(|source| JournalError::Io { path: to.to_path_buf(), source })
}

fn remove(file: &Path) -> Result<(), JournalError> {
    match std::fs::remove_file(file) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(JournalError::Io { path: file.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}
