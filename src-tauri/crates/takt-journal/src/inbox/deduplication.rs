//! Finds the stored event that a received event duplicates, by keys.
//!
//! Keys are random, so writing each key immediately would cost as much as writing its event. In a file, the keys of
//! recent events are collected in memory and written together in sorted order. They can be rebuilt from `event`. A
//! team's database has an index instead, because several receivers write to it.

use std::collections::{HashMap, VecDeque};

use super::event::NewEvent;
use crate::JournalError;
use crate::database::{OptionalExtension, Transaction, params};

/// The number of collected keys after which they are written.
const KEYS_PER_FLUSH: usize = 8192;

/// The keys of events that aren't in the table `known` yet.
#[derive(Debug, Default)]
pub(super) struct RecentKeys {
    /// The newest event whose keys are included.
    newest: i64,
    /// The events with their keys, oldest first.
    events: VecDeque<(i64, i64)>,
    by_key: HashMap<i64, Vec<i64>>,
}

impl RecentKeys {
    /// Adds keys of events that other processes stored, and removes keys that they wrote to `known`.
    pub(super) fn catch_up(&mut self, transaction: &Transaction<'_>) -> Result<(), JournalError> {
        let sql = "SELECT until, (SELECT COALESCE(MAX(id), 0) FROM event) FROM known_until";
        let (until, newest): (i64, i64) =
            transaction.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        while let Some(&(event, key)) = self.events.front().filter(|(event, _)| *event <= until) {
            self.events.pop_front();
            self.forget(event, key);
        }
        if newest > self.newest {
            let sql = "SELECT id, key, signed_key FROM event WHERE id > ?1 ORDER BY id";
            let mut statement = transaction.prepare_cached(sql)?;
            let mut rows = statement.query([self.newest.max(until)])?;
            while let Some(row) = rows.next()? {
                let event = row.get(0)?;
                self.add(event, row.get(1)?);
                if let Some(key) = row.get::<_, Option<i64>>(2)? {
                    self.add(event, key);
                }
            }
            self.newest = newest;
        }
        Ok(())
    }

    /// Returns the stored event with the same bytes and site that this one duplicates. Searches recent events first.
    pub(super) fn find_duplicate(
        &self,
        transaction: &Transaction<'_>,
        event: &NewEvent,
    ) -> Result<Option<i64>, JournalError> {
        for lookup in Lookup::from_event(event) {
            for candidate in self.by_key.get(&lookup.key).into_iter().flatten().rev() {
                if is_duplicate(transaction, event, &lookup, *candidate)? {
                    return Ok(Some(*candidate));
                }
            }
            let mut statement =
                transaction.prepare_cached("SELECT event FROM known WHERE key = ?1 ORDER BY event DESC")?;
            let mut rows = statement.query([lookup.key])?;
            while let Some(row) = rows.next()? {
                let candidate = row.get(0)?;
                if is_duplicate(transaction, event, &lookup, candidate)? {
                    return Ok(Some(candidate));
                }
            }
        }
        Ok(None)
    }

    pub(super) fn add(&mut self, event: i64, key: i64) {
        self.newest = self.newest.max(event);
        self.events.push_back((event, key));
        self.by_key.entry(key).or_default().push(event);
    }

    /// Writes the keys if there are enough. They are sorted, so that each page of the file is written once.
    pub(super) fn flush(&mut self, transaction: &Transaction<'_>) -> Result<(), JournalError> {
        let Some(&(until, _)) = self.events.back().filter(|_| self.events.len() >= KEYS_PER_FLUSH) else {
            return Ok(());
        };
        let mut sorted: Vec<(i64, i64)> = self.events.drain(..).map(|(event, key)| (key, event)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        self.by_key.clear();
        let mut write = transaction.prepare_cached("INSERT INTO known (key, event) VALUES (?1, ?2)")?;
        for (key, event) in sorted {
            write.execute([key, event])?;
        }
        transaction.prepare_cached("UPDATE known_until SET until = ?1")?.execute([until])?;
        Ok(())
    }

    fn forget(&mut self, event: i64, key: i64) {
        if let Some(events) = self.by_key.get_mut(&key) {
            events.retain(|other| *other != event);
            if events.is_empty() {
                self.by_key.remove(&key);
            }
        }
    }
}

/// A key by which the duplicated event may be found.
struct Lookup {
    key: i64,
    /// The column with the key.
    column: &'static str,
    /// The value of `replay` that a duplicate must have. Absent for a signed key, because the header that marks a
    /// replay isn't signed.
    replay: Option<bool>,
}

impl Lookup {
    fn from_event(event: &NewEvent) -> impl Iterator<Item = Self> {
        let by_delivery = Self { key: event.key, column: "key", replay: Some(event.replay) };
        let by_signature = event.signed_key.map(|key| Self { key, column: "signed_key", replay: None });
        std::iter::once(by_delivery).chain(by_signature)
    }
}

/// Like [`RecentKeys::find_duplicate`], for a database with an index on the keys.
pub(super) fn find_duplicate_in_index(
    transaction: &Transaction<'_>,
    event: &NewEvent,
) -> Result<Option<i64>, JournalError> {
    for Lookup { key, column, replay } in Lookup::from_event(event) {
        let sql = format!(
            "SELECT id FROM event WHERE {column} = ?1 AND site = ?2 AND received >= ?3 AND replay = COALESCE(?4, replay) AND body = ?5
             ORDER BY id DESC LIMIT 1"
        );
        let values = params![key, event.site, earliest_duplicate_time(event), replay, event.body];
        let found = transaction.prepare_cached(&sql)?.query_row(values, |row| row.get(0)).optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn earliest_duplicate_time(event: &NewEvent) -> i64 {
    event.duplicates_since.map_or(i64::MIN, jiff::Timestamp::as_millisecond)
}

fn is_duplicate(
    transaction: &Transaction<'_>,
    event: &NewEvent,
    lookup: &Lookup,
    candidate: i64,
) -> Result<bool, JournalError> {
    let since = earliest_duplicate_time(event);
    let sql = "SELECT 1 FROM event
         WHERE id = ?1 AND site = ?2 AND received >= ?3 AND replay = COALESCE(?4, replay) AND body = ?5";
    let mut statement = transaction.prepare_cached(sql)?;
    let found = statement.query_row(params![candidate, event.site, since, lookup.replay, event.body], |_| Ok(()));
    Ok(found.optional()?.is_some())
}
