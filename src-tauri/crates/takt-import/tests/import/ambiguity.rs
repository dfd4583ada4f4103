//! Ambiguous text files: quotes that contain rows, uncertain encodings, files that change.

use std::{fs, io::Write, path::Path};

use takt_core::{Code, ExcelRow, FindingCode, Severity};
use takt_import::{FindingKind, Fix, RowFilter, TextReading};
use takt_sheet::writer::{OutCell, csv_heading, csv_row};

use super::Fixture;

const CSV_HEADER: &str = "code;operationCode;materialCode;requestedQuantity;note\n";

fn orders_csv(rows: std::ops::Range<u32>) -> String {
    rows.map(|row| format!("WO-{row};010;MAT-1001;{row};Rail\n")).collect()
}

#[test]
fn a_quote_that_is_never_closed_stops_its_row_until_somebody_decides() {
    let fixture = Fixture::new();
    let text = format!("{CSV_HEADER}{}WO-9;010;MAT-1001;3;\"5 in pipe\n{}", orders_csv(1..8), orders_csv(10..41));
    let view = fixture.open_csv(&text);
    assert_eq!((view.counts.rows, view.counts.errors, view.counts.ready_rows, view.settled), (8, 1, 7, false));
    let quote = view.reading.quote.clone().unwrap();
    assert_eq!((quote.row.get(), quote.column.as_str(), quote.lines, quote.count), (9, "E", 31, 1));
    assert!(
        fixture.finding_texts(&view).contains(&"E9 quote-not-closed".to_owned()),
        "{:?}",
        fixture.finding_texts(&view)
    );
    let filter = RowFilter { code: Some(FindingCode::QuoteNotClosed), ..RowFilter::default() };
    let page = fixture.imports.rows(view.id, &filter, 0, 10).unwrap();
    assert_eq!((page.total, page.rows[0].severity), (1, Some(Severity::Error)));

    let as_text = TextReading { quotes_as_text: true, ..TextReading::default() };
    assert_eq!(fixture.imports.preview_text(view.id, &as_text).unwrap()[8].cells[4], "\"5 in pipe");
    let view = fixture.imports.choose_text(view.id, &as_text).unwrap();
    assert_eq!((view.counts.rows, view.counts.errors, view.reading.quotes_as_text), (39, 0, true));
    assert_eq!(view.reading.quote, None);
    let view = fixture.imports.choose_text(view.id, &TextReading::default()).unwrap();
    assert_eq!((view.counts.rows, view.counts.errors), (8, 1));
    let fix = Fix::Set { row: ExcelRow::new(9), column: 4, text: "5 in pipe".to_owned() };
    let view = fixture.imports.fix(view.id, &fix).unwrap();
    assert_eq!((view.counts.errors, view.counts.ready_rows), (0, 8));
}

#[test]
fn quotes_that_close_too_early_or_too_late_stop_their_rows() {
    let fixture = Fixture::new();
    let inches = "code,description,uoM\nM-101,Pipe 1/2\" zinc,pcs\nM-102,\"Pipe 5\" steel\",pcs\nM-103,5\" flange,pcs\n\
                  M-104,\"Kyoto \"K\" 7\"\" tube\",pcs\nM-105,\"6\"\"\",pcs\nM-106,plain,pcs\n";
    let view = fixture.open_csv(inches);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(fixture.finding_texts(&view), ["B3 text-after-quote", "B5 text-after-quote"]);
    assert_eq!((view.counts.error_rows, view.counts.ready_rows), (2, 4));
    let kind = FindingKind { severity: Severity::Error, code: FindingCode::TextAfterQuote, field: None };
    let view = fixture.imports.fix(view.id, &Fix::ExcludeFound { finding: kind, keep_first: false }).unwrap();
    assert_eq!((view.counts.excluded, view.counts.error_rows, view.counts.ready_rows), (2, 0, 4));
    // A line within the quotes has one field too many.
    let swallowed = format!(
        "{CSV_HEADER}{}WO-9;010;MAT-1001;3;\"5 in\n{}WO-20;010;MAT-1001;3;6 in\"\n",
        orders_csv(1..4),
        orders_csv(10..15)
    );
    let swallowed = swallowed.replace("WO-12;", "WO-12;;");
    let view = fixture.open_csv(&swallowed);
    assert!(
        fixture.finding_texts(&view).contains(&"E5 quote-holds-rows".to_owned()),
        "{:?}",
        fixture.finding_texts(&view)
    );
    assert_eq!((view.counts.error_rows, view.counts.ready_rows), (1, 3));
}

