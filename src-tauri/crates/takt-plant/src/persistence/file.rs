//! The plant's SQLite file: creates, opens and locks it, checks its format, and stores its properties.
//!
//! Files of another plant or program are rejected unchanged.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::{civil::Date, tz::TimeZone};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, params};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use takt_contract::Contract;

use crate::{PlantConfig, PlantError};

/// The file's application ID, `TKPL`.
pub(super) const APPLICATION: u32 = 0x544B_504C;
/// The version of the tables. Files with a newer version are rejected.
const FORMAT: u32 = 1;
const SCHEMA: &str = include_str!("schema.sql");
/// Only this process writes to the file, so a longer wait for a lock doesn't help.
const BUSY_TIMEOUT: Duration = Duration::from_millis(250);
/// The size in bytes to which the write-ahead log is truncated after a large change.
const MAX_WAL_BYTES: i64 = 16 * 1024 * 1024;

const SEED: &str = "seed";
const SIZE: &str = "size";
const TIME_ZONE: &str = "timeZone";
/// The plant's date at which the rows were created.
const CREATED_ON: &str = "grown";
/// The fingerprint of the contract that determined the members of the rows.
pub(super) const CONTRACT: &str = "contract";
/// The highest ID that was assigned to a row.
pub(super) const LAST_ID: &str = "lastId";
pub(super) const CLOCK: &str = "clock";
pub(super) const CLIENT_SECRET: &str = "clientSecret";
pub(super) const CONTROL_KEY: &str = "controlKey";
/// See [`crate::Plant::state_id`].
pub(super) const STATE_ID: &str = "stateId";
/// The number of the latest log entry when the log was last cleared.
pub(super) const LOG_NUMBER: &str = "logNumber";

/// The connections to an open file, and its lock.
pub(super) struct OpenedFile {
    pub(super) writer: Connection,
    /// A connection for long reads, so that they don't block changes.
    pub(super) reader: Connection,
    pub(super) lock: File,
    /// Whether the file is empty.
    pub(super) is_new: bool,
}

pub(super) fn file_path(folder: &Path) -> PathBuf {
    folder.join("plant.sqlite")
}

/// Opens the file in a folder. Creates both if they don't exist. Files of other programs aren't changed.
pub(super) fn open_file(folder: &Path) -> Result<OpenedFile, PlantError> {
    let unusable = |source| PlantError::DataFolder { path: folder.to_path_buf(), source };
    fs::create_dir_all(folder).map_err(unusable)?;
    let lock = lock_folder(folder)?;
    let path = file_path(folder);
    create_private_file(&path).map_err(unusable)?;
    let writer = open_connection(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let found = check_format(&writer, &path, APPLICATION)?;
    configure_connection(&writer).map_err(|error| add_path_to_error(&path, error.into()))?;
    let reader = open_connection(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    Ok(OpenedFile { writer, reader, lock, is_new: found == 0 })
}

/// Creates the tables. Call it in the transaction that fills them, so that a file is either complete or empty.
pub(super) fn create_tables(transaction: &Transaction<'_>, application: u32) -> rusqlite::Result<()> {
    transaction.execute_batch(SCHEMA)?;
    transaction.pragma_update(None, "application_id", application)?;
    transaction.pragma_update(None, "user_version", FORMAT)
}

/// Returns the format version of a file that this plant may change. 0 if the file is empty.
pub(super) fn check_format(connection: &Connection, path: &Path, application: u32) -> Result<u32, PlantError> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let tables = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get::<_, u32>(0));
    let pragmas = tables.and_then(|tables| Ok((tables, pragma("application_id")?, pragma("user_version")?)));
    let (tables, owner, found) = pragmas.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => PlantError::DataForeign(path.to_path_buf()),
        _ => add_path_to_error(path, error.into()),
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

pub(super) fn open_connection(path: &Path, flags: OpenFlags) -> Result<Connection, PlantError> {
    let opened = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let connection = opened.map_err(|error| add_path_to_error(path, error.into()))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(|error| add_path_to_error(path, error.into()))?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Adds the path to an SQLite error. Errors that indicate damage are classified as such.
pub(super) fn add_path_to_error(path: &Path, error: PlantError) -> PlantError {
    let PlantError::Sqlite(error) = error else { return error };
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damage_error(path, error.to_string()),
        _ => PlantError::DataFile { path: path.to_path_buf(), source: error },
    }
}

pub(super) fn damage_error(path: &Path, reason: impl Into<String>) -> PlantError {
    PlantError::DataDamaged { path: path.to_path_buf(), reason: reason.into() }
}

/// Enables write-ahead logging. After a kill, no committed change is lost, since the system has all writes. A power
/// failure may lose the latest changes, since commits don't wait for the drive. State and log remain consistent.
fn configure_connection(writer: &Connection) -> rusqlite::Result<()> {
    writer.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    writer.pragma_update(None, "synchronous", "NORMAL")?;
    writer.pragma_update_and_check(None, "journal_size_limit", MAX_WAL_BYTES, |_| Ok(()))
}

/// Locks the folder against other plants, until the returned file is dropped.
fn lock_folder(folder: &Path) -> Result<File, PlantError> {
    let unusable = |source| PlantError::DataFolder { path: folder.to_path_buf(), source };
    let path = folder.join("plant.lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PlantError::DataInUse(folder.to_path_buf())),
        Err(TryLockError::Error(source)) => Err(unusable(source)),
    }
}

/// Creates an empty file that only its owner can read, since it contains secrets. On Windows, the user's profile
/// protects it.
pub(super) fn create_private_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

pub(super) fn get_property(connection: &Connection, name: &str) -> Result<Option<String>, PlantError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

pub(super) fn put_property(connection: &Connection, name: &str, value: &str) -> Result<(), PlantError> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")?;
    statement.execute(params![name, value])?;
    Ok(())
}

