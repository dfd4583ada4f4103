//! The connection that writes, opened with the first change.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::{JournalError, connection};

/// Whoever writes waits for the others of this process here, and for those of other processes in SQLite.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
}

impl Writer {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), connection: Mutex::new(None) }
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

    /// A panic elsewhere has rolled its transaction back, so the connection stays usable.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
