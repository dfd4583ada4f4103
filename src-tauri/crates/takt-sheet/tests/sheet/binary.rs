//! xls and xlsb files made by hand, record by record.

use jiff::civil::datetime;
use takt_sheet::{CellValue, FileKind, SheetError};

use crate::support::{cell_at, compound, open, pack_zip, read};

pub(crate) fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap();
    [&kind.to_le_bytes(), &length.to_le_bytes(), content].concat()
}

pub(crate) fn cell_head(row: u16, column: u16, format: u16) -> Vec<u8> {
    [row, column, format].iter().flat_map(|half| half.to_le_bytes()).collect()
}

pub(crate) fn number(row: u16, column: u16, format: u16, value: f64) -> Vec<u8> {
    record(0x0203, &[cell_head(row, column, format), value.to_le_bytes().to_vec()].concat())
}

pub(crate) fn dimensions(rows: u32, columns: u16) -> Vec<u8> {
    let mut content = [0_u32, rows].iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    content.extend([0, columns, 0].iter().flat_map(|half: &u16| half.to_le_bytes()));
    record(0x0200, &content)
}

/// Returns the workbook stream of an xls with one sheet, `S`, that has these records.
pub(crate) fn xls_stream(extra: &[u8], records: &[Vec<u8>]) -> Vec<u8> {
    let mut shared = vec![1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0];
    shared.extend(b"00123");
    xls_stream_with(extra, &record(0x00FC, &shared), records)
}

/// Like [`xls_stream`], with these records of shared texts.
pub(crate) fn xls_stream_with(extra: &[u8], shared: &[u8], records: &[Vec<u8>]) -> Vec<u8> {
    let begin = |kind: u16| {
        let content: Vec<u8> = [0x0600, kind, 0, 0].iter().flat_map(|half: &u16| half.to_le_bytes()).collect();
        record(0x0809, &content)
    };
    let format = |id: u16| record(0x00E0, &[0, id].iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>());
    let globals = |offset: u32| {
        let mut sheet = offset.to_le_bytes().to_vec();
        sheet.extend([0, 0, 1, 0, b'S']);
        [
            begin(5),
            record(0x0042, &1200_u16.to_le_bytes()),
            extra.to_vec(),
            format(0),
            format(14),
            record(0x0085, &sheet),
            shared.to_vec(),
            record(0x000A, &[]),
        ]
        .concat()
    };
    let offset = u32::try_from(globals(0).len()).unwrap();
    [globals(offset), begin(16), records.concat(), record(0x000A, &[])].concat()
}

pub(crate) fn xls(records: &[Vec<u8>]) -> Vec<u8> {
    compound(&[("Workbook", &xls_stream(&[], records))])
}

#[test]
fn an_xls_is_read() {
    let bytes = xls_of_every_kind();
    assert_eq!(open(bytes.clone(), "a.xlsx").unwrap().kind(), FileKind::Xls);
    let sheet = read(bytes, "a.xls").unwrap();
    for (address, value) in [
        ("A3", CellValue::Text("00123")),
        ("B3", CellValue::Number(1375.25)),
        ("C3", CellValue::DateTime(datetime(2026, 11, 23, 6, 0, 0, 0))),
        ("D3", CellValue::Error("#REF!")),
        ("E3", CellValue::Boolean(true)),
    ] {
        assert_eq!(cell_at(&sheet, address).value(), value, "{address}");
    }
    assert_eq!((sheet.rows.len(), sheet.cells), (1, 5));
}

#[test]
fn what_an_xls_claims_to_span_is_not_believed() {
    let sheet = read(far_corners_xls(), "a.xls").unwrap();
    assert_eq!((sheet.cells, sheet.columns, sheet.rows.len()), (2, 256, 2));
    for (rows, columns) in [(u32::MAX, 255), (65_536, u16::MAX), (0xFFFF_FFF0, 1)] {
        let sheet = read(xls(&[dimensions(rows, columns), number(0, 0, 0, 1.0)]), "a.xls").unwrap();
        assert_eq!(sheet.cells, 1, "{rows} x {columns}");
    }
}

#[test]
fn an_xls_with_a_password_is_protected() {
    assert!(matches!(open(protected_xls(), "a.xls"), Err(SheetError::Protected)));
}

