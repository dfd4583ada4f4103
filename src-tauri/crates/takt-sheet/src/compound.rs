//! The container of xls files and encrypted workbooks (Compound File Binary), with its directory and its streams.
//!
//! No chain is followed for more steps than the file has sectors, so a looping chain ends.

use std::borrow::Cow;

use crate::binary_values::{u16_at, u32_at};

pub(crate) const SIGNATURE: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

const HEADER_BYTES: usize = 512;
const ENTRY_BYTES: usize = 128;
const DIFAT_OFFSET: usize = 76;
const HEADER_DIFAT_ENTRIES: usize = 109;
/// Sector numbers from here on are markers.
const MIN_MARKER_SECTOR: u32 = 0xFFFF_FFFA;
const ROOT_KIND: u8 = 5;
const STREAM_KIND: u8 = 2;
const UNUSED_KIND: u8 = 0;
/// Smaller streams are in the mini stream. [MS-CFB] allows no other size, whatever the header contains.
const MIN_LARGE_STREAM_BYTES: u64 = 4096;

/// A parsed container whose streams can be read.
pub(crate) struct Compound<'a> {
    bytes: &'a [u8],
    /// The bytes of a sector, and of a sector of the mini stream.
    sector_size: usize,
    mini_sector_size: usize,
    fat: Vec<u32>,
    mini_fat: Vec<u32>,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    kind: u8,
    /// The siblings and the child as indexes into the directory, which is a tree.
    left: u32,
    right: u32,
    child: u32,
    start: u32,
    size: u64,
}

