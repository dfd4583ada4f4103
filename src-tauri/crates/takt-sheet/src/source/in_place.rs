//! A large file that is read in place instead of being copied, for callers that read it once. After each read the file
//! must be unchanged, so all bytes are from the same version.

use std::{
    fs::File,
    io,
    time::{Duration, SystemTime},
};

use super::stamp::FileStamp;
use crate::SheetError;

/// A file that wasn't changed for this time gets another timestamp with its next change. Some file systems have a
/// resolution of two seconds.
const TIMESTAMP_RESOLUTION: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(super) struct InPlaceFile {
    file: File,
    stamp: FileStamp,
}

impl InPlaceFile {
    pub(super) fn new(file: File, stamp: FileStamp) -> Self {
        Self { file, stamp }
    }

    /// Returns whether every change of the file can be detected. It can't if the file was changed a moment ago, nor on
    /// Windows, which may report the time of a change late.
    pub(super) fn shows_changes(stamp: &FileStamp, now: SystemTime) -> bool {
        cfg!(unix) && stamp.is_older_than(TIMESTAMP_RESOLUTION, now)
    }

    pub(super) fn length(&self) -> u64 {
        self.stamp.length()
    }

    /// Reads bytes from a position on.
    ///
    /// # Errors
    /// Also if the file was written to since it was opened.
    pub(super) fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, position)?;
        if self.has_changed() { Err(io::Error::other(SheetError::ChangedWhileRead)) } else { Ok(read) }
    }

    pub(super) fn has_changed(&self) -> bool {
        FileStamp::of_file(&self.file).map_or(true, |now| now != self.stamp)
    }
}

/// Reads bytes from a position on.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

/// Reads bytes from a position on.
#[cfg(windows)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}
