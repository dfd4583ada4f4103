//! The package that calamine gets. It contains only the parts that calamine needs, under the usual names, so that
//! nothing else in a file can mislead it. Large parts are streamed.

use std::{
    io::{self, Read, Seek, SeekFrom},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{LimitKind, SheetError};

const LOCAL_HEADER: u32 = 0x0403_4B50;
const DIRECTORY_HEADER: u32 = 0x0201_4B50;
const END_OF_DIRECTORY: u32 = 0x0605_4B50;
/// The version of the zip format that an uncompressed entry needs.
const VERSION: u16 = 20;
/// 1980-01-01, the first date that a zip file can name.
const DATE: u16 = 0x21;
/// Calamine reads blocks from the end of the file to find the directory. They must not reach into a part that can be
/// read only once.
const PADDING: usize = 64 * 1024;

/// An uncompressed zip file that is assembled while it is read.
#[derive(Default)]
pub(super) struct PackageView<'p> {
    segments: Vec<Segment<'p>>,
    directory: Vec<u8>,
    entries: u16,
    length: u64,
    position: u64,
}

/// A piece of the file.
struct Segment<'p> {
    start: u64,
    length: u64,
    content: SegmentContent<'p>,
}

enum SegmentContent<'p> {
    Bytes(Vec<u8>),
    /// Can be read once, from its start.
    Stream {
        reader: Box<dyn Read + 'p>,
        read: u64,
    },
}

/// A part that is streamed.
pub(super) struct StreamedPart<R> {
    pub(super) reader: R,
    /// The bytes that `reader` returns.
    pub(super) length: u64,
    pub(super) crc32: u32,
}

impl<R: Read> StreamedPart<R> {
    /// Returns the part with a reader that adds the bytes it reads to `read`.
    pub(super) fn count_bytes(self, read: &AtomicU64) -> StreamedPart<CountedReader<'_, R>> {
        let reader = CountedReader { reader: self.reader, read };
        StreamedPart { reader, length: self.length, crc32: self.crc32 }
    }
}

pub(super) struct CountedReader<'c, R> {
    reader: R,
    read: &'c AtomicU64,
}

impl<R: Read> Read for CountedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

impl<'p> PackageView<'p> {
    pub(super) fn add_bytes(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), SheetError> {
        self.add_header(name, bytes.len() as u64, crc32fast::hash(&bytes))?;
        self.add_segment(bytes.len() as u64, SegmentContent::Bytes(bytes));
        Ok(())
    }

    pub(super) fn add_stream(&mut self, name: &str, part: StreamedPart<impl Read + 'p>) -> Result<(), SheetError> {
        self.add_header(name, part.length, part.crc32)?;
        self.add_segment(part.length, SegmentContent::Stream { reader: Box::new(part.reader), read: 0 });
        Ok(())
    }

    /// Completes the file. The first part must not be a streamed one.
    pub(super) fn finish(mut self) -> Result<Self, SheetError> {
        self.add_bytes("padding", vec![0; PADDING])?;
        let directory = std::mem::take(&mut self.directory);
        let mut end = END_OF_DIRECTORY.to_le_bytes().to_vec();
        // The numbers of this disk and of the disk with the directory's start, both 0.
        end.extend([0; 4]);
        end.extend(self.entries.to_le_bytes());
        end.extend(self.entries.to_le_bytes());
        end.extend(zip_size(directory.len() as u64)?.to_le_bytes());
        end.extend(zip_size(self.length)?.to_le_bytes());
        // The length of the comment.
        end.extend([0; 2]);
        let bytes = [directory, end].concat();
        self.add_segment(bytes.len() as u64, SegmentContent::Bytes(bytes));
        Ok(self)
    }

    fn add_header(&mut self, name: &str, length: u64, crc32: u32) -> Result<(), SheetError> {
        let length = zip_size(length)?;
        let mut common = VERSION.to_le_bytes().to_vec();
        // The flags (none), the compression (none) and the time (midnight).
        common.extend([0; 6]);
        common.extend(DATE.to_le_bytes());
        common.extend(crc32.to_le_bytes());
        common.extend(length.to_le_bytes());
        common.extend(length.to_le_bytes());
        common.extend(u16::try_from(name.len()).map_err(SheetError::damaged)?.to_le_bytes());
        // The length of the extra field.
        common.extend([0; 2]);
        self.directory.extend(DIRECTORY_HEADER.to_le_bytes());
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(&common);
        // The length of the comment, the number of the disk, and the attributes, all 0.
        self.directory.extend([0; 10]);
        self.directory.extend(zip_size(self.length)?.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries += 1;
        let header = [&LOCAL_HEADER.to_le_bytes(), common.as_slice(), name.as_bytes()].concat();
        self.add_segment(header.len() as u64, SegmentContent::Bytes(header));
        Ok(())
    }

    fn add_segment(&mut self, length: u64, content: SegmentContent<'p>) {
        self.segments.push(Segment { start: self.length, length, content });
        self.length += length;
    }
}

/// Converts a size to 32 bits. Larger sizes would need an extension of the zip format.
fn zip_size(bytes: u64) -> Result<u32, SheetError> {
    u32::try_from(bytes).map_err(|_| SheetError::too_large(LimitKind::UnpackedBytes, u32::MAX))
}

impl Read for PackageView<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let position = self.position;
        let index = self.segments.partition_point(|segment| segment.start + segment.length <= position);
        let Some(segment) = self.segments.get_mut(index) else { return Ok(0) };
        let offset = position - segment.start;
        let rest = usize::try_from(segment.length - offset).unwrap_or(usize::MAX);
        let room = out.len().min(rest);
        let out = out.get_mut(..room).unwrap_or_default();
        let length = match &mut segment.content {
            SegmentContent::Bytes(bytes) => {
                let start = usize::try_from(offset).map_err(io::Error::other)?;
                bytes.get(start..).unwrap_or_default().read(out)?
            }
            SegmentContent::Stream { reader, read } if *read == offset => {
                let length = reader.read(out)?;
                *read += length as u64;
                length
            }
            SegmentContent::Stream { .. } => return Err(io::Error::other("a part is read twice")),
        };
        self.position += length as u64;
        Ok(length)
    }
}

impl Seek for PackageView<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use zip::ZipArchive;

    use super::*;

    #[test]
    fn a_zip_reader_finds_every_part() {
        let streams =
            [vec![b'a'; 200_000], Vec::new(), b"small".to_vec(), (0..=255).cycle().take(70_001).collect::<Vec<u8>>()];
        let mut view = PackageView::default();
        let small = b"<a/>".repeat(200);
        view.add_bytes("small.xml", small.clone()).unwrap();
        for (index, bytes) in streams.iter().enumerate() {
            let part =
                StreamedPart { reader: bytes.as_slice(), length: bytes.len() as u64, crc32: crc32fast::hash(bytes) };
            view.add_stream(&format!("large/{index}.xml"), part).unwrap();
        }
        let mut archive = ZipArchive::new(view.finish().unwrap()).unwrap();
        let mut content = |name: &str| {
            let mut content = Vec::new();
            archive.by_name(name).unwrap().read_to_end(&mut content).unwrap();
            content
        };
        assert_eq!(content("small.xml"), small);
        for (index, bytes) in streams.iter().enumerate() {
            assert!(content(&format!("large/{index}.xml")) == *bytes, "{index}");
        }
        assert_eq!(archive.len(), 6);
    }
}
