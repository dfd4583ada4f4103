//! Writes the measured rows as Excel's binary workbooks: xlsb, and xls of Excel 97 and later. No library writes them,
//! so each record is written here. Texts are shared, as Excel writes them.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

use zip::{ZipWriter, result::ZipError, write::SimpleFileOptions};

use crate::import::{
    files::{FIRST_SERIAL, to_days},
    rows::{HEADINGS, Value, numbered_rows},
};

pub(crate) const RELATIONSHIPS_NAMESPACE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
/// The limit of rows in an xls, without the header row.
pub(crate) const MAX_LEGACY_ROWS: u32 = 65_535;
/// The number formats of date-times and durations.
const NUMBER_FORMATS: [&str; 2] = ["yyyy-mm-dd hh:mm", "[h]:mm"];
/// The ID of the first number format that a workbook defines.
const FIRST_FORMAT_ID: u16 = 164;
/// The index of the cell format without a number format. The indexes of other cell formats follow.
const PLAIN_STYLE: u16 = 0;
const DATE_TIME_STYLE: u16 = 1;
const DURATION_STYLE: u16 = 2;

/// A cell's value as xlsb and xls store it.
enum StoredCell {
    Number(f64, u16),
    Flag(bool),
    /// The index of a shared text.
    Text(u32),
}

/// The shared texts in order of appearance, without duplicates.
#[derive(Default)]
struct SharedTexts {
    numbers: HashMap<String, u32>,
    all: Vec<String>,
    /// The number of cells with a text.
    used: u32,
}

impl SharedTexts {
    fn index_of(&mut self, text: &str) -> u32 {
        self.used += 1;
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.to_owned(), number);
        self.all.push(text.to_owned());
        number
    }

    /// Converts a value. Returns `None` for an empty cell.
    fn convert(&mut self, value: &Value) -> Option<StoredCell> {
        Some(match value {
            Value::Empty => return None,
            Value::Text(text) => StoredCell::Text(self.index_of(text)),
            Value::Flag(flag) => StoredCell::Flag(*flag),
            Value::Number(value) => StoredCell::Number(*value, PLAIN_STYLE),
            Value::Moment(minutes) => StoredCell::Number(FIRST_SERIAL + to_days(*minutes), DATE_TIME_STYLE),
            Value::Minutes(minutes) => StoredCell::Number(to_days(*minutes), DURATION_STYLE),
        })
    }
}

pub(crate) fn write_xlsb(path: &Path, rows: u32, seed: u64) -> Result<(), ZipError> {
    let mut texts = SharedTexts::default();
    // First and last row, first and last column.
    let size = [0, rows, 0, u32::try_from(HEADINGS.len() - 1).unwrap_or_default()].map(u32::to_le_bytes).concat();
    let mut sheet = [long_record(129, &[]), long_record(148, &size), long_record(145, &[])].concat();
    for (number, values) in numbered_rows(rows, seed) {
        let row = number - 1;
        // The cell format, the height, the flags and the number of spans, which is 0.
        sheet.extend(long_record(0, &[row.to_le_bytes().to_vec(), vec![0; 13]].concat()));
        for (column, value) in (0_u32..).zip(&values) {
            let Some(stored) = texts.convert(value) else { continue };
            let (kind, format, content) = match stored {
                StoredCell::Number(value, format) => (5, format, value.to_le_bytes().to_vec()),
                StoredCell::Flag(flag) => (4, PLAIN_STYLE, vec![u8::from(flag)]),
                StoredCell::Text(number) => (7, PLAIN_STYLE, number.to_le_bytes().to_vec()),
            };
            let cell_head = [column, u32::from(format)].map(u32::to_le_bytes).concat();
            sheet.extend(long_record(kind, &[cell_head, content].concat()));
        }
    }
    sheet.extend([long_record(146, &[]), long_record(130, &[])].concat());
    let counts = [texts.used, u32::try_from(texts.all.len()).unwrap_or(u32::MAX)].map(u32::to_le_bytes).concat();
    let mut shared = long_record(159, &counts);
    texts.all.iter().for_each(|text| shared.extend(long_record(19, &[vec![0], utf16_bytes(text)].concat())));
    shared.extend(long_record(160, &[]));
    let list = long_record(
        156,
        &[vec![0; 4], 1_u32.to_le_bytes().to_vec(), utf16_bytes("rId1"), utf16_bytes("Orders")].concat(),
    );
    let workbook =
        [long_record(131, &[]), long_record(143, &[]), list, long_record(144, &[]), long_record(132, &[])].concat();
    let types = "application/vnd.ms-excel";
    let types = format!(
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.bin" ContentType="{types}.sheet.binary.macroEnabled.main"/><Override PartName="/xl/worksheets/sheet1.bin" ContentType="{types}.worksheet"/><Override PartName="/xl/sharedStrings.bin" ContentType="{types}.sharedStrings"/><Override PartName="/xl/styles.bin" ContentType="{types}.styles"/></Types>"#
    );
    let sheets = relationships_xml(&[
        ("rId1", "worksheet", "worksheets/sheet1.bin"),
        ("rId2", "styles", "styles.bin"),
        ("rId3", "sharedStrings", "sharedStrings.bin"),
    ]);
    let parts = [
        ("[Content_Types].xml", types.into_bytes()),
        ("_rels/.rels", relationships_xml(&[("rId1", "officeDocument", "xl/workbook.bin")]).into_bytes()),
        ("xl/workbook.bin", workbook),
        ("xl/_rels/workbook.bin.rels", sheets.into_bytes()),
        ("xl/styles.bin", binary_styles()),
        ("xl/worksheets/sheet1.bin", sheet),
        ("xl/sharedStrings.bin", shared),
    ];
    let mut zip = ZipWriter::new(BufWriter::new(File::create(path)?));
    for (name, content) in parts {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(&content)?;
    }
    zip.finish()?.flush()?;
    Ok(())
}

