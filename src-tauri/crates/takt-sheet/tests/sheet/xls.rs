//! xls files as different programs write them: encodings, number formats and kinds of formulas, record by record.

use jiff::civil::datetime;
use takt_sheet::{CellKind, CellValue, Sheet, TICKS_PER_SECOND};

use crate::{
    binary::{cell_head, number, record, xls, xls_stream, xls_with},
    support::{cell_at, compound, read},
};

const FORMAT: u16 = 0x041E;
const CELL_FORMAT: u16 = 0x00E0;

fn u16_bytes(halves: &[u16]) -> Vec<u8> {
    halves.iter().flat_map(|half| half.to_le_bytes()).collect()
}

/// Returns a text of Excel 97 and later, with one or two bytes per character.
fn text(text: &str, wide: bool) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let letters =
        units.iter().flat_map(|unit| if wide { unit.to_le_bytes().to_vec() } else { vec![unit.to_le_bytes()[0]] });
    [u16_bytes(&[u16::try_from(units.len()).unwrap()]), vec![u8::from(wide)], letters.collect()].concat()
}

fn label(row: u16, column: u16, content: &[u8]) -> Vec<u8> {
    record(0x0204, &[cell_head(row, column, 0), content.to_vec()].concat())
}

/// Returns a formula record of any kind with its result.
fn formula(kind: u16, row: u16, column: u16, value: [u8; 8]) -> Vec<u8> {
    record(kind, &[cell_head(row, column, 0), value.to_vec(), vec![0; 8]].concat())
}

/// Returns an xls of Excel 5, with no flags before texts and one byte of length before formats and names.
fn excel_5(page: u16, globals: &[Vec<u8>], records: &[Vec<u8>]) -> Vec<u8> {
    let begin = |kind: u16| record(0x0809, &u16_bytes(&[0x0500, kind, 0, 0]));
    let front = |offset: u32| {
        let sheet = [offset.to_le_bytes().to_vec(), vec![0, 0, 4], b"Pl\xE4n".to_vec()].concat();
        [begin(5), record(0x0042, &u16_bytes(&[page])), globals.concat(), record(0x0085, &sheet), record(0x000A, &[])]
            .concat()
    };
    let offset = u32::try_from(front(0).len()).unwrap();
    let stream = [front(offset), begin(16), records.concat(), record(0x000A, &[])].concat();
    compound(&[("Book", &stream)])
}

fn shown_text(sheet: &Sheet, name: &str) -> String {
    cell_at(sheet, name).shown().into_owned()
}

#[test]
fn the_code_page_says_nothing_about_the_texts_of_excel_97() {
    for page in [1252_u16, 1251, 932, 10_000, 437, 0x8000] {
        let page = record(0x0042, &u16_bytes(&[page]));
        let cells = [
            label(0, 0, &text("WO-1 Ä", false)),
            label(0, 1, &text("Łódź €", true)),
            record(0x00FD, &[cell_head(1, 0, 0), vec![0; 4]].concat()),
        ];
        let sheet = read(xls_with(&[page], &cells), "a.xls").unwrap();
        assert_eq!(
            [shown_text(&sheet, "A1"), shown_text(&sheet, "B1"), shown_text(&sheet, "A2")],
            ["WO-1 Ä", "Łódź €", "00123"]
        );
    }
}

#[test]
fn texts_of_excel_5_are_in_their_code_page() {
    let cells = |letters: &[u8]| {
        let length = u16_bytes(&[u16::try_from(letters.len()).unwrap()]);
        vec![label(0, 0, &[length, letters.to_vec()].concat())]
    };
    for (page, letters, expected) in [
        (1252, b"\xC4 1".as_slice(), "Ä 1"),
        (1251, b"\xC4 1", "Д 1"),
        (850, b"\x8E 1", "Ä 1"),
        (437, b"\x8E 1", "Ä 1"),
        (10_000, b"\x80 1", "Ä 1"),
        (932, b"\x8A\xBF", "漢"),
        (0x8001, b"\xC4", "Ä"),
        (9999, b"\xC4", "Ä"),
    ] {
        let sheet = read(excel_5(page, &[], &cells(letters)), "a.xls").unwrap();
        assert_eq!(shown_text(&sheet, "A1"), expected, "{page}");
    }
    assert_eq!(read(excel_5(1252, &[], &cells(b"a")), "a.xls").unwrap().name, "Plän");
}

