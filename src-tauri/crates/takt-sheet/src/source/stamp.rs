//! By what a file is known to be the same as a moment ago: its length, when it changed, and on which place of the disk it is.

use std::{
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use crate::SheetError;

/// A file that was changed within this time may still be being written.
const MIN_QUIET_TIME: Duration = Duration::from_millis(200);

/// What the system says of a file at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    length: u64,
    modified: Option<SystemTime>,
    place: Place,
}

/// What changes when a file is replaced, or its time of change is set back.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

#[cfg(windows)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    created: u64,
}

impl Place {
    #[cfg(unix)]
    fn of(facts: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: facts.dev(), inode: facts.ino(), changed: (facts.ctime(), facts.ctime_nsec()) }
    }

    #[cfg(windows)]
    fn of(facts: &Metadata) -> Self {
        use std::os::windows::fs::MetadataExt;
        Self { created: facts.creation_time() }
    }

    /// When anything of the file changed, its name and its times included; absent where that can't be told.
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
    pub(crate) fn of(facts: &Metadata) -> Self {
        Self { length: facts.len(), modified: facts.modified().ok(), place: Place::of(facts) }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Whether the file wasn't changed for so long, as far as its times tell.
    pub(crate) fn is_older_than(&self, age: Duration, now: SystemTime) -> bool {
        let times = [self.modified, self.place.changed_at()];
        times.iter().all(|time| time.is_some_and(|time| now.duration_since(time).is_ok_and(|own| own > age)))
    }

    /// How long to wait until a file that was written just now has been left alone long enough.
    fn until_quiet(&self) -> Duration {
        let age = self.modified.and_then(|modified| modified.elapsed().ok());
        age.map_or(Duration::ZERO, |age| MIN_QUIET_TIME.saturating_sub(age))
    }
}

/// A file as it was when it was read.
#[derive(Debug, Clone)]
pub(crate) struct StampedFile {
    pub(crate) path: PathBuf,
    pub(crate) stamp: FileStamp,
}

impl StampedFile {
    /// Waits at most [`MIN_QUIET_TIME`], and only where the file was written just now.
    ///
    /// # Errors
    /// [`SheetError::ChangedWhileRead`] where the file is another one now, was written to, or is gone.
    pub(crate) fn check_unchanged(&self) -> Result<(), SheetError> {
        thread::sleep(self.stamp.until_quiet());
        match stamp_of(&self.path) {
            Ok(now) if now == self.stamp => Ok(()),
            _ => Err(SheetError::ChangedWhileRead),
        }
    }
}

fn stamp_of(path: &Path) -> io::Result<FileStamp> {
    fs::metadata(path).map(|facts| FileStamp::of(&facts))
}