fn binary_styles() -> Vec<u8> {
    let mut styles = [long_record(278, &[]), long_record(615, &2_u32.to_le_bytes())].concat();
    for (id, code) in (FIRST_FORMAT_ID..).zip(NUMBER_FORMATS) {
        styles.extend(long_record(44, &[id.to_le_bytes().to_vec(), utf16_bytes(code)].concat()));
    }
    styles.extend([long_record(616, &[]), long_record(617, &3_u32.to_le_bytes())].concat());
    for id in [0, FIRST_FORMAT_ID, FIRST_FORMAT_ID + 1] {
        styles.extend(long_record(47, &[[0, id].map(u16::to_le_bytes).concat(), vec![0; 12]].concat()));
    }
    styles.extend([long_record(618, &[]), long_record(279, &[])].concat());
    styles
}

/// Returns a record: kind and length in groups of seven bits, then the content.
fn long_record(kind: u32, content: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(content.len() + 6);
    for mut number in [kind, u32::try_from(content.len()).unwrap_or_default()] {
        loop {
            let group = u8::try_from(number & 0x7F).unwrap_or_default();
            number >>= 7;
            record.push(if number > 0 { group | 0x80 } else { group });
            if number == 0 {
                break;
            }
        }
    }
    record.extend(content);
    record
}

fn utf16_bytes(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let length = u32::try_from(units.len()).unwrap_or_default().to_le_bytes();
    length.into_iter().chain(units.into_iter().flat_map(u16::to_le_bytes)).collect()
}

pub(crate) fn write_xls(path: &Path, rows: u32, seed: u64) -> io::Result<()> {
    let mut texts = SharedTexts::default();
    let begin =
        |kind: u16| short_record(0x0809, &[0x0600, kind, 0x0DBB, 0x07CC, 0, 0, 0, 0].map(u16::to_le_bytes).concat());
    let mut sheet = begin(0x0010);
    let size = [0, rows + 1].map(u32::to_le_bytes).concat();
    sheet.extend(short_record(0x0200, &[size, [0_u16, 12, 0].map(u16::to_le_bytes).concat()].concat()));
    for (number, values) in numbered_rows(rows.min(MAX_LEGACY_ROWS), seed) {
        let row = u16::try_from(number - 1).unwrap_or(u16::MAX);
        for (column, value) in (0_u16..).zip(&values) {
            let Some(stored) = texts.convert(value) else { continue };
            let (kind, format, content) = match stored {
                StoredCell::Number(value, format) => (0x0203, format, value.to_le_bytes().to_vec()),
                StoredCell::Flag(flag) => (0x0205, PLAIN_STYLE, vec![u8::from(flag), 0]),
                StoredCell::Text(number) => (0x00FD, PLAIN_STYLE, number.to_le_bytes().to_vec()),
            };
            let cell_head = [row, column, format].map(u16::to_le_bytes).concat();
            sheet.extend(short_record(kind, &[cell_head, content].concat()));
        }
    }
    sheet.extend(short_record(0x000A, &[]));
    let mut globals = [begin(0x0005), short_record(0x0042, &1200_u16.to_le_bytes())].concat();
    for (id, code) in (FIRST_FORMAT_ID..).zip(NUMBER_FORMATS) {
        globals.extend(short_record(0x041E, &[id.to_le_bytes().to_vec(), legacy_text_bytes(code)].concat()));
    }
    for id in [0, FIRST_FORMAT_ID, FIRST_FORMAT_ID + 1] {
        globals.extend(short_record(0x00E0, &[[0, id].map(u16::to_le_bytes).concat(), vec![0; 16]].concat()));
    }
    let shared = shared_text_records(&texts);
    let name = "Orders";
    let listed = 4 + 4 + 2 + 2 + name.len();
    let end = short_record(0x000A, &[]);
    let offset = u32::try_from(globals.len() + listed + shared.len() + end.len()).unwrap_or(u32::MAX);
    let length = u8::try_from(name.len()).unwrap_or_default();
    globals.extend(short_record(
        0x0085,
        &[offset.to_le_bytes().to_vec(), vec![0, 0, length, 0], name.as_bytes().to_vec()].concat(),
    ));
    fs::write(path, compound_file(&[globals, shared, end, sheet].concat()))
}

