//! The inbox: every received event, with its readings, answers and deliveries, in a file or in a team's database.
//!
//! Never loses, duplicates or changes a received event, which is committed before [`Inbox::store`] returns. Doesn't
//! interpret events (see [`Reading`]), decide answers or run receivers.

mod answer;
mod carry_over;
mod deduplication;
mod desk_lock;
mod floor;
mod forward;
mod gap;
mod list;
mod naming;
mod reading;
mod receiver_path;
mod search_text;
pub(crate) mod shared;
mod store;
pub(crate) mod unverified;

use crate::StoredWord;
use crate::database::{Connection, Row, Transaction, params};
use std::{
    mem::take,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicU64},
};

use parking_lot::Mutex;
use strum::{EnumString, IntoStaticStr};
use tokio::sync::watch;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    Journal, JournalError,
    backup::{self, StoredBackup},
    journal::ensure_parent_folder,
    postgres::Availability,
    salvage::Salvage,
    schema,
    store::Store,
};
use deduplication::{Recent, find_duplicate_in_index};
use store::InboxStore;

pub use answer::{AnswerRecord, RuleEdits, RulesRecord};
pub use carry_over::{CarriedTarget, InboxCarryOver, TargetDestination};
pub use desk_lock::{ReaderLock, SenderLock, Senders};
pub use floor::{FloorAlert, FloorChange, FloorKnown, FloorOrder, FloorState, FloorStation, FloorTable};
pub use forward::{
    Backlog, BlockedEvent, DueEvent, Fault, ForwardResult, ForwardRow, ForwardState, NewTarget, Start, Target,
    TargetKeys, Targets,
};
pub use gap::{Gap, GapCause, Pulses};
pub use list::{EventFilter, EventPage, EventRow};
pub use naming::{NamingEvent, OrderEventQuery};
pub use reading::{EventState, NamedOrder, Reading};
pub use unverified::{
    MAX_UNVERIFIED_BYTES, MAX_UNVERIFIED_PER_HOUR, MIN_FREE_SPACE_FOR_UNVERIFIED, UnverifiedAccount, UnverifiedEvents,
};
#[cfg(test)]
pub(crate) use {floor::built_statements, list::selections};

/// The events of one home folder, or of a team. Several processes may have it open.
#[derive(Debug)]
pub struct Inbox {
    store: InboxStore,
    recent: Mutex<Recent>,
    /// The disk space in bytes that unverified events must leave free.
    unverified_reserve: AtomicU64,
}

/// The result of checking an event's signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum SignatureState {
    /// The site has no secret, so nothing was checked.
    Unchecked,
    Valid,
    /// The site has a secret, but the event has no signature.
    Missing,
    /// The signature doesn't have the expected form.
    Unreadable,
    /// No secret of the site produces this signature.
    Wrong,
    /// The signature is valid, but its time is too far from the current time.
    Stale,
}

impl SignatureState {
    /// Returns whether the event is trusted: its signature is valid, or none is expected.
    #[must_use]
    pub fn is_believed(self) -> bool {
        matches!(self, Self::Unchecked | Self::Valid)
    }
}

/// A received event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub site: String,
    pub received: Timestamp,
    /// The headers in order, with their original names. Bytes that aren't text are written as `\xNN`.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The key by which a duplicate is looked up. Only an event with the same bytes is a duplicate.
    pub key: i64,
    /// Like `key`, but equal for the same signature of the same bytes, regardless of the delivery's ID. Absent if the
    /// signature covers the ID or isn't valid.
    pub signed_key: Option<i64>,
    /// The earliest time of a duplicate. Absent if it may have any age.
    pub same_since: Option<Timestamp>,
    pub signed: SignatureState,
    /// True if a replay sent it, and not the service.
    pub replay: bool,
}

/// The result of storing an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreOutcome {
    New(i64),
    /// It is a duplicate and was counted as a copy of an earlier event. `copies` is their number by now.
    Copy {
        event: i64,
        copies: u32,
    },
    /// It isn't trusted and was only counted, because the limit of such events is reached or the disk is nearly full.
    Omitted,
}

/// A complete event as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEvent {
    pub id: i64,
    pub site: String,
    pub received: Timestamp,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub signed: SignatureState,
    pub replay: bool,
}

