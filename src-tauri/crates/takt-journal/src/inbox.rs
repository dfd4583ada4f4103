//! The inbox: every event as it came, and what was made of it since, in a file of its own or in a team's database.
//!
//! Owns that nothing that came is lost, doubled or changed. What came is committed before [`Inbox::store`] returns. Leaves to others: what an event means (`Reading` is handed in), what an answer
//! says, when a receiver runs.

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
    journal::made_folder,
    postgres::Availability,
    salvage::Salvage,
    schema,
    store::Store,
};
use deduplication::{Recent, same_in_index};
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
pub(crate) use {floor::made_statements, list::selections};

/// Events of one home folder, or of a team. Several processes may hold it open.
#[derive(Debug)]
pub struct Inbox {
    store: InboxStore,
    recent: Mutex<Recent>,
    /// Bytes that unverified events leave free on the disk.
    unverified_reserve: AtomicU64,
}

/// What an event's signature is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum SignatureState {
    /// The site has no secret: nothing was checked.
    Unchecked,
    Valid,
    /// There is a secret, and no signature.
    Missing,
    /// It isn't of the form that is expected.
    Unreadable,
    /// No secret of the site makes this signature of this body.
    Wrong,
    /// It is right, and older or newer than what is believed.
    Stale,
}

impl SignatureState {
    /// Whether such an event counts: its signature is right, or no signature is expected.
    #[must_use]
    pub fn is_believed(self) -> bool {
        matches!(self, Self::Unchecked | Self::Valid)
    }
}

/// An event as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub site: String,
    pub received: Timestamp,
    /// In their order, with the names as they came. Bytes that aren't text are written `\xNN`.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// By which one that comes again is looked for; only one with the same bytes is the same.
    pub key: i64,
    /// The same for the same signature of the same bytes, whatever delivery's id comes with it; absent where the signature covers the id,
    /// or isn't valid.
    pub signed_key: Option<i64>,
    /// Only one that came since then can be the same; absent: whenever it came.
    pub same_since: Option<Timestamp>,
    pub signed: SignatureState,
    /// Came from a replay, not from the service.
    pub replay: bool,
}

/// What became of an event that came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreOutcome {
    New(i64),
    /// It is the same as an earlier one, and was counted there: its number, and how often it has come again by now.
    Copy {
        event: i64,
        copies: u32,
    },
    /// It isn't believed, and as much as may be is stored of such events, or the disk is nearly full: it was only counted.
    Omitted,
}

/// An event as it came, whole.
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

/// The same once more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCopy {
    pub received: Timestamp,
    pub headers: Vec<(String, String)>,
}

impl StoreOutcome {
    /// The event's number, whether it is new or not; none where it isn't stored.
    #[must_use]
    pub fn event(self) -> Option<i64> {
        match self {
            Self::New(event) | Self::Copy { event, .. } => Some(event),
            Self::Omitted => None,
        }
    }
}

impl Inbox {
    /// Opens the file, or makes it with its folder, and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the folder or the file can't be made or opened.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::SqliteTooOld`]: this SQLite can lose what was committed.
    /// - [`JournalError::Sqlite`]: it is damaged, or its schema can't be brought up to date.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        made_folder(path)?;
        Ok(Self::of(InboxStore::File(Box::new(Store::open(path, &schema::INBOX)?))))
    }

    /// The events of the team whose journal this is, in its database, over the journal's own sessions; none where the journal is one's own.
    #[must_use]
    pub fn of_team(journal: &Journal) -> Option<Self> {
        journal.team().map(|team| Self::of(InboxStore::Team(Arc::clone(team))))
    }

    fn of(store: InboxStore) -> Self {
        Self { store, recent: Mutex::default(), unverified_reserve: MIN_FREE_SPACE_FOR_UNVERIFIED.into() }
    }

    /// Whether it is a team's.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.store.team().is_some()
    }

    /// Counts on with each change that a desk of the team tells of; none where the events are the desk's own.
    #[must_use]
    pub fn changes(&self) -> Option<watch::Receiver<u64>> {
        self.store.team().map(|team| team.changes())
    }

    /// Whether the team's database can be asked: watched as long as the receiver lives. None where the events are the desk's own.
    #[must_use]
    pub fn availability(&self) -> Option<watch::Receiver<Availability>> {
        self.store.team().map(|team| team.availability())
    }

    /// As [`Inbox::open`]; a damaged file is replaced by what can be read of it, and kept beside.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the file can't be opened, or the damaged one can't be put elsewhere.
    /// - [`JournalError::NotAJournal`]: it is another program's file.
    /// - [`JournalError::Newer`]: a later Takt wrote it.
    /// - [`JournalError::Sqlite`]: neither it nor a new one can be opened.
    pub fn open_or_salvage(path: &Path, at: Timestamp) -> Result<(Self, Option<Salvage>), JournalError> {
        made_folder(path)?;
        let (store, salvage) = Store::open_or_salvage(path, &schema::INBOX, at)?;
        Ok((Self::of(InboxStore::File(Box::new(store))), salvage))
    }

    /// Makes the day's backup where none is made yet and something was changed. Reads the whole file; nobody waits for it. A team's
    /// database has backups of its own.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Io`]: the copy can't be made.
    /// - [`JournalError::Unsound`]: the copy isn't whole.
    /// - [`JournalError::Sqlite`]: the file can't be copied.
    pub fn back_up_daily(&self, at: Timestamp) -> Result<Option<PathBuf>, JournalError> {
        self.store.file().map_or(Ok(None), |file| file.back_up_daily(at))
    }

    /// Newest first.
    #[must_use]
    pub fn backups(&self) -> Vec<StoredBackup> {
        self.store.path().map(backup::stored_backups).unwrap_or_default()
    }

    pub(crate) fn shrink_file(&self) -> Result<(), JournalError> {
        self.store.file().map_or(Ok(()), Store::shrink)
    }

    pub(crate) fn reading<T>(
        &self,
        question: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.read(question)
    }

    pub(crate) fn writing<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.store.write(change)
    }

    /// Writes an event down. When this returns it is on disk; where it fails, nothing of it is. Waits for the disk.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, event: &NewEvent) -> Result<StoreOutcome, JournalError> {
        let has_room = unverified::has_room(self, std::slice::from_ref(event));
        self.recalling(|transaction, mut recent| store_event(transaction, &mut recent, (event, has_room)))
    }

    /// Writes events down that came at the same time: one commit, one wait for the disk. All of them, or none.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_all(&self, events: &[NewEvent]) -> Result<Vec<StoreOutcome>, JournalError> {
        let has_room = unverified::has_room(self, events);
        self.recalling(|transaction, mut recent| {
            events.iter().map(|event| store_event(transaction, &mut recent, (event, has_room))).collect()
        })
    }

    /// An event as it came; none where there is none of that number.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn raw(&self, event: i64) -> Result<Option<RawEvent>, JournalError> {
        self.store.read(|connection| {
            let sql = format!("SELECT {RAW} FROM event WHERE id = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([event])?;
            rows.next()?.map(raw).transpose()
        })
    }

    /// How often an event came again, oldest first.
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
                copies.push(EventCopy { received: time(row.get(0)?)?, headers: serde_json::from_str(&headers)? });
            }
            Ok(copies)
        })
    }

    /// Writes with what is known of the latest events of a file; a team's database finds an event by an index. It is put back only after the commit: what isn't in the file mustn't
    /// be known, and is found out anew by the next one.
    fn recalling<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>, Option<&mut Recent>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        if let InboxStore::Team(team) = &self.store {
            return team.write(|transaction| {
                transaction.tell();
                change(transaction, None)
            });
        }
        let mut held = self.recent.lock();
        let mut recent = take(&mut *held);
        let changed = self.store.write(|transaction| {
            recent.catch_up(transaction)?;
            let changed = change(transaction, Some(&mut recent))?;
            recent.settle(transaction)?;
            Ok(changed)
        })?;
        *held = recent;
        Ok(changed)
    }
}

