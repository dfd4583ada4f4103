//! The store of events: a desk's own file, or the team's database.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::backup::{self, StoredBackup};
use crate::database::{Connection, OptionalExtension, Transaction, params};
use crate::inbox::deduplication::RecentKeys;
use crate::journal::ensure_parent_folder;
use crate::postgres::Availability;
use crate::salvage::Salvage;
use crate::store::Store;
use crate::team_store::TeamStore;
use crate::{Journal, JournalError, schema};

/// The free disk space in bytes that is reserved for verified events. If less is free, unverified events aren't stored.
pub const MIN_FREE_SPACE_FOR_UNVERIFIED: u64 = 256 * 1024 * 1024;

/// The events of one home folder, or of a team. Several processes may have it open.
#[derive(Debug)]
pub struct Inbox {
    pub(super) store: InboxStore,
    pub(super) recent_keys: Mutex<RecentKeys>,
    /// The disk space in bytes that unverified events must leave free.
    pub(super) unverified_reserve: AtomicU64,
}

impl Inbox {
    /// Opens the file. Creates it with its folder if it is missing, and updates its schema.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the folder or the file can't be created or opened.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::SqliteTooOld`]: this SQLite can lose committed writes.
    /// - [`JournalError::Sqlite`]: it is damaged, or its schema can't be updated.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        ensure_parent_folder(path)?;
        Ok(Self::with_store(InboxStore::File(Box::new(Store::open(path, &schema::INBOX)?))))
    }

    /// Returns the inbox in the database of the journal's team, which uses the journal's sessions. Returns none without
    /// a team.
    #[must_use]
    pub fn from_team(journal: &Journal) -> Option<Self> {
        journal.team().map(|team| Self::with_store(InboxStore::Team(Arc::clone(team))))
    }

    fn with_store(store: InboxStore) -> Self {
        Self { store, recent_keys: Mutex::default(), unverified_reserve: MIN_FREE_SPACE_FOR_UNVERIFIED.into() }
    }

    /// Returns whether a team's database stores the events.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.store.team().is_some()
    }

    /// Returns a counter of changes at any desk of the team, or none without a team.
    #[must_use]
    pub fn changes(&self) -> Option<watch::Receiver<u64>> {
        self.store.team().map(|team| team.changes())
    }

    /// Returns the availability of the team's database, which is probed as long as a receiver exists. Returns none
    /// without a team.
    #[must_use]
    pub fn availability(&self) -> Option<watch::Receiver<Availability>> {
        self.store.team().map(|team| team.availability())
    }

    /// Like [`Inbox::open`], but replaces a damaged file with its readable content. The damaged file is moved to a
    /// folder next to it.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the file can't be opened, or the damaged file can't be moved.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::Sqlite`]: neither the file nor its replacement can be opened.
    pub fn open_or_salvage(path: &Path, at: Timestamp) -> Result<(Self, Option<Salvage>), JournalError> {
        ensure_parent_folder(path)?;
        let (store, salvage) = Store::open_or_salvage(path, &schema::INBOX, at)?;
        Ok((Self::with_store(InboxStore::File(Box::new(store))), salvage))
    }

    /// Makes the day's backup, if there is none yet and the file was changed since the last one. Reads the whole file
    /// without blocking other work. Does nothing for a team's database.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the copy can't be made.
    /// - [`JournalError::Unsound`]: the copy is damaged.
    /// - [`JournalError::Sqlite`]: the file can't be copied.
    pub fn back_up_daily(&self, at: Timestamp) -> Result<Option<PathBuf>, JournalError> {
        self.store.file().map_or(Ok(None), |file| file.back_up_daily(at))
    }

    /// Returns the backups, newest first.
    #[must_use]
    pub fn backups(&self) -> Vec<StoredBackup> {
        self.store.path().map(backup::stored_backups).unwrap_or_default()
    }

    pub(crate) fn shrink_file(&self) -> Result<(), JournalError> {
        self.store.file().map_or(Ok(()), Store::shrink)
    }

    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.read(query)
    }

    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.write(change)
    }
}

/// The file or database that stores an inbox.
#[derive(Debug)]
pub(crate) enum InboxStore {
    File(Box<Store>),
    Team(Arc<TeamStore>),
}

impl InboxStore {
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match self {
            Self::File(file) => file.read(query),
            Self::Team(team) => team.read(query),
        }
    }

    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match self {
            Self::File(file) => file.write(change),
            Self::Team(team) => team.write(change),
        }
    }

    /// Runs a change. In a team, it shares one transaction with other queued changes of this desk.
    pub(crate) fn write_together<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        match self {
            Self::File(file) => file.write(change),
            Self::Team(team) => team.write_together(change),
        }
    }

    /// Returns the file, or none if a team's database stores the events.
    pub(crate) fn file(&self) -> Option<&Store> {
        match self {
            Self::File(file) => Some(&**file),
            Self::Team(_) => None,
        }
    }

    /// Returns the team's store, or none if a file stores the events.
    pub(crate) fn team(&self) -> Option<&Arc<TeamStore>> {
        match self {
            Self::File(_) => None,
            Self::Team(team) => Some(team),
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.file().map(Store::path)
    }
}

impl Inbox {
    /// Returns the path at which all desks of the team receive a site's events. If the site has no path, stores
    /// `proposed`. Returns none without a team.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn ensure_shared_path(&self, site: &str, proposed: &str) -> Result<Option<String>, JournalError> {
        if !self.is_shared() {
            return Ok(None);
        }
        self.store.write(|transaction| {
            let sql = "INSERT INTO event_path (site, path) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            transaction.prepare_cached(sql)?.execute(params![site, proposed])?;
            let sql = "SELECT path FROM event_path WHERE site = ?1";
            Ok(transaction.prepare_cached(sql)?.query_row([site], |row| row.get(0)).optional()?)
        })
    }
}