/// A duplicate of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCopy {
    pub received: Timestamp,
    pub headers: Vec<(String, String)>,
}

impl StoreOutcome {
    /// Returns the number of the new or earlier event, or none if it isn't stored.
    #[must_use]
    pub fn event(self) -> Option<i64> {
        match self {
            Self::New(event) | Self::Copy { event, .. } => Some(event),
            Self::Omitted => None,
        }
    }
}

impl Inbox {
    /// Opens the file. Creates it with its folder if it is missing, and updates its schema.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the folder or the file can't be made or opened.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::SqliteTooOld`]: this SQLite can lose what was committed.
    /// - [`JournalError::Sqlite`]: it is damaged, or its schema can't be brought up to date.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        ensure_parent_folder(path)?;
        Ok(Self::with_store(InboxStore::File(Box::new(Store::open(path, &schema::INBOX)?))))
    }

    /// Returns the events in the database of the journal's team, using the journal's sessions. Absent without a team.
    #[must_use]
    pub fn of_team(journal: &Journal) -> Option<Self> {
        journal.team().map(|team| Self::with_store(InboxStore::Team(Arc::clone(team))))
    }

    fn with_store(store: InboxStore) -> Self {
        Self { store, recent: Mutex::default(), unverified_reserve: MIN_FREE_SPACE_FOR_UNVERIFIED.into() }
    }

    /// Returns whether the events are a team's.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.store.team().is_some()
    }

    /// Returns a counter of changes that desks of the team notify. Absent without a team.
    #[must_use]
    pub fn changes(&self) -> Option<watch::Receiver<u64>> {
        self.store.team().map(|team| team.changes())
    }

    /// Returns whether the team's database is available, which is watched as long as the receiver exists. Absent
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
    /// - [`JournalError::Io`]: the file can't be opened, or the damaged one can't be put elsewhere.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::Sqlite`]: neither it nor a new one can be opened.
    pub fn open_or_salvage(path: &Path, at: Timestamp) -> Result<(Self, Option<Salvage>), JournalError> {
        ensure_parent_folder(path)?;
        let (store, salvage) = Store::open_or_salvage(path, &schema::INBOX, at)?;
        Ok((Self::with_store(InboxStore::File(Box::new(store))), salvage))
    }

    /// Makes the day's backup, if there is none yet and the file was changed. Reads the whole file without blocking
    /// other work. Does nothing for a team's database.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the copy can't be made.
    /// - [`JournalError::Unsound`]: the copy isn't whole.
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

    /// Stores an event. It is on disk when this returns, or nothing of it is stored after an error.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, event: &NewEvent) -> Result<StoreOutcome, JournalError> {
        let has_room = unverified::has_room(self, std::slice::from_ref(event));
        self.with_recent(|transaction, mut recent| store_event(transaction, &mut recent, event, has_room))
    }

    /// Stores several events with one commit and one wait for the disk: all of them, or none.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_all(&self, events: &[NewEvent]) -> Result<Vec<StoreOutcome>, JournalError> {
        let has_room = unverified::has_room(self, events);
        self.with_recent(|transaction, mut recent| {
            events.iter().map(|event| store_event(transaction, &mut recent, event, has_room)).collect()
        })
    }

    /// Returns an event as it was received, or none if there is none with that number.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn raw(&self, event: i64) -> Result<Option<RawEvent>, JournalError> {
        self.store.read(|connection| {
            let sql = format!("SELECT {RAW} FROM event WHERE id = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([event])?;
            rows.next()?.map(raw_from_row).transpose()
        })
    }

    /// Returns the duplicates of an event, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn copies(&self, event: i64) -> Result<Vec<EventCopy>, JournalError> {
        self.store.read(|connection| {
            let sql = "SELECT received, headers FROM copy WHERE event = ?1 ORDER BY rowid";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([event])?;
            let mut copies = Vec::new();
            while let Some(row) = rows.next()? {
                let headers: String = row.get(1)?;
                copies.push(EventCopy {
                    received: time_from_milliseconds(row.get(0)?)?,
                    headers: serde_json::from_str(&headers)?,
                });
            }
            Ok(copies)
        })
    }

    /// Runs a change with the lookup of recent events, which a file needs to find duplicates. The lookup is kept only
    /// after the commit. After an error the next change rebuilds it, because it must not list events that aren't
    /// stored. A team's database has an index instead.
    fn with_recent<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>, Option<&mut Recent>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        if let InboxStore::Team(team) = &self.store {
            return team.write(|transaction| {
                transaction.notify_desks();
                change(transaction, None)
            });
        }
        let mut guard = self.recent.lock();
        let mut recent = take(&mut *guard);
        let changed = self.store.write(|transaction| {
            recent.catch_up(transaction)?;
            let changed = change(transaction, Some(&mut recent))?;
            recent.flush(transaction)?;
            Ok(changed)
        })?;
        *guard = recent;
        Ok(changed)
    }
}

