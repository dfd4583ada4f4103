//! Packages (zip): their parts, the relationships between parts, and unpacking on another thread.
//!
//! The zip reader refuses a part that unpacks to more than the directory claims, so the claims are reliable bounds.

use std::{
    io::{self, BufRead, BufReader, Read},
    panic,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
};

use quick_xml::{Reader, events::Event};
use zip::ZipArchive;

use crate::{
    LimitKind, SheetError,
    namespaces::PartElementFilter,
    panic_guard::suppress_panic_text,
    source::{Source, SourceReader},
    xml_text::{self, plain_attribute},
};

pub(crate) type Package = ZipArchive<BufReader<SourceReader>>;

/// The maximum unpacked bytes of a small part, such as a list of relationships. Real ones are far smaller.
const MAX_SMALL_PART_BYTES: u64 = 4 * 1024 * 1024;

/// Opens a package without unpacking anything.
pub(crate) fn open(source: &Source) -> Result<Package, SheetError> {
    open_counted(source, &Arc::default())
}

/// Like [`open`], but counts the bytes that are read.
pub(crate) fn open_counted(source: &Source, read: &Arc<AtomicU64>) -> Result<Package, SheetError> {
    let package =
        ZipArchive::new(source.counted_reader(read)).map_err(|error| SheetError::EndMissing(error.to_string()))?;
    if package.has_duplicate_names() {
        return Err(SheetError::damaged("two parts have the same name"));
    }
    Ok(package)
}

pub(crate) fn has_part(package: &Package, name: &str) -> bool {
    part_index(package, name).is_some()
}

/// Returns a reader for a part, or `None` if there is no such part. The checksum is only compared at the part's end,
/// see [`drain_part`].
///
/// # Errors
/// If the directory has a wrong position for the part.
pub(crate) fn open_part<'p>(package: &'p mut Package, name: &str) -> Result<Option<impl Read + 'p>, SheetError> {
    let Some(index) = part_index(package, name) else { return Ok(None) };
    package.by_index(index).map(Some).map_err(|error| SheetError::damaged(error).in_part(name))
}

/// Reads a part with `read`, or returns `None` if there is no such part.
///
/// # Errors
/// If `read` fails, or if the part's checksum is wrong. The error contains the part's name.
pub(crate) fn read_part<T>(
    package: &mut Package,
    name: &str,
    read: impl FnOnce(&mut dyn Read) -> Result<T, SheetError>,
) -> Result<Option<T>, SheetError> {
    let Some(mut part) = open_part(package, name)? else { return Ok(None) };
    let result = read(&mut part).and_then(|result| drain_part(part).map(|()| result));
    result.map(Some).map_err(|error| error.in_part(name))
}

/// Returns the index of a part. Some writers use backslashes or another letter case.
fn part_index(package: &Package, name: &str) -> Option<usize> {
    let is_same = |other: &str| other.replace('\\', "/").eq_ignore_ascii_case(name);
    let has_name =
        |&index: &usize| package.name_for_index(index).is_some_and(|other| other.is_ok_and(|other| is_same(&other)));
    package.index_for_name(name).or_else(|| (0..package.len()).find(has_name))
}

/// The directory's claims about a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartDescription {
    /// The number of unpacked bytes.
    pub(crate) length: u64,
    pub(crate) packed: u64,
    pub(crate) crc32: u32,
}

/// Returns the directory's claims about a part, or `None` if there is no such part.
pub(crate) fn describe_part(package: &mut Package, name: &str) -> Option<PartDescription> {
    let index = part_index(package, name)?;
    let part = package.by_index_raw(index).ok()?;
    Some(PartDescription { length: part.size(), packed: part.compressed_size(), crc32: part.crc32() })
}

/// Returns the text of a small part, or `None` if there is no such part.
///
/// # Errors
/// If the part is damaged or exceeds [`MAX_SMALL_PART_BYTES`].
pub(crate) fn read_small_part(package: &mut Package, name: &str) -> Result<Option<String>, SheetError> {
    read_part(package, name, |part| {
        let mut content = Vec::new();
        part.take(MAX_SMALL_PART_BYTES + 1).read_to_end(&mut content).map_err(SheetError::damaged)?;
        if content.len() as u64 > MAX_SMALL_PART_BYTES {
            return Err(SheetError::too_large(LimitKind::UnpackedBytes, MAX_SMALL_PART_BYTES));
        }
        Ok(xml_text::decode(&content))
    })
}