/// Returns an xls with additional records before its sheet. A cell format among them becomes the first one.
pub(crate) fn xls_with(extra: &[Vec<u8>], records: &[Vec<u8>]) -> Vec<u8> {
    compound(&[("Workbook", &xls_stream(&extra.concat(), records))])
}

#[test]
fn every_kind_of_password_is_told() {
    // Type 0 is the oldest encryption. Excel 5 has no types and writes the key there.
    for content in [&[0, 0, 0xA1, 0xB2, 0xC3, 0xD4][..], &[0xA1, 0xB2, 0xC3, 0xD4], &[1, 0, 2, 0, 2, 0]] {
        let bytes = xls_with(&[record(0x002F, content)], &[number(0, 0, 0, 1.0)]);
        assert!(matches!(open(bytes, "a.xls"), Err(SheetError::Protected)), "{content:?}");
    }
}

#[test]
fn a_code_page_that_is_none_costs_no_text() {
    let text = record(0x0204, &[cell_head(1, 0, 0), vec![2, 0, 0, 0xC4, 0x31]].concat());
    for page in [0_u16, 55_252] {
        let bytes = xls_with(&[record(0x0042, &page.to_le_bytes())], std::slice::from_ref(&text));
        assert_eq!(cell_at(&read(bytes, "a.xls").unwrap(), "A2").shown(), "Ä1", "{page}");
    }
}

#[test]
fn an_xls_of_an_old_mac_counts_from_1904() {
    let bytes = xls_with(&[record(0x0022, &[1, 0])], &[number(0, 0, 1, 44_887.25)]);
    let expected = CellValue::DateTime(datetime(2026, 11, 23, 6, 0, 0, 0));
    assert_eq!(cell_at(&read(bytes, "a.xls").unwrap(), "A1").value(), expected);
}

#[test]
fn a_code_in_an_xls_keeps_the_zeros_that_its_format_shows() {
    let sheet = read(xls_with_codes(), "a.xls").unwrap();
    for (address, shown) in [("A1", "00123"), ("A2", "00045"), ("B3", "00007"), ("C3", "8"), ("A4", "9")] {
        assert_eq!(cell_at(&sheet, address).shown(), shown, "{address}");
    }
    assert!(cell_at(&sheet, "A1").is_shown_by_format());
}

pub(crate) fn binary_record(kind: u16, content: &[u8]) -> Vec<u8> {
    let mut bytes = if kind < 0x80 { vec![kind as u8] } else { vec![(kind & 0x7F) as u8 | 0x80, (kind >> 7) as u8] };
    bytes.push(u8::try_from(content.len()).unwrap());
    bytes.extend(content);
    bytes
}

