//! The right to run a submission, or to send a file, as long as it is held. How it is taken is told in `claim`.

use std::fs::File;

use crate::postgres::SessionLock;
use crate::{JournalError, SubmissionId};

/// The right to change one submission, until dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the submission up"]
pub struct Run {
    pub(crate) submission: SubmissionId,
    pub(crate) lock: Lock,
}

/// Held until dropped.
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

    /// Whether it is held at this moment: a team's server is asked. A file's lock is held as long as this process lives.
    #[must_use]
    pub fn is_held(&self) -> bool {
        match &self.lock {
            Lock::File { .. } => true,
            Lock::Team(lock) => lock.is_held(),
        }
    }

    /// Whether it is already known to be lost, without a query.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match &self.lock {
            Lock::File { .. } => false,
            Lock::Team(lock) => lock.is_lost(),
        }
    }

    /// The session that holds it; absent where a file does.
    pub(crate) fn session(&self) -> Option<u64> {
        match &self.lock {
            Lock::File { .. } => None,
            Lock::Team(lock) => Some(lock.session()),
        }
    }

    /// A desk that writes in another session has lost it.
    pub(crate) fn ensure_held(&self, session: Option<u64>) -> Result<(), JournalError> {
        if self.session() == session { Ok(()) } else { Err(JournalError::RunElsewhere(self.submission)) }
    }
}

/// The right to send one file to one site, until dropped.
#[derive(Debug)]
#[must_use = "dropping it lets others send the file"]
pub struct FileLock {
    /// Held for its lock alone.
    pub(crate) _lock: File,
}