/// Reads the rest of a part, because its checksum is compared at its end.
pub(crate) fn drain_part(mut part: impl Read) -> Result<(), SheetError> {
    io::copy(&mut part, &mut io::sink()).map(drop).map_err(SheetError::damaged)
}

/// A relationship from a `.rels` part.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The URI of its type.
    pub(crate) kind: String,
    pub(crate) target: String,
}

/// Returns the relationships of a `.rels` part, or none if there is no such part.
///
/// # Errors
/// If the part is damaged.
pub(crate) fn read_relations(package: &mut Package, name: &str) -> Result<Vec<Relation>, SheetError> {
    let content = read_small_part(package, name)?;
    content.map_or_else(|| Ok(Vec::new()), |content| parse_relations(&content).map_err(|error| error.in_part(name)))
}

fn parse_relations(content: &str) -> Result<Vec<Relation>, SheetError> {
    let mut reader = Reader::from_str(content);
    reader.config_mut().expand_empty_elements = true;
    let (mut elements, mut relations) = (PartElementFilter::default(), Vec::new());
    loop {
        let event = reader.read_event().map_err(SheetError::damaged)?;
        if !elements.includes(&event)? {
            continue;
        }
        match event {
            Event::Start(start) if start.local_name().as_ref() == "Relationship" => {
                if let (Some(id), Some(target)) = (plain_attribute(&start, "Id"), plain_attribute(&start, "Target")) {
                    relations.push(Relation { id, kind: plain_attribute(&start, "Type").unwrap_or_default(), target });
                }
            }
            Event::Eof => return Ok(relations),
            _ => {}
        }
    }
}

/// Returns the name of the first part of a kind, or the usual name if no relationship names one. `folder` contains the
/// part to which the relationships belong.
///
/// # Errors
/// If a relationship names a part that the package doesn't have.
pub(crate) fn find_part_of_kind(
    package: &Package,
    relations: &[Relation],
    kind: &str,
    folder: &str,
    usual: &str,
) -> Result<String, SheetError> {
    let Some(relation) = relations.iter().find(|relation| relation.kind.ends_with(kind)) else {
        return Ok(resolve_target(folder, usual));
    };
    let name = resolve_target(folder, &relation.target);
    if has_part(package, &name) { Ok(name) } else { Err(SheetError::missing_part(&name)) }
}

/// Resolves a relationship's target to the name of a part. `folder` contains the part to which the relationship
/// belongs.
pub(crate) fn resolve_target(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut steps: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps.join("/")
}

/// Unpacked bytes that are passed to the reading thread at a time.
const BLOCK_BYTES: usize = 64 * 1024;
/// If this many blocks wait to be read, unpacking waits, too.
const MAX_WAITING_BLOCKS: usize = 4;

/// Calls `read` with a part. `read` needn't read the part to its end. At most `max_bytes` bytes are unpacked.
///
/// A wrong checksum is an error, even if `read` succeeds without the end of the part.
pub(crate) fn read_unpacked<T>(
    mut package: Package,
    name: &str,
    max_bytes: u64,
    read: impl FnOnce(&mut UnpackedPart) -> Result<T, SheetError>,
) -> Result<T, SheetError> {
    let has_failed = AtomicBool::new(false);
    let unpack = |blocks: &BlockSender| {
        let part = open_part(&mut package, name)?;
        let mut part = part.ok_or_else(|| SheetError::missing_part(name))?.take(max_bytes);
        blocks.send_all(&mut part);
        if has_failed.load(Ordering::Acquire) { Ok(()) } else { drain_part(part) }
    };
    let (unpacked, result) = read_from_thread(unpack, |mut part| {
        let result = read(&mut part);
        has_failed.store(result.is_err(), Ordering::Release);
        result
    });
    unpacked.and(result).map_err(|error| error.in_part(name))
}

