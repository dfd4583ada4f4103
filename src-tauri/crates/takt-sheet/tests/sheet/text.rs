//! csv files: encodings, separators and row numbers.

use takt_sheet::{
    CellKind, CellValue, FileKind, LimitKind, Limits, QuoteFault, Quotes, Separator, Sheet, SheetError, SheetRow,
    TextChoice, TextForm, Workbook,
};

use crate::support::{cell_at, open, read};

fn csv(text: &str) -> Sheet {
    read(text.as_bytes().to_vec(), "orders.csv").unwrap()
}

#[test]
fn nothing_in_a_csv_is_typed() {
    let sheet = csv("code;qty;date;flag\n00123;1,5;03.04.2026;true\n");
    assert_eq!(sheet.name, "orders");
    for (address, text) in [("A2", "00123"), ("B2", "1,5"), ("C2", "03.04.2026"), ("D2", "true")] {
        assert_eq!(cell_at(&sheet, address).value(), CellValue::Text(text));
    }
}

#[test]
fn rows_are_numbered_as_excel_numbers_them() {
    let sheet = csv("title\n\n\"a\nb\",c\n , \nd,e\n");
    assert_eq!(sheet.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 3, 5]);
    assert_eq!(cell_at(&sheet, "A3").shown(), "a\nb");
    assert_eq!(cell_at(&sheet, "B5").shown(), "e");
}

#[test]
fn the_line_that_names_the_separator_is_no_row() {
    let sheet = csv("sep=|\r\na|b;c\r\n1|2;3\r\n");
    assert_eq!(cell_at(&sheet, "B1").shown(), "b;c");
    assert_eq!(cell_at(&sheet, "B2").shown(), "2;3");
}

/// The fields of an endless row would take many times its bytes in memory.
#[test]
fn a_row_of_separators_alone_is_refused_before_its_end_is_looked_for() {
    let with = |separators: usize| read(format!("a,b\n1,2{}\n3,4\n", ",".repeat(separators)).into_bytes(), "a.csv");
    assert_eq!(cell_at(&with(60_000).unwrap(), "B3").shown(), "4");
    for separators in [70_000, 3_000_000] {
        let refused = with(separators);
        assert!(matches!(refused, Err(SheetError::TooLarge { what: LimitKind::Columns, .. })), "{refused:?}");
    }
}

#[test]
fn old_and_new_encodings_are_read() {
    let text = "Auftrag;Stück;Größe\nWO-260001;über;Straße\nWO-260002;für;Maß\n";
    let windows = encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let with_mark = [b"\xEF\xBB\xBF".to_vec(), text.as_bytes().to_vec()].concat();
    for bytes in [text.as_bytes().to_vec(), with_mark, windows, utf16] {
        let sheet = read(bytes, "a.csv").unwrap();
        assert_eq!(cell_at(&sheet, "A1").shown(), "Auftrag");
        assert_eq!(cell_at(&sheet, "C1").shown(), "Größe");
        assert_eq!(cell_at(&sheet, "B2").shown(), "über");
        assert_eq!(cell_at(&sheet, "C3").shown(), "Maß");
    }
}

#[test]
fn a_csv_under_a_workbooks_name_is_read_and_prose_is_not() {
    let table = b"code,qty\nA,1\nB,2\n".to_vec();
    for name in ["a.xlsx", "a.xls", "a.xlsb"] {
        assert_eq!(open(table.clone(), name).unwrap().kind(), FileKind::Text, "{name}");
    }
    let prose = b"This is a letter, not a table.\nIt goes on and on.\n".to_vec();
    assert!(matches!(open(prose.clone(), "a.xlsx"), Err(SheetError::NotAWorkbook)));
    assert_eq!(open(prose, "a.txt").unwrap().kind(), FileKind::Text);
}

#[test]
fn one_column_of_decimal_commas_stays_one_column() {
    let sheet = csv("Menge\n1,5\n22,75\n3,1\n");
    assert_eq!(cell_at(&sheet, "A2").shown(), "1,5");
    assert_eq!(sheet.columns, 1);
}

#[test]
fn ragged_rows_keep_what_they_have() {
    let sheet = csv("a;b;c\n1\n1;2;3;4\n;;3\n");
    assert_eq!(cell_at(&sheet, "D3").shown(), "4");
    assert_eq!(cell_at(&sheet, "C4").shown(), "3");
    assert_eq!(cell_at(&sheet, "A4").kind(), CellKind::Empty);
    assert_eq!(sheet.columns, 4);
}

