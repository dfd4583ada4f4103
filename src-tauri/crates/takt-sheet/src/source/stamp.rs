//! The properties that identify a version of a file: its length, its times, and its location on the disk.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use crate::SheetError;

/// A file that was changed within this time may still be being written.
const MIN_QUIET_TIME: Duration = Duration::from_millis(200);

/// The properties of a file at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    length: u64,
    modified: Option<SystemTime>,
    identity: FileIdentity,
}

/// The properties that change if a file is replaced, or if its modification time is set back.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

#[cfg(windows)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    created: u64,
}

impl FileIdentity {
    #[cfg(unix)]
    fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino(), changed: (metadata.ctime(), metadata.ctime_nsec()) }
    }

    #[cfg(windows)]
    fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::windows::fs::MetadataExt;
        Self { created: metadata.creation_time() }
    }

    /// Returns the time of the last change of the file, including its name and its times, or `None` if the system
    /// doesn't report it.
    #[cfg(unix)]
    fn changed_at(self) -> Option<SystemTime> {
        let (seconds, nanoseconds) = self.changed;
        let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
        SystemTime::UNIX_EPOCH.checked_add(since)
    }

    #[cfg(windows)]
    fn changed_at(self) -> Option<SystemTime> {
        None
    }
}

impl FileStamp {
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            identity: FileIdentity::from_metadata(metadata),
        }
    }

    /// Returns the properties of an open file.
    ///
    /// # Errors
    /// If they can't be read.
    pub(super) fn from_file(file: &File) -> Result<Self, SheetError> {
        file.metadata().map(|metadata| Self::from_metadata(&metadata)).map_err(SheetError::Unreadable)
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns whether the file has been unchanged for `age`, according to its times.
    pub(super) fn is_older_than(&self, age: Duration, now: SystemTime) -> bool {
        let times = [self.modified, self.identity.changed_at()];
        times.iter().all(|time| time.is_some_and(|time| now.duration_since(time).is_ok_and(|own| own > age)))
    }

    /// Returns the time until a file that was just written has been unchanged for [`MIN_QUIET_TIME`].
    fn time_until_quiet(&self) -> Duration {
        let age = self.modified.and_then(|modified| modified.elapsed().ok());
        age.map_or(Duration::ZERO, |age| MIN_QUIET_TIME.saturating_sub(age))
    }
}

/// The path of a file and its properties when it was opened.
#[derive(Debug, Clone)]
pub(crate) struct StampedFile {
    pub(crate) path: PathBuf,
    pub(crate) stamp: FileStamp,
}

impl StampedFile {
    /// Checks that the file is the same as when it was opened. First waits up to [`MIN_QUIET_TIME`] if the file was
    /// just written.
    ///
    /// # Errors
    /// [`SheetError::ChangedWhileRead`] if the file was replaced, written to or removed.
    pub(crate) fn check_unchanged(&self) -> Result<(), SheetError> {
        thread::sleep(self.stamp.time_until_quiet());
        match read_stamp(&self.path) {
            Ok(now) if now == self.stamp => Ok(()),
            _ => Err(SheetError::ChangedWhileRead),
        }
    }
}

fn read_stamp(path: &Path) -> io::Result<FileStamp> {
    fs::metadata(path).map(|metadata| FileStamp::from_metadata(&metadata))
}
