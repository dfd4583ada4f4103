//! One SQLite file: its two connections, and how a change is written.
//!
//! One connection writes, another reads, so that a long page of rows never holds up who writes. Changes that come while
//! another is being written go together (`group`).

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::JournalError;
use crate::group::Group;
use crate::private::open_private_file;
use crate::schema::Schema;

const OLDEST_SQLITE: i32 = 3_051_003;
const BUSY: Duration = Duration::from_secs(10);

/// A file that several processes may hold open.
#[derive(Debug)]
pub(crate) struct Store {
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
    group: Group,
}

impl Store {
    /// Opens the file, or makes it, and brings its schema up to date. Its folder must be there.
    pub(crate) fn open(path: &Path, schema: &Schema) -> Result<Self, JournalError> {
        if rusqlite::version_number() < OLDEST_SQLITE {
            return Err(JournalError::SqliteTooOld { found: rusqlite::version() });
        }
        // Before SQLite makes it open to others; what lies beside it takes its mode.
        drop(open_private_file(path).map_err(|source| JournalError::Io { path: path.to_path_buf(), source })?);
        let mut writer = connect(path)?;
        // Of no effect once there is something in the file.
        writer.pragma_update(None, "page_size", schema.page)?;
        // One transaction: another Takt may be making the file at this moment.
        let look = writer.transaction()?;
        schema.check(&look, path)?;
        drop(look);
        use_wal(&writer)?;
        schema.migrate(&mut writer, path)?;
        let reader = connect(path)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok(Self { writer: Mutex::new(writer), reader: Mutex::new(reader), group: Group::default() })
    }

    /// Runs `change` in one transaction that takes the write lock at its start: a later upgrade from reading to writing
    /// would fail at once and ignore the busy timeout.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut writer = held(&self.writer);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = change(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// As [`Store::write`], but in one transaction with what others write at this moment: one commit, one wait for the
    /// disk. `change` is undone by itself where it fails.
    pub(crate) fn write_together<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.group.write(&self.writer, change)
    }

    /// Builds the file anew without what was deleted in it, and empties the log beside it. False where others hold it.
    pub(crate) fn scrub(&self) -> Result<bool, JournalError> {
        let writer = held(&self.writer);
        writer.execute_batch("VACUUM")?;
        let busy: i64 = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(busy == 0)
    }

    pub(crate) fn read<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        question(&held(&self.reader))
    }
}

/// A panic elsewhere has rolled its transaction back, so the connection stays usable.
fn held(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(path: &Path) -> Result<Connection, JournalError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS a plain fsync leaves the drive's cache unwritten; elsewhere this changes nothing.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is deleted is overwritten: an address may have held what nobody else is to know.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// The switch needs the file for itself for a moment and isn't covered by the busy timeout when two open a new file.
fn use_wal(connection: &Connection) -> Result<(), JournalError> {
    let mut patience = 100;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Ok(_) => return Ok(()),
            Err(error) if patience > 0 && error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
                patience -= 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) => return Err(error.into()),
        }
    }
}
