//! Locks that only one desk of a team can hold, for forwarding events to a target and for reading events.
//!
//! A sender gets the target's next number and the lock of that number, which ends with its session. It also sends
//! heartbeats, because a suspended process keeps its session. Another desk takes over if the lock or the heartbeats
//! end. Every write of a target's progress checks the number, so a former sender can't write. Events
//! that were sent but not recorded are sent again with the same delivery ID.

use std::sync::Arc;

use super::store::{Inbox, InboxStore};
use crate::JournalError;
use crate::database::{Connection, DatabaseError, OptionalExtension, PreparedChange, Transaction, params};
use crate::postgres::{LockKey, SessionLock};
use crate::team_store::TeamStore;

/// The time in seconds without a heartbeat after which a desk loses its target.
const SILENCE_SECONDS: u32 = 5;

/// The right to forward a team's events to one target.
#[derive(Debug)]
pub struct SenderLock {
    team: Arc<TeamStore>,
    target: i64,
    number: u32,
    lock: SessionLock,
}

impl SenderLock {
    /// Sends a heartbeat, and returns whether this desk still has the target. Also returns false if the server can't be
    /// queried or the session was lost.
    #[must_use]
    pub fn is_held(&self) -> bool {
        let sql = "UPDATE sender SET seen = clock_timestamp() WHERE target = ?1 AND number = ?2 RETURNING number";
        let updated = self.team.read(|connection| {
            Ok(connection.query_row(sql, params![self.target, self.number], |row| row.get::<_, u32>(0)).optional()?)
        });
        !self.lock.is_lost() && matches!(updated, Ok(Some(_)))
    }

    /// Returns a statement that matches one row if this desk still has the target. It runs in the transaction that
    /// writes the target's progress.
    pub(super) fn ownership_check(&self) -> Result<PreparedChange, DatabaseError> {
        let sql = "SELECT 1 FROM sender WHERE target = ?1 AND number = ?2";
        PreparedChange::new(sql, params![self.target, self.number])
    }
}

/// The right to read events. Without a team it is always granted.
#[derive(Debug)]
pub struct ReaderLock(#[expect(dead_code, reason = "the lock ends with it")] Option<SessionLock>);

impl Inbox {
    /// Takes the right to read events, or returns none if another desk of the team has it. If two desks read at once,
    /// both store the same readings, and the floor applies each event once.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn lock_reader(&self) -> Result<Option<ReaderLock>, JournalError> {
        match &self.store {
            InboxStore::File(_) => Ok(Some(ReaderLock(None))),
            InboxStore::Team(team) => Ok(team.lock(LockKey::Reader)?.map(|lock| ReaderLock(Some(lock)))),
        }
    }

    /// Returns access to the senders of a team.
    #[must_use]
    pub fn senders(&self) -> Senders<'_> {
        Senders(self)
    }
}

/// The senders that forward a team's events.
#[derive(Debug, Clone, Copy)]
pub struct Senders<'a>(&'a Inbox);

impl Senders<'_> {
    /// Takes the right to forward to a target. Returns none if another desk has it, or without a team.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn lock(&self, target: i64) -> Result<Option<SenderLock>, JournalError> {
        let InboxStore::Team(team) = &self.0.store else { return Ok(None) };
        let Some(number) = team.write(|transaction| register_sender(transaction, target))? else { return Ok(None) };
        let lock = team.lock(LockKey::Sender(number))?;
        Ok(lock.map(|lock| SenderLock { team: Arc::clone(team), target, number, lock }))
    }

    /// Returns whether a desk of the team forwards to the target at this moment, or none without a team.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn is_running(&self, target: i64) -> Result<Option<bool>, JournalError> {
        if !self.0.is_shared() {
            return Ok(None);
        }
        self.0.store.read(|connection| has_sender(connection, target)).map(Some)
    }
}

/// Returns the sender's new number, or none if another desk has the target or the target doesn't exist.
fn register_sender(transaction: &Transaction<'_>, target: i64) -> Result<Option<u32>, JournalError> {
    if has_sender(transaction, target)? {
        return Ok(None);
    }
    let sql = "INSERT INTO sender (target, number) SELECT id, nextval('sender_number') FROM target WHERE id = ?1
         ON CONFLICT (target) DO UPDATE SET number = excluded.number, seen = clock_timestamp() RETURNING number";
    Ok(transaction.prepare_cached(sql)?.query_row([target], |row| row.get(0)).optional()?)
}

fn has_sender(connection: &Connection<'_>, target: i64) -> Result<bool, JournalError> {
    let held = LockKey::held_senders();
    let sql = format!(
        "SELECT 1 FROM sender WHERE target = ?1 AND seen > clock_timestamp() - CAST('{SILENCE_SECONDS} s' AS INTERVAL)
         AND EXISTS (SELECT 1 FROM pg_locks WHERE {held} AND CAST(objid AS BIGINT) = sender.number)"
    );
    Ok(connection.prepare_cached(&sql)?.exists([target])?)
}
