//! The journal's file, and how it is changed.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, Transaction};

use crate::{
    JournalError,
    backup::{self, StoredBackup},
    connection::Reader,
    presence,
    private::create_private_folder,
    salvage::Salvage,
    schema,
    store::Store,
};

/// The journal of one home folder. Several processes may hold it open.
///
/// ```
/// use serde_json::json;
/// use takt_journal::Journal;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("journal.sqlite");
/// Journal::open(&file)?.settings().set("language", &json!("de"))?;
///
/// let journal = Journal::open(&file)?;
/// assert_eq!(journal.settings().get("language")?, Some(json!("de")));
/// assert!(journal.submissions(0, 10)?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Journal {
    store: Store,
    /// Where the lock files of running submissions lie.
    running: PathBuf,
}

impl Journal {
    /// Opens the file. It is written to only where it is missing, and made with its folder, or where its schema is brought up
    /// to date.
    ///
    /// Nothing is recovered yet: see [`Journal::recover`].
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the folder or the file can't be made or opened.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::SqliteTooOld`]: this SQLite can lose what was committed.
    /// - [`JournalError::Sqlite`]: it is damaged, or its schema can't be brought up to date.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Ok(Self { running: made_folder(path)?.join("running"), store: Store::open(path, &schema::JOURNAL)? })
    }

    /// As [`Journal::open`]; a damaged file is replaced by what can be read of it, and kept beside.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the file can't be opened, or the damaged one can't be put elsewhere.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::Sqlite`]: neither it nor a new one can be opened.
    pub fn open_or_salvage(path: &Path, at: Timestamp) -> Result<(Self, Option<Salvage>), JournalError> {
        let running = made_folder(path)?.join("running");
        let (store, salvage) = Store::open_or_salvage(path, &schema::JOURNAL, at)?;
        Ok((Self { store, running }, salvage))
    }

    /// Makes the day's backup where none is made yet and something was changed. Reads the whole file; nobody waits for it.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the copy can't be made.
    /// - [`JournalError::Unsound`]: the copy isn't whole.
    /// - [`JournalError::Sqlite`]: the file can't be copied.
    pub fn back_up_daily(&self, at: Timestamp) -> Result<Option<PathBuf>, JournalError> {
        self.store.back_up_daily(at)
    }

    /// Newest first.
    #[must_use]
    pub fn backups(&self) -> Vec<StoredBackup> {
        backup::stored_backups(self.store.path())
    }

    pub(crate) fn another_reader(&self) -> Result<Reader, JournalError> {
        Reader::open(self.store.path())
    }

    /// Whoever opens it next replaces it by what can be read.
    pub(crate) fn mark_damaged(&self) {
        presence::mark_damaged(self.store.path());
    }

    pub(crate) fn shrink_file(&self) -> Result<(), JournalError> {
        self.store.shrink()
    }

    /// Takes out of the file what was deleted or overwritten in it, for good. Says whether it could: another Takt may be
    /// reading at this moment.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
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

/// The file's folder, made where it is missing.
pub(crate) fn made_folder(file: &Path) -> Result<&Path, JournalError> {
    let folder = file.parent().unwrap_or_else(|| Path::new("."));
    create_private_folder(folder).map_err(|source| JournalError::Io { path: folder.to_path_buf(), source })?;
    Ok(folder)
}
