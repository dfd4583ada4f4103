//! The connection that writes, opened with the first change.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, ErrorCode, Transaction as FileTransaction, TransactionBehavior};

use crate::database::{self, Transaction};
use crate::{JournalError, connection};

/// How often the file is waited for as long as a connection's busy handler does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Patience {
    /// Waiting callers get the error and may try again.
    Once,
    /// What waits may tell what became of a request that was answered: given up, its rows would be unconfirmed.
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

/// Writers of this process wait for each other here, and for those of other processes in SQLite.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
    /// How many wait for the connection.
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
        let mut held = self.lock();
        let connection = match &mut *held {
            Some(connection) => connection,
            none => none.insert(connection::to_write(&self.path)?),
        };
        work(connection)
    }

    /// Makes changes in one transaction. It takes the write lock at its start: a later upgrade from reading to writing would fail
    /// at once and ignore the busy handler.
    pub(crate) fn write<T>(
        &self,
        patience: Patience,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.with(|connection| {
            let transaction = begin(connection, patience.waits())?;
            let result = change(&Transaction::on(database::Connection::Sqlite(&transaction)))?;
            transaction.commit()?;
            Ok(result)
        })
    }

    /// A panic elsewhere has rolled its transaction back, so the connection stays usable.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let held = self.connection.lock();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        held
    }

    /// Whether somebody of this process waits to write.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }
}

/// Nothing is done yet where the file is busy, so it can be asked for again.
fn begin(connection: &Connection, waits: u32) -> Result<FileTransaction<'_>, rusqlite::Error> {
    let mut tries = 1;
    loop {
        match FileTransaction::new_unchecked(connection, TransactionBehavior::Immediate) {
            Err(error) if tries < waits && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => tries += 1,
            begun => return begun,
        }
    }
}
