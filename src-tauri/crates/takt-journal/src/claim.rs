//! The locks of submissions and files: an operating system lock on a file in `running/`, or for a submission of a team
//! an advisory lock in the database.
//!
//! A lock ends with its process, so a window and a command line can share a journal. Lock files are never removed,
//! because two processes could then hold the same lock. In a team, a lock belongs to the session that also writes, so a
//! desk that loses it can't write and needs no fencing token.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::database::Connection;
use crate::postgres::LockKey;
use crate::private_file::{create_private_folder, open_private_file};
use crate::run::{FileLock, Lock, Run};
use crate::{Journal, JournalError, SubmissionId};

/// The number of tries to acquire a lock. [`Journal::is_claimed`] may hold it for a moment.
const LOCK_TRIES: u32 = 10;
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

impl Journal {
    /// Locks a submission. The caller must then call [`Journal::recover_run`], in case a process ended while it sent
    /// items.
    ///
    /// # Errors
    ///
    /// - [`JournalError::RunElsewhere`]: another process, another desk or another part of this process runs it.
    /// - [`JournalError::Io`]: its lock file can't be created or locked.
    /// - [`JournalError::Team`]: the team's database can't be queried.
    pub fn claim(&self, submission: SubmissionId) -> Result<Run, JournalError> {
        let lock = match self.team() {
            Some(team) => team.lock(LockKey::Submission(submission.get()))?.map(Lock::Team),
            None => self.try_lock(&self.lock_file_path(submission))?.map(|file| Lock::File { _file: file }),
        };
        lock.map(|lock| Run { submission, lock }).ok_or(JournalError::RunElsewhere(submission))
    }

    /// Acquires the lock of a file: see [`Plans::lock_file`](crate::Plans::lock_file).
    pub(crate) fn lock_file_by_name(&self, name: &str) -> Result<Option<FileLock>, JournalError> {
        let lock = self.try_lock(&self.lock_folder().join(format!("file-{name}.lock")))?;
        Ok(lock.map(|lock| FileLock { _lock: lock }))
    }

    fn try_lock(&self, path: &Path) -> Result<Option<File>, JournalError> {
        let io = |source| JournalError::Io { path: path.to_path_buf(), source };
        create_private_folder(self.lock_folder()).map_err(io)?;
        let lock = open_private_file(path).map_err(io)?;
        for _ in 0..LOCK_TRIES {
            match lock.try_lock() {
                Ok(()) => return Ok(Some(lock)),
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY_INTERVAL),
                Err(TryLockError::Error(source)) => return Err(io(source)),
            }
        }
        Ok(None)
    }

    /// Returns whether the submission is locked at this moment, by this process, another one or another desk. Writes
    /// nothing.
    pub(crate) fn is_claimed(
        &self,
        connection: &Connection<'_>,
        submission: SubmissionId,
    ) -> Result<bool, JournalError> {
        if self.team().is_some() {
            let held = LockKey::held_submissions();
            return Ok(connection.query_row(
                &format!("SELECT EXISTS (SELECT 1 FROM pg_locks WHERE {held} AND objid = ?1)"),
                [submission],
                |row| row.get(0),
            )?);
        }
        Ok(match File::open(self.lock_file_path(submission)) {
            Ok(lock) => lock.try_lock_shared().is_err(),
            // A file that can't be opened may be locked.
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        })
    }

    fn lock_file_path(&self, submission: SubmissionId) -> PathBuf {
        self.lock_folder().join(format!("{submission}.lock"))
    }
}
