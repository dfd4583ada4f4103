//! The bytes of a file as of its opening, even if the file changes afterwards.
//!
//! Small files are read into memory. Large files are copied into a file without a name, which disappears with its last
//! reader, even if the program is killed. A file that changes while it is read is refused, because its content would be
//! mixed. A caller that reads a large file only once may read it in place. It is then refused if it changes before it
//! has been read.

mod file_copy;
mod stamp;

use std::{
    fmt,
    fs::{self, File},
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use self::file_copy::{BLOCK_BYTES, ContentFacts, FileCopy};
use crate::{LimitKind, Limits, SheetError};

pub(crate) use self::stamp::{FileStamp, StampedFile};

/// Larger files are copied or read in place if the limits allow it, otherwise read into memory.
const MAX_IN_MEMORY_BYTES: u64 = 16 * 1024 * 1024;
/// The buffer for a package's directory, which is read in small pieces. Large reads bypass the buffer.
const DIRECTORY_BUFFER_BYTES: usize = 4 * 1024;

/// If a file wasn't changed for this time, its next change has another timestamp. Some file systems have a resolution
/// of two seconds.
const TIMESTAMP_RESOLUTION: Duration = Duration::from_secs(3);

/// The bytes of an opened file, which may be in memory, in a copy, or in the file.
#[derive(Clone)]
pub(crate) struct Source(Arc<SourceBytes>);

enum SourceBytes {
    Memory(Arc<Vec<u8>>),
    Copy(FileCopy),
    InPlace(InPlaceFile),
}

impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Source").field("length", &self.len()).finish_non_exhaustive()
    }
}