/// Uses more rows than are listed for other ambiguities.
#[test]
fn every_row_with_a_doubtful_quote_is_stopped() {
    let fixture = Fixture::new();
    let rows: String = (0..900).map(|row| format!("WO-{row};010;MAT-1001;{row};\"{row}\" pipe\n")).collect();
    let view = fixture.open_csv(&format!("{CSV_HEADER}{rows}"));
    assert_eq!((view.counts.rows, view.counts.error_rows, view.counts.ready_rows), (900, 900, 0));
    assert_eq!(view.reading.quote.unwrap().count, 900);
}

fn csv_of_exported_texts(texts: &[&str]) -> String {
    let mut text = csv_heading(["code", "description", "uoM"].into_iter());
    for (number, value) in (1..).zip(texts) {
        text.push_str(&csv_row(&[
            OutCell::from(*value),
            OutCell::from(format!("Part {number}")),
            OutCell::from("pcs"),
        ]));
    }
    text
}

#[test]
fn an_exported_csv_has_the_values_that_the_site_has() {
    let fixture = Fixture::new();
    let codes = ["-Sheet", "+Pole", "=> see", "@4 bar", "'-5", ";=1+41;", "-7", "plain"];
    let view = fixture.open_csv(&csv_of_exported_texts(&codes));
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let page = fixture.imports.rows(view.id, &RowFilter::default(), 0, 20).unwrap();
    let read: Vec<&str> = page.rows.iter().map(|row| row.cells[0].shown.as_str()).collect();
    assert_eq!((read, fixture.finding_texts(&view)), (codes.to_vec(), Vec::new()));
}

#[test]
fn an_apostrophe_in_another_programs_csv_stays_and_is_asked_about() {
    let fixture = Fixture::new();
    let view = fixture.open_csv("code,description,uoM\n'-5,Bolt,pcs\n'n Sync,Nut,pcs\n'=A,Pin,pcs\n");
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(fixture.finding_texts(&view), ["A2 formula-guard", "A4 formula-guard"]);
    assert_eq!((view.counts.warnings, view.counts.errors), (2, 0));
    let page = fixture.imports.rows(view.id, &RowFilter::default(), 0, 20).unwrap();
    assert_eq!(page.rows[0].cells[0].shown, "'-5");
    let kind = FindingKind { severity: Severity::Warning, code: FindingCode::FormulaGuard, field: None };
    let values = fixture.imports.finding_values(view.id, &kind, &|_, _| Vec::new()).unwrap().values;
    let suggested: Vec<(&str, Option<&str>)> =
        values.iter().map(|value| (value.text.as_str(), value.suggestion.as_deref())).collect();
    assert_eq!(suggested, [("'-5", Some("-5")), ("'=A", Some("=A"))]);
    let fix = Fix::Replace { column: 0, from: "'-5".to_owned(), to: "-5".to_owned() };
    let view = fixture.imports.fix(view.id, &fix).unwrap();
    assert_eq!(fixture.finding_texts(&view), ["A4 formula-guard"]);
}

/// A workbook's cell contains at most 32,767 UTF-16 units.
#[test]
fn a_text_that_was_cut_for_a_workbook_is_an_error_at_its_cell() {
    let fixture = Fixture::new();
    let text = |length: usize| super::text(&"x".repeat(length));
    let rows =
        [40_000, 32_767].map(|length| vec![super::text(&format!("M-{length}")), text(length), super::text("pcs")]);
    let view = fixture.open("long.xlsx", &["code", "description", "uoM"], rows.to_vec());
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let found: Vec<String> =
        fixture.finding_texts(&view).into_iter().filter(|text| text.ends_with("cut-text")).collect();
    assert_eq!(found, ["B2 cut-text"]);
}