#[test]
fn a_long_text_goes_on_in_the_next_record() {
    let mut head = text("abc", false);
    head[0] = 7;
    let cells = [
        label(0, 0, &head),
        record(0x003C, &[vec![1], u16_bytes(&[0x0141, 0x64])].concat()),
        record(0x003C, b"\0ef"),
        number(0, 1, 0, 1.0),
    ];
    let sheet = read(xls(&cells), "a.xls").unwrap();
    assert_eq!([shown_text(&sheet, "A1"), shown_text(&sheet, "B1")], ["abcŁdef", "1"]);
}

#[test]
fn shared_texts_are_cut_anywhere() {
    // The second text has font runs and a pronunciation. The characters of the third one begin in the next record.
    let rich = [
        u16_bytes(&[2]),
        vec![0x0C],
        u16_bytes(&[1]),
        4_u32.to_le_bytes().to_vec(),
        b"xy".to_vec(),
        vec![9; 4],
        vec![8; 2],
    ]
    .concat();
    let first = [3_u32.to_le_bytes().to_vec(), 3_u32.to_le_bytes().to_vec(), text("one", false), rich].concat();
    let second = [vec![8; 2], u16_bytes(&[3]), vec![0]].concat();
    let shared = [
        record(0x00FC, &first),
        record(0x003C, &second),
        record(0x003C, &[vec![1], u16_bytes(&[0x74, 0x68, 0x155])].concat()),
    ];
    let cells: Vec<Vec<u8>> = (0..4_u8)
        .map(|index| record(0x00FD, &[cell_head(0, index.into(), 0), vec![index, 0, 0, 0]].concat()))
        .collect();
    let globals = |offset: u32| {
        let sheet = [offset.to_le_bytes().to_vec(), vec![0, 0, 1, 0, b'S']].concat();
        [record(0x0809, &u16_bytes(&[0x0600, 5, 0, 0])), record(0x0085, &sheet), shared.concat(), record(0x000A, &[])]
            .concat()
    };
    let offset = u32::try_from(globals(0).len()).unwrap();
    let begin = record(0x0809, &u16_bytes(&[0x0600, 16, 0, 0]));
    let stream = [globals(offset), begin, cells.concat(), record(0x000A, &[])].concat();
    let sheet = read(compound(&[("Workbook", &stream)]), "a.xls").unwrap();
    assert_eq!(["A1", "B1", "C1", "D1"].map(|name| shown_text(&sheet, name)), ["one", "xy", "thŕ", "#?"]);
}

