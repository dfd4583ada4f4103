//! What one desk of a team does at a time: sends events on to a target, or reads what came. Whoever holds the lock of its session does.
//!
//! The lock ends with its session, however that ends; another desk takes the work up then. What was sent and not written down yet is
//! sent once more by it, with the same delivery's id, and the target's cursor moves only from where its sender found it.

use super::{Inbox, InboxStore};
use crate::JournalError;
use crate::postgres::{LockKey, SessionLock};

/// The right to send a team's events on to one target.
#[derive(Debug)]
pub struct SenderLock(SessionLock);

impl SenderLock {
    /// Asks the server. False where the session was lost: another desk may have the target.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.0.is_held()
    }
}

/// The right to read events that came. Of a desk's own file everybody may, at any time.
#[derive(Debug)]
pub struct ReaderLock(#[expect(dead_code, reason = "the lock ends with it")] Option<SessionLock>);

impl Inbox {
    /// The right to read what came; nothing where another desk of the team is reading.
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
    /// A [read error](crate::JournalError#reading).
    pub fn lock(&self, target: i64) -> Result<Option<SenderLock>, JournalError> {
        let InboxStore::Team(team) = &self.0.store else { return Ok(None) };
        Ok(team.lock(LockKey::of_target(target))?.map(SenderLock))
    }

    /// Whether a desk of the team sends on to it at this moment; nothing where the events are the desk's own.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn is_running(&self, target: i64) -> Result<Option<bool>, JournalError> {
        if !self.0.is_shared() {
            return Ok(None);
        }
        let held = LockKey::of_target(target).is_held_by_anybody();
        let sql = format!("SELECT EXISTS (SELECT 1 FROM pg_locks WHERE {held})");
        self.0.store.read(|connection| Ok(Some(connection.query_row(&sql, [], |row| row.get(0))?)))
    }
}