#[test]
fn rows_of_other_widths_are_noted_once_for_each_change() {
    let noted = |text: &str| {
        let doubts = csv(text).doubts;
        let counts: Vec<(u32, u32)> = doubts.field_counts.iter().map(|count| (count.row, count.fields)).collect();
        (counts, doubts.unterminated_row)
    };
    assert_eq!(noted("a,b,c\n1,2,3\n4,5,6\n"), (vec![(1, 3)], None));
    assert_eq!(noted("Title\n\na,b,c\n1,2,3\n\n4,5,,,\n,,,,,,\n6,7"), (vec![(1, 1), (3, 3), (6, 5), (8, 2)], Some(8)));
    assert_eq!(noted("a,b\n1,\"2\n3\"\n4,\"x,y\""), (vec![(1, 2)], Some(3)));
    assert_eq!(noted("a,b\n1,2\n   "), (vec![(1, 2)], None));
    let large: String = (0..200_000).map(|row| if row == 150_000 { "1;2;3;4\n" } else { "1;2;3\n" }).collect();
    assert_eq!(noted(&large), (vec![(1, 3), (150_001, 4), (150_002, 3)], None));
    assert_eq!(read(b"<table><tr><td>a<td>b<tr><td>c</table>".to_vec(), "a.html").unwrap().doubts.field_counts, []);
}

/// Each cell contains characters whose encoding is only a guess.
#[test]
fn each_cell_whose_letters_are_guessed_is_listed() {
    let cases: [(&[u8], &str, bool); 7] = [
        (b"\xD8 12", "Ø 12", false),
        (b"\xA5", "¥", false),
        (b"\xB110", "±10", false),
        (b"3 m\xB3", "3 m³", false),
        (b"\xB5m", "µm", false),
        (b"Gr\xF6\xDFe", "Größe", true),
        (b"pi\xE8ce n\xB0 3", "pièce n° 3", true),
    ];
    for (bytes, text, is_clear) in cases {
        let file = [b"code;note\nA;".as_slice(), bytes, b"\nB;plain\n"].concat();
        let workbook = open(file.clone(), "a.csv").unwrap();
        let form = workbook.text_form().unwrap();
        assert_eq!((form.encoding, form.is_clear), ("windows-1252", is_clear), "{text}: {form:?}");
        let doubts = read(file, "a.csv").unwrap().doubts;
        assert_eq!((doubts.encoding_doubt_count, doubts.encodings[0].text.as_str()), (1, text));
        assert!(doubts.encodings[0].rival_texts.iter().any(|other| other != text), "{:?}", doubts.encodings);
    }
    for bytes in ["code;note\nA;Ø 12\n".as_bytes(), b"code;note\nA;12\n"] {
        let workbook = open(bytes.to_vec(), "a.csv").unwrap();
        let form = workbook.text_form().unwrap();
        assert_eq!((form.rivals.as_slice(), form.is_clear), (&[][..], true));
    }
}

#[test]
fn what_was_found_is_told_and_can_be_chosen_otherwise() {
    let mut workbook = open(b"St\x81ck;Gr\x94\xE1e,x\n1;2,5\n3;4,5\n".to_vec(), "a.csv").unwrap();
    assert_eq!(workbook.text_form().unwrap().separator, Some(';'));
    let limits = takt_sheet::Limits::default();
    let choice = |encoding: Option<&str>, separator| TextChoice {
        encoding: encoding.map(str::to_owned),
        separator,
        ..TextChoice::default()
    };
    workbook.choose_text(&choice(Some("cp850"), None)).unwrap();
    assert_eq!(
        workbook.text_form().unwrap(),
        &TextForm {
            encoding: "cp850",
            separator: Some(';'),
            quotes: Quotes::Enclose,
            rivals: Vec::new(),
            is_clear: true,
            is_written_by_takt: false
        }
    );
    let sheet = workbook.read("a", &limits, &|| false).unwrap();
    assert_eq!((cell_at(&sheet, "A1").shown(), cell_at(&sheet, "B1").shown()), ("Stück".into(), "Größe,x".into()));
    workbook.choose_text(&choice(Some("CP850"), Some(Separator::By(',')))).unwrap();
    let sheet = workbook.read("a", &limits, &|| false).unwrap();
    assert_eq!((cell_at(&sheet, "A1").shown(), cell_at(&sheet, "B1").shown()), ("Stück;Größe".into(), "x".into()));
    workbook.choose_text(&choice(None, Some(Separator::None))).unwrap();
    assert_eq!(workbook.read("a", &limits, &|| false).unwrap().columns, 1);
    for odd in [choice(Some("klingon"), None), choice(None, Some(Separator::By('e')))] {
        assert!(matches!(workbook.choose_text(&odd), Err(SheetError::UnknownChoice(_))));
    }
    workbook.choose_text(&choice(Some("macintosh"), None)).unwrap();
    assert_eq!(workbook.text_form().unwrap().encoding, "macintosh");
}

