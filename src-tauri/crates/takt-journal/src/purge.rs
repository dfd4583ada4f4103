//! Removes old events, and rows and requests of old submissions, if nothing needs them.
//!
//! A purged submission stays in the history with its counters. A submission with unconfirmed or pending rows isn't
//! purged. Nor are submissions that an open one needs: steps of its plan, its predecessor and followers, submissions
//! that it waits for, and later ones that may have settled its rows.

use jiff::Timestamp;

use crate::connection::YIELD_TIME;
use crate::database::{OptionalExtension, Transaction, params};
use crate::inbox::unverified;
use crate::{Inbox, Journal, JournalError, Run, SubmissionId, item};

/// The number of items or requests per transaction. It limits how long other writers are blocked.
const ITEMS_PER_TRANSACTION: u32 = 4_000;
/// The number of events per transaction. It limits how long other writers are blocked.
const EVENTS_PER_TRANSACTION: u32 = 500;

/// The numbers of records that a purge removed or would remove.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PurgeCounts {
    pub submissions: u32,
    pub rows: u64,
    pub requests: u64,
}

/// Returns the condition that a submission has open rows, is running or is in preparation.
fn unfinished_condition(name: &str) -> String {
    format!(
        "({name}.pending + {name}.sending + {name}.unconfirmed > 0 OR {name}.state = 'running' OR {name}.preparing)"
    )
}

/// Returns the source and condition of submissions that can be purged. `?1` is a time, `?2` a submission or null for
/// all.
pub(crate) fn purgeable_submissions() -> String {
    format!(
        "submission AS own WHERE (own.purged IS NULL OR EXISTS (SELECT 1 FROM item WHERE item.submission = own.id))
         AND julianday(COALESCE(own.ended, own.started)) < julianday(?1) AND own.id = COALESCE(?2, own.id) AND NOT {}
         AND NOT EXISTS (SELECT 1 FROM wait WHERE wait.other_submission = own.id)
         AND NOT EXISTS (SELECT 1 FROM submission AS other WHERE {} AND
             (other.follows = own.id OR other.id = own.follows OR other.plan = own.plan
              OR (other.id < own.id AND other.site = own.site AND other.operation = own.operation)))",
        unfinished_condition("own"),
        unfinished_condition("other")
    )
}

impl Journal {
    /// Returns the submissions that ended before a time and can be purged, oldest first, with the counts of their
    /// records.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn purgeable(&self, before: Timestamp) -> Result<Vec<(SubmissionId, PurgeCounts)>, JournalError> {
        self.read(|connection| {
            let sql =
                format!("SELECT own.id, own.total, own.attempts FROM {} ORDER BY own.id", purgeable_submissions());
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_map(params![before.to_string(), None::<u32>], |row| {
                let (rows, requests): (u32, u32) = (row.get(1)?, row.get(2)?);
                Ok((row.get(0)?, PurgeCounts { submissions: 1, rows: rows.into(), requests: requests.into() }))
            })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
    }

    /// Removes the items, rows and requests of a submission that ended before a time. Returns false if it can't be
    /// purged now.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn purge(&self, submission: SubmissionId, before: Timestamp, at: Timestamp) -> Result<bool, JournalError> {
        let run = match self.claim(submission) {
            Ok(run) => run,
            Err(JournalError::RunElsewhere(_)) => return Ok(false),
            Err(error) => return Err(error),
        };
        if !self.write_with_run(&run, |transaction| mark_purged(transaction, &run, before, at))? {
            return Ok(false);
        }
        while self.write_with_run(&run, |transaction| remove_items(transaction, &run))? {
            std::thread::sleep(YIELD_TIME);
        }
        Ok(true)
    }

    /// Returns the size of the used part of the file, in bytes.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn used_bytes(&self) -> Result<u64, JournalError> {
        self.read_own(crate::store::used_bytes)
    }

    /// Rebuilds the file if more than a quarter of it is unused. Blocks other writers meanwhile.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn shrink(&self) -> Result<(), JournalError> {
        self.shrink_file()
    }
}

