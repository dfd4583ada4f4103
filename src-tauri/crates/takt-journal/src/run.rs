//! Who runs a submission: whoever holds the operating system's lock on its file in `running/`.
//!
//! A lock goes with its process, however that ends, so a window and a command line may share a journal and neither takes
//! the other's requests for dead. The files stay: removing one while another opens it would let two hold "the" lock.

use std::fs::{File, TryLockError};

use crate::{Journal, JournalError, private::open_private_file};

/// The right to change one submission, until dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the submission up"]
pub struct Run {
    submission: u32,
    /// Held for its lock alone.
    _lock: File,
}

impl Run {
    #[must_use]
    pub fn submission(&self) -> u32 {
        self.submission
    }
}

impl Journal {
    /// Takes the submission up, or says that it is being run elsewhere. What a dead run left behind is still to be settled
    /// by [`Journal::recover_run`].
    pub fn claim(&self, submission: u32) -> Result<Run, JournalError> {
        let path = self.running().join(format!("{submission}.lock"));
        let io = |source| JournalError::Io { path: path.clone(), source };
        let lock = open_private_file(&path).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => Ok(Run { submission, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(JournalError::RunElsewhere(submission)),
            Err(TryLockError::Error(source)) => Err(io(source)),
        }
    }
}