#[test]
fn utf_16_is_read_without_its_mark() {
    let text = "Auftrag;Stück\nWO-1;5\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, encoding) in [(little, "UTF-16LE"), (big, "UTF-16BE")] {
        assert_eq!(open(bytes.clone(), "a.csv").unwrap().text_form().unwrap().encoding, encoding);
        let sheet = read(bytes, "a.csv").unwrap();
        assert_eq!((cell_at(&sheet, "B1").shown(), cell_at(&sheet, "A2").shown()), ("Stück".into(), "WO-1".into()));
    }
}

#[test]
fn a_quote_that_swallows_rows_is_doubted_where_it_opens() {
    let rows: String = (2..40).map(|row| format!("WO-{row};Rail;{row}\n")).collect();
    let text = format!("code;note;qty\nWO-1;Rail;1\nWO-0;\"5 in;1\n{rows}");
    let mut workbook = open(text.into_bytes(), "orders.csv").unwrap();
    let sheet = workbook.read("orders", &Limits::default(), &|| false).unwrap();
    let doubt = sheet.doubts.quotes[0];
    assert_eq!((doubt.row, doubt.column, doubt.fault, doubt.lines), (3, 1, QuoteFault::NotClosed, 38));
    assert_eq!(sheet.rows.len(), 3);
    let choice = TextChoice { quotes: Quotes::Text, ..TextChoice::default() };
    workbook.choose_text(&choice).unwrap();
    let sheet = workbook.read("orders", &Limits::default(), &|| false).unwrap();
    assert_eq!((sheet.rows.len(), sheet.doubts.quotes.len()), (41, 0));
    assert_eq!(cell_at(&sheet, "B3").shown(), "\"5 in");
    assert_eq!(workbook.preview_text(&choice, 50).unwrap().len(), 41);
}

#[test]
fn a_quote_across_blocks_is_doubted_and_its_cell_is_bounded() {
    let row = "WO-1;Rail;1\n";
    let text = format!("code;note;qty\nWO-1;\"5 in;1\n{}", row.repeat(60_000));
    let sheet = csv(&text);
    let doubt = sheet.doubts.quotes[0];
    assert_eq!((doubt.row, doubt.fault, doubt.lines), (2, QuoteFault::NotClosed, 60_000));
    for rows in [100_000, 400_000] {
        let text = format!("code;note;qty\nWO-1;\"5 in;1\n{}", row.repeat(rows));
        let error = read(text.into_bytes(), "a.csv").unwrap_err();
        assert!(matches!(error, SheetError::QuoteNotClosed { row: 2, column: 1, .. }), "{error:?}");
    }
}

#[test]
fn letters_that_rest_on_little_are_told_cell_by_cell() {
    let bytes = encoding_rs::WINDOWS_1250.encode("code;note\nA;ręka\nB;plain\n").0.into_owned();
    let limits = |usual| Limits { usual_encoding: Some(usual), ..Limits::default() };
    let western = takt_sheet::Workbook::from_bytes(bytes.clone(), "a.csv", &limits("windows-1252")).unwrap();
    let sheet = western.read("a", &limits("windows-1252"), &|| false).unwrap();
    if western.text_form().unwrap().encoding == "windows-1252" {
        let doubt = &sheet.doubts.encodings[0];
        assert_eq!((doubt.row, doubt.column, doubt.text.as_str()), (2, 1, "rêka"));
        assert!(doubt.rival_texts.iter().any(|other| other == "ręka"), "{doubt:?}");
        assert_eq!(sheet.doubts.encoding_doubt_count, 1);
    }
    let polish = takt_sheet::Workbook::from_bytes(bytes, "a.csv", &limits("windows-1250")).unwrap();
    let sheet = polish.read("a", &limits("windows-1250"), &|| false).unwrap();
    assert_eq!(cell_at(&sheet, "B2").shown(), "ręka");
}

#[test]
fn rows_of_uneven_width_under_a_workbooks_name_are_read() {
    let table = "Report\nOrder\tQty\tNote\nA\t1,5\nB\t2,5\tx\ty\nC\t3,5\tx\ty\tz\nD\t4\t1\t2\t3\t4\n";
    let sheet = read(table.as_bytes().to_vec(), "export.xls").unwrap();
    assert_eq!((cell_at(&sheet, "B3").shown(), cell_at(&sheet, "E5").shown()), ("1,5".into(), "z".into()));
}

/// Without a separator, no byte may split a value into two columns, not even a zero.
#[test]
fn a_stray_zero_byte_stays_in_the_only_column() {
    let sheet = read(b"code\nA\0B\nC\n".to_vec(), "a.csv").unwrap();
    assert_eq!((cell_at(&sheet, "A2").shown(), cell_at(&sheet, "A3").shown()), ("A\0B".into(), "C".into()));
    assert_eq!(sheet.rows.iter().map(|row| row.cells.len()).max(), Some(1));
}

