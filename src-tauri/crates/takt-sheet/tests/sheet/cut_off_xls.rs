//! xls files that are cut off or have an unusual container. Each file that another library reads is read, too. A file
//! with missing cells is an error.

use std::{io::Cursor, panic};

use calamine::{Reader, Xls};
use takt_sheet::{CellValue, SheetError};

use crate::{
    binary::{cell_head, number, record, xls_stream, xls_stream_with},
    support::{cell_at, compound, read},
};

const SECTOR: usize = 512;
const MINI_SECTOR: usize = 64;
const CHAIN_END: u32 = 0xFFFF_FFFE;

/// A container whose stream is in the mini stream.
struct SmallStreamFile<'a> {
    stream: &'a [u8],
    /// The sizes of the mini stream and the stream according to the directory.
    area_size: usize,
    stream_size: usize,
    /// Whether the last mini sector is marked as the end of its chain.
    has_chain_end: bool,
    /// The minimum size of large streams according to the header.
    limit: u32,
}

impl<'a> SmallStreamFile<'a> {
    fn new(stream: &'a [u8]) -> Self {
        let area_size = stream.len().div_ceil(MINI_SECTOR) * MINI_SECTOR;
        Self { stream, area_size, stream_size: stream.len(), has_chain_end: true, limit: 4096 }
    }

    fn bytes(&self) -> Vec<u8> {
        let small = u32::try_from(self.stream.len().div_ceil(MINI_SECTOR)).unwrap();
        let sectors = u32::try_from(self.stream.len().div_ceil(SECTOR)).unwrap();
        // The sector table, the directory, the mini sector table, and the mini stream.
        let chain = |first: u32, count: u32| (first + 1..first + count).chain([CHAIN_END]);
        let table: Vec<u32> = [0xFFFF_FFFD, CHAIN_END, CHAIN_END].into_iter().chain(chain(3, sectors)).collect();
        let mut small_table: Vec<u32> = chain(0, small).collect();
        if !self.has_chain_end {
            small_table.pop();
            small_table.resize(SECTOR / 4, 0xFFFF_FFF0);
        }
        let sector = |numbers: Vec<u32>| {
            let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            bytes.resize(SECTOR, 0xFF);
            bytes
        };
        let mut directory = directory_entry("Root Entry", 5, 3, self.area_size);
        directory.extend(directory_entry("Workbook", 2, 0, self.stream_size));
        directory.resize(SECTOR, 0);
        let mut header = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
        header.resize(24, 0);
        header.extend([0x3E_u16, 3, 0xFFFE, 9, 6].iter().flat_map(|half| half.to_le_bytes()));
        header.resize(40, 0);
        let words = [0_u32, 1, 1, 0, self.limit, 2, 1, CHAIN_END, 0, 0];
        header.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        header.resize(SECTOR, 0xFF);
        [header, sector(table), directory, sector(small_table), self.stream.to_vec()].concat()
    }
}

fn directory_entry(name: &str, kind: u8, start: u32, size: usize) -> Vec<u8> {
    let mut raw: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let length = u16::try_from(raw.len() + 2).unwrap();
    raw.resize(64, 0);
    raw.extend(length.to_le_bytes());
    raw.extend([kind, 1]);
    raw.extend([0xFF; 12]);
    if kind == 5 {
        raw.splice(76..80, 1_u32.to_le_bytes());
    }
    raw.resize(116, 0);
    raw.extend(start.to_le_bytes());
    raw.extend(u32::try_from(size).unwrap().to_le_bytes());
    raw.resize(128, 0);
    raw
}

/// Returns rows with one number each, which is the row's index.
fn rows(count: u16) -> Vec<Vec<u8>> {
    (0..count).map(|row| number(row, 0, 0, f64::from(row))).collect()
}