impl<'a> Compound<'a> {
    /// Parses the header, the allocation tables and the directory. Returns `None` if one of them is broken.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        if !bytes.starts_with(SIGNATURE) || bytes.len() < HEADER_BYTES {
            return None;
        }
        let (shift, mini_shift) = (u16_at(bytes, 30)?, u16_at(bytes, 32)?);
        if !matches!(shift, 9 | 12) || mini_shift >= shift || mini_shift < 4 {
            return None;
        }
        let mut compound = Self {
            bytes,
            sector_size: 1 << shift,
            mini_sector_size: 1 << mini_shift,
            fat: Vec::new(),
            mini_fat: Vec::new(),
            entries: Vec::new(),
        };
        compound.fat = compound.read_fat()?;
        compound.mini_fat = u32_values(&compound.read_chain(u32_at(bytes, 60)?, u64::MAX)).collect();
        let version = u16_at(bytes, 26)?;
        let directory = compound.read_chain(u32_at(bytes, 48)?, u64::MAX);
        compound.entries =
            directory.chunks_exact(ENTRY_BYTES).filter_map(|entry_bytes| parse_entry(entry_bytes, version)).collect();
        compound.entries.iter().any(|entry| entry.kind == ROOT_KIND).then_some(compound)
    }

    pub(crate) fn has_stream(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.kind == STREAM_KIND && entry.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether a stream or a storage has this name anywhere in the container.
    pub(crate) fn has_entry(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.kind != UNUSED_KIND && entry.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether the root storage has the stream. Streams of embedded objects are ignored. If the root has no
    /// entries, because the writer left the directory flat, any stream with that name is accepted.
    pub(crate) fn has_root_stream(&self, name: &str) -> bool {
        let Some(root) = self.entries.iter().find(|entry| entry.kind == ROOT_KIND) else { return false };
        let mut seen = vec![false; self.entries.len()];
        let mut next = vec![root.child];
        let mut any = false;
        while let Some(index) = next.pop() {
            let index = index as usize;
            let (Some(entry), Some(seen)) = (self.entries.get(index), seen.get_mut(index)) else { continue };
            if std::mem::replace(seen, true) || entry.kind == ROOT_KIND || entry.kind == UNUSED_KIND {
                continue;
            }
            any = true;
            if entry.kind == STREAM_KIND && entry.name.eq_ignore_ascii_case(name) {
                return true;
            }
            next.extend([entry.left, entry.right]);
        }
        !any && self.has_stream(name)
    }

    /// Returns the bytes of a stream, or `None` if there is no such stream. If the file is cut off, the bytes are
    /// incomplete.
    pub(crate) fn read_stream(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        let entry =
            self.entries.iter().find(|entry| entry.kind == STREAM_KIND && entry.name.eq_ignore_ascii_case(name))?;
        // Without a mini stream, all streams are large.
        if entry.size >= MIN_LARGE_STREAM_BYTES || self.mini_fat.is_empty() {
            return Some(self.read_chain(entry.start, entry.size));
        }
        let root = self.entries.iter().find(|entry| entry.kind == ROOT_KIND)?;
        // Reads all its sectors: some writers store no size, or one that isn't a multiple of the mini sector size.
        let mini_stream = self.read_chain(root.start, u64::MAX);
        let mut stream = Vec::new();
        let mut next = entry.start;
        for _ in 0..=self.mini_fat.len() {
            if next >= MIN_MARKER_SECTOR || stream.len() as u64 >= entry.size {
                break;
            }
            let from = (next as usize).checked_mul(self.mini_sector_size)?;
            let to = from.checked_add(self.mini_sector_size)?.min(mini_stream.len());
            let Some(sector) = mini_stream.get(from..to) else { break };
            stream.extend_from_slice(sector);
            let Some(&following) = self.mini_fat.get(next as usize) else { break };
            next = following;
        }
        stream.truncate(usize::try_from(entry.size).ok()?);
        Some(Cow::Owned(stream))
    }

    /// Returns the size of a stream according to the directory.
    pub(crate) fn stream_size(&self, name: &str) -> Option<u64> {
        let entry =
            self.entries.iter().find(|entry| entry.kind == STREAM_KIND && entry.name.eq_ignore_ascii_case(name))?;
        Some(entry.size)
    }

    fn read_fat(&self) -> Option<Vec<u32>> {
        let mut sectors: Vec<u32> =
            u32_values(self.bytes.get(DIFAT_OFFSET..DIFAT_OFFSET + 4 * HEADER_DIFAT_ENTRIES)?).collect();
        let mut next = u32_at(self.bytes, 68)?;
        for _ in 0..self.bytes.len() / self.sector_size {
            if next >= MIN_MARKER_SECTOR {
                break;
            }
            let Some(raw) = self.sector_bytes(next) else { break };
            let mut more: Vec<u32> = u32_values(raw).collect();
            next = more.pop()?;
            sectors.extend(more);
        }
        let max_sectors = self.bytes.len() / self.sector_size;
        let used = sectors.into_iter().filter(|&sector| sector < MIN_MARKER_SECTOR).take(max_sectors);
        Some(used.filter_map(|sector| self.sector_bytes(sector)).flat_map(u32_values).collect())
    }

    /// Returns the first `size` bytes of a chain of sectors. They are borrowed if the sectors are contiguous, as in
    /// most files.
    fn read_chain(&self, start: u32, size: u64) -> Cow<'a, [u8]> {
        self.borrow_chain(start, size).map_or_else(|| Cow::Owned(self.copy_chain(start, size)), Cow::Borrowed)
    }

    /// Returns the bytes of a chain, or `None` if its sectors aren't contiguous or one is missing.
    fn borrow_chain(&self, start: u32, size: u64) -> Option<&'a [u8]> {
        let size = usize::try_from(size).ok()?;
        let last = start.checked_add(u32::try_from(size.div_ceil(self.sector_size).checked_sub(1)?).ok()?)?;
        let follows = |sector: u32| self.fat.get(sector as usize) == Some(&(sector + 1));
        if last >= MIN_MARKER_SECTOR || !(start..last).all(follows) {
            return None;
        }
        let from = (start as usize + 1).checked_mul(self.sector_size)?;
        self.bytes.get(from..from.checked_add(size)?)
    }

    fn copy_chain(&self, start: u32, size: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut next = start;
        for _ in 0..=self.bytes.len() / self.sector_size {
            let Some(raw) = (next < MIN_MARKER_SECTOR).then(|| self.sector_bytes(next)).flatten() else { break };
            bytes.extend_from_slice(raw);
            if bytes.len() as u64 >= size {
                break;
            }
            let Some(&following) = self.fat.get(next as usize) else { break };
            next = following;
        }
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        bytes
    }

    /// Returns the bytes of a sector. The last sector may be cut short.
    fn sector_bytes(&self, number: u32) -> Option<&'a [u8]> {
        let from = (number as usize + 1).checked_mul(self.sector_size)?;
        let to = from.checked_add(self.sector_size)?.min(self.bytes.len());
        self.bytes.get(from..to)
    }
}

fn parse_entry(raw: &[u8], version: u16) -> Option<Entry> {
    let length = usize::from(u16_at(raw, 64)?).saturating_sub(2).min(62);
    let units: Vec<u16> = raw.get(..length)?.chunks_exact(2).map(|pair| u16_at(pair, 0).unwrap_or_default()).collect();
    let high = if version >= 4 { u64::from(u32_at(raw, 124)?) << 32 } else { 0 };
    Some(Entry {
        name: String::from_utf16_lossy(&units),
        kind: *raw.get(66)?,
        left: u32_at(raw, 68)?,
        right: u32_at(raw, 72)?,
        child: u32_at(raw, 76)?,
        start: u32_at(raw, 116)?,
        size: high | u64::from(u32_at(raw, 120)?),
    })
}

fn u32_values(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).filter_map(|raw| u32_at(raw, 0))
}
