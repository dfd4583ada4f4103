//! Which processes have a file open, and whether it was found damaged. A damaged file is replaced once no process has it open.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::{JournalError, private::open_private_file};

/// Held as long as the file is open. Any number of processes may hold one.
#[derive(Debug)]
pub(crate) struct Presence {
    /// Absent where nothing can be written: then nothing is replaced either.
    _lock: Option<File>,
}

/// Held by the only one who may replace the file.
#[derive(Debug)]
pub(crate) struct ExclusiveLock {
    _lock: File,
}

impl Presence {
    pub(crate) fn of(file: &Path) -> Self {
        let lock = beside(file, "lock");
        // To create it where it is missing; a disk that can't be written to may hold it all the same.
        let opened = open_private_file(&lock).or_else(|_| File::open(&lock));
        let lock_file = opened.ok().filter(|lock| lock.lock_shared().is_ok());
        Self { _lock: lock_file }
    }
}

impl ExclusiveLock {
    /// Nothing where somebody has the file open.
    pub(crate) fn with(file: &Path) -> Result<Option<Self>, JournalError> {
        let path = beside(file, "lock");
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
    // Where that can't be written, it is found out anew.
    drop(open_private_file(&beside(file, "damaged")));
}

pub(crate) fn is_marked(file: &Path) -> bool {
    beside(file, "damaged").exists()
}

pub(crate) fn unmark(file: &Path) {
    drop(std::fs::remove_file(beside(file, "damaged")));
}

/// The file's name with something behind it.
pub(crate) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = file.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