/// Of an event that comes again the headers are stored so often; later only when it came.
const MAX_COPIES_WITH_HEADERS: u32 = 100;
const NO_HEADERS: &str = "[]";
const RAW: &str = "id, site, received, headers, body, signed, replay";

fn store_event(
    transaction: &Transaction<'_>,
    recent: &mut Option<&mut Recent>,
    (event, has_room): (&NewEvent, bool),
) -> Result<StoreOutcome, JournalError> {
    let headers = serde_json::to_string(&event.headers)?;
    let same = match recent {
        Some(recent) => recent.same(transaction, event)?,
        None => same_in_index(transaction, event)?,
    };
    let bytes = headers.len() + if same.is_none() { event.body.len() } else { 0 };
    if !event.signed.is_believed() && !unverified::admit(transaction, event, (bytes, has_room))? {
        return Ok(StoreOutcome::Omitted);
    }
    if let Some(id) = same {
        return copied(transaction, id, event, &headers);
    }
    let stored = inserted(transaction, event, &headers)?;
    if let Some((recent, id)) = recent.as_mut().zip(stored.event()) {
        recent.add(id, event.key);
        if let Some(key) = event.signed_key {
            recent.add(id, key);
        }
    }
    Ok(stored)
}

fn inserted(transaction: &Transaction<'_>, event: &NewEvent, headers: &str) -> Result<StoreOutcome, JournalError> {
    let sql = "INSERT INTO event (site, received, headers, body, key, signed, replay, signed_key)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
    let NewEvent { site, body, key, replay, signed_key, .. } = event;
    let (received, signed) = (event.received.as_millisecond(), event.signed.word());
    let given = params![site, received, headers, body, key, signed, replay, signed_key];
    Ok(StoreOutcome::New(transaction.prepare_cached(sql)?.query_row(given, |row| row.get(0))?))
}

fn copied(
    transaction: &Transaction<'_>,
    id: i64,
    event: &NewEvent,
    headers: &str,
) -> Result<StoreOutcome, JournalError> {
    let count = "SELECT COUNT(*) FROM copy WHERE event = ?1";
    let before: u32 = transaction.prepare_cached(count)?.query_row([id], |row| row.get(0))?;
    // A captured event can be sent again with other headers.
    let headers = if before < MAX_COPIES_WITH_HEADERS { headers } else { NO_HEADERS };
    let sql = "INSERT INTO copy (event, received, headers) VALUES (?1, ?2, ?3)";
    transaction.prepare_cached(sql)?.execute(params![id, event.received.as_millisecond(), headers])?;
    carry_over::owe_to_all(transaction, id)?;
    Ok(StoreOutcome::Copy { event: id, copies: before + 1 })
}

fn raw(row: Row<'_>) -> Result<RawEvent, JournalError> {
    let headers: String = row.get(3)?;
    Ok(RawEvent {
        id: row.get(0)?,
        site: row.get(1)?,
        received: time(row.get(2)?)?,
        headers: serde_json::from_str(&headers)?,
        body: row.get(4)?,
        signed: SignatureState::from_word(&row.get::<_, String>(5)?)?,
        replay: row.get(6)?,
    })
}

fn time(milliseconds: i64) -> Result<Timestamp, JournalError> {
    Ok(Timestamp::from_millisecond(milliseconds)?)
}
