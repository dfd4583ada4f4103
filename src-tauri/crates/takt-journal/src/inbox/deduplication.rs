//! Which event one repeats: the numbers under which what came is looked for.
//!
//! Such numbers lie anywhere, so writing each of them at once would cost as much as the event itself. Those of the latest events
//! are held in memory, and written down many at a time, in their order. What is in memory can always be made again from `event`.
//! A team's database has an index on them instead: other receivers write in it, too.

use std::collections::{HashMap, VecDeque};

use super::NewEvent;
use crate::JournalError;
use crate::database::{OptionalExtension, Transaction, params};

/// So many are held in memory before they are written down.
const TOGETHER: usize = 8192;

/// The numbers of events that aren't written down in `known` yet.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// The newest event that this knows of.
    newest: i64,
    /// Event and number, oldest first.
    events: VecDeque<(i64, i64)>,
    by_key: HashMap<i64, Vec<i64>>,
}

impl Recent {
    /// Takes in what others kept since, and drops what they wrote down.
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

    /// The event that this one repeats: the newest with the same bytes of the same site, where it is recent enough.
    pub(super) fn same(&self, transaction: &Transaction<'_>, event: &NewEvent) -> Result<Option<i64>, JournalError> {
        for lookup in Lookup::all(event) {
            for candidate in self.by_key.get(&lookup.key).into_iter().flatten().rev() {
                if repeats(transaction, event, &lookup, *candidate)? {
                    return Ok(Some(*candidate));
                }
            }
            let mut statement =
                transaction.prepare_cached("SELECT event FROM known WHERE key = ?1 ORDER BY event DESC")?;
            let mut rows = statement.query([lookup.key])?;
            while let Some(row) = rows.next()? {
                let candidate = row.get(0)?;
                if repeats(transaction, event, &lookup, candidate)? {
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

    /// Writes them down once they are many: in the order in which they lie in the file, so that each of its pages is written once.
    pub(super) fn settle(&mut self, transaction: &Transaction<'_>) -> Result<(), JournalError> {
        let Some(&(until, _)) = self.events.back().filter(|_| self.events.len() >= TOGETHER) else { return Ok(()) };
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

/// A number under which the event that one repeats may be found.
struct Lookup {
    key: i64,
    /// The column that holds it.
    column: &'static str,
    /// Whether a replay of a person is another event. Where the signature is the same it isn't: the header that says so isn't signed.
    replay: Option<bool>,
}

impl Lookup {
    fn all(event: &NewEvent) -> impl Iterator<Item = Self> {
        let by_delivery = Self { key: event.key, column: "key", replay: Some(event.replay) };
        let by_signature = event.signed_key.map(|key| Self { key, column: "signed_key", replay: None });
        std::iter::once(by_delivery).chain(by_signature)
    }
}

/// As [`Recent::same`], where there is an index on these numbers.
pub(super) fn same_in_index(transaction: &Transaction<'_>, event: &NewEvent) -> Result<Option<i64>, JournalError> {
    for Lookup { key, column, replay } in Lookup::all(event) {
        let sql = format!(
            "SELECT id FROM event WHERE {column} = ?1 AND site = ?2 AND received >= ?3 AND replay = COALESCE(?4, replay) AND body = ?5
             ORDER BY id DESC LIMIT 1"
        );
        let given = params![key, event.site, same_since(event), replay, event.body];
        let found = transaction.prepare_cached(&sql)?.query_row(given, |row| row.get(0)).optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn same_since(event: &NewEvent) -> i64 {
    event.same_since.map_or(i64::MIN, jiff::Timestamp::as_millisecond)
}

fn repeats(
    transaction: &Transaction<'_>,
    event: &NewEvent,
    lookup: &Lookup,
    candidate: i64,
) -> Result<bool, JournalError> {
    let since = same_since(event);
    let sql = "SELECT 1 FROM event
         WHERE id = ?1 AND site = ?2 AND received >= ?3 AND replay = COALESCE(?4, replay) AND body = ?5";
    let mut statement = transaction.prepare_cached(sql)?;
    let found = statement.query_row(params![candidate, event.site, since, lookup.replay, event.body], |_| Ok(()));
    Ok(found.optional()?.is_some())
}
