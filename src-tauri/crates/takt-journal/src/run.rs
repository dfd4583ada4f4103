//! Who runs a submission, or sends a file: whoever holds the operating system's lock on its file in `running/`.
//!
//! A lock goes with its process, however that ends, so a window and a command line may share a journal and neither takes
//! the other's requests for dead. The files stay: removing one while another opens it would let two hold "the" lock.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::private::{create_private_folder, open_private_file};
use crate::{Journal, JournalError, SubmissionId};

/// The right to change one submission, until dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the submission up"]
pub struct Run {
    submission: SubmissionId,
    /// Held for its lock alone.
    _lock: File,
}

impl Run {
    #[must_use]
    pub fn submission(&self) -> SubmissionId {
        self.submission
    }
}

/// The right to send one file to one site, until dropped.
#[derive(Debug)]
#[must_use = "dropping it lets others send the file"]
pub struct FileLock {
    /// Held for its lock alone.
    _lock: File,
}

/// How often the lock is asked for: somebody may be looking whether it is held, for a moment ([`Journal::is_claimed`]).
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(5);

impl Journal {
    /// Takes the submission up, or says that it is being run elsewhere. What a dead run left behind is still to be settled
    /// by [`Journal::recover_run`].
    ///
    /// # Errors
    ///
    /// - [`JournalError::RunElsewhere`]: another process, or another part of this one, runs it.
    /// - [`JournalError::Io`]: the file of its lock can't be made or locked.
    pub fn claim(&self, submission: SubmissionId) -> Result<Run, JournalError> {
        let lock = self.locked(&self.lock_file(submission))?;
        lock.map(|lock| Run { submission, _lock: lock }).ok_or(JournalError::RunElsewhere(submission))
    }

    /// See [`Plans::lock_file`](crate::Plans::lock_file).
    pub(crate) fn lock_file_of(&self, name: &str) -> Result<Option<FileLock>, JournalError> {
        let lock = self.locked(&self.running().join(format!("file-{name}.lock")))?;
        Ok(lock.map(|lock| FileLock { _lock: lock }))
    }

    fn locked(&self, path: &Path) -> Result<Option<File>, JournalError> {
        let io = |source| JournalError::Io { path: path.to_path_buf(), source };
        create_private_folder(self.running()).map_err(io)?;
        let lock = open_private_file(path).map_err(io)?;
        for _ in 0..TRIES {
            match lock.try_lock() {
                Ok(()) => return Ok(Some(lock)),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(source)) => return Err(io(source)),
            }
        }
        Ok(None)
    }

    /// Whether somebody runs it at this moment, here or in another process. Writes nothing.
    pub(crate) fn is_claimed(&self, submission: SubmissionId) -> bool {
        match File::open(self.lock_file(submission)) {
            Ok(lock) => lock.try_lock_shared().is_err(),
            // What can't be looked at may be held.
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        }
    }

    fn lock_file(&self, submission: SubmissionId) -> PathBuf {
        self.running().join(format!("{submission}.lock"))
    }
}
