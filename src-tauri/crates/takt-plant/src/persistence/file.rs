//! Creates and opens the file, and refuses files that aren't this plant's.
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

/// The file's application ID, `TKPL`.
pub(super) const APPLICATION: u32 = 0x544B_504C;
/// The version of the schema.
const FORMAT: u32 = 1;
const SCHEMA: &str = include_str!("schema.sql");
/// Nothing else writes to the file, so waiting longer for a lock doesn't help.
const BUSY_TIMEOUT: Duration = Duration::from_millis(250);
/// The write-ahead log is truncated to this size after a large change.
const MAX_WAL_BYTES: i64 = 16 * 1024 * 1024;

/// The open connections to a file.
pub(super) struct OpenedFile {
    pub(super) writer: Connection,
    /// For long reads, so that they don't block changes.
    pub(super) reader: Connection,
    pub(super) lock: File,
    /// Whether the file is still empty.
    pub(super) is_new: bool,
}

/// Returns the path of the file in a folder.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join("plant.sqlite")
}

/// Opens the folder's file, or creates both. A file of another program isn't changed.
pub(super) fn open(folder: &Path) -> Result<OpenedFile, PlantError> {
    let unusable = |source| PlantError::DataFolder { path: folder.to_path_buf(), source };
    fs::create_dir_all(folder).map_err(unusable)?;
    let lock = lock(folder)?;
    let path = path(folder);
    create_private(&path).map_err(unusable)?;
    let writer = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let found = check(&writer, &path, APPLICATION)?;
    configure(&writer).map_err(|error| with_path(&path, error.into()))?;
    let reader = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    Ok(OpenedFile { writer, reader, lock, is_new: found == 0 })
}

/// Creates the tables. Runs in the transaction that fills them, so that a file is complete or empty.
pub(super) fn create_tables(transaction: &Transaction<'_>, application: u32) -> rusqlite::Result<()> {
    transaction.execute_batch(SCHEMA)?;
    transaction.pragma_update(None, "application_id", application)?;
    transaction.pragma_update(None, "user_version", FORMAT)
}

/// Returns the file's format if this plant may change it. 0 if the file is empty.
pub(super) fn check(connection: &Connection, path: &Path, application: u32) -> Result<u32, PlantError> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let tables = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get::<_, u32>(0));
    let pragmas = tables.and_then(|tables| Ok((tables, pragma("application_id")?, pragma("user_version")?)));
    let (tables, owner, found) = pragmas.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => PlantError::DataForeign(path.to_path_buf()),
        _ => with_path(path, error.into()),
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
    let connection = opened.map_err(|error| with_path(path, error.into()))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(|error| with_path(path, error.into()))?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Adds the path to an error, and classifies failures of SQLite.
pub(super) fn with_path(path: &Path, error: PlantError) -> PlantError {
    let PlantError::Sqlite(error) = error else { return error };
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(path, error.to_string()),
        _ => PlantError::DataFile { path: path.to_path_buf(), source: error },
    }
}

pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> PlantError {
    PlantError::DataDamaged { path: path.to_path_buf(), reason: reason.into() }
}

/// Sets write-ahead logging. A kill loses no committed change, because the system has it. A power cut can lose the
/// latest changes, since commits don't wait for the drive. State and log stay consistent.
fn configure(writer: &Connection) -> rusqlite::Result<()> {
    writer.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    writer.pragma_update(None, "synchronous", "NORMAL")?;
    writer.pragma_update_and_check(None, "journal_size_limit", MAX_WAL_BYTES, |_| Ok(()))
}

/// Locks the folder against other plants until the returned file is dropped.
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

/// Creates an empty file that only its owner may read, since it contains secrets. On Windows the user's profile
/// protects it.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}
