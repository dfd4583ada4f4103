//! The locks of processes that have a file open, and the mark of a damaged file. A damaged file is replaced once no
//! process has it open.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::{JournalError, private_file::open_private_file};

/// A shared lock that each process holds while it has the file open.
#[derive(Debug)]
pub(crate) struct SharedLock {
    /// Absent if the lock can't be taken, for example on read-only media, where no file is replaced.
    _lock: Option<File>,
}

/// The exclusive lock of the process that replaces the file.
#[derive(Debug)]
pub(crate) struct ExclusiveLock {
    _lock: File,
}

impl SharedLock {
    pub(crate) fn lock(file: &Path) -> Self {
        let lock = with_suffix(file, "lock");
        // Opened for writing to create it. On a read-only disk an existing file is enough.
        let opened = open_private_file(&lock).or_else(|_| File::open(&lock));
        let lock_file = opened.ok().filter(|lock| lock.lock_shared().is_ok());
        Self { _lock: lock_file }
    }
}

impl ExclusiveLock {
    /// Locks the file, or returns none if another process has it open.
    pub(crate) fn try_lock(file: &Path) -> Result<Option<Self>, JournalError> {
        let path = with_suffix(file, "lock");
        let io = |source| JournalError::Io { path: path.clone(), source };
        let lock = open_private_file(&path).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(io(source)),
        }
    }
}

/// Marks the file as damaged for the process that opens it next.
pub(crate) fn mark_damaged(file: &Path) {
    // Without the mark, the next process detects the damage again.
    drop(open_private_file(&with_suffix(file, "damaged")));
}

pub(crate) fn is_marked_damaged(file: &Path) -> bool {
    with_suffix(file, "damaged").exists()
}

pub(crate) fn clear_damaged_mark(file: &Path) {
    drop(std::fs::remove_file(with_suffix(file, "damaged")));
}

/// Appends a dot and a suffix to the file's name.
pub(crate) fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = file.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}