impl Source {
    pub(crate) fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Arc::new(SourceBytes::Memory(Arc::new(bytes.into()))))
    }

    /// Opens a file. A large file is copied if there is a folder for copies.
    ///
    /// # Errors
    /// [`SheetError::NotAFile`] for a folder, a pipe or a device. [`SheetError::ChangedWhileRead`] if the file changes
    /// while it is read.
    pub(crate) fn open(path: &Path, limits: &Limits) -> Result<(Self, StampedFile), SheetError> {
        Self::open_with_progress(path, limits, &mut |_| {})
    }

    /// Like [`Self::open`], but reports the number of bytes after each block that is read.
    fn open_with_progress(
        path: &Path,
        limits: &Limits,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<(Self, StampedFile), SheetError> {
        // This is checked before opening, because opening a pipe waits for a writer.
        let metadata = if limits.refuses_links { fs::symlink_metadata(path) } else { fs::metadata(path) };
        if !metadata.map_err(SheetError::Unreadable)?.is_file() {
            return Err(SheetError::NotAFile);
        }
        let mut file = open_file(path, limits.refuses_links).map_err(SheetError::Unreadable)?;
        let stamp = FileStamp::from_file(&file)?;
        if stamp.length() > limits.file_bytes {
            return Err(SheetError::too_large(LimitKind::FileBytes, limits.file_bytes));
        }
        if limits.reads_in_place
            && stamp.length() > MAX_IN_MEMORY_BYTES
            && InPlaceFile::can_detect_changes(&stamp, SystemTime::now())
        {
            let source = Self(Arc::new(SourceBytes::InPlace(InPlaceFile::new(file, stamp))));
            return Ok((source, StampedFile { path: path.to_owned(), stamp }));
        }
        let copies = limits.copy_folder.as_ref().filter(|_| stamp.length() > MAX_IN_MEMORY_BYTES);
        let copy =
            copies.map(|folder| file_copy::copy_file(&mut file, folder, limits.file_bytes, on_progress)).transpose();
        let source = match copy.map_err(SheetError::Unreadable)?.flatten() {
            Some(copy) => Self(Arc::new(SourceBytes::Copy(copy))),
            None => Self::from_bytes(
                read_bytes(&mut file, &stamp, limits.file_bytes, on_progress).map_err(SheetError::Unreadable)?,
            ),
        };
        if source.len() != stamp.length() || FileStamp::from_file(&file)? != stamp {
            return Err(SheetError::ChangedWhileRead);
        }
        Ok((source, StampedFile { path: path.to_owned(), stamp }))
    }

    pub(crate) fn len(&self) -> u64 {
        match &*self.0 {
            SourceBytes::Memory(bytes) => bytes.len() as u64,
            SourceBytes::Copy(copied) => copied.length,
            SourceBytes::InPlace(file) => file.length(),
        }
    }

    /// Returns [`SheetError::ChangedWhileRead`] instead of `error` if the file is read in place and has changed.
    pub(crate) fn replace_error_if_changed(&self, error: SheetError) -> SheetError {
        match &*self.0 {
            SourceBytes::InPlace(file) if file.has_changed() => SheetError::ChangedWhileRead,
            _ => error,
        }
    }

    /// Returns the SHA-256 of all bytes if it was computed while they were copied.
    pub(crate) fn sha256(&self) -> Option<[u8; 32]> {
        self.facts().map(|facts| facts.sha256)
    }

    /// Returns whether all bytes are UTF-8 if that was checked while they were copied. An incomplete character at the
    /// end is allowed.
    pub(crate) fn is_utf8(&self) -> Option<bool> {
        self.facts().map(|facts| facts.is_utf8)
    }

    fn facts(&self) -> Option<&ContentFacts> {
        match &*self.0 {
            SourceBytes::Memory(_) | SourceBytes::InPlace(_) => None,
            SourceBytes::Copy(copied) => Some(&copied.facts),
        }
    }

    /// Returns a reader from the start. Each reader has its own position.
    pub(crate) fn reader(&self) -> SourceReader {
        SourceReader { source: self.clone(), position: 0, read: Arc::default() }
    }

    /// Returns a reader with a small buffer that adds the bytes it reads to `read`.
    pub(crate) fn counted_reader(&self, read: &Arc<AtomicU64>) -> BufReader<SourceReader> {
        let reader = SourceReader { read: Arc::clone(read), ..self.reader() };
        BufReader::with_capacity(DIRECTORY_BUFFER_BYTES, reader)
    }

    /// Returns the first `max_bytes` bytes, or all bytes of a shorter file.
    pub(crate) fn head(&self, max_bytes: usize) -> Result<Vec<u8>, SheetError> {
        let mut head = Vec::new();
        self.reader().take(max_bytes as u64).read_to_end(&mut head).map_err(SheetError::Unreadable)?;
        Ok(head)
    }

    /// Returns all bytes in memory, for the formats that can't be read otherwise.
    pub(crate) fn read_all(&self) -> Result<Arc<Vec<u8>>, SheetError> {
        match &*self.0 {
            SourceBytes::Memory(bytes) => Ok(Arc::clone(bytes)),
            SourceBytes::Copy(_) | SourceBytes::InPlace(_) => {
                self.head(usize::try_from(self.len()).unwrap_or(usize::MAX)).map(Arc::new)
            }
        }
    }
}

/// Reads up to one byte more than `max_bytes`, so that a growing file is detected.
fn read_bytes(
    file: &mut File,
    stamp: &FileStamp,
    max_bytes: u64,
    on_progress: &mut dyn FnMut(u64),
) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.length()).unwrap_or_default());
    let mut rest = file.take(max_bytes.saturating_add(1));
    while rest.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut bytes)? > 0 {
        on_progress(bytes.len() as u64);
    }
    Ok(bytes)
}

/// A reader of a file's bytes with its own position.
#[derive(Debug)]
pub struct SourceReader {
    source: Source,
    position: u64,
    read: Arc<AtomicU64>,
}

impl SourceReader {
    /// Returns the counter of the bytes that were read, for other threads.
    pub(crate) fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }
}

impl Read for SourceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &*self.source.0 {
            SourceBytes::Memory(bytes) => {
                let from = usize::try_from(self.position).unwrap_or(usize::MAX).min(bytes.len());
                bytes.get(from..).unwrap_or_default().read(buffer)?
            }
            SourceBytes::Copy(copied) => read_at(&copied.file, buffer, self.position)?,
            SourceBytes::InPlace(file) => file.read_at(buffer, self.position)?,
        };
        self.position += read as u64;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for SourceReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(distance) => self.source.len().checked_add_signed(distance),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
        };
        self.position = position.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

