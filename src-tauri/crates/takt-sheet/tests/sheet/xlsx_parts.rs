//! xlsx files as different programs write them: encodings, blanks around texts, impossible addresses, sheets with the
//! same name.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use takt_sheet::{CellValue, LimitKind, Limits, Sheet, SheetError, Workbook};

use crate::support::{Parts, cell_at, open, pack_zip, read, xlsx};

const TYPES: &str = r#"<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#;
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn shown_texts(bytes: Vec<u8>, names: &[&str]) -> Vec<String> {
    let sheet = read(bytes, "a.xlsx").unwrap();
    names.iter().map(|name| cell_at(&sheet, name).shown().into_owned()).collect()
}

/// Returns a workbook with sheets by name, with the rows of each. `encode` encodes each part's text.
fn workbook(sheets: &[(&str, &str)], encode: impl Fn(&str) -> Vec<u8>) -> Vec<u8> {
    let listed = |(index, (name, _)): (usize, &(&str, &str))| {
        format!(r#"<sheet name="{name}" sheetId="{0}" r:id="r{0}"/>"#, index + 1)
    };
    let list: String = sheets.iter().enumerate().map(listed).collect();
    let related = |index: usize| {
        format!(r#"<Relationship Id="r{0}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{0}.xml"/>"#, index + 1)
    };
    let relations: String = (0..sheets.len()).map(related).collect();
    let mut parts = vec![
        ("[Content_Types].xml".to_owned(), TYPES.to_owned()),
        (
            "_rels/.rels".to_owned(),
            format!(
                r#"<Relationships><Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
            ),
        ),
        ("xl/workbook.xml".to_owned(), format!(r#"<workbook xmlns:r="{OFFICE}"><sheets>{list}</sheets></workbook>"#)),
        ("xl/_rels/workbook.xml.rels".to_owned(), format!("<Relationships>{relations}</Relationships>")),
        ("xl/sharedStrings.xml".to_owned(), "<sst><si><t>Größe</t></si></sst>".to_owned()),
    ];
    for (index, (_, rows)) in sheets.iter().enumerate() {
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/sheet{}.xml", index + 1), sheet));
    }
    let bytes: Vec<(String, Vec<u8>)> = parts.into_iter().map(|(name, text)| (name, encode(&text))).collect();
    pack_zip(&bytes.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect::<Vec<_>>())
}

#[test]
fn blanks_count_where_any_element_around_them_says_so() {
    let rows = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c>
        <c r="E1" t="inlineStr" xml:space="preserve"><is><t> in </t></is></c><c r="F1" t="inlineStr"><is><t> out </t></is></c></row>"#;
    for (root, expected) in [
        ("", ["Example richtext", "Examplerichtext", "own", "kept "]),
        (r#" xml:space="preserve""#, ["Example richtext", "Example richtext", "own", "kept "]),
    ] {
        let shared = format!(
            r#"<sst{root}><si xml:space="preserve"><r><t>Example </t></r><r><t>richtext</t></r></si><si><r><t>Example </t></r><r><t>richtext</t></r></si><si xml:space="default"><t> own </t><rPh><t>spoken</t></rPh></si><si><t xml:space="preserve">kept </t></si></sst>"#
        );
        let parts = Parts { shared: Some(&shared), ..Parts::default() };
        assert_eq!(shown_texts(xlsx(rows, &parts), &["A1", "B1", "C1", "D1"]), expected);
        assert_eq!(shown_texts(xlsx(rows, &parts), &["E1", "F1"]), [" in ", "out"]);
    }
}

#[test]
fn two_sheets_of_one_name_are_two_sheets() {
    let row = |value: u32| format!(r#"<row r="1"><c r="A1"><v>{value}</v></c></row>"#);
    let (one, other) = (row(1), row(2));
    let bytes = workbook(&[("Plan", &one), ("Plan", &other)], |text| text.as_bytes().to_vec());
    let opened = open(bytes, "a.xlsx").unwrap();
    let names: Vec<_> = opened.sheets().iter().map(|sheet| sheet.name.clone()).collect();
    assert_eq!(names, ["Plan", "Plan (2)"]);
    for (name, expected) in names.iter().zip([1.0, 2.0]) {
        let sheet = opened.read(name, &Limits::default(), &|| false).unwrap();
        assert_eq!(cell_at(&sheet, "A1").value(), CellValue::Number(expected), "{name}");
    }
}

#[test]
fn a_part_may_be_in_letters_of_two_bytes() {
    let rows = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="str"><v>Ł</v></c></row>"#;
    let wide = |mark: bool, little: bool| {
        move |text: &str| {
            let text =
                format!("{}<?xml version=\"1.0\" encoding=\"UTF-16\"?>{text}", if mark { "\u{feff}" } else { "" });
            text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
        }
    };
    for (mark, little) in [(true, true), (true, false), (false, true), (false, false)] {
        let bytes = workbook(&[("Größe", rows)], wide(mark, little));
        assert_eq!(open(bytes.clone(), "a.xlsx").unwrap().sheets()[0].name, "Größe");
        assert_eq!(shown_texts(bytes, &["A1", "B1"]), ["Größe", "Ł"], "{mark} {little}");
    }
    let latin = |text: &str| {
        let text = format!("<?xml version='1.0' encoding='ISO-8859-1'?>{text}");
        encoding_rs::WINDOWS_1252.encode(&text).0.into_owned()
    };
    assert_eq!(
        shown_texts(workbook(&[("S", r#"<row r="1"><c r="A1" t="s"><v>0</v></c></row>"#)], latin), &["A1"]),
        ["Größe"]
    );
}

#[test]
fn a_place_that_there_cannot_be_is_refused() {
    for address in ["A4294967298", "A4294967297", "A1048577", "A99999999999999999999"] {
        let rows = format!(r#"<row r="1"><c r="{address}"><v>1</v></c></row>"#);
        let result = read(xlsx(&rows, &Parts::default()), "a.xlsx");
        assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::Rows, .. })), "{address}: {result:?}");
        let row = address.trim_start_matches('A');
        let result = read(xlsx(&format!(r#"<row r="{row}"><c><v>1</v></c></row>"#), &Parts::default()), "a.xlsx");
        assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::Rows, .. })), "{row}: {result:?}");
    }
    for address in ["XFE1", "ZZZZ1", "AAAAAAAAAAAAAA1"] {
        let rows = format!(r#"<row r="1"><c r="{address}"><v>1</v></c></row>"#);
        let result = read(xlsx(&rows, &Parts::default()), "a.xlsx");
        assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::Columns, .. })), "{address}: {result:?}");
    }
    for address in ["A0", "1", "A", "A1B", "Ä1", "A-1"] {
        let rows = format!(r#"<row r="1"><c r="{address}"><v>1</v></c></row>"#);
        let result = read(xlsx(&rows, &Parts::default()), "a.xlsx");
        assert!(matches!(result, Err(SheetError::Damaged(_))), "{address}: {result:?}");
    }
}

#[test]
fn what_excel_shows_of_a_number_is_read() {
    let formats = ["[Blue]000", "[<100]000;00000", "0;-0;;@", "[Red]0", "\"WO-\"00000;;\"none\"", "[h]:mm"];
    let cells: String = [50.0, 500.0, 0.0, 50.0, 0.0, 1.5]
        .iter()
        .enumerate()
        .map(|(index, value)| format!(r#"<c s="{}"><v>{value}</v></c>"#, index + 1))
        .collect();
    let rows = format!(r#"<row r="1">{cells}<c t="d"><v>2026-11-23T06:00:00</v></c></row>"#);
    let bytes = xlsx(&rows, &Parts { formats: &formats, ..Parts::default() });
    let names = ["A1", "B1", "C1", "D1", "E1", "F1", "G1"];
    assert_eq!(shown_texts(bytes, &names), ["050", "00500", "", "50", "none", "36:00:00", "2026-11-23 06:00"]);
}

#[test]
fn the_first_rows_are_told_before_the_rest_is_read() {
    let rows: String = (1..=100_000)
        .map(|row| {
            format!(
                r#"<row r="{row}"><c r="A{row}" t="s"><v>{}</v></c><c r="B{row}"><v>{}</v></c></row>"#,
                row - 1,
                row * 7919 % 10_007
            )
        })
        .collect();
    let texts: String =
        (1..=100_000_u64).map(|row| format!("<si><t>WO-{}</t></si>", row * 2_654_435_761 % 1_000_003)).collect();
    let shared = format!("<sst>{texts}</sst>");
    let bytes = xlsx(&rows, &Parts { shared: Some(&shared), ..Parts::default() });
    let opened = open(bytes, "a.xlsx").unwrap();
    let told = std::cell::RefCell::new(Vec::new());
    let sheet = opened
        .read_with_progress("S", &Limits::default(), &|glimpse| {
            if let Some(head) = glimpse.head {
                told.borrow_mut().push((head.to_vec(), glimpse.bytes_read, glimpse.total_bytes));
            }
            true
        })
        .unwrap();
    let told = told.into_inner();
    let [(head, read, of)] = told.as_slice() else { panic!("told {} times", told.len()) };
    assert_eq!(*head, sheet.rows.iter().take(100).collect::<Vec<_>>());
    assert!(read * 3 < *of, "{read} of {of}");
}

#[test]
fn shared_texts_that_nobody_needs_cost_little() {
    // A few hundred kilobytes that unpack to a million texts.
    let texts = format!("<sst>{}</sst>", "<si/>".repeat(1_000_000));
    let cell = |number: u32| format!(r#"<row r="1"><c r="A1" t="s"><v>{number}</v></c><c r="B1"><v>2</v></c></row>"#);
    for (number, most) in [(0, 2), (999_999, 20)] {
        let bytes = xlsx(&cell(number), &Parts { shared: Some(&texts), ..Parts::default() });
        let begin = Instant::now();
        let sheet = read(bytes, "a.xlsx").unwrap();
        assert_eq!(cell_at(&sheet, "B1").value(), CellValue::Number(2.0));
        assert!(begin.elapsed() < Duration::from_secs(most), "{number}: {:?}", begin.elapsed());
    }
    let few = Limits { cells: 1000, ..Limits::default() };
    let bytes = xlsx(&cell(999_999), &Parts { shared: Some(&texts), ..Parts::default() });
    let result = open(bytes, "a.xlsx").unwrap().read("S", &few, &|| false);
    assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::Cells, limit: 1000 })), "{result:?}");
}

/// The sheet is checked at the same time. Its faults must not hide faults of the texts.
#[test]
fn a_shared_text_that_is_too_long_is_told_whatever_the_sheet_is_like() {
    let texts = format!("<sst><si><t>{}</t></si></sst>", "a".repeat(5_000));
    let few = Limits { text_bytes: 1_000, ..Limits::default() };
    for cell in [
        r#"<row r="1"><c r="A1"><v>1</v></c></row>"#,
        r#"<row r="0"><c r="A0"><v>1</v></c></row>"#,
        r#"<row r="1"><c r="A1"><v><![CDATA[1]]></v></c></row>"#,
        r#"<row r="1"><c r="A1" t="s"><v>7</v></c></row>"#,
    ] {
        let bytes = xlsx(cell, &Parts { shared: Some(&texts), ..Parts::default() });
        let result = open(bytes, "a.xlsx").unwrap().read("S", &few, &|| false);
        assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::TextBytes, limit: 1_000 })), "{result:?}");
    }
}