fn short_record(kind: u16, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap_or_default();
    [&kind.to_le_bytes()[..], &length.to_le_bytes(), content].concat()
}

/// Returns a text with one byte per character. All measured texts are ASCII.
fn legacy_text_bytes(text: &str) -> Vec<u8> {
    [&u16::try_from(text.len()).unwrap_or_default().to_le_bytes()[..], &[0], text.as_bytes()].concat()
}

/// Returns the records of the shared texts. A long table continues in further records. No text is split.
fn shared_text_records(texts: &SharedTexts) -> Vec<u8> {
    const MAX_RECORD_BYTES: usize = 8_224;
    let mut content = [texts.used, u32::try_from(texts.all.len()).unwrap_or(u32::MAX)].map(u32::to_le_bytes).concat();
    let (mut records, mut kind) = (Vec::new(), 0x00FC);
    for text in texts.all.iter().map(|text| legacy_text_bytes(text)) {
        if content.len() + text.len() > MAX_RECORD_BYTES {
            records.extend(short_record(kind, &content));
            content.clear();
            kind = 0x003C;
        }
        content.extend(text);
    }
    records.extend(short_record(kind, &content));
    records
}

/// Returns a Compound File Binary with one stream and sectors of 4,096 bytes: FAT, directory, stream.
fn compound_file(stream: &[u8]) -> Vec<u8> {
    const SECTOR: usize = 4_096;
    const END_OF_CHAIN: u32 = 0xFFFF_FFFE;
    const FREE: u32 = 0xFFFF_FFFF;
    const FAT_SECTOR: u32 = 0xFFFF_FFFD;
    let number = |number: usize| u32::try_from(number).unwrap_or(FREE);
    let length = stream.len().div_ceil(SECTOR);
    // The FAT also describes its own sectors.
    let fat_sectors = (length + 2).div_ceil(SECTOR / 4 - 1);
    let (directory, first) = (fat_sectors, fat_sectors + 1);
    let mut header = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    header.resize(24, 0);
    [0x3E_u16, 4, 0xFFFE, 12, 6].iter().for_each(|half| header.extend(half.to_le_bytes()));
    header.resize(40, 0);
    for value in [1, number(fat_sectors), number(directory), 0, 4_096, END_OF_CHAIN, 0, END_OF_CHAIN, 0] {
        header.extend(value.to_le_bytes());
    }
    (0..fat_sectors).for_each(|sector| header.extend(number(sector).to_le_bytes()));
    header.resize(512, 0xFF);
    header.resize(SECTOR, 0);
    let mut fat = vec![FAT_SECTOR; fat_sectors];
    fat.push(END_OF_CHAIN);
    fat.extend((1..=length).map(|at| if at == length { END_OF_CHAIN } else { number(first + at) }));
    fat.resize(fat_sectors * SECTOR / 4, FREE);
    let mut file = header;
    fat.iter().for_each(|next| file.extend(next.to_le_bytes()));
    // The stream of small streams is empty, but readers expect a valid start.
    file.extend(directory_entry("Root Entry", 5, 1, number(first), 0));
    file.extend(directory_entry("Workbook", 2, FREE, number(first), number(stream.len())));
    file.resize((first + 1) * SECTOR, 0);
    file.extend(stream);
    file.resize((first + 1 + length) * SECTOR, 0);
    file
}

fn directory_entry(name: &str, kind: u8, child: u32, start: u32, size: u32) -> Vec<u8> {
    let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let length = u16::try_from(entry.len() + 2).unwrap_or_default();
    entry.resize(64, 0);
    entry.extend(length.to_le_bytes());
    entry.extend([kind, 1]);
    [u32::MAX, u32::MAX, child].iter().for_each(|number| entry.extend(number.to_le_bytes()));
    entry.resize(116, 0);
    [start, size, 0].iter().for_each(|number| entry.extend(number.to_le_bytes()));
    entry
}

pub(crate) fn relationships_xml(entries: &[(&str, &str, &str)]) -> String {
    let line = |(id, kind, target): &(&str, &str, &str)| {
        format!(r#"<Relationship Id="{id}" Type="{RELATIONSHIPS_NAMESPACE}/{kind}" Target="{target}"/>"#)
    };
    let lines: String = entries.iter().map(line).collect();
    format!(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{lines}</Relationships>"#
    )
}
