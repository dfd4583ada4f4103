//! The file: making it, opening it, and refusing what isn't this plant's.
//!
//! Owns the schema's version, the lock against a second plant, and the connections' settings.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction};

use crate::PlantError;

/// `TKPL` as the file's application id.
pub(super) const APPLICATION: u32 = 0x544B_504C;
/// The version of the schema that this plant reads and writes.
const FORMAT: u32 = 1;
const SCHEMA: &str = include_str!("schema.sql");
/// Nothing else writes to the file. A lock that lasts longer isn't released.
const BUSY_TIMEOUT: Duration = Duration::from_millis(250);
/// The write-ahead log is cut back to this after a large change.
const MAX_WAL_BYTES: i64 = 16 * 1024 * 1024;

/// An opened file.
pub(super) struct Opened {
    pub(super) writer: Connection,
    /// For long answers, so that they hold up no change.
    pub(super) reader: Connection,
    pub(super) lock: File,
    /// Whether it holds nothing yet.
    pub(super) is_new: bool,
}

/// The file in a folder.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join("plant.sqlite")
}

/// Opens the folder's file, or makes both. Whatever isn't a plant's stays untouched.
pub(super) fn open(folder: &Path) -> Result<Opened, PlantError> {
    let unusable = |source| PlantError::DataFolder { path: folder.to_path_buf(), source };
    fs::create_dir_all(folder).map_err(unusable)?;
    let lock = lock(folder)?;
    let path = path(folder);
    private(&path).map_err(unusable)?;
    let writer = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let found = check(&writer, &path, APPLICATION)?;
    settle(&writer).map_err(|error| about(&path, error.into()))?;
    let reader = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    Ok(Opened { writer, reader, lock, is_new: found == 0 })
}

/// Gives an empty file its tables. Within the transaction that fills them: a file has everything or nothing.
pub(super) fn make(transaction: &Transaction<'_>, application: u32) -> rusqlite::Result<()> {
    transaction.execute_batch(SCHEMA)?;
    transaction.pragma_update(None, "application_id", application)?;
    transaction.pragma_update(None, "user_version", FORMAT)
}

/// The format of the file where this plant may touch it; 0 where it is empty.
pub(super) fn check(connection: &Connection, path: &Path, application: u32) -> Result<u32, PlantError> {
    let ask = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let tables = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get::<_, u32>(0));
    let asked = tables.and_then(|tables| Ok((tables, ask("application_id")?, ask("user_version")?)));
    let (tables, owner, found) = asked.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => PlantError::DataForeign(path.to_path_buf()),
        _ => about(path, error.into()),
    })?;
    if tables == 0 && owner == 0 && found == 0 {
        return Ok(0);
    }
    if owner != application || found == 0 {
        return Err(PlantError::DataForeign(path.to_path_buf()));
    }
    if found > FORMAT {
        return Err(PlantError::DataNewer { path: path.to_path_buf(), found, known: FORMAT });
    }
    Ok(found)
}

pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, PlantError> {
    let opened = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let connection = opened.map_err(|error| about(path, error.into()))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(|error| about(path, error.into()))?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// An error with the file that it is about, and what a failure of SQLite means for it.
pub(super) fn about(path: &Path, error: PlantError) -> PlantError {
    let PlantError::Sqlite(error) = error else { return error };
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(path, error.to_string()),
        _ => PlantError::DataFile { path: path.to_path_buf(), source: error },
    }
}

pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> PlantError {
    PlantError::DataDamaged { path: path.to_path_buf(), reason: reason.into() }
}

/// A kill at any moment loses nothing that was committed: the system has it. For a power cut the drive would have to be waited
/// for at every commit; then the latest changes may be gone, but state and log still agree.
fn settle(writer: &Connection) -> rusqlite::Result<()> {
    writer.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    writer.pragma_update(None, "synchronous", "NORMAL")?;
    writer.pragma_update_and_check(None, "journal_size_limit", MAX_WAL_BYTES, |_| Ok(()))
}

/// One plant per folder, for as long as the answer lives.
fn lock(folder: &Path) -> Result<File, PlantError> {
    let unusable = |source| PlantError::DataFolder { path: folder.to_path_buf(), source };
    let path = folder.join("plant.lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PlantError::DataInUse(folder.to_path_buf())),
        Err(TryLockError::Error(source)) => Err(unusable(source)),
    }
}

/// Makes an empty file that only its owner may read, for it holds secrets. On Windows the user's profile sees to that.
pub(super) fn private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}
