//! The journal of one home folder: its file, and the database of its team if it has one.
//!
//! The team's database stores what the team shares: submissions, mappings, views, templates, reference lists and
//! contract versions. The file stores what belongs to one person: settings, sites, opened files and drafts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::database::{Connection, Transaction};
use crate::{
    JournalError, Run,
    backup::{self, StoredBackup},
    connection::{MAX_HOLD_TIME, Reader, YIELD_TIME},
    file_lock,
    postgres::PostgresError,
    private_file::create_private_folder,
    salvage::Salvage,
    schema,
    store::Store,
    team_store::TeamStore,
};

/// The journal of one home folder. Several processes may have it open.
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
    /// Absent without a team. The file then also stores the shared data.
    team: Option<Arc<TeamStore>>,
    /// The folder of the lock files of running submissions.
    lock_folder: PathBuf,
}

impl Journal {
    /// Opens the file. Writes to it only to create it with its folder or to update its schema.
    ///
    /// Doesn't recover anything: see [`Journal::recover`].
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the folder or the file can't be created or opened.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::SqliteTooOld`]: this SQLite can lose committed writes.
    /// - [`JournalError::Sqlite`]: it is damaged, or its schema can't be updated.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Ok(Self {
            lock_folder: ensure_parent_folder(path)?.join("running"),
            store: Store::open(path, &schema::JOURNAL)?,
            team: None,
        })
    }

    /// Like [`Journal::open`], but replaces a damaged file with its readable content. The damaged file is moved to a
    /// folder next to it.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the file can't be opened, or the damaged file can't be moved.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::Sqlite`]: neither the file nor its replacement can be opened.
    pub fn open_or_salvage(path: &Path, at: Timestamp) -> Result<(Self, Option<Salvage>), JournalError> {
        let lock_folder = ensure_parent_folder(path)?.join("running");
        let (store, salvage) = Store::open_or_salvage(path, &schema::JOURNAL, at)?;
        Ok((Self { store, team: None, lock_folder }, salvage))
    }

    pub(crate) fn join(&mut self, team: TeamStore) {
        self.team = Some(Arc::new(team));
    }

    pub(crate) fn team(&self) -> Option<&Arc<TeamStore>> {
        self.team.as_ref()
    }

    /// Returns the team's store, if there is one and nothing else uses it.
    pub(crate) fn team_mut(&mut self) -> Option<&mut TeamStore> {
        self.team.as_mut().and_then(Arc::get_mut)
    }

    /// Returns the account and the computer of this desk, as the team's history shows them. Empty without a team.
    pub(crate) fn person(&self) -> &str {
        self.team.as_ref().map_or("", |team| team.person())
    }

    /// Makes the day's backup, if there is none yet and the file was changed since the last one. Reads the whole file
    /// without blocking other work.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the copy can't be made.
    /// - [`JournalError::Unsound`]: the copy is damaged.
    /// - [`JournalError::Sqlite`]: the file can't be copied.
    pub fn back_up_daily(&self, at: Timestamp) -> Result<Option<PathBuf>, JournalError> {
        self.store.back_up_daily(at)
    }

    /// Returns the backups, newest first.
    #[must_use]
    pub fn backups(&self) -> Vec<StoredBackup> {
        backup::stored_backups(self.store.path())
    }

    pub(crate) fn open_reader(&self) -> Result<Reader, JournalError> {
        Reader::open(self.store.path())
    }

    /// Marks the file as damaged, so that the next start replaces it with its readable content.
    pub(crate) fn mark_damaged(&self) {
        file_lock::mark_damaged(self.store.path());
    }

    pub(crate) fn shrink_file(&self) -> Result<(), JournalError> {
        self.store.shrink()
    }

    /// Rebuilds the file without deleted content, so that nothing of it can be recovered. Returns false if another
    /// process prevented this because it has the file open.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn erase_deleted_content(&self) -> Result<bool, JournalError> {
        self.store.erase_deleted_content()
    }

    pub(crate) fn lock_folder(&self) -> &Path {
        &self.lock_folder
    }

    /// Runs a change of shared data in one transaction: in the team's database, or in the file without a team.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match &self.team {
            Some(team) => team.write(change),
            None => self.store.write(change),
        }
    }

    /// Like [`Journal::write`], but fails if this desk no longer holds the lock of the submission.
    pub(crate) fn write_with_run<T>(
        &self,
        run: &Run,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.write(|transaction| {
            run.ensure_held(transaction.session())?;
            change(transaction)
        })
    }

    /// Like [`Journal::write_with_run`], but shares one transaction with other changes that are queued at the same
    /// time.
    pub(crate) fn write_together_with_run<T: Send + 'static>(
        &self,
        run: &Run,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let session = run.session();
        let submission = run.submission();
        let change = move |transaction: &Transaction<'_>| {
            if session != transaction.session() {
                return Err(JournalError::RunElsewhere(submission));
            }
            change(transaction)
        };
        match &self.team {
            Some(team) => team.write_together(change),
            None => self.store.write_together(change),
        }
    }

    /// Runs a query on shared data: in the team's database, or in the file without a team.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match &self.team {
            Some(team) => team.read(query),
            None => self.store.read(query),
        }
    }

    /// Returns whether the error means that the team's database is unavailable.
    pub(crate) fn is_unavailable(&self, error: &JournalError) -> bool {
        self.team.is_some() && matches!(error, JournalError::Team(PostgresError::Unavailable(_)))
    }

    /// Updates the planner's statistics of a team's database after many inserts. A file needs none.
    pub(crate) fn refresh_statistics(&self) -> Result<(), JournalError> {
        self.team.as_ref().map_or(Ok(()), |team| team.refresh_statistics())
    }

    /// Returns the pause between two changes of a long series. Other processes poll for a file's lock, so they need a
    /// long pause. A team's server grants its lock in the order of requests, so a short pause for other threads of this
    /// process is enough.
    pub(crate) fn pause_length(&self) -> Duration {
        if self.team.is_some() { Duration::from_millis(1) } else { YIELD_TIME }
    }

    /// Returns whether a pause is due. `since` is the end of the last one. In a file, a pause is due if a thread of
    /// this process waits, or after [`MAX_HOLD_TIME`] for other processes. In a team, it is always due.
    pub(crate) fn is_pause_due(&self, since: Instant) -> bool {
        self.team.is_some() || self.store.has_waiting_writer() || since.elapsed() >= MAX_HOLD_TIME
    }

    /// Enlarges the file's page cache for large transactions, or restores its usual size. Does nothing with a team's
    /// database.
    pub(crate) fn use_bulk_cache(&self, is_bulk: bool) -> Result<(), JournalError> {
        if self.team.is_some() { Ok(()) } else { self.store.use_bulk_cache(is_bulk) }
    }

    /// Runs a change of the person's own data, in the file.
    pub(crate) fn write_own<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.write(change)
    }

    /// Runs a query on the person's own data, in the file.
    pub(crate) fn read_own<T>(
        &self,
        query: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.read(query)
    }
}

/// Creates the file's folder if it is missing, and returns it.
pub(crate) fn ensure_parent_folder(file: &Path) -> Result<&Path, JournalError> {
    let folder = file.parent().unwrap_or_else(|| Path::new("."));
    create_private_folder(folder).map_err(|source| JournalError::Io { path: folder.to_path_buf(), source })?;
    Ok(folder)
}