pub(crate) fn wide_text(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.encode_utf16().count()).unwrap();
    [length.to_le_bytes().to_vec(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()
}

/// Returns a cell in a column, with the default format.
pub(crate) fn binary_cell(kind: u16, column: u32, content: &[u8]) -> Vec<u8> {
    binary_record(kind, &[&column.to_le_bytes(), &[0; 4], content].concat())
}

pub(crate) fn xlsb(cells: &[Vec<u8>]) -> Vec<u8> {
    xlsb_with(&[], cells)
}

/// Returns an xlsb with these records of styles.
pub(crate) fn xlsb_with(styles: &[Vec<u8>], cells: &[Vec<u8>]) -> Vec<u8> {
    let sheet = [
        binary_record(0x0081, &[]),
        binary_record(0x0094, &[0; 16]),
        binary_record(0x0091, &[]),
        binary_record(0x0000, &4_u32.to_le_bytes()),
        cells.concat(),
        binary_record(0x0092, &[]),
    ]
    .concat();
    let bundled = [vec![0; 4], 1_u32.to_le_bytes().to_vec(), wide_text("rId1"), wide_text("S")].concat();
    let workbook = [
        binary_record(0x0083, &[]),
        binary_record(0x008F, &[]),
        binary_record(0x009C, &bundled),
        binary_record(0x0090, &[]),
        binary_record(0x009D, &[0; 4]),
        binary_record(0x0084, &[]),
    ]
    .concat();
    let styles = styles.concat();
    let mut parts: Vec<(&str, &[u8])> = vec![
        (
            "[Content_Types].xml",
            b"<Types><Override ContentType=\"application/vnd.ms-excel.sheet.binary.macroEnabled.main\"/></Types>",
        ),
        (
            "xl/_rels/workbook.bin.rels",
            b"<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/sheet1.bin\"/></Relationships>",
        ),
        ("xl/workbook.bin", &workbook),
        ("xl/worksheets/sheet1.bin", &sheet),
    ];
    if !styles.is_empty() {
        parts.push(("xl/styles.bin", &styles));
    }
    pack_zip(&parts)
}

#[test]
fn an_xlsb_is_read_with_the_errors_that_formulas_gave() {
    let bytes = xlsb(&[
        binary_cell(0x0005, 0, &1375.25_f64.to_le_bytes()),
        binary_cell(0x0006, 1, &wide_text("00123")),
        binary_cell(0x0004, 2, &[1]),
        binary_cell(0x0003, 3, &[0x17]),
        binary_cell(0x000B, 4, &[0x2A, 0, 0, 0, 0, 0, 0]),
        binary_cell(0x0003, 5, &[0x7F]),
        binary_cell(0x0005, 6, &7_f64.to_le_bytes()),
    ]);
    let sheet = read(bytes, "a.xlsb").unwrap();
    for (address, value) in [
        ("A5", CellValue::Number(1375.25)),
        ("B5", CellValue::Text("00123")),
        ("C5", CellValue::Boolean(true)),
        ("D5", CellValue::Error("#REF!")),
        ("E5", CellValue::Error("#N/A")),
        ("F5", CellValue::Error("#ERROR!")),
        ("G5", CellValue::Number(7.0)),
    ] {
        assert_eq!(cell_at(&sheet, address).value(), value, "{address}");
    }
}

#[test]
fn a_code_in_an_xlsb_keeps_the_zeros_that_its_format_shows() {
    let sheet = read(xlsb_with_codes(), "a.xlsb").unwrap();
    for (address, shown) in [("A5", "00123"), ("B5", "00045"), ("C5", "123"), ("D5", "45.5")] {
        assert_eq!(cell_at(&sheet, address).shown(), shown, "{address}");
    }
}

#[test]
fn an_xlsb_that_would_lose_cells_is_refused() {
    let bytes = xlsb(&[binary_cell(0x0005, 0, &1_f64.to_le_bytes()), binary_record(0x000D, &[0; 8])]);
    assert!(matches!(read(bytes, "a.xlsb"), Err(SheetError::Unsupported(_))));
}

/// Returns a small file to damage.
pub(crate) fn sample_xls() -> Vec<u8> {
    xls(&[dimensions(2, 2), number(0, 0, 0, 1.0), number(1, 1, 1, 46_349.0)])
}

/// Returns a small file to damage.
pub(crate) fn sample_xlsb() -> Vec<u8> {
    xlsb(&[binary_cell(0x0005, 0, &1_f64.to_le_bytes()), binary_cell(0x0006, 1, &wide_text("a"))])
}

/// Returns a sheet with row 2 and column B hidden, and A1:B1 merged.
pub(crate) fn xls_with_layout() -> Vec<u8> {
    let u16_bytes = |halves: &[u16]| halves.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>();
    xls(&[
        record(0x007D, &u16_bytes(&[1, 1, 2000, 0, 1, 0])),
        dimensions(3, 3),
        record(0x0208, &u16_bytes(&[0, 0, 3, 255, 0, 0, 0x0100, 0])),
        record(0x0208, &u16_bytes(&[1, 0, 3, 255, 0, 0, 0x0120, 0])),
        number(0, 2, 0, 1.0),
        number(1, 2, 0, 2.0),
        number(2, 2, 0, 3.0),
        record(0x00E5, &u16_bytes(&[1, 0, 0, 0, 1])),
    ])
}

/// Returns a sheet with row 5 and column B hidden, and A1:B1 merged.
pub(crate) fn xlsb_with_layout() -> Vec<u8> {
    let row = |number: u32, hidden: bool| {
        let flags = [0, u8::from(hidden) << 4, 0];
        binary_record(0x0000, &[number.to_le_bytes().to_vec(), vec![0; 6], flags.to_vec(), vec![0; 4]].concat())
    };
    let column = [1_u32, 1, 2000, 0].iter().flat_map(|word| word.to_le_bytes()).chain([1, 0]).collect::<Vec<_>>();
    let merged = [0_u32, 0, 0, 1].iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    xlsb(&[
        binary_record(0x003C, &column),
        row(4, true),
        binary_cell(0x0005, 2, &7_f64.to_le_bytes()),
        row(5, false),
        binary_cell(0x0005, 2, &8_f64.to_le_bytes()),
        binary_record(0x0092, &[]),
        binary_record(0x00B0, &merged),
    ])
}

/// Returns numbers of every kind. Numbers in the first format are shown with five digits.
pub(crate) fn xls_with_codes() -> Vec<u8> {
    let u16_bytes = |halves: &[u16]| halves.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>();
    let format = record(0x041E, &[u16_bytes(&[164, 5]), vec![0], b"00000".to_vec()].concat());
    let packed = |value: u32| (value << 2 | 2).to_le_bytes().to_vec();
    let several = [u16_bytes(&[2, 1, 0]), packed(7), u16_bytes(&[1]), packed(8), u16_bytes(&[2])].concat();
    xls_with(
        &[format, record(0x00E0, &u16_bytes(&[0, 164]))],
        &[
            number(0, 0, 0, 123.0),
            record(0x027E, &[cell_head(1, 0, 0), packed(45)].concat()),
            record(0x00BD, &several),
            number(3, 0, 1, 9.0),
        ],
    )
}

/// Like [`xls_with_codes`], but with the second of two formats.
pub(crate) fn xlsb_with_codes() -> Vec<u8> {
    let u16_bytes = |halves: &[u16]| halves.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>();
    let styles = [
        binary_record(44, &[u16_bytes(&[164]), wide_text("00000")].concat()),
        binary_record(617, &2_u32.to_le_bytes()),
        binary_record(47, &u16_bytes(&[0, 0, 0, 0, 0, 0, 0, 0])),
        binary_record(47, &u16_bytes(&[0, 164, 0, 0, 0, 0, 0, 0])),
        binary_record(618, &[]),
    ];
    let cell = |kind: u16, column: u32, format: u32, content: &[u8]| {
        binary_record(kind, &[&column.to_le_bytes(), &format.to_le_bytes(), content].concat())
    };
    xlsb_with(
        &styles,
        &[
            cell(0x0005, 0, 1, &123_f64.to_le_bytes()),
            cell(0x0002, 1, 1, &(45_u32 << 2 | 2).to_le_bytes()),
            cell(0x0005, 2, 0, &123_f64.to_le_bytes()),
            cell(0x0002, 3, 0, &(4550_u32 << 2 | 3).to_le_bytes()),
        ],
    )
}

pub(crate) fn xls_of_every_kind() -> Vec<u8> {
    let shared = record(0x00FD, &[cell_head(2, 0, 0), vec![0, 0, 0, 0]].concat());
    let error = record(0x0205, &[cell_head(2, 3, 0), vec![0x17, 1]].concat());
    let truth = record(0x0205, &[cell_head(2, 4, 0), vec![1, 0]].concat());
    xls(&[dimensions(3, 5), shared, number(2, 1, 0, 1375.25), number(2, 2, 1, 46_349.25), error, truth])
}

/// Returns two cells that span the largest possible sheet.
pub(crate) fn far_corners_xls() -> Vec<u8> {
    xls(&[number(0, 0, 0, 1.0), number(65_535, 255, 0, 2.0)])
}

pub(crate) fn protected_xls() -> Vec<u8> {
    let stream = xls_stream(&record(0x002F, &[1, 0, 1, 0, 1, 0]), &[number(0, 0, 0, 1.0)]);
    compound(&[("Workbook", &stream)])
}

/// Returns a sheet with several megabytes of texts.
pub(crate) fn xls_with_long_texts() -> Vec<u8> {
    let long = [cell_head(0, 0, 0), 8000_u16.to_le_bytes().to_vec(), vec![0], vec![b'a'; 8000]].concat();
    let cells: Vec<Vec<u8>> = std::iter::repeat_n(record(0x0204, &long), 400).collect();
    xls(&cells)
}

/// Returns a sheet with one text of `letters` characters, which `cells` cells share.
pub(crate) fn xls_that_shares_a_text(letters: u16, cells: u16) -> Vec<u8> {
    let text = [letters.to_le_bytes().to_vec(), vec![0], vec![b'a'; letters.into()]].concat();
    let shared = record(0x00FC, &[vec![1, 0, 0, 0, 1, 0, 0, 0], text].concat());
    let cells: Vec<Vec<u8>> =
        (0..cells).map(|row| record(0x00FD, &[cell_head(row, 0, 0), vec![0; 4]].concat())).collect();
    compound(&[("Workbook", &xls_stream_with(&[], &shared, &cells))])
}
