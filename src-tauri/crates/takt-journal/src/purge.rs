//! Removes rows and requests of old submissions, and old events, if nothing needs them.
//!
//! A submission itself stays with its counters, so that the history goes on telling of it. What has unconfirmed rows or pending
//! stays whole, and so does whatever such a submission belongs to: what it follows from or what follows from it, its plan, what
//! it waits for, and what came after it and may have settled its rows.

use jiff::Timestamp;

use crate::connection::YIELD_TIME;
use crate::database::{OptionalExtension, Transaction, params};
use crate::inbox::unverified;
use crate::{Inbox, Journal, JournalError, Run, SubmissionId, item};

/// Items and requests that are removed in one transaction.
const AT_ONCE: u32 = 4_000;
/// The same of events.
const EVENTS_AT_ONCE: u32 = 500;

/// What is removed, or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PurgeCounts {
    pub submissions: u32,
    pub rows: u64,
    pub requests: u64,
}

/// Whether something of it is still to be done.
fn open(name: &str) -> String {
    format!(
        "({name}.pending + {name}.sending + {name}.unconfirmed > 0 OR {name}.state = 'running' OR {name}.preparing)"
    )
}

/// Those that may go; `?1` is a moment, `?2` a number or nothing.
pub(crate) fn settled() -> String {
    format!(
        "submission AS own WHERE (own.purged IS NULL OR EXISTS (SELECT 1 FROM item WHERE item.submission = own.id))
         AND julianday(COALESCE(own.ended, own.started)) < julianday(?1) AND own.id = COALESCE(?2, own.id) AND NOT {}
         AND NOT EXISTS (SELECT 1 FROM wait WHERE wait.other_submission = own.id)
         AND NOT EXISTS (SELECT 1 FROM submission AS other WHERE {} AND
             (other.follows = own.id OR other.id = own.follows OR other.plan = own.plan
              OR (other.id < own.id AND other.site = own.site AND other.operation = own.operation)))",
        open("own"),
        open("other")
    )
}

impl Journal {
    /// The submissions that ended before and may be purged, oldest first, with what that would remove.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn purgeable(&self, before: Timestamp) -> Result<Vec<(SubmissionId, PurgeCounts)>, JournalError> {
        self.read(|connection| {
            let sql = format!("SELECT own.id, own.total, own.attempts FROM {} ORDER BY own.id", settled());
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_map(params![before.to_string(), None::<u32>], |row| {
                let (rows, requests): (u32, u32) = (row.get(1)?, row.get(2)?);
                Ok((row.get(0)?, PurgeCounts { submissions: 1, rows: rows.into(), requests: requests.into() }))
            })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
    }

    /// Removes the items, rows and requests of a submission that ended before. False where it may not go, or no longer.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn purge(&self, submission: SubmissionId, before: Timestamp, at: Timestamp) -> Result<bool, JournalError> {
        let run = match self.claim(submission) {
            Ok(run) => run,
            Err(JournalError::RunElsewhere(_)) => return Ok(false),
            Err(error) => return Err(error),
        };
        if !self.write_by(&run, |transaction| mark(transaction, &run, before, at))? {
            return Ok(false);
        }
        while self.write_by(&run, |transaction| remove_piece(transaction, &run))? {
            std::thread::sleep(YIELD_TIME);
        }
        Ok(true)
    }

    /// Bytes that are in use in the file; none where the events are a team's.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn used_bytes(&self) -> Result<u64, JournalError> {
        self.own_read(crate::store::used_bytes)
    }

    /// Gives what is no longer in use back to the disk, where that is much. Others wait for it.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn shrink(&self) -> Result<(), JournalError> {
        self.shrink_file()
    }
}

fn mark(transaction: &Transaction<'_>, run: &Run, before: Timestamp, at: Timestamp) -> Result<bool, JournalError> {
    let sql = format!("SELECT 1 FROM {}", settled());
    let found = transaction.query_row(&sql, params![before.to_string(), run.submission()], |_| Ok(())).optional()?;
    if found.is_some() {
        let sql = "UPDATE submission SET purged = ?2 WHERE id = ?1";
        transaction.execute(sql, params![run.submission(), at.to_string()])?;
    }
    Ok(found.is_some())
}

/// Says whether there is more to remove.
fn remove_piece(transaction: &Transaction<'_>, run: &Run) -> Result<bool, JournalError> {
    let id = run.submission();
    let last: Option<u32> =
        transaction.query_row("SELECT MAX(number) FROM item WHERE submission = ?1", [id], |row| row.get(0))?;
    let Some(last) = last else {
        let sql = "DELETE FROM attempt WHERE submission = ?1 AND batch IN (SELECT batch FROM attempt WHERE submission = ?1 LIMIT ?2)";
        return Ok(transaction.execute(sql, params![id, AT_ONCE])? > 0);
    };
    let from = last.saturating_sub(AT_ONCE);
    item::remove_behind(transaction, id, from)?;
    Ok(true)
}