/// Opens a file. If links are refused and a link has just replaced the file, the link isn't followed. Opening it fails
/// on Unix, and on Windows the opened object isn't a file.
fn open_file(path: &Path, refuses_links: bool) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    if refuses_links {
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
        );
        #[cfg(windows)]
        {
            const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
            std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, FILE_FLAG_OPEN_REPARSE_POINT);
        }
    }
    let file = options.open(path)?;
    if refuses_links && !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link"));
    }
    Ok(file)
}

/// A large file that is read in place instead of being copied, for callers that read it once. After each read the file
/// must be unchanged, so all bytes are from the same version.
#[derive(Debug)]
struct InPlaceFile {
    file: File,
    stamp: FileStamp,
}

impl InPlaceFile {
    fn new(file: File, stamp: FileStamp) -> Self {
        Self { file, stamp }
    }

    /// Returns whether every change of the file can be detected. That is impossible shortly after a change, and on
    /// Windows, which may report the time of a change late.
    fn can_detect_changes(stamp: &FileStamp, now: SystemTime) -> bool {
        cfg!(unix) && stamp.is_older_than(TIMESTAMP_RESOLUTION, now)
    }

    fn length(&self) -> u64 {
        self.stamp.length()
    }

    /// Reads bytes from a position on, and checks that the file is unchanged.
    ///
    /// # Errors
    /// If the bytes can't be read, or the file has changed since it was opened.
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, position)?;
        if self.has_changed() { Err(io::Error::other(SheetError::ChangedWhileRead)) } else { Ok(read) }
    }

    fn has_changed(&self) -> bool {
        FileStamp::from_file(&self.file).map_or(true, |now| now != self.stamp)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn a_large_file_stays_what_it_was_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let copies = folder.path().join("copies");
        fs::create_dir(&copies).unwrap();
        let path = folder.path().join("large");
        let bytes: Vec<u8> = (0..MAX_IN_MEMORY_BYTES + 10).map(|at| u8::try_from(at % 251).unwrap()).collect();
        fs::write(&path, &bytes).unwrap();
        let limits = Limits { copy_folder: Some(copies.clone()), ..Limits::default() };
        let (source, _) = Source::open(&path, &limits).unwrap();
        assert!(matches!(&*source.0, SourceBytes::Copy(_)));
        assert_eq!(source.sha256(), Some(Sha256::digest(&bytes).into()));
        assert_eq!(source.is_utf8(), Some(false));
        fs::write(&path, b"something else").unwrap();
        assert_eq!(*source.read_all().unwrap(), *bytes);
        let (mut one, mut other) = (source.reader(), source.reader());
        one.seek(SeekFrom::End(-4)).unwrap();
        let mut end = Vec::new();
        one.read_to_end(&mut end).unwrap();
        let mut start = [0; 3];
        other.read_exact(&mut start).unwrap();
        assert_eq!((&end[..], start), (&bytes[bytes.len() - 4..], [0, 1, 2]));
        assert_eq!(one.counter().load(Ordering::Relaxed), 4);
        drop((source, one, other));
        assert_eq!(fs::read_dir(&copies).unwrap().count(), 0);
    }

    #[test]
    fn without_a_place_for_copies_it_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        fs::write(&path, vec![1; usize::try_from(MAX_IN_MEMORY_BYTES).unwrap() + 1]).unwrap();
        for copies in [None, Some(folder.path().join("gone"))] {
            let (source, _) = Source::open(&path, &Limits { copy_folder: copies, ..Limits::default() }).unwrap();
            assert!(matches!(&*source.0, SourceBytes::Memory(_)));
            assert_eq!(source.len(), MAX_IN_MEMORY_BYTES + 1);
        }
    }

    /// Opens a file and calls `write` after the first block was read.
    fn open_while_writing(
        path: &Path,
        limits: &Limits,
        write: &dyn Fn(&Path),
    ) -> Result<(Source, StampedFile), SheetError> {
        let mut first = true;
        Source::open_with_progress(path, limits, &mut |_| {
            if std::mem::take(&mut first) {
                write(path);
            }
        })
    }

    fn append(path: &Path) {
        fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"more").unwrap();
    }

    fn truncate(path: &Path) {
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(10).unwrap();
    }

    /// Overwrites a file with the same number of bytes, and gives it a later timestamp.
    fn rewrite(path: &Path) {
        let length = usize::try_from(fs::metadata(path).unwrap().len()).unwrap();
        fs::write(path, vec![7; length]).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
        File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_opened_only_where_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.csv"), folder.path().join("link.csv"));
        fs::write(&file, "one").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let refusing = Limits { refuses_links: true, ..Limits::default() };
        assert!(Source::open(&link, &Limits::default()).is_ok());
        assert!(matches!(Source::open(&link, &refusing), Err(SheetError::NotAFile)));
        assert!(Source::open(&file, &refusing).is_ok());
        // Simulates that a link replaced the file after the first check.
        assert!(super::open_file(&link, true).is_err() && super::open_file(&file, true).is_ok());
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("written");
        let copied = Limits { copy_folder: Some(folder.path().to_owned()), ..Limits::default() };
        for (limits, length) in
            [(Limits::default(), 3 * BLOCK_BYTES), (Limits::default(), 100), (copied, 17 * 1024 * 1024)]
        {
            for write in [append, truncate, rewrite] {
                fs::write(&path, vec![1; length]).unwrap();
                let refused = open_while_writing(&path, &limits, &write);
                assert!(matches!(refused, Err(SheetError::ChangedWhileRead)), "{length}: {refused:?}");
            }
            fs::write(&path, vec![1; length]).unwrap();
            let (source, file) = open_while_writing(&path, &limits, &|_| {}).unwrap();
            assert_eq!(source.len(), length as u64);
            file.check_unchanged().unwrap();
            fs::remove_file(&path).unwrap();
            assert!(matches!(file.check_unchanged(), Err(SheetError::ChangedWhileRead)));
            fs::write(&path, vec![2; length]).unwrap();
            assert!(matches!(file.check_unchanged(), Err(SheetError::ChangedWhileRead)), "it is another file");
        }
    }

    /// Reads a file in place and calls `write` after the first few bytes.
    #[cfg(unix)]
    fn read_in_place_while_writing(path: &Path, write: &dyn Fn(&Path)) -> Result<Vec<u8>, SheetError> {
        let file = File::open(path).unwrap();
        let stamp = FileStamp::from_file(&file).unwrap();
        let source = Source(Arc::new(SourceBytes::InPlace(InPlaceFile::new(file, stamp))));
        let (mut reader, mut read) = (source.reader(), vec![0; 10]);
        reader.read_exact(&mut read).unwrap();
        // A timestamp has a limited resolution, so a single write might not change it.
        while fs::metadata(path).is_ok_and(|facts| FileStamp::from_metadata(&facts) == stamp) {
            write(path);
        }
        reader.read_to_end(&mut read).map_err(|error| source.replace_error_if_changed(SheetError::damaged(error)))?;
        Ok(read)
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_read_where_it_is_must_stay_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("written");
        for write in [append, truncate, rewrite] {
            fs::write(&path, vec![1; BLOCK_BYTES]).unwrap();
            let refused = read_in_place_while_writing(&path, &write);
            assert!(matches!(refused, Err(SheetError::ChangedWhileRead)), "{refused:?}");
        }
    }

    #[test]
    fn a_large_file_is_read_where_it_is_once_it_was_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copies) = (folder.path().join("large"), folder.path().join("copies"));
        fs::create_dir(&copies).unwrap();
        fs::write(&path, vec![1; usize::try_from(MAX_IN_MEMORY_BYTES).unwrap() + 1]).unwrap();
        let limits = Limits { copy_folder: Some(copies), reads_in_place: true, ..Limits::default() };
        let (source, _) = Source::open(&path, &limits).unwrap();
        assert!(matches!(&*source.0, SourceBytes::Copy(_)), "it was written just now");
        let stamp = FileStamp::from_file(&File::open(&path).unwrap()).unwrap();
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        assert_eq!(InPlaceFile::can_detect_changes(&stamp, later), cfg!(unix));
        assert!(!InPlaceFile::can_detect_changes(&stamp, SystemTime::UNIX_EPOCH), "it is from another time");
    }

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |path: &Path| matches!(Source::open(path, &Limits::default()), Err(SheetError::NotAFile));
        assert!(refused(folder.path()));
        #[cfg(unix)]
        {
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert!(refused(&pipe));
            assert!(refused(Path::new("/dev/null")));
        }
    }
}