/// Returns the number of cells that calamine reads, or `None` if it fails.
fn count_cells_with_calamine(bytes: &[u8]) -> Option<usize> {
    let read = || {
        let mut workbook: Xls<_> = Xls::new(Cursor::new(bytes.to_vec())).ok()?;
        Some(workbook.worksheet_range("S").ok()?.used_cells().count())
    };
    panic::catch_unwind(read).ok().flatten()
}

fn assert_complete(bytes: Vec<u8>, count: u16, what: &str) {
    let sheet = read(bytes, "a.xls").unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(sheet.cells, u64::from(count), "{what}");
    assert_eq!(cell_at(&sheet, &format!("A{count}")).value(), CellValue::Number(f64::from(count - 1)), "{what}");
}

#[test]
fn a_small_stream_need_not_fill_its_last_sectors() {
    for count in [1, 3, 40, 120] {
        let stream = xls_stream(&[], &rows(count));
        assert!(stream.len() < 4096);
        let sizes = [stream.len(), stream.len() + 1, stream.len().div_ceil(MINI_SECTOR) * MINI_SECTOR];
        for area_size in sizes {
            let small = SmallStreamFile { area_size, ..SmallStreamFile::new(&stream) };
            assert_eq!(
                count_cells_with_calamine(&small.bytes()),
                Some(count.into()),
                "{area_size} for {}",
                stream.len()
            );
            assert_complete(small.bytes(), count, "short area");
            let mut padded = small.bytes();
            padded.resize(padded.len().div_ceil(SECTOR) * SECTOR, 0);
            assert_complete(padded, count, "padded file");
        }
        assert_complete(
            SmallStreamFile { area_size: 0, ..SmallStreamFile::new(&stream) }.bytes(),
            count,
            "an area without a size",
        );
        let without_end = SmallStreamFile { has_chain_end: false, ..SmallStreamFile::new(&stream) };
        assert_complete(without_end.bytes(), count, "a chain without an end");
    }
}

#[test]
fn a_file_that_is_cut_or_padded_is_read_whole_or_not_at_all() {
    for count in [3_u16, 120, 500] {
        let stream = xls_stream(&[], &rows(count));
        let (large, small) = (compound(&[("Workbook", &stream)]), SmallStreamFile::new(&stream).bytes());
        let files = if stream.len() < 4096 { vec![large, small] } else { vec![large] };
        for file in files {
            let start = file.windows(stream.len()).position(|window| window == stream).unwrap();
            let cells_end = start + stream.len() - 4;
            let mut read_whole = 0;
            let ends = (cells_end - 20..file.len().min(cells_end + 20)).chain([file.len()]);
            for length in (file.len().saturating_sub(5_000)..file.len()).step_by(61).chain(ends) {
                let cut = file[..length].to_vec();
                let other = count_cells_with_calamine(&cut);
                match read(cut, "a.xls") {
                    Ok(sheet) => {
                        assert_eq!(sheet.cells, u64::from(count), "cut to {length} of {}", file.len());
                        read_whole += 1;
                    }
                    Err(SheetError::Damaged(_) | SheetError::Empty | SheetError::NotAWorkbook) => {
                        // Nothing reveals whether more cells followed the last one.
                        let is_cut_behind_cells = (cells_end..cells_end + 4).contains(&length);
                        let is_alike = other != Some(count.into()) || is_cut_behind_cells;
                        assert!(is_alike, "cut to {length} of {}", file.len());
                    }
                    Err(error) => panic!("{error:?}"),
                }
            }
            assert!(read_whole > 0);
            for padding in [1, 100, 512, 5_000] {
                let mut padded = file.clone();
                padded.resize(file.len() + padding, 0xFF);
                assert_complete(padded, count, "padded");
            }
        }
    }
}

/// A file that ends between two records looks like a shorter sheet.
#[test]
fn a_file_that_ends_between_two_records_is_an_error() {
    let stream = xls_stream(&[], &rows(500));
    let file = compound(&[("Workbook", &stream)]);
    let start = file.len() - stream.len().div_ceil(SECTOR) * SECTOR;
    let last_record = stream.len() - 4;
    for records in [0, 1, 7, 250] {
        let end = start + last_record - records * number(0, 0, 0, 0.0).len();
        let result = read(file[..end].to_vec(), "a.xls");
        assert!(matches!(result, Err(SheetError::Damaged(_))), "{records}: {result:?}");
    }
}

