//! The rights to run a submission and to send a file. `claim` acquires them, and dropping releases them.

use std::fs::File;

use crate::postgres::SessionLock;
use crate::{JournalError, SubmissionId};

/// The right to run and change one submission, until it's dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the submission up"]
pub struct Run {
    pub(crate) submission: SubmissionId,
    pub(crate) lock: Lock,
}

/// The lock of a run, which is released when it's dropped.
#[derive(Debug)]
pub(crate) enum Lock {
    File { _file: File },
    Team(SessionLock),
}

impl Run {
    #[must_use]
    pub fn submission(&self) -> SubmissionId {
        self.submission
    }

    /// Returns whether the lock is still held. In a team, queries the server. A file's lock is held as long as this
    /// process lives.
    #[must_use]
    pub fn is_held(&self) -> bool {
        match &self.lock {
            Lock::File { .. } => true,
            Lock::Team(lock) => lock.is_held(),
        }
    }

    /// Returns whether the lock is already known to be lost, without a query.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match &self.lock {
            Lock::File { .. } => false,
            Lock::Team(lock) => lock.is_lost(),
        }
    }

    /// Returns the session that holds the lock, or none for the lock of a file.
    pub(crate) fn session(&self) -> Option<u64> {
        match &self.lock {
            Lock::File { .. } => None,
            Lock::Team(lock) => Some(lock.session()),
        }
    }

    /// Fails if the lock belongs to another session than the one that writes, because then the desk has lost it.
    pub(crate) fn ensure_held(&self, session: Option<u64>) -> Result<(), JournalError> {
        if self.session() == session { Ok(()) } else { Err(JournalError::RunElsewhere(self.submission)) }
    }
}

/// The right to send one file to one site, until it's dropped.
#[derive(Debug)]
#[must_use = "dropping it lets others send the file"]
pub struct FileLock {
    /// Never read. Dropping it releases the lock.
    pub(crate) _lock: File,
}
