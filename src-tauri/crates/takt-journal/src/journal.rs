//! The journal's file, and how it is changed.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction};

use crate::{JournalError, private::create_private_folder, schema, store::Store};

/// The journal of one home folder. Several processes may hold it open.
#[derive(Debug)]
pub struct Journal {
    store: Store,
    /// Where the lock files of running submissions lie.
    running: PathBuf,
}

impl Journal {
    /// Opens the file, or makes it with its folder, and brings its schema up to date.
    ///
    /// Nothing is recovered yet: see [`Journal::recover`].
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        let running = folder.join("running");
        create_private_folder(&running).map_err(|source| JournalError::Io { path: running.clone(), source })?;
        Ok(Self { store: Store::open(path, &schema::JOURNAL)?, running })
    }

    /// Takes out of the file what was deleted or overwritten in it, for good. Says whether it could: another Takt may be
    /// reading at this moment.
    pub fn scrub(&self) -> Result<bool, JournalError> {
        self.store.scrub()
    }

    pub(crate) fn running(&self) -> &Path {
        &self.running
    }

    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.write(change)
    }

    pub(crate) fn write_together<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.store.write_together(change)
    }

    pub(crate) fn read<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.read(question)
    }
}
