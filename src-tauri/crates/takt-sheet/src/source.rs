//! A file's bytes as they were when it was opened, whatever happens to the file meanwhile: small ones in memory, large ones in
//! a copy that has no name and goes with its last reader, also where the program is ended.

use std::{
    fmt,
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{Limits, Measure, SheetError};

/// Larger files aren't held in memory.
const MOST_HELD: u64 = 16 * 1024 * 1024;
const BLOCK: usize = 256 * 1024;
/// Who reads much at once passes over it; a directory is read in small pieces here and there.
const SMALL_BLOCK: usize = 4 * 1024;
/// A file that is being saved over and over is taken as it is after so many copies.
const MOST_COPIES: usize = 3;

/// The bytes of an opened file, from wherever they are.
#[derive(Clone)]
pub(crate) struct Source(Arc<Held>);

enum Held {
    Memory(Arc<[u8]>),
    Copy { file: File, length: u64 },
}

impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Source").field("length", &self.len()).finish_non_exhaustive()
    }
}

impl Source {
    pub(crate) fn of(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(Arc::new(Held::Memory(bytes.into())))
    }

    /// Takes the file in, by copying it where it is large and there is a place for copies.
    pub(crate) fn open(path: &Path, limits: &Limits) -> Result<Self, SheetError> {
        let mut file = File::open(path).map_err(SheetError::Unreadable)?;
        let facts = file.metadata().map_err(SheetError::Unreadable)?;
        if !facts.is_file() {
            return Err(SheetError::Unreadable(io::Error::new(io::ErrorKind::InvalidInput, "not a file")));
        }
        if facts.len() > limits.file_bytes {
            return Err(SheetError::too_large(Measure::FileBytes, limits.file_bytes));
        }
        let copied = match &limits.copies {
            Some(folder) if facts.len() > MOST_HELD => copy(&mut file, folder, limits.file_bytes),
            _ => Ok(None),
        };
        if let Some(copied) = copied.map_err(SheetError::Unreadable)? {
            return Ok(copied);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or_default());
        file.seek(SeekFrom::Start(0)).map_err(SheetError::Unreadable)?;
        file.take(limits.file_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(SheetError::Unreadable)?;
        Ok(Self::of(bytes))
    }

    pub(crate) fn len(&self) -> u64 {
        match &*self.0 {
            Held::Memory(bytes) => bytes.len() as u64,
            Held::Copy { length, .. } => *length,
        }
    }

    /// Reads from the front; as many as are wanted have a place of their own each.
    pub(crate) fn reader(&self) -> SourceReader {
        SourceReader { source: self.clone(), position: 0, read: Arc::default() }
    }

    pub(crate) fn buffered(&self) -> BufReader<SourceReader> {
        self.counted(&Arc::default())
    }

    /// The same, adding up the bytes that are read.
    pub(crate) fn counted(&self, read: &Arc<AtomicU64>) -> BufReader<SourceReader> {
        let reader = SourceReader { read: Arc::clone(read), ..self.reader() };
        BufReader::with_capacity(SMALL_BLOCK, reader)
    }

    /// The first bytes.
    pub(crate) fn head(&self, most: usize) -> Result<Vec<u8>, SheetError> {
        let mut head = Vec::new();
        self.reader().take(most as u64).read_to_end(&mut head).map_err(SheetError::Unreadable)?;
        Ok(head)
    }

    /// All of them in memory, for the forms that can't be read otherwise.
    pub(crate) fn whole(&self) -> Result<Arc<[u8]>, SheetError> {
        match &*self.0 {
            Held::Memory(bytes) => Ok(Arc::clone(bytes)),
            Held::Copy { length, .. } => self.head(usize::try_from(*length).unwrap_or(usize::MAX)).map(Arc::from),
        }
    }
}

/// Nothing where the copy can't be made: the folder may be full or gone, and the file can still be held.
fn copy(file: &mut File, folder: &Path, most: u64) -> io::Result<Option<Source>> {
    let Ok(mut copied) = tempfile::tempfile_in(folder) else { return Ok(None) };
    let mut block = vec![0; BLOCK];
    for _ in 0..MOST_COPIES {
        let before = file.metadata()?;
        file.seek(SeekFrom::Start(0))?;
        copied.set_len(0)?;
        copied.seek(SeekFrom::Start(0))?;
        let mut length = 0;
        loop {
            let read = file.read(&mut block)?;
            length += read as u64;
            if read == 0 || length > most {
                break;
            }
            if copied.write_all(block.get(..read).unwrap_or_default()).is_err() {
                return Ok(None);
            }
        }
        let after = file.metadata()?;
        // Saved over while it was copied: half of it would be the old one.
        if (before.len(), before.modified().ok()) == (after.len(), after.modified().ok()) {
            return Ok(Some(Source(Arc::new(Held::Copy { file: copied, length }))));
        }
    }
    Ok(None)
}

/// A place in the bytes from which they are read.
#[derive(Debug)]
pub struct SourceReader {
    source: Source,
    position: u64,
    read: Arc<AtomicU64>,
}

impl SourceReader {
    /// How many bytes were read, told while others do the reading.
    pub(crate) fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }
}

impl Read for SourceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &*self.source.0 {
            Held::Memory(bytes) => {
                let from = usize::try_from(self.position).unwrap_or(usize::MAX).min(bytes.len());
                bytes.get(from..).unwrap_or_default().read(buffer)?
            }
            Held::Copy { file, .. } => read_at(file, buffer, self.position)?,
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
    use std::fs;

    use super::*;

    #[test]
    fn a_large_file_stays_what_it_was_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let copies = folder.path().join("copies");
        fs::create_dir(&copies).unwrap();
        let path = folder.path().join("large");
        let bytes: Vec<u8> = (0..MOST_HELD + 10).map(|at| u8::try_from(at % 251).unwrap()).collect();
        fs::write(&path, &bytes).unwrap();
        let limits = Limits { copies: Some(copies.clone()), ..Limits::default() };
        let source = Source::open(&path, &limits).unwrap();
        assert!(matches!(&*source.0, Held::Copy { .. }));
        fs::write(&path, b"something else").unwrap();
        assert_eq!(*source.whole().unwrap(), *bytes);
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
        fs::write(&path, vec![1; usize::try_from(MOST_HELD).unwrap() + 1]).unwrap();
        for copies in [None, Some(folder.path().join("gone"))] {
            let source = Source::open(&path, &Limits { copies, ..Limits::default() }).unwrap();
            assert!(matches!(&*source.0, Held::Memory(_)));
            assert_eq!(source.len(), MOST_HELD + 1);
        }
    }
}