#[test]
fn formulas_of_every_kind_keep_their_row() {
    for kind in [0x0006, 0x0206, 0x0406] {
        let cells = [
            formula(kind, 0, 0, 2.5_f64.to_le_bytes()),
            formula(kind, 0, 1, [1, 0, 1, 0, 0, 0, 0xFF, 0xFF]),
            formula(kind, 0, 2, [2, 0, 0x2A, 0, 0, 0, 0xFF, 0xFF]),
            formula(kind, 1, 0, [0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
            record(0x04BC, &[0; 10]),
            record(0x0207, &text("WO-1", false)),
            formula(kind, 2, 0, [3, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
            formula(kind, 3, 0, [0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
            number(4, 0, 0, 7.0),
        ];
        let sheet = read(xls(&cells), "a.xls").unwrap();
        assert_eq!(
            ["A1", "B1", "C1", "A2"].map(|name| shown_text(&sheet, name)),
            ["2.5", "TRUE", "#N/A", "WO-1"],
            "{kind:x}"
        );
        assert_eq!(sheet.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2, 4, 5]);
        assert!(cell_at(&sheet, "A4").is_formula_without_value());
    }
}

#[test]
fn texts_that_formulas_gave_span_nothing() {
    // A formula's text begins with its length, which isn't a row.
    let rows = 400_u16;
    let cells: Vec<Vec<u8>> = (0..rows)
        .flat_map(|row| {
            let long = "abcdefghijklmnopqrstuvwxyz".repeat(8);
            [
                formula(0x0006, row, 0, [0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
                record(0x0207, &text(&format!("{row}{long}"), false)),
            ]
        })
        .collect();
    let sheet = read(xls(&cells), "a.xls").unwrap();
    assert_eq!((sheet.rows.len(), sheet.columns), (usize::from(rows), 1));
    assert!(shown_text(&sheet, "A400").starts_with("399a"));
}

#[test]
fn number_formats_of_any_number_count() {
    // IDs that a file defines, including some that other programs use for the formats of a country, and more than 218
    // formats.
    let ids = [5_u16, 8, 23, 26, 41, 44, 63, 66, 164, 382, 383, 500, 3000];
    let formats = ids.iter().enumerate().map(|(index, &id)| {
        let code = if index % 2 == 0 { "yyyy-mm-dd" } else { "00000" };
        record(FORMAT, &[u16_bytes(&[id]), text(code, index % 3 == 0)].concat())
    });
    let used = ids.iter().map(|&id| record(CELL_FORMAT, &u16_bytes(&[0, id])));
    let globals: Vec<Vec<u8>> = formats.chain(used).collect();
    let cells: Vec<Vec<u8>> = (0..13).map(|index| number(0, index, index, 345.0)).collect();
    let sheet = read(xls_with(&globals, &cells), "a.xls").unwrap();
    for (index, cell) in sheet.rows.get(0).unwrap().cells.iter().enumerate() {
        let expected = if index % 2 == 0 { "1900-12-10" } else { "00345" };
        assert_eq!(cell.shown(), expected, "format {}", ids[index]);
    }
    let many: Vec<Vec<u8>> = (0..400_u16)
        .flat_map(|index| {
            let code = if index == 399 { "[h]:mm" } else { "0.0" };
            [
                record(FORMAT, &[u16_bytes(&[164 + index]), text(code, false)].concat()),
                record(CELL_FORMAT, &u16_bytes(&[0, 164 + index])),
            ]
        })
        .collect();
    let sheet = read(xls_with(&many, &[number(0, 0, 399, 1.5), number(0, 1, 0, 1.5)]), "a.xls").unwrap();
    assert_eq!(cell_at(&sheet, "A1").value(), CellValue::Duration(36 * 3600 * TICKS_PER_SECOND));
    assert_eq!(cell_at(&sheet, "B1").kind(), CellKind::Number);
}

#[test]
fn a_number_format_of_excel_5_keeps_its_first_letter() {
    let format = |id: u16, code: &str| {
        record(FORMAT, &[u16_bytes(&[id]), vec![u8::try_from(code.len()).unwrap()], code.as_bytes().to_vec()].concat())
    };
    let globals = [
        format(164, "[Red]0;[Blue]-0"),
        format(165, "dd/mm/yyyy"),
        format(166, "00000"),
        record(CELL_FORMAT, &u16_bytes(&[0, 164])),
        record(CELL_FORMAT, &u16_bytes(&[0, 165])),
        record(CELL_FORMAT, &u16_bytes(&[0, 166])),
    ];
    let cells = [number(0, 0, 0, 50.0), number(0, 1, 1, 46_349.0), number(0, 2, 2, 50.0)];
    let sheet = read(excel_5(1252, &globals, &cells), "a.xls").unwrap();
    assert_eq!(cell_at(&sheet, "A1").value(), CellValue::Number(50.0));
    assert_eq!(cell_at(&sheet, "B1").value(), CellValue::DateTime(datetime(2026, 11, 23, 0, 0, 0, 0)));
    assert_eq!(shown_text(&sheet, "C1"), "00050");
}

#[test]
fn two_sheets_of_one_name_are_two_sheets() {
    let begin = |kind: u16| record(0x0809, &u16_bytes(&[0x0600, kind, 0, 0]));
    let sheet = |value: f64| [begin(16), number(0, 0, 0, value), record(0x000A, &[])].concat();
    let front = |offset: u32| {
        let listed = |offset: u32, kind: u8| {
            record(0x0085, &[offset.to_le_bytes().to_vec(), vec![0, kind, 1, 0, b'S']].concat())
        };
        let second = offset + u32::try_from(sheet(1.0).len()).unwrap();
        // A macro sheet isn't listed.
        [begin(5), listed(offset, 0), listed(offset, 1), listed(second, 0), record(0x000A, &[])].concat()
    };
    let stream = [front(u32::try_from(front(0).len()).unwrap()), sheet(1.0), sheet(2.0)].concat();
    let workbook = crate::support::open(compound(&[("Workbook", &stream)]), "a.xls").unwrap();
    let names: Vec<_> = workbook.sheets().iter().map(|sheet| sheet.name.clone()).collect();
    assert_eq!(names, ["S", "S (2)"]);
    for (name, expected) in names.iter().zip(["1", "2"]) {
        let sheet = workbook.read(name, &takt_sheet::Limits::default(), &|| false).unwrap();
        assert_eq!(shown_text(&sheet, "A1"), expected);
    }
}

#[test]
fn a_record_that_is_cut_off_is_damage_and_no_shorter_sheet() {
    let stream = xls_stream(&[], &[number(0, 0, 0, 1.0), [0x03, 0x02, 0xFF, 0x7F].to_vec()]);
    let result = read(compound(&[("Workbook", &stream)]), "a.xls");
    assert!(matches!(result, Err(takt_sheet::SheetError::Damaged(_))), "{result:?}");
}