fn mark_purged(
    transaction: &Transaction<'_>,
    run: &Run,
    before: Timestamp,
    at: Timestamp,
) -> Result<bool, JournalError> {
    let sql = format!("SELECT 1 FROM {}", purgeable_submissions());
    let found = transaction.query_row(&sql, params![before.to_string(), run.submission()], |_| Ok(())).optional()?;
    if found.is_some() {
        let sql = "UPDATE submission SET purged = ?2 WHERE id = ?1";
        transaction.execute(sql, params![run.submission(), at.to_string()])?;
    }
    Ok(found.is_some())
}

/// Removes some items, or some requests if there are no items. Returns false if nothing was left to remove.
fn remove_items(transaction: &Transaction<'_>, run: &Run) -> Result<bool, JournalError> {
    let id = run.submission();
    let last: Option<u32> =
        transaction.query_row("SELECT MAX(number) FROM item WHERE submission = ?1", [id], |row| row.get(0))?;
    let Some(last) = last else {
        let sql = "DELETE FROM attempt WHERE submission = ?1 AND batch IN (SELECT batch FROM attempt WHERE submission = ?1 LIMIT ?2)";
        return Ok(transaction.execute(sql, params![id, ITEMS_PER_TRANSACTION])? > 0);
    };
    let from = last.saturating_sub(ITEMS_PER_TRANSACTION);
    item::remove_after(transaction, id, from)?;
    Ok(true)
}

/// Selects events that can be removed, oldest first. The reader must have read them. A trusted event can be removed
/// only if every target has received it, no target has set it aside, and the floor doesn't need it. `?1` is a time,
/// `?2` a limit, and `{owed}` a condition for teams.
const PURGEABLE_EVENTS: &str = "SELECT id, key, signed_key FROM event WHERE received < ?1
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

/// Selects untrusted events of any age that the reader has read.
const PURGEABLE_UNVERIFIED_EVENTS: &str = "SELECT id, key, signed_key FROM event WHERE received <= ?1
    AND signed NOT IN ('unchecked', 'valid') AND id IN (SELECT event FROM reading) ORDER BY id LIMIT ?2";

/// The choice of events to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventPurge {
    /// Events that were received before a time.
    ReceivedBefore(Timestamp),
    /// Untrusted events of any age.
    Unverified,
}

impl Inbox {
    /// Returns the number of events that can be purged.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn purgeable(&self, purge: EventPurge) -> Result<u64, JournalError> {
        self.read(|connection| {
            let (events, before) = self.purgeable_events(purge);
            let sql = format!("SELECT COUNT(*) FROM ({events}) AS purgeable");
            let count: i64 = connection.query_row(&sql, params![before, i64::MAX], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
    }

    /// Returns the statement that selects the events, and the time for its `?1`.
    fn purgeable_events(&self, purge: EventPurge) -> (String, i64) {
        match purge {
            EventPurge::ReceivedBefore(before) => {
                let owed = if self.is_shared() { "AND id NOT IN (SELECT event FROM owed)" } else { "" };
                (PURGEABLE_EVENTS.replace("{owed}", owed), before.as_millisecond())
            }
            EventPurge::Unverified => (PURGEABLE_UNVERIFIED_EVENTS.to_owned(), i64::MAX),
        }
    }

    /// Removes some of the oldest events that can be purged. Returns their number, which is 0 if none is left.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn purge_some(&self, purge: EventPurge) -> Result<u32, JournalError> {
        // A team's database has no table `known`. Its index on the keys finds duplicates.
        let known = if self.is_shared() { None } else { Some("DELETE FROM known WHERE key = ?2 AND event = ?1") };
        let removed = self.write(|transaction| {
            let (events, before) = self.purgeable_events(purge);
            let mut statement = transaction.prepare_cached(&events)?;
            let found: Vec<(i64, i64, Option<i64>)> = statement
                .query_map(params![before, EVENTS_PER_TRANSACTION], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
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
                unverified::recount_unverified(transaction)?;
            }
            Ok(u32::try_from(found.len()).unwrap_or(u32::MAX))
        })?;
        std::thread::sleep(YIELD_TIME);
        Ok(removed)
    }

    /// Returns the size of the used part of the file in bytes, or 0 for a team's database.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn used_bytes(&self) -> Result<u64, JournalError> {
        if self.is_shared() { Ok(0) } else { self.read(crate::store::used_bytes) }
    }

    /// Rebuilds the file if more than a quarter of it is unused. Blocks other writers meanwhile. Does nothing in a
    /// team.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn shrink(&self) -> Result<(), JournalError> {
        self.shrink_file()
    }
}