/// The number of duplicates whose headers are stored. Later ones are stored without.
const MAX_COPIES_WITH_HEADERS: u32 = 100;
const NO_HEADERS: &str = "[]";
const RAW: &str = "id, site, received, headers, body, signed, replay";

fn store_event(
    transaction: &Transaction<'_>,
    recent: &mut Option<&mut Recent>,
    event: &NewEvent,
    has_room: bool,
) -> Result<StoreOutcome, JournalError> {
    let headers = serde_json::to_string(&event.headers)?;
    let duplicated = match recent {
        Some(recent) => recent.find_duplicate(transaction, event)?,
        None => find_duplicate_in_index(transaction, event)?,
    };
    let bytes = headers.len() + if duplicated.is_none() { event.body.len() } else { 0 };
    if !event.signed.is_believed() && !unverified::admit(transaction, event, bytes, has_room)? {
        return Ok(StoreOutcome::Omitted);
    }
    if let Some(id) = duplicated {
        return insert_copy(transaction, id, event, &headers);
    }
    let stored = insert_event(transaction, event, &headers)?;
    if let Some((recent, id)) = recent.as_mut().zip(stored.event()) {
        recent.add(id, event.key);
        if let Some(key) = event.signed_key {
            recent.add(id, key);
        }
    }
    Ok(stored)
}

fn insert_event(transaction: &Transaction<'_>, event: &NewEvent, headers: &str) -> Result<StoreOutcome, JournalError> {
    let sql = "INSERT INTO event (site, received, headers, body, key, signed, replay, signed_key)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
    let NewEvent { site, body, key, replay, signed_key, .. } = event;
    let (received, signed) = (event.received.as_millisecond(), event.signed.word());
    let values = params![site, received, headers, body, key, signed, replay, signed_key];
    Ok(StoreOutcome::New(transaction.prepare_cached(sql)?.query_row(values, |row| row.get(0))?))
}

fn insert_copy(
    transaction: &Transaction<'_>,
    id: i64,
    event: &NewEvent,
    headers: &str,
) -> Result<StoreOutcome, JournalError> {
    let count = "SELECT COUNT(*) FROM copy WHERE event = ?1";
    let before: u32 = transaction.prepare_cached(count)?.query_row([id], |row| row.get(0))?;
    // Limited, because a captured event can be sent again with other headers.
    let headers = if before < MAX_COPIES_WITH_HEADERS { headers } else { NO_HEADERS };
    let sql = "INSERT INTO copy (event, received, headers) VALUES (?1, ?2, ?3)";
    transaction.prepare_cached(sql)?.execute(params![id, event.received.as_millisecond(), headers])?;
    carry_over::owe_to_all(transaction, id)?;
    Ok(StoreOutcome::Copy { event: id, copies: before + 1 })
}

fn raw_from_row(row: Row<'_>) -> Result<RawEvent, JournalError> {
    let headers: String = row.get(3)?;
    Ok(RawEvent {
        id: row.get(0)?,
        site: row.get(1)?,
        received: time_from_milliseconds(row.get(2)?)?,
        headers: serde_json::from_str(&headers)?,
        body: row.get(4)?,
        signed: SignatureState::from_word(&row.get::<_, String>(5)?)?,
        replay: row.get(6)?,
    })
}

fn time_from_milliseconds(milliseconds: i64) -> Result<Timestamp, JournalError> {
    Ok(Timestamp::from_millisecond(milliseconds)?)
}
