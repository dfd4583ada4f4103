//! Who runs a submission, or sends a file: whoever holds the operating system's lock on its file in `running/`, or, in a team, the lock
//! of that number in the team's database. A file is one computer's, also in a team.
//!
//! A lock goes with its process, however that ends, so a window and a command line may share a journal and neither takes
//! the other's requests for dead. The files stay: removing one while another opens it would let two hold "the" lock.
//!
//! In a team a lock belongs to the session that also writes. Whoever lost the session lost the lock, and can't write by it any more: in
//! a new session what it had locked isn't its own. So no number that is counted up is needed to fence it off. The server notices
//! within some ten seconds that a desk is gone; a desk that only stands still keeps its session, and nobody takes its place.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::database::Connection;
use crate::postgres::LockKey;
use crate::private::{create_private_folder, open_private_file};
use crate::run::{FileLock, Lock, Run};
use crate::{Journal, JournalError, SubmissionId};

/// How often the lock is asked for: somebody may be looking whether it is held, for a moment ([`Journal::is_claimed`]).
const TRIES: u32 = 10;
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

impl Journal {
    /// Takes the submission up, or says that it is being run elsewhere. What a dead run left behind is still to be settled
    /// by [`Journal::recover_run`].
    ///
    /// # Errors
    ///
    /// - [`JournalError::RunElsewhere`]: another process, or another part of this one, runs it.
    /// - [`JournalError::Io`]: the file of its lock can't be made or locked.
    /// - [`JournalError::Team`]: the team's database can't be asked.
    pub fn claim(&self, submission: SubmissionId) -> Result<Run, JournalError> {
        let lock = match self.team() {
            Some(team) => team.lock(LockKey::Submission(submission.get()))?.map(Lock::Team),
            None => self.locked(&self.lock_file(submission))?.map(|file| Lock::File { _file: file }),
        };
        lock.map(|lock| Run { submission, lock }).ok_or(JournalError::RunElsewhere(submission))
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
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY_INTERVAL),
                Err(TryLockError::Error(source)) => return Err(io(source)),
            }
        }
        Ok(None)
    }

    /// Whether somebody runs it at this moment, here, in another process or at another desk. Writes nothing.
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
        Ok(match File::open(self.lock_file(submission)) {
            Ok(lock) => lock.try_lock_shared().is_err(),
            // What can't be looked at may be held.
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        })
    }

    fn lock_file(&self, submission: SubmissionId) -> PathBuf {
        self.running().join(format!("{submission}.lock"))
    }
}