/// Calls `read` with the bytes that `prepare` sends from another thread. `read` needn't read all of them.
pub(crate) fn read_from_thread<P: Send, T>(
    prepare: impl FnOnce(&BlockSender) -> P + Send,
    read: impl FnOnce(UnpackedPart) -> T,
) -> (P, T) {
    thread::scope(|scope| {
        let (block_sender, blocks) = sync_channel(MAX_WAITING_BLOCKS);
        let (empty_sender, empty_blocks) = channel();
        let sender = BlockSender { blocks: block_sender, empty_blocks };
        let preparing = scope.spawn(move || suppress_panic_text(|| prepare(&sender)));
        let result = read(UnpackedPart { blocks, empty_blocks: empty_sender, block: Vec::new(), position: 0 });
        // `read` has closed the channel, which ends the preparing.
        (preparing.join().unwrap_or_else(|reason| panic::resume_unwind(reason)), result)
    })
}

/// Sends blocks of a part to the thread that reads them.
pub(crate) struct BlockSender {
    blocks: SyncSender<io::Result<Vec<u8>>>,
    empty_blocks: Receiver<Vec<u8>>,
}

impl BlockSender {
    /// Sends the part in blocks. Stops at its end, at an error, or if the receiver is gone.
    pub(crate) fn send_all(&self, mut part: impl Read) {
        loop {
            let mut block = self.empty_blocks.try_recv().unwrap_or_default();
            block.clear();
            let read = part.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut block);
            let is_last = block.is_empty() || read.is_err();
            if !block.is_empty() && self.blocks.send(Ok(block)).is_err() {
                return;
            }
            if let Err(error) = read {
                // The receiver may be gone.
                let _ = self.blocks.send(Err(error));
            }
            if is_last {
                return;
            }
        }
    }
}

/// The unpacked bytes of a part, from its start.
#[derive(Debug)]
pub(crate) struct UnpackedPart {
    blocks: Receiver<io::Result<Vec<u8>>>,
    empty_blocks: Sender<Vec<u8>>,
    block: Vec<u8>,
    position: usize,
}

impl Read for UnpackedPart {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(out)?;
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for UnpackedPart {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.position >= self.block.len()
            && let Ok(next) = self.blocks.recv()
        {
            let before = std::mem::replace(&mut self.block, next?);
            self.position = 0;
            // The unpacking thread may have ended.
            let _ = self.empty_blocks.send(before);
        }
        Ok(self.block.get(self.position..).unwrap_or_default())
    }

    fn consume(&mut self, length: usize) {
        self.position = self.position.saturating_add(length).min(self.block.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns this many bytes and then fails.
    struct FailingReader(u64);

    impl Read for FailingReader {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::other("cut off"));
            }
            let length = io::repeat(b'a').take(self.0).read(out)?;
            self.0 -= length as u64;
            Ok(length)
        }
    }

    /// Returns the bytes that another thread sends, and how reading them ends.
    fn read(part: impl Read + Send) -> (Vec<u8>, io::Result<usize>) {
        let mut bytes = Vec::new();
        let ((), end) = read_from_thread(move |blocks| blocks.send_all(part), |mut part| part.read_to_end(&mut bytes));
        (bytes, end)
    }

    #[test]
    fn all_bytes_come_in_their_order() {
        for length in [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 9 * BLOCK_BYTES + 7] {
            let bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
            let (found, end) = read(bytes.as_slice());
            assert!(found == bytes && end.is_ok_and(|end| end == length), "{length}");
        }
    }

    #[test]
    fn what_came_before_something_was_wrong_is_read_first() {
        for length in [0, 5, BLOCK_BYTES, 3 * BLOCK_BYTES + 5] {
            let (found, end) = read(FailingReader(length as u64));
            assert_eq!(found.len(), length);
            assert_eq!(end.unwrap_err().to_string(), "cut off");
        }
    }

    #[test]
    fn the_reader_may_leave_the_rest() {
        let read = |mut part: UnpackedPart| {
            let mut first = [0; 3];
            part.read_exact(&mut first).unwrap();
            first
        };
        assert_eq!(read_from_thread(|blocks| blocks.send_all(io::repeat(b'a')), read).1, *b"aaa");
    }
}