/// Events that may go, oldest first: they were read, and those that are believed had their turn at every target, none was set aside, and
/// the floor rests on none of them. `?1` is a moment, `?2` how many at most; `owed` stands for what is only a team's.
const EVENTS: &str = "SELECT id, key, signed_key FROM event WHERE received < ?1
    AND id IN (SELECT event FROM reading)
    AND (signed NOT IN ('unchecked', 'valid') OR (
        id <= (SELECT COALESCE(MIN(cursor), 9223372036854775807) FROM target)
        AND id <= (SELECT COALESCE(MAX(event), 0) FROM floor)
        AND id NOT IN (SELECT event FROM forwarded WHERE state <> 'taken')
        AND id NOT IN (SELECT event FROM floor_order WHERE state <> 'ended'
            UNION SELECT last FROM floor_order WHERE state <> 'ended'
            UNION SELECT event FROM floor_alert WHERE closed IS NULL)
        {owed}))
    ORDER BY id LIMIT ?2";

/// Those of them that aren't believed, whenever they came.
const UNVERIFIED: &str = "SELECT id, key, signed_key FROM event WHERE received <= ?1
    AND signed NOT IN ('unchecked', 'valid') AND id IN (SELECT event FROM reading) ORDER BY id LIMIT ?2";

/// Which events are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventPurge {
    /// What came before a moment.
    Before(Timestamp),
    /// What isn't believed, whenever it came.
    Unverified,
}

impl Inbox {
    /// How many events may be purged.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn purgeable(&self, purge: EventPurge) -> Result<u64, JournalError> {
        self.reading(|connection| {
            let (events, before) = self.purgeable_events(purge);
            let sql = format!("SELECT COUNT(*) FROM ({events}) AS purgeable");
            let count: i64 = connection.query_row(&sql, params![before, i64::MAX], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
    }

    /// The statement, and the moment that it asks for.
    fn purgeable_events(&self, purge: EventPurge) -> (String, i64) {
        match purge {
            EventPurge::Before(before) => {
                let owed = if self.is_shared() { "AND id NOT IN (SELECT event FROM owed)" } else { "" };
                (EVENTS.replace("{owed}", owed), before.as_millisecond())
            }
            EventPurge::Unverified => (UNVERIFIED.to_owned(), i64::MAX),
        }
    }

    /// Removes some of the oldest events that may go. Gives how many; nothing is left to remove where that is none.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn purge_some(&self, purge: EventPurge) -> Result<u32, JournalError> {
        // A team's database finds events by their key in `event` itself.
        let known = if self.is_shared() { None } else { Some("DELETE FROM known WHERE key = ?2 AND event = ?1") };
        let removed = self.writing(|transaction| {
            let (events, before) = self.purgeable_events(purge);
            let mut statement = transaction.prepare_cached(&events)?;
            let found: Vec<(i64, i64, Option<i64>)> = statement
                .query_map(params![before, EVENTS_AT_ONCE], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<Result<_, _>>()?;
            if let Some(sql) = known {
                let keys = |(event, key, signed): &(i64, i64, Option<i64>)| {
                    std::iter::once([*event, *key]).chain(signed.map(|signed| [*event, signed]))
                };
                let keys: Vec<_> = found.iter().flat_map(keys).collect();
                transaction.prepare_cached(sql)?.execute_each(keys)?;
            }
            for sql in ["DELETE FROM event_text WHERE rowid = ?1", "DELETE FROM event WHERE id = ?1"] {
                transaction.prepare_cached(sql)?.execute_each(found.iter().map(|(event, ..)| [*event]))?;
            }
            if !found.is_empty() {
                unverified::recount(transaction)?;
            }
            Ok(u32::try_from(found.len()).unwrap_or(u32::MAX))
        })?;
        std::thread::sleep(YIELD_TIME);
        Ok(removed)
    }

    /// Bytes that are in use in the file; none where the events are a team's.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn used_bytes(&self) -> Result<u64, JournalError> {
        if self.is_shared() { Ok(0) } else { self.reading(crate::store::used_bytes) }
    }

    /// Gives what is no longer in use back to the disk, where that is much. Others wait for it.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn shrink(&self) -> Result<(), JournalError> {
        self.shrink_file()
    }
}
