//! What one desk of a team does at a time: sends events on to a target, or reads what came.
//!
//! Who sends on to a target has the target's latest number, and holds the lock of that number; the lock ends with its session, however
//! that ends. It says besides that it is there. Another desk takes the target up, with the next number, once the lock is gone, or once
//! nothing was heard for a while: a process that stands still keeps its session. Every write of how far the target is asks for the
//! number, so whoever wakes up with an old one writes nothing. What was sent and not written down yet is sent once more, with the same
//! delivery's id, and the target's cursor moves only from where its sender found it.

use std::sync::Arc;

use super::{Inbox, InboxStore};
use crate::JournalError;
use crate::database::{Connection, DatabaseError, OptionalExtension, PreparedChange, Transaction, params};
use crate::postgres::{LockKey, SessionLock};
use crate::team_store::TeamStore;

/// After so many seconds without a word of it a desk has lost its target.
const SILENCE: u32 = 5;

/// The right to send a team's events on to one target.
#[derive(Debug)]
pub struct SenderLock {
    team: Arc<TeamStore>,
    target: i64,
    number: u32,
    lock: SessionLock,
}

impl SenderLock {
    /// Says that this desk is there, and asks the server whether it still has the target. False where it can't be asked, or where the
    /// session was lost: another desk may have the target.
    #[must_use]
    pub fn is_held(&self) -> bool {
        let sql = "UPDATE sender SET seen = clock_timestamp() WHERE target = ?1 AND number = ?2 RETURNING number";
        let said = self.team.read(|connection| {
            Ok(connection.query_row(sql, params![self.target, self.number], |row| row.get::<_, u32>(0)).optional()?)
        });
        !self.lock.is_lost() && matches!(said, Ok(Some(_)))
    }

    /// Within the transaction that writes how far the target is: it finds one row where this desk has the target still.
    pub(super) fn question(&self) -> Result<PreparedChange, DatabaseError> {
        let sql = "SELECT 1 FROM sender WHERE target = ?1 AND number = ?2";
        PreparedChange::of(sql, params![self.target, self.number])
    }
}

/// The right to read events that came. Of a desk's own file everybody may, at any time.
#[derive(Debug)]
pub struct ReaderLock(#[expect(dead_code, reason = "the lock ends with it")] Option<SessionLock>);

impl Inbox {
    /// The right to read what came; nothing where another desk of the team is reading. Two that read the same all the same write the
    /// same, and the floor takes it once.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn lock_reader(&self) -> Result<Option<ReaderLock>, JournalError> {
        match &self.store {
            InboxStore::File(_) => Ok(Some(ReaderLock(None))),
            InboxStore::Team(team) => Ok(team.lock(LockKey::Reader)?.map(|lock| ReaderLock(Some(lock)))),
        }
    }

    /// Who sends a team's events on.
    #[must_use]
    pub fn senders(&self) -> Senders<'_> {
        Senders(self)
    }
}

/// Who sends a team's events on.
#[derive(Debug, Clone, Copy)]
pub struct Senders<'a>(&'a Inbox);

impl Senders<'_> {
    /// The right to send on to a target; nothing where another desk has it, or the events are the desk's own.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn lock(&self, target: i64) -> Result<Option<SenderLock>, JournalError> {
        let InboxStore::Team(team) = &self.0.store else { return Ok(None) };
        let Some(number) = team.write(|transaction| take(transaction, target))? else { return Ok(None) };
        let lock = team.lock(LockKey::Sender(number))?;
        Ok(lock.map(|lock| SenderLock { team: Arc::clone(team), target, number, lock }))
    }

    /// Whether a desk of the team sends on to it at this moment; nothing where the events are the desk's own.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn is_running(&self, target: i64) -> Result<Option<bool>, JournalError> {
        if !self.0.is_shared() {
            return Ok(None);
        }
        self.0.store.read(|connection| is_taken(connection, target)).map(Some)
    }
}

/// Gives the number; nothing where another desk has the target, or there is none.
fn take(transaction: &Transaction<'_>, target: i64) -> Result<Option<u32>, JournalError> {
    if is_taken(transaction, target)? {
        return Ok(None);
    }
    let sql = "INSERT INTO sender (target, number) SELECT id, nextval('sender_number') FROM target WHERE id = ?1
         ON CONFLICT (target) DO UPDATE SET number = excluded.number, seen = clock_timestamp() RETURNING number";
    Ok(transaction.prepare_cached(sql)?.query_row([target], |row| row.get(0)).optional()?)
}

fn is_taken(connection: &Connection<'_>, target: i64) -> Result<bool, JournalError> {
    let held = LockKey::held_senders();
    let sql = format!(
        "SELECT 1 FROM sender WHERE target = ?1 AND seen > clock_timestamp() - CAST('{SILENCE} s' AS INTERVAL)
         AND EXISTS (SELECT 1 FROM pg_locks WHERE {held} AND CAST(objid AS BIGINT) = sender.number)"
    );
    Ok(connection.prepare_cached(&sql)?.exists([target])?)
}