#[test]
fn letters_that_only_a_symbol_tells_are_asked_about() {
    let fixture = Fixture::new();
    fixture.imports.read_settings().set_default_encoding_for("de_DE.UTF-8");
    let path = fixture.file("orders.csv");
    for (letter, shown) in [(b'\xD8', "Ø 12"), (b'\xA5', "¥ 12")] {
        fs::write(
            &path,
            [CSV_HEADER.as_bytes(), b"WO-1;010;MAT-1;5;", &[letter], b" 12\nWO-2;010;MAT-1;5;x\n"].concat(),
        )
        .unwrap();
        let view = fixture.imports.open(&path).unwrap();
        let letters = view.reading.letters.clone().unwrap();
        assert_eq!(
            (letters.severity, letters.count, letters.cells[0].texts[0].as_str()),
            (Severity::Warning, 1, shown)
        );
        assert_eq!((fixture.finding_texts(&view), view.counts.warnings), (vec!["E2 other-encoding".to_owned()], 1));
        assert!(!view.settled);
    }
    // Words of a language only cause a note.
    fs::write(&path, [CSV_HEADER.as_bytes(), b"WO-1;010;MAT-1;5;Gr\xF6\xDFe\nWO-2;010;MAT-1;5;x\n"].concat()).unwrap();
    let view = fixture.imports.open(&path).unwrap();
    assert_eq!((view.reading.letters.clone().unwrap().severity, view.counts.warnings), (Severity::Note, 0));
    assert_eq!(fixture.finding_texts(&view), ["E2 other-encoding"]);
    // A choice resolves the ambiguity.
    let chosen = TextReading { encoding: Some("windows-1252".to_owned()), ..TextReading::default() };
    let view = fixture.imports.choose_text(view.id, &chosen).unwrap();
    assert_eq!((view.reading.letters.clone(), fixture.finding_texts(&view)), (None, Vec::new()));
}

#[test]
fn a_quote_in_the_heading_is_told_though_no_row_is_there() {
    let fixture = Fixture::new();
    let view = fixture.open_csv(&format!("code;\"note;qty\n{}", orders_csv(1..9)));
    let findings = fixture.imports.findings(view.id).unwrap();
    let quote = view.reading.quote.clone().unwrap();
    assert_eq!((quote.row.get(), quote.fault), (1, FindingCode::QuoteNotClosed));
    assert!(view.operation.is_none() || findings.iter().any(|found| found.code == FindingCode::QuoteNotClosed));
}

#[test]
fn letters_that_rest_on_little_are_shown_in_each_encoding_and_asked_about() {
    let fixture = Fixture::new();
    fixture.imports.read_settings().set_default_encoding_for("de_DE.UTF-8");
    // Only one letter distinguishes Polish from a Western European name.
    let path = fixture.file("orders.csv");
    let bytes = [CSV_HEADER.as_bytes(), b"WO-1;010;MAT-1;5;m\xEAb\nWO-2;010;MAT-1;5;plain\n"].concat();
    fs::write(&path, bytes).unwrap();
    let view = fixture.imports.open(&path).unwrap();
    let Some(letters) = view.reading.letters.clone() else {
        // Letter frequencies and the computer's settings agree, so the user isn't asked.
        assert_eq!(view.reading.encoding.as_deref(), Some("windows-1252"));
        return;
    };
    assert_eq!((letters.encodings[0].as_str(), letters.count), ("windows-1252", 1));
    assert_eq!((letters.cells[0].row.get(), letters.cells[0].column.as_str()), (2, "E"));
    assert_eq!(letters.cells[0].texts[0], "mêb");
    assert!(letters.cells[0].texts.contains(&"męb".to_owned()), "{letters:?}");
    assert!(
        fixture.finding_texts(&view).contains(&"E2 other-encoding".to_owned()),
        "{:?}",
        fixture.finding_texts(&view)
    );
    let chosen = TextReading { encoding: Some("windows-1252".to_owned()), ..TextReading::default() };
    let view = fixture.imports.choose_text(view.id, &chosen).unwrap();
    assert_eq!((view.reading.letters, view.counts.warnings), (None, 0));
}

#[test]
fn an_unreadable_character_stops_its_row_and_no_other() {
    let fixture = Fixture::new();
    let view = fixture
        .open_csv(&format!("{CSV_HEADER}WO-1;010;MAT\0-1;5;x\nWO-2;010;MAT-1;5;a\u{fffd}b\nWO-3;010;MAT-1;5;c\n"));
    assert_eq!(fixture.finding_texts(&view), ["C2 unreadable-character", "E3 unreadable-character"]);
    assert_eq!((view.counts.errors, view.counts.warnings, view.counts.ready_rows), (2, 0, 1));
}

