//! csv and its like: letters, separators, row numbers.

use takt_sheet::{CellKind, CellValue, Kind, Separator, Sheet, SheetError, TextChoice, TextForm};

use crate::support::{at, open, read};

fn csv(text: &str) -> Sheet {
    read(text.as_bytes().to_vec(), "orders.csv").unwrap()
}

#[test]
fn nothing_in_a_csv_is_typed() {
    let sheet = csv("code;qty;date;flag\n00123;1,5;03.04.2026;true\n");
    assert_eq!(sheet.name, "orders");
    for (place, text) in [("A2", "00123"), ("B2", "1,5"), ("C2", "03.04.2026"), ("D2", "true")] {
        assert_eq!(at(&sheet, place).value(), CellValue::Text(text));
    }
}

#[test]
fn rows_are_numbered_as_excel_numbers_them() {
    let sheet = csv("title\n\n\"a\nb\",c\n , \nd,e\n");
    assert_eq!(sheet.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 3, 5]);
    assert_eq!(at(&sheet, "A3").shown(), "a\nb");
    assert_eq!(at(&sheet, "B5").shown(), "e");
}

#[test]
fn the_line_that_names_the_separator_is_no_row() {
    let sheet = csv("sep=|\r\na|b;c\r\n1|2;3\r\n");
    assert_eq!(at(&sheet, "B1").shown(), "b;c");
    assert_eq!(at(&sheet, "B2").shown(), "2;3");
}

#[test]
fn old_and_new_encodings_are_read() {
    let text = "Auftrag;Stück;Größe\nWO-260001;über;Straße\nWO-260002;für;Maß\n";
    let windows = encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let with_mark = [b"\xEF\xBB\xBF".to_vec(), text.as_bytes().to_vec()].concat();
    for bytes in [text.as_bytes().to_vec(), with_mark, windows, utf16] {
        let sheet = read(bytes, "a.csv").unwrap();
        assert_eq!(at(&sheet, "A1").shown(), "Auftrag");
        assert_eq!(at(&sheet, "C1").shown(), "Größe");
        assert_eq!(at(&sheet, "B2").shown(), "über");
        assert_eq!(at(&sheet, "C3").shown(), "Maß");
    }
}

#[test]
fn a_csv_under_a_workbooks_name_is_read_and_prose_is_not() {
    let table = b"code,qty\nA,1\nB,2\n".to_vec();
    for name in ["a.xlsx", "a.xls", "a.xlsb"] {
        assert_eq!(open(table.clone(), name).unwrap().kind(), Kind::Text, "{name}");
    }
    let prose = b"This is a letter, not a table.\nIt goes on and on.\n".to_vec();
    assert!(matches!(open(prose.clone(), "a.xlsx"), Err(SheetError::NotAWorkbook)));
    assert_eq!(open(prose, "a.txt").unwrap().kind(), Kind::Text);
}

#[test]
fn one_column_of_decimal_commas_stays_one_column() {
    let sheet = csv("Menge\n1,5\n22,75\n3,1\n");
    assert_eq!(at(&sheet, "A2").shown(), "1,5");
    assert_eq!(sheet.columns, 1);
}

#[test]
fn ragged_rows_keep_what_they_have() {
    let sheet = csv("a;b;c\n1\n1;2;3;4\n;;3\n");
    assert_eq!(at(&sheet, "D3").shown(), "4");
    assert_eq!(at(&sheet, "C4").shown(), "3");
    assert_eq!(at(&sheet, "A4").kind(), CellKind::Empty);
    assert_eq!(sheet.columns, 4);
}

#[test]
fn what_was_found_is_told_and_can_be_chosen_otherwise() {
    let mut workbook = open(b"St\x81ck;Gr\x94\xE1e,x\n1;2,5\n3;4,5\n".to_vec(), "a.csv").unwrap();
    assert_eq!(workbook.text().unwrap().separator, Some(';'));
    let limits = takt_sheet::Limits::default();
    let choice = |encoding: Option<&str>, separator| TextChoice { encoding: encoding.map(str::to_owned), separator };
    workbook.choose_text(&choice(Some("cp850"), None)).unwrap();
    assert_eq!(workbook.text().unwrap(), &TextForm { encoding: "cp850", separator: Some(';') });
    let sheet = workbook.read("a", &limits, &|| false).unwrap();
    assert_eq!((at(&sheet, "A1").shown(), at(&sheet, "B1").shown()), ("Stück".into(), "Größe,x".into()));
    workbook.choose_text(&choice(Some("CP850"), Some(Separator::By(',')))).unwrap();
    let sheet = workbook.read("a", &limits, &|| false).unwrap();
    assert_eq!((at(&sheet, "A1").shown(), at(&sheet, "B1").shown()), ("Stück;Größe".into(), "x".into()));
    workbook.choose_text(&choice(None, Some(Separator::None))).unwrap();
    assert_eq!(workbook.read("a", &limits, &|| false).unwrap().columns, 1);
    for odd in [choice(Some("klingon"), None), choice(None, Some(Separator::By('e')))] {
        assert!(matches!(workbook.choose_text(&odd), Err(SheetError::UnknownChoice(_))));
    }
    workbook.choose_text(&choice(Some("macintosh"), None)).unwrap();
    assert_eq!(workbook.text().unwrap().encoding, "macintosh");
}

#[test]
fn utf_16_is_read_without_its_mark() {
    let text = "Auftrag;Stück\nWO-1;5\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, encoding) in [(little, "UTF-16LE"), (big, "UTF-16BE")] {
        assert_eq!(open(bytes.clone(), "a.csv").unwrap().text().unwrap().encoding, encoding);
        let sheet = read(bytes, "a.csv").unwrap();
        assert_eq!((at(&sheet, "B1").shown(), at(&sheet, "A2").shown()), ("Stück".into(), "WO-1".into()));
    }
}