/// Returns a property that every plant's file must have.
pub(super) fn require_property(connection: &Connection, path: &Path, name: &str) -> Result<String, PlantError> {
    get_property(connection, name)?.ok_or_else(|| damage_error(path, format!("it doesn't say its {name}")))
}

/// Returns the plant's date at which the rows were created.
pub(super) fn read_creation_date(connection: &Connection, path: &Path) -> Result<Date, PlantError> {
    let text = require_property(connection, path, CREATED_ON)?;
    text.parse().map_err(|error| damage_error(path, format!("its {CREATED_ON} is `{text}`: {error}")))
}

/// Returns a property whose value is JSON, for example a number.
pub(super) fn parse_property<T: DeserializeOwned>(
    connection: &Connection,
    path: &Path,
    name: &str,
) -> Result<Option<T>, PlantError> {
    let Some(text) = get_property(connection, name)? else { return Ok(None) };
    let wrong = |error| damage_error(path, format!("its {name} is `{text}`: {error}"));
    serde_json::from_str(&text).map(Some).map_err(wrong)
}

/// Returns the SHA-256 of the contract in hexadecimal.
pub(super) fn fingerprint_contract(contract: &Contract) -> String {
    let digest = Sha256::digest(contract.document().to_string());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Saves the inputs that determined the rows.
pub(super) fn write_origin(
    connection: &Connection,
    config: &PlantConfig,
    contract: &Contract,
    zone: &TimeZone,
) -> Result<(), PlantError> {
    put_property(connection, SEED, &config.seed.to_string())?;
    put_property(connection, SIZE, &config.size.to_string())?;
    put_property(connection, TIME_ZONE, &config.time_zone)?;
    put_property(connection, CREATED_ON, &zone.to_datetime((config.clock)()).date().to_string())?;
    put_property(connection, CONTRACT, &fingerprint_contract(contract))
}

/// Rejects a state with another seed, size or time zone, since its dates are local.
pub(super) fn check_origin(connection: &Connection, path: &Path, config: &PlantConfig) -> Result<(), PlantError> {
    let requested = [
        ("seed", SEED, config.seed.to_string()),
        ("size", SIZE, config.size.to_string()),
        ("time zone", TIME_ZONE, config.time_zone.clone()),
    ];
    for (property, name, requested) in requested {
        let stored = require_property(connection, path, name)?;
        if stored != requested {
            return Err(PlantError::DataDiffers { path: path.to_path_buf(), property, stored, requested });
        }
    }
    Ok(())
}