#[test]
fn markup_without_end_is_refused() {
    let few = Limits { cells: 10_000, ..Limits::default() };
    for rows in [
        "<row/>".repeat(100_000),
        "<c/>".repeat(100_000),
        format!("<row><c>{}<v>1</v></c></row>", "<x/>".repeat(100_000)),
    ] {
        let opened = open(xlsx(&rows, &Parts::default()), "a.xlsx").unwrap();
        let result = opened.read("S", &few, &|| false);
        assert!(matches!(result, Err(SheetError::TooLarge { .. })), "{result:?}");
    }
}

/// The first value contains CDATA, so the whole sheet is rewritten before the first row is known.
#[test]
fn rewriting_a_sheet_says_how_far_it_is_and_can_be_stopped() {
    let row = |number: u32| format!(r#"<row r="{number}"><c r="A{number}"><v>{number}</v></c></row>"#);
    let rows: String = (2..200_000).map(row).collect();
    let rows = format!(r#"<row r="1"><c r="A1"><v><![CDATA[1]]></v></c></row>{rows}"#);
    let workbook = open(xlsx(&rows, &Parts::default()), "a.xlsx").unwrap();
    let (sheet, reports) = read_with_reports(&workbook, |_| true);
    assert_eq!(sheet.unwrap().rows.len(), 199_999);
    let is_midway =
        |report: &Report| report.bytes_read > report.total_bytes / 4 && report.bytes_read < report.total_bytes;
    assert!(reports.iter().any(|report| report.rows == 0 && is_midway(report)), "{reports:?}");
    assert!(reports.iter().any(|report| report.rows > 1_000 && is_midway(report)), "{reports:?}");
    let (stopped, reports) = read_with_reports(&workbook, |report| report.rows > 0 || !is_midway(&report));
    assert!(matches!(stopped, Err(SheetError::Cancelled)), "{stopped:?}");
    let last = reports.last().unwrap();
    assert!(last.rows == 0 && last.bytes_read < last.total_bytes, "{last:?}");
}

/// A progress report without the first rows.
#[derive(Debug, Clone, Copy)]
struct Report {
    bytes_read: u64,
    total_bytes: u64,
    rows: u32,
}

/// Reads the sheet until `wants` returns false, and returns all reports.
fn read_with_reports(workbook: &Workbook, wants: impl Fn(Report) -> bool) -> (Result<Sheet, SheetError>, Vec<Report>) {
    let all = RefCell::new(Vec::new());
    let read = workbook.read_with_progress("S", &Limits::default(), &|progress| {
        let report = Report { bytes_read: progress.bytes_read, total_bytes: progress.total_bytes, rows: progress.rows };
        all.borrow_mut().push(report);
        wants(report)
    });
    (read, all.into_inner())
}
