//! The connection that writes, opened with the first change.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, ErrorCode, Transaction as FileTransaction, TransactionBehavior};

use crate::database::{self, Transaction};
use crate::{JournalError, connection};

/// The number of times that a transaction waits for a busy file, each until the busy handler gives up.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Patience {
    /// The caller gets the error and may try again.
    Once,
    /// For changes that may record the response to a request. Without the record, the request's rows would become
    /// unconfirmed.
    Long,
}

impl Patience {
    fn waits(self) -> u32 {
        match self {
            Self::Once => 1,
            Self::Long => 6,
        }
    }
}

/// The connection that writes. Threads of this process wait for each other here, and for other processes in SQLite.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
    /// The number of threads that wait for the connection.
    waiting: AtomicUsize,
}

impl Writer {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), connection: Mutex::new(None), waiting: AtomicUsize::new(0) }
    }

    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut guard = self.lock();
        let connection = match &mut *guard {
            Some(connection) => connection,
            none => none.insert(connection::open_writer(&self.path)?),
        };
        work(connection)
    }

    /// Runs a change in one transaction. It takes the write lock at its start, because a later upgrade from reading to
    /// writing would fail at once and ignore the busy handler.
    pub(crate) fn write<T>(
        &self,
        patience: Patience,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.with(|connection| {
            let transaction = begin(connection, patience.waits())?;
            let result = change(&Transaction::new(database::Connection::Sqlite(&transaction)))?;
            transaction.commit()?;
            Ok(result)
        })
    }

    /// Locks the connection. A panic elsewhere has rolled its transaction back, so it stays usable.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let guard = self.connection.lock();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        guard
    }

    /// Returns whether a thread of this process waits to write.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }
}

/// Begins a transaction. Tries again if the file is busy, because nothing has been done yet.
fn begin(connection: &Connection, waits: u32) -> Result<FileTransaction<'_>, rusqlite::Error> {
    let mut tries = 1;
    loop {
        match FileTransaction::new_unchecked(connection, TransactionBehavior::Immediate) {
            Err(error) if tries < waits && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => tries += 1,
            result => return result,
        }
    }
}