#[test]
fn a_column_that_is_missing_is_told_once() {
    let fixture = Fixture::new();
    let rows: String = (0..500).map(|row| format!("WO-{row};010;MAT-1001\n")).collect();
    let view = fixture.open_csv(&format!("code;operationCode;materialCode\n{rows}"));
    let view = fixture.imports.choose_operation(view.id, "work-orders.sync").unwrap();
    assert_eq!(view.missing, ["requestedQuantity"]);
    let findings = fixture.imports.findings(view.id).unwrap();
    assert_eq!(findings.len(), 1, "{:?}", findings.first());
    assert_eq!(
        (findings[0].code, findings[0].field.as_deref()),
        (FindingCode::MissingColumn, Some("requestedQuantity"))
    );
    assert_eq!((view.counts.errors, view.counts.error_rows, view.counts.ready_rows), (1, 500, 0));
    let page = fixture.imports.rows(view.id, &RowFilter::default(), 10, 1).unwrap();
    assert_eq!(page.rows[0].severity, Some(Severity::Error));
}

fn append(path: &Path) {
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"WO-X;010;MAT-1;5;x\n").unwrap();
}

fn truncate(path: &Path) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(100).unwrap();
}

/// Replaces a file like programs that save to a temporary file first.
fn replace(path: &Path) {
    let beside = path.with_extension("new");
    fs::write(&beside, CSV_HEADER).unwrap();
    fs::rename(&beside, path).unwrap();
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let fixture = Fixture::new();
    for write in [append, truncate, replace] {
        let path = fixture.write_text_file("orders.csv", &format!("{CSV_HEADER}{}", orders_csv(0..5_000)));
        let first = std::cell::Cell::new(true);
        let watch = |_| {
            if first.replace(false) {
                write(&path);
            }
            true
        };
        let problem = fixture.imports.open_with_progress(&path, &watch).unwrap_err();
        assert_eq!((problem.code, problem.parameters["file"].as_str()), (Code::FileChanged, "orders.csv"));
        assert!(!first.get());
    }
    let view = fixture
        .imports
        .open(&fixture.write_text_file("orders.csv", &format!("{CSV_HEADER}{}", orders_csv(0..50))))
        .unwrap();
    append(&fixture.file("orders.csv"));
    assert_eq!(fixture.imports.view(view.id).unwrap().counts.rows, 50, "what was opened stays as it was");
}

#[test]
fn a_mapping_for_a_sheet_of_another_name_is_used_or_refused_in_words() {
    let fixture = Fixture::new();
    let monday = fixture
        .imports
        .open(&fixture.write_text_file("monday.csv", &format!("{CSV_HEADER}{}", orders_csv(0..3))))
        .unwrap();
    let mapping = fixture.imports.mapping(monday.id).unwrap().sheets.remove(0);
    assert_eq!(mapping.sheet.as_deref(), Some("monday"));
    let tuesday = fixture
        .imports
        .open(&fixture.write_text_file("tuesday.csv", &format!("{CSV_HEADER}{}", orders_csv(0..4))))
        .unwrap();
    let view = fixture.imports.apply_mapping(tuesday.id, &mapping).unwrap();
    assert_eq!((view.sheet.as_str(), view.counts.rows), ("tuesday", 4));
    let problem = fixture.imports.choose_sheet(tuesday.id, "Plan").unwrap_err();
    assert_eq!((problem.code, problem.message.as_str()), (Code::Unknown, "tuesday.csv has no sheet “Plan”."));
    assert_eq!(problem.hint, "Its sheets are: tuesday.");
    let problem = fixture.imports.choose_header_row(tuesday.id, 77).unwrap_err();
    assert_eq!((problem.code, problem.parameters["row"].as_str()), (Code::NoHeader, "77"));
    let problem = fixture.imports.open(&fixture.file("")).unwrap_err();
    assert_eq!((problem.code, problem.parameters["case"].as_str()), (Code::FileUnreadable, "no-file"));
}