#[test]
fn a_stray_zero_byte_leaves_a_text_a_text() {
    let sheet = read(b"code;qty\nA\0B;1\nC;2\n".to_vec(), "a.csv").unwrap();
    assert_eq!((cell_at(&sheet, "A2").shown(), cell_at(&sheet, "B3").shown()), ("A\0B".into(), "2".into()));
    let many = b"code;qty\n".iter().chain([0; 400].iter()).copied().collect();
    assert!(matches!(open(many, "a.csv"), Err(SheetError::NotText)));
}

#[test]
fn thousands_of_columns_are_read_one_by_one_in_time_that_grows_with_them() {
    let row = (0..16_000).map(|column| format!("{column:05}")).collect::<Vec<_>>().join(";");
    let sheet = csv(&[row.as_str(); 20].join("\n"));
    let begin = std::time::Instant::now();
    for column in 0..sheet.columns {
        assert_eq!(sheet.rows.column(column).filter(|cell| !cell.is_empty()).count(), 20);
    }
    // Allocating memory for all columns once per column would take minutes.
    assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{:?}", begin.elapsed());
}

/// Searches one block of rows, and many.
#[test]
fn a_search_finds_what_cells_show_in_any_number_of_blocks() {
    let mut state = 31_u64;
    println!("seed {state}");
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let words = ["Frame", "assembly", "Größe", "12.5", "2036-05-19", "x", "certificate 3.1 needed"];
    for rows in [300, 5_000, 90_000] {
        let mut text = String::from("A;B;C\n");
        for row in 0..rows {
            text.push_str(&format!("WO-{row};{};{}\n", words[next(words.len())], words[next(words.len())]));
        }
        let limits = Limits::default();
        let workbook = Workbook::from_bytes(text, "orders.csv", &limits).unwrap();
        let rows = workbook.read(&workbook.sheets()[0].name, &limits, &|| false).unwrap().rows;
        for wanted in words.into_iter().chain(["wo-299", "q", "FRAME", "nowhere", "größe"]) {
            let shows = |row: &SheetRow| {
                row.cells.iter().any(|cell| cell.shown().to_lowercase().contains(&wanted.to_lowercase()))
            };
            let expected: Vec<u32> =
                (0..).zip(rows.span_from(1).iter()).filter(|(_, row)| shows(row)).map(|(at, _)| at).collect();
            assert_eq!(rows.span_from(1).find_rows_with_text(wanted), expected, "{wanted} in {} rows", rows.len());
            assert_eq!(expected.is_empty(), ["q", "nowhere"].contains(&wanted), "{wanted} in {} rows", rows.len());
        }
    }
}

#[test]
fn a_formula_that_is_a_text_is_read_as_the_text() {
    let sheet = csv("code,note\n=\"00123\",\"=\"\"x\"\"\"\n=1+1,=\"a\"&\"b\"\n");
    for (address, text) in [("A2", "00123"), ("B2", "x"), ("A3", "=1+1"), ("B3", "=\"a\"&\"b\"")] {
        assert_eq!(cell_at(&sheet, address).value(), CellValue::Text(text), "{address}");
    }
    let places: Vec<_> = sheet.doubts.text_formulas.iter().map(|address| (address.row, address.column)).collect();
    assert_eq!(places, [(2, 0), (2, 1)]);
}

#[test]
fn the_end_mark_of_dos_is_left_out() {
    for text in ["a;b\r\n1;2\r\n\u{1A}", "a;b\r\n1;2\u{1A}", "a;b\r\n1;2\r\n\u{1A}\u{1A}\u{1A}"] {
        let sheet = csv(text);
        assert_eq!((sheet.rows.len(), cell_at(&sheet, "B2").shown().as_ref()), (2, "2"), "{text:?}");
        assert_eq!((sheet.doubts.has_end_mark, sheet.doubts.unterminated_row), (true, None), "{text:?}");
    }
    let sheet = csv("a;b\n1\u{1A};2\n");
    assert_eq!((cell_at(&sheet, "A2").shown().as_ref(), sheet.doubts.has_end_mark), ("1\u{1A}", false));
}

#[test]
fn a_text_that_ends_within_a_letter_is_cut() {
    let mut wide: Vec<u8> = "a;b\n1;pcs".encode_utf16().flat_map(u16::to_le_bytes).collect();
    wide.splice(0..0, [0xFF, 0xFE]);
    assert!(!read(wide.clone(), "a.csv").unwrap().doubts.has_cut_character);
    wide.pop();
    let narrow = "a;b\n1;St\u{FC}".as_bytes().split_last().unwrap().1.to_vec();
    for bytes in [wide, narrow] {
        let sheet = read(bytes, "a.csv").unwrap();
        assert_eq!((sheet.doubts.has_cut_character, sheet.doubts.unterminated_row), (true, Some(2)));
    }
}
