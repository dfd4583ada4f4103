//! Stores received events, and returns them as they were received.

use std::mem::take;

use super::deduplication::{RecentKeys, find_duplicate_in_index};
use super::event::{EventCopy, NewEvent, RAW_COLUMNS, RawEvent, StoreOutcome, raw_from_row};
use super::forward::requeue_for_all_targets;
use super::store::{Inbox, InboxStore};
use super::stored_time::time_from_milliseconds;
use super::unverified;
use crate::database::{Transaction, params};
use crate::{JournalError, StoredWord};

/// The number of an event's duplicates that are stored with headers. Further ones are stored without.
const MAX_COPIES_WITH_HEADERS: u32 = 100;
const NO_HEADERS: &str = "[]";

impl Inbox {
    /// Stores an event and returns after the commit. After an error, nothing of the event is stored.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, event: &NewEvent) -> Result<StoreOutcome, JournalError> {
        let has_space = unverified::has_space(self, std::slice::from_ref(event));
        self.with_recent_keys(|transaction, mut recent| store_event(transaction, &mut recent, event, has_space))
    }

    /// Stores several events with one commit and one wait for the disk: all of them, or none.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_all(&self, events: &[NewEvent]) -> Result<Vec<StoreOutcome>, JournalError> {
        let has_space = unverified::has_space(self, events);
        self.with_recent_keys(|transaction, mut recent| {
            events.iter().map(|event| store_event(transaction, &mut recent, event, has_space)).collect()
        })
    }

    /// Returns an event as it was received, or none if no event has this number.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn raw_event(&self, event: i64) -> Result<Option<RawEvent>, JournalError> {
        self.store.read(|connection| {
            let sql = format!("SELECT {RAW_COLUMNS} FROM event WHERE id = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([event])?;
            rows.next()?.map(raw_from_row).transpose()
        })
    }

    /// Returns the duplicates of an event, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn event_copies(&self, event: i64) -> Result<Vec<EventCopy>, JournalError> {
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

    /// Runs a change with the lookup of recent events, which a file needs to find duplicates. An error discards the
    /// lookup, because it may list events that weren't stored. The next change then rebuilds it. A team's database has
    /// an index instead.
    pub(super) fn with_recent_keys<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>, Option<&mut RecentKeys>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        if let InboxStore::Team(team) = &self.store {
            return team.write(|transaction| {
                transaction.notify_desks();
                change(transaction, None)
            });
        }
        let mut guard = self.recent_keys.lock();
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

pub(super) fn store_event(
    transaction: &Transaction<'_>,
    recent: &mut Option<&mut RecentKeys>,
    event: &NewEvent,
    has_space: bool,
) -> Result<StoreOutcome, JournalError> {
    let headers = serde_json::to_string(&event.headers)?;
    let duplicated = match recent {
        Some(recent) => recent.find_duplicate(transaction, event)?,
        None => find_duplicate_in_index(transaction, event)?,
    };
    let bytes = headers.len() + if duplicated.is_none() { event.body.len() } else { 0 };
    if !event.signed.is_trusted() && !unverified::admit_unverified(transaction, event, bytes, has_space)? {
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
    // Limited, because an attacker can resend a captured event with other headers.
    let headers = if before < MAX_COPIES_WITH_HEADERS { headers } else { NO_HEADERS };
    let sql = "INSERT INTO copy (event, received, headers) VALUES (?1, ?2, ?3)";
    transaction.prepare_cached(sql)?.execute(params![id, event.received.as_millisecond(), headers])?;
    requeue_for_all_targets(transaction, id)?;
    Ok(StoreOutcome::Copy { event: id, copies: before + 1 })
}
