//! One SQLite file: its connections, and how changes are written.
//!
//! One connection only reads. Another one writes and is opened with the first change. So a process that only reads
//! never takes the write lock, and works on read-only media. Changes that wait at the same time share one transaction
//! (`group`).

use std::path::{Path, PathBuf};

use parking_lot::{Mutex, MutexGuard};

use crate::connection::{self, Reader};
use crate::connection::{BusyWait, Writer};
use crate::database::{Connection, Transaction};
use crate::file_lock::{self, SharedLock};
use crate::group::Group;
use crate::private_file::open_private_file;
use crate::salvage::{self, Salvage};
use crate::schema::Schema;
use crate::{FileFault, JournalError, backup};
use jiff::Timestamp;

/// The oldest version of SQLite that doesn't lose committed writes.
const OLDEST_SQLITE: i32 = 3_051_003;

/// An SQLite file that several processes may have open.
#[derive(Debug)]
pub(crate) struct Store {
    path: PathBuf,
    /// Backups of this schema version or an earlier one may contain secrets.
    secrets_until: u32,
    // Declared before the writer, so that it is dropped first. The last connection to close merges the WAL, which a
    // read-only connection can't.
    reader: Mutex<Reader>,
    writer: Writer,
    group: Group,
    /// Prevents other processes from replacing the file.
    _presence: SharedLock,
}

impl Store {
    /// Opens the file. Writes to it only to create it or to update its schema. Its folder must exist.
    pub(crate) fn open(path: &Path, schema: &Schema) -> Result<Self, JournalError> {
        if rusqlite::version_number() < OLDEST_SQLITE {
            return Err(JournalError::SqliteTooOld { found: rusqlite::version() });
        }
        salvage::complete_interrupted(path)?;
        let presence = SharedLock::lock(path);
        if !is_current(path, schema)? {
            bring_up_to_date(path, schema)?;
        }
        Ok(Self {
            path: path.to_path_buf(),
            secrets_until: schema.secrets_until,
            reader: Mutex::new(Reader::open(path)?),
            writer: Writer::new(path),
            group: Group::default(),
            _presence: presence,
        })
    }

    /// Like [`Store::open`], but replaces a file that is damaged or marked as damaged with its readable content. A file
    /// that another process has open isn't replaced.
    pub(crate) fn open_or_salvage(
        path: &Path,
        schema: &Schema,
        at: Timestamp,
    ) -> Result<(Self, Option<Salvage>), JournalError> {
        let salvaged = if file_lock::is_marked_damaged(path) { salvage::salvage(path, schema, at)? } else { None };
        match Self::open(path, schema) {
            Err(error) if error.file_fault() == Some(FileFault::Damaged) && salvaged.is_none() => {
                let salvaged = salvage::salvage(path, schema, at)?.ok_or(error)?;
                Ok((Self::open(path, schema)?, Some(salvaged)))
            }
            opened => opened.map(|store| (store, salvaged)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn back_up_daily(&self, at: Timestamp) -> Result<Option<PathBuf>, JournalError> {
        let backup = self.mark_if_damaged(backup::make_daily(&self.path, at))?;
        if backup.is_some() {
            backup::remove_backups_with_secrets(&self.path, self.secrets_until);
        }
        Ok(backup)
    }

    /// Rebuilds the file without unused pages if they are more than a quarter of it.
    pub(crate) fn shrink(&self) -> Result<(), JournalError> {
        let unused = self.read(|connection| {
            let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
            Ok(number("freelist_count")? * 4 > number("page_count")?)
        })?;
        if unused { self.erase_deleted_content().map(drop) } else { Ok(()) }
    }

    /// Marks the file as damaged if the error shows damage, so that the next process to open it replaces it.
    fn mark_if_damaged<T>(&self, result: Result<T, JournalError>) -> Result<T, JournalError> {
        if let Err(error) = &result
            && error.file_fault() == Some(FileFault::Damaged)
        {
            file_lock::mark_damaged(&self.path);
        }
        result
    }

    /// Runs `change` in one transaction. It takes the write lock at its start, because a later upgrade from reading to
    /// writing would fail at once and ignore the busy handler.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.mark_if_damaged(self.writer.write(BusyWait::Once, change))
    }

    /// Like [`Store::write`], but shares one transaction, its commit and its wait for the disk with other queued
    /// changes. A change that fails is undone alone.
    pub(crate) fn write_together<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.mark_if_damaged(self.group.write(&|changes| self.writer.write(BusyWait::Long, changes), change))
    }

    /// Returns whether a thread of this process waits to write.
    pub(crate) fn has_waiting_writer(&self) -> bool {
        self.writer.has_waiting_writer()
    }

    /// Enlarges the page cache for large transactions, or restores its usual size.
    pub(crate) fn use_bulk_cache(&self, is_bulk: bool) -> Result<(), JournalError> {
        self.writer.with_connection(|connection| Ok(connection::set_page_cache(connection, is_bulk)?))
    }

    /// Rebuilds the file without deleted content, and empties its WAL. Returns false if another connection prevented
    /// that.
    pub(crate) fn erase_deleted_content(&self) -> Result<bool, JournalError> {
        self.writer.with_connection(|writer| {
            writer.execute_batch("VACUUM")?;
            let busy: i64 = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            Ok(busy == 0)
        })
    }

    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let result = query(&Connection::Sqlite(lock_reader(&self.reader).current()));
        self.mark_if_damaged(result)
    }
}

/// Locks without poisoning. After a panic, a connection that only reads is still usable.
fn lock_reader(reader: &Mutex<Reader>) -> MutexGuard<'_, Reader> {
    reader.lock()
}

/// Returns false if the file is missing, empty or has an older schema.
fn is_current(path: &Path, schema: &Schema) -> Result<bool, JournalError> {
    let length = match path.metadata() {
        Ok(found) => found.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(source) => return Err(JournalError::Io { path: path.to_path_buf(), source }),
    };
    if length == 0 {
        return Ok(false);
    }
    let mut reader = Reader::open(path)?;
    // In one transaction, because another process may be creating the file at this moment.
    let transaction = reader.current().unchecked_transaction()?;
    let found = schema.check(&transaction, path)?;
    Ok(found == schema.version())
}

fn bring_up_to_date(path: &Path, schema: &Schema) -> Result<(), JournalError> {
    // Created here, because SQLite would create it readable for others. The files that SQLite adds get the same mode.
    drop(open_private_file(path).map_err(|source| JournalError::Io { path: path.to_path_buf(), source })?);
    let mut writer = connection::open_writer(path)?;
    // Has no effect on a file that isn't empty.
    writer.pragma_update(None, "page_size", schema.page_size)?;
    // In one transaction, because another process may be creating the file at this moment.
    let transaction = writer.transaction()?;
    let found = schema.check(&transaction, path)?;
    drop(transaction);
    if found > 0 && found < schema.version() {
        backup::make_before_update(path, found)?;
    }
    connection::use_wal(&writer)?;
    schema.migrate(&mut writer, path)
}

/// Returns the size of the pages in use, in bytes.
pub(crate) fn used_bytes(connection: &Connection<'_>) -> Result<u64, JournalError> {
    let number = |name| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    Ok((pages * number("page_size")?).unsigned_abs())
}
