//! The journal, and how it is changed: a file of one's own, and a team's database beside it where there is one.
//!
//! What a team shares goes to its database: submissions with all that belongs to them, mappings, views, templates, what sites were seen
//! to hold, and what they say otherwise than the contract. A person's own stays in the file: settings, sites, opened files and drafts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::database::{Connection, Transaction};
use crate::{
    JournalError, Run,
    backup::{self, StoredBackup},
    connection::{MAX_HOLD_TIME, Reader, YIELD_TIME},
    postgres::PostgresError,
    presence,
    private::create_private_folder,
    salvage::Salvage,
    schema,
    store::Store,
    team_store::TeamStore,
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
    /// Absent: the file holds everything.
    team: Option<Arc<TeamStore>>,
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
        Ok(Self {
            running: made_folder(path)?.join("running"),
            store: Store::open(path, &schema::JOURNAL)?,
            team: None,
        })
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
        Ok((Self { store, team: None, running }, salvage))
    }

    pub(crate) fn join(&mut self, team: TeamStore) {
        self.team = Some(Arc::new(team));
    }

    pub(crate) fn team(&self) -> Option<&Arc<TeamStore>> {
        self.team.as_ref()
    }

    /// Absent, too, once somebody else uses the store.
    pub(crate) fn team_mut(&mut self) -> Option<&mut TeamStore> {
        self.team.as_mut().and_then(Arc::get_mut)
    }

    /// Who works here, as the team's history names them; empty without a team.
    pub(crate) fn person(&self) -> &str {
        self.team.as_ref().map_or("", |team| team.person())
    }

    /// Makes the day's backup, if there is none yet and something was changed. It reads the whole file and holds up no other work.
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

    /// The next start replaces it by what can be read.
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

    /// Changes what a team shares.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match &self.team {
            Some(team) => team.write(change),
            None => self.store.write(change),
        }
    }

    /// As [`Journal::write`], if the desk still has the right to run the submission.
    pub(crate) fn write_by<T>(
        &self,
        run: &Run,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.write(|transaction| {
            run.ensure_held(transaction.session())?;
            change(transaction)
        })
    }

    /// As [`Journal::write_by`], in one transaction with what others write at this moment.
    pub(crate) fn write_together_by<T: Send + 'static>(
        &self,
        run: &Run,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let held = run.session();
        let submission = run.submission();
        let change = move |transaction: &Transaction<'_>| {
            if held != transaction.session() {
                return Err(JournalError::RunElsewhere(submission));
            }
            change(transaction)
        };
        match &self.team {
            Some(team) => team.write_together(change),
            None => self.store.write_together(change),
        }
    }

    /// Looks at what a team shares.
    pub(crate) fn read<T>(
        &self,
        question: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match &self.team {
            Some(team) => team.read(question),
            None => self.store.read(question),
        }
    }

    pub(crate) fn is_away(&self, error: &JournalError) -> bool {
        self.team.is_some() && matches!(error, JournalError::Team(PostgresError::Away(_)))
    }

    /// A team's database gets to know of many rows that came at once. A file needs no such thing.
    pub(crate) fn refresh_statistics(&self) -> Result<(), JournalError> {
        self.team.as_ref().map_or(Ok(()), |team| team.refresh_statistics())
    }

    /// The pause of whoever writes many changes one after the other. Who waits for a file asks again and again; a team's server lets in whoever came
    /// first, so there the pause is for others of this process alone.
    pub(crate) fn give_way(&self) -> Duration {
        if self.team.is_some() { Duration::from_millis(1) } else { YIELD_TIME }
    }

    /// Whether that pause is due, the last one having been at `since`: at once where it is known that somebody waits, and else before another process
    /// that waits for the file could be held up for long.
    pub(crate) fn is_pause_due(&self, since: Instant) -> bool {
        self.team.is_some() || self.store.is_waited_for() || since.elapsed() >= MAX_HOLD_TIME
    }

    /// What `work` writes meanwhile may be much in one transaction.
    pub(crate) fn with_bulk_cache<T>(&self, work: impl FnOnce() -> Result<T, JournalError>) -> Result<T, JournalError> {
        if self.team.is_some() { work() } else { self.store.with_bulk_cache(work) }
    }

    /// Changes what is a person's own.
    pub(crate) fn own_write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.write(change)
    }

    /// Looks at what is a person's own.
    pub(crate) fn own_read<T>(
        &self,
        question: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
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
