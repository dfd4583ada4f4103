//! Files made by hand, byte by byte if no writer can make them.

use std::io::{Cursor, Write};

use takt_sheet::{Cell, Limits, Sheet, SheetError, Workbook, column_letters};
use zip::{ZipWriter, write::SimpleFileOptions};

/// Returns a zip file with these parts.
pub(crate) fn pack_zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The parts of an xlsx other than its sheet.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) properties: &'a str,
    pub(crate) shared: Option<&'a str>,
    pub(crate) formats: &'a [&'a str],
}

/// Returns an xlsx with one sheet, `S`, that has these rows.
pub(crate) fn xlsx(rows: &str, parts: &Parts<'_>) -> Vec<u8> {
    let sheet = format!(
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
    );
    let workbook = format!(
        r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">{}<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
        parts.properties
    );
    let formats: String = (164..)
        .zip(parts.formats)
        .map(|(id, code)| format!(r#"<numFmt numFmtId="{id}" formatCode="{}"/>"#, code.replace('"', "&quot;")))
        .collect();
    let styles: String =
        (164..).zip(parts.formats).map(|(id, _)| format!(r#"<xf numFmtId="{id}" applyNumberFormat="1"/>"#)).collect();
    let styles = format!(
        r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts>{formats}</numFmts><cellXfs><xf numFmtId="0"/>{styles}</cellXfs></styleSheet>"#
    );
    let mut all: Vec<(&str, &[u8])> = vec![
        ("[Content_Types].xml", br#"<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#),
        ("_rels/.rels", br#"<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ];
    if let Some(shared) = parts.shared {
        all.push(("xl/sharedStrings.xml", shared.as_bytes()));
    }
    pack_zip(&all)
}

/// Returns an ods with this content of `office:spreadsheet`, and with styles before it.
pub(crate) fn ods(styles: &str, tables: &str) -> Vec<u8> {
    let content = format!(
        r#"<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:style="s" xmlns:calcext="c"><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"#
    );
    pack_zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
        ("META-INF/manifest.xml", b"<manifest/>"),
    ])
}

/// Returns a compound file with these streams. Each is padded, so that none is in the mini stream.
pub(crate) fn compound(streams: &[(&str, &[u8])]) -> Vec<u8> {
    const SECTOR: usize = 512;
    let chain_end = 0xFFFF_FFFE_u32;
    let padded: Vec<Vec<u8>> = streams
        .iter()
        .map(|(_, content)| {
            let length = content.len().max(4096).div_ceil(SECTOR) * SECTOR;
            let mut padded = content.to_vec();
            padded.resize(length, 0);
            padded
        })
        .collect();
    // The sectors of the table itself, of the directory, and of the streams.
    let data: usize = padded.iter().map(|content| content.len() / SECTOR).sum();
    let own = (1..).find(|own| own * 128 > own + data).unwrap();
    let mut fat = vec![0xFFFF_FFFD_u32; own];
    fat.push(chain_end);
    let mut directory = directory_entry("Root Entry", 5, chain_end, 0);
    for ((name, _), content) in streams.iter().zip(&padded) {
        let (first, sectors) = (u32::try_from(fat.len()).unwrap(), u32::try_from(content.len() / SECTOR).unwrap());
        fat.extend((first + 1)..(first + sectors));
        fat.push(chain_end);
        directory.extend(directory_entry(name, 2, first, u32::try_from(content.len()).unwrap()));
    }
    assert!(own <= 109 && directory.len() <= SECTOR, "the hand-made container has no room for more");
    fat.resize(own * 128, 0xFFFF_FFFF);
    directory.resize(SECTOR, 0);
    let mut file = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    file.resize(24, 0);
    for half in [0x3E_u16, 3, 0xFFFE, 9, 6] {
        file.extend(half.to_le_bytes());
    }
    file.resize(40, 0);
    let own = u32::try_from(own).unwrap();
    for word in [0_u32, own, own, 0, 4096, chain_end, 0, chain_end, 0].into_iter().chain(0..own) {
        file.extend(word.to_le_bytes());
    }
    file.resize(SECTOR, 0xFF);
    file.extend(fat.iter().flat_map(|word| word.to_le_bytes()));
    file.extend(directory);
    file.extend(padded.concat());
    file
}

fn directory_entry(name: &str, kind: u8, start: u32, size: u32) -> Vec<u8> {
    let mut raw: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let length = u16::try_from(raw.len() + 2).unwrap();
    raw.resize(64, 0);
    raw.extend(length.to_le_bytes());
    raw.extend([kind, 1]);
    raw.extend([0xFF; 12]);
    raw.resize(116, 0);
    raw.extend(start.to_le_bytes());
    raw.extend(size.to_le_bytes());
    raw.resize(128, 0);
    raw
}

pub(crate) fn open(bytes: Vec<u8>, name: &str) -> Result<Workbook, SheetError> {
    Workbook::from_bytes(bytes, name, &Limits::default())
}

/// Reads the first sheet.
pub(crate) fn read(bytes: Vec<u8>, name: &str) -> Result<Sheet, SheetError> {
    let workbook = open(bytes, name)?;
    let first = workbook.sheets().first().unwrap().name.clone();
    workbook.read(&first, &Limits::default(), &|| false)
}

/// Returns a cell by its Excel address.
pub(crate) fn cell_at(sheet: &Sheet, name: &str) -> Cell {
    let digits = name.find(|character: char| character.is_ascii_digit()).unwrap();
    let column = takt_sheet::column_index(&name[..digits]).unwrap();
    let number: u32 = name[digits..].parse().unwrap();
    let row = sheet.rows.position(number).and_then(|index| sheet.rows.get(index));
    let row = row.unwrap_or_else(|| panic!("no row {number}"));
    row.cell(column).cloned().unwrap_or_else(|| panic!("no cell {}{number}", column_letters(column)))
}

/// A small seeded random generator, good enough to damage files.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}