#[test]
fn a_sheet_need_not_have_a_last_record() {
    for count in [3, 500] {
        let stream = xls_stream(&[], &rows(count));
        let stream = &stream[..stream.len() - 4];
        assert_complete(compound(&[("Workbook", stream)]), count, "large");
        if stream.len() < 4096 {
            assert_eq!(count_cells_with_calamine(&SmallStreamFile::new(stream).bytes()), Some(count.into()));
            assert_complete(SmallStreamFile::new(stream).bytes(), count, "small");
        }
    }
}

#[test]
fn a_header_may_claim_another_size_of_small_streams() {
    let stream = xls_stream(&[], &rows(40));
    for limit in [0, 1, 512, 0xFFFF_FFFF] {
        let small = SmallStreamFile { limit, ..SmallStreamFile::new(&stream) }.bytes();
        assert_eq!(count_cells_with_calamine(&small), Some(40));
        assert_complete(small, 40, "small");
        let mut large = compound(&[("Workbook", &stream)]);
        large.splice(56..60, limit.to_le_bytes());
        assert_complete(large, 40, "large");
    }
}

#[test]
fn shared_texts_may_be_padded() {
    let text = |letters: &[u8]| [&[u8::try_from(letters.len()).unwrap(), 0, 0], letters].concat();
    for padding in [0, 1, 2, 3, 10] {
        let content = [&[2, 0, 0, 0, 2, 0, 0, 0][..], &text(b"one"), &text(b"two"), &vec![0; padding]].concat();
        let cell = |index: u8| record(0x00FD, &[cell_head(0, index.into(), 0), vec![index, 0, 0, 0]].concat());
        let stream = xls_stream_with(&[], &record(0x00FC, &content), &[cell(0), cell(1)]);
        let sheet = read(compound(&[("Workbook", &stream)]), "a.xls").unwrap();
        assert_eq!(
            (cell_at(&sheet, "A1").shown().as_ref(), cell_at(&sheet, "B1").shown().as_ref()),
            ("one", "two"),
            "{padding}"
        );
        // A text with missing characters isn't padding.
        let cut = [&[2, 0, 0, 0, 2, 0, 0, 0][..], &text(b"one"), &[9, 0, 0], b"two"].concat();
        let stream = xls_stream_with(&[], &record(0x00FC, &cut), &[cell(0), cell(1)]);
        assert!(matches!(read(compound(&[("Workbook", &stream)]), "a.xls"), Err(SheetError::Damaged(_))));
    }
}

#[test]
fn a_directory_may_claim_too_large_a_stream() {
    let stream = xls_stream(&[], &rows(40));
    for more in [1, 63, 64, 1_000] {
        let small = SmallStreamFile { stream_size: stream.len() + more, ..SmallStreamFile::new(&stream) };
        assert_complete(small.bytes(), 40, "too large a size");
    }
}

#[test]
fn a_text_that_is_shorter_than_it_says_is_an_error_of_its_cell() {
    let label = |letters: &[u8]| record(0x0204, &[cell_head(0, 0, 0), vec![8, 0, 0], letters.to_vec()].concat());
    for letters in [&b""[..], b"RAW", b"RAW-201"] {
        let sheet = read(compound(&[("Workbook", &xls_stream(&[], &[label(letters), number(0, 1, 0, 7.0)]))]), "a.xls")
            .unwrap();
        assert_eq!((cell_at(&sheet, "A1").value(), sheet.cells), (CellValue::Error("#?"), 2));
    }
    let sheet = read(compound(&[("Workbook", &xls_stream(&[], &[label(b"RAW-2016")]))]), "a.xls").unwrap();
    assert_eq!(cell_at(&sheet, "A1").value(), CellValue::Text("RAW-2016"));
}
