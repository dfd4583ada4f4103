//! Tests files from their bytes to their findings and items.

use std::{
    env, fs,
    path::PathBuf,
    process,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use serde_json::{Value, json};
use takt_contract::Contract;
use takt_core::{Language, Words};
use takt_journal::Journal;

use crate::{
    imports::Imports,
    mapping::{FormatChoice, MappingChange},
    view::ImportView,
};

/// Imports in a temporary folder.
struct Fixture {
    folder: PathBuf,
    imports: Imports,
}

impl Fixture {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("takt-import-{}-{number}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let journal = Arc::new(Journal::open(&folder.join("journal.sqlite")).unwrap());
        let contract = Arc::new(Contract::builtin().unwrap());
        let imports = Imports::new(contract, None, journal, Arc::new(|| "2026-11-23T06:00:00Z".parse().unwrap()), None);
        Self { folder, imports }
    }

    fn open(&self, name: &str, bytes: impl AsRef<[u8]>) -> ImportView {
        let path = self.folder.join(name);
        fs::write(&path, bytes).unwrap();
        self.imports.open(&path).unwrap()
    }

    /// Returns each finding as text, for example `B2 error not-a-number`.
    fn findings(&self, view: &ImportView) -> Vec<String> {
        let all = self.imports.findings(view.id).unwrap();
        let name = |value: Value| value.as_str().unwrap_or_default().to_owned();
        all.iter()
            .map(|found| {
                let column = found.column.clone().unwrap_or_default();
                format!("{column}{} {} {}", found.row, name(json!(found.severity)), name(json!(found.code)))
            })
            .collect()
    }

    /// Returns the first finding's English text.
    fn first_finding_text(&self, view: &ImportView) -> String {
        let all = self.imports.findings(view.id).unwrap();
        all.first()
            .map(|found| Words::load(Language::En).finding_text(found.code, &found.parameters))
            .unwrap_or_default()
    }

    /// Returns the values of a field that would be sent, row by row.
    fn sent_values(&self, view: &ImportView, field: &str) -> Vec<Value> {
        let mut items = self.imports.prepare_items(view.id).unwrap().remove(0).set.items;
        items.retain(|item| !item.blocked);
        items.iter().map(|item| item.body.get(field).cloned().unwrap_or_default()).collect()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn orders_csv(dates: &[(&str, &str)]) -> String {
    let rows = dates.iter().enumerate().map(|(row, (begin, end))| format!("WO-{row};10;MAT-1024;5;{begin};{end}\n"));
    let heading = "code;operationCode;materialCode;requestedQuantity;beginPlanned;endPlanned\n".to_owned();
    std::iter::once(heading).chain(rows).collect()
}

#[test]
fn dates_with_two_digits_of_the_year_are_read_in_the_order_that_was_chosen() {
    let fixture = Fixture::new();
    let text = orders_csv(&[("27-01-28", "27-01-29"), ("27-02-15", "27-02-16"), ("27-03-18", "27-03-19")]);
    let view = fixture.open("orders.csv", text);
    assert_eq!(fixture.findings(&view).iter().filter(|found| found.ends_with("error ambiguous-date")).count(), 6);
    let format = view.columns[4].formats[0].clone();
    let examples: Vec<_> =
        format.examples.iter().map(|example| (example.choice, example.read.as_deref().unwrap_or_default())).collect();
    let expected = [(FormatChoice::DayFirst, "2028-01-27T00:00:00"), (FormatChoice::YearFirst, "2027-01-28T00:00:00")];
    assert_eq!(examples, expected);
    for column in [4, 5] {
        let choice = MappingChange::Format { column, choice: FormatChoice::YearFirst };
        fixture.imports.change_mapping(view.id, choice).unwrap();
    }
    let view = fixture.imports.view(view.id).unwrap();
    assert_eq!(fixture.findings(&view), [""; 0]);
    let dates = ["2027-01-28", "2027-02-15", "2027-03-18"].map(|day| json!(format!("{day}T00:00:00")));
    assert_eq!(fixture.sent_values(&view, "beginPlanned"), dates);
    let view = fixture.open("proven.csv", orders_csv(&[("27-01-28", "30.12.28"), ("45-02-15", "3.1.46")]));
    assert_eq!(fixture.findings(&view), ["E2 note date-order", "F2 note date-order"]);
    assert_eq!(
        fixture.first_finding_text(&view),
        "Dates in this column are read as YY-MM-DD: only this order fits all 2"
    );
}

const STOCK_HEADER: &str = "materialCode;quantity;uoM;date\n";

#[test]
fn a_file_that_mixes_encodings_is_doubted_at_each_cell() {
    let fixture = Fixture::new();
    let view = fixture.open("m.csv", b"code;description;uoM\nM-1;B\xF6lt;pcs\nM-2;B\xC3\xB6lt;pcs\n");
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(fixture.findings(&view), ["B2 warning other-encoding", "B3 warning other-encoding"]);
    assert_eq!(fixture.sent_values(&view, "description")[0], json!("Bölt"));
}

#[test]
fn a_letter_that_could_not_be_decoded_is_an_error_and_the_cut_is_reported() {
    let fixture = Fixture::new();
    let text = "code;description;uoM\r\nM-0;Nut;pcs\r\nM-1;Bölt;pcs";
    let mut bytes: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    bytes.pop();
    let view = fixture.open("m.csv", bytes);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(fixture.findings(&view), ["C3 error unreadable-character", "C3 error cut-row"]);
    assert_eq!(fixture.sent_values(&view, "uoM"), ["pcs"]);
}

#[test]
fn errors_of_spreadsheets_are_errors_in_text_files_too() {
    let fixture = Fixture::new();
    let view =
        fixture.open("m.csv", "code;description;uoM\nM-1;#N/A;pcs\n#REF!;Nut;pcs\nM-3;#NAME?;pcs\nM-4;#5 bolt;pcs\n");
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let expected = ["B2 error cell-error", "A3 error cell-error", "B4 error cell-error"];
    assert_eq!(fixture.findings(&view), expected);
    assert_eq!(fixture.sent_values(&view, "description"), ["#5 bolt"]);
}

#[test]
fn a_formula_that_is_a_text_is_sent_as_the_text_with_a_note() {
    let fixture = Fixture::new();
    let view = fixture.open("m.csv", "code,description,uoM\n=\"00123\",Nut,pcs\n");
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(fixture.findings(&view), ["A2 note text-formula"]);
    assert_eq!(
        fixture.first_finding_text(&view),
        "This value is a text formula in the file (=\"…\"). It is read as “00123”, as in Excel"
    );
    assert_eq!(fixture.sent_values(&view, "code"), ["00123"]);
}

#[test]
fn control_and_invisible_characters_are_reported_in_free_text() {
    let fixture = Fixture::new();
    for letter in ["\u{1A}", "\u{C}", "\u{7F}", "\u{85}", "\u{2028}", "\u{200B}", "\u{202E}"] {
        let view = fixture.open("m.csv", format!("code;description;uoM\nM-1;a{letter}b;pcs\n"));
        let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
        assert_eq!(fixture.findings(&view), ["B2 warning invisible-character"], "{letter:?}");
    }
}

#[test]
fn invisible_characters_around_numbers_are_reported() {
    let fixture = Fixture::new();
    let view = fixture
        .open("s.csv", format!("{STOCK_HEADER}RAW-2016;\u{AD}5;m;2026-12-01\nRAW-2017;\u{200B}5;m;2026-12-02\n"));
    let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
    let found = fixture.findings(&view);
    assert_eq!(found, ["B2 note invisible-removed", "B2 error not-a-number", "B3 note invisible-removed"]);
    assert_eq!(fixture.sent_values(&view, "quantity"), [5]);
}

#[test]
fn a_mixed_column_is_no_question_of_thousands() {
    let fixture = Fixture::new();
    let view = fixture
        .open("s.csv", format!("{STOCK_HEADER}RAW-2016;1.234,50;m;2026-12-01\nRAW-2017;1,234.50;m;2026-12-02\n"));
    let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
    assert_eq!(fixture.findings(&view), ["B2 error mixed-numbers", "B3 error mixed-numbers"]);
    let view = fixture.open("o.csv", orders_csv(&[("31/01/2027", "2027-02-01"), ("01/31/2027", "2027-02-01")]));
    assert_eq!(fixture.findings(&view), ["E2 error mixed-dates", "E3 error mixed-dates"]);
}

#[test]
fn a_long_number_in_a_text_file_was_not_rounded_by_excel() {
    let fixture = Fixture::new();
    let view = fixture.open("s.csv", format!("{STOCK_HEADER}RAW-2016;1234567890123456;m;2026-12-01\n"));
    let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
    assert_eq!(fixture.findings(&view), ["B2 error number-too-long"]);
}

#[test]
fn the_end_mark_of_dos_is_no_row() {
    let fixture = Fixture::new();
    let view = fixture.open("m.csv", "code;description;uoM\nM-1;Nut;pcs\n\u{1A}");
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!((fixture.findings(&view), view.counts.rows), (vec!["2 note end-mark".to_owned()], 1));
}

#[test]
fn more_duplicates_than_are_listed_are_counted() {
    let fixture = Fixture::new();
    let rows = "M-1;Nut;pcs\n".repeat(13);
    let view = fixture.open("m.csv", format!("code;description;uoM\n{rows}"));
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(
        fixture.first_finding_text(&view),
        "Duplicate key. Other rows with it: 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, … (+2)"
    );
}

#[test]
fn a_quote_that_took_no_other_line_is_reported_without_lines() {
    let fixture = Fixture::new();
    let view = fixture.open("m.csv", "code;description;uoM\nM-1;\"5\" pipe;pcs\nM-2;Nut;pcs\n");
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let text =
        "There's text after the closing quotation mark. Correct it in the file, or treat quotation marks as text";
    assert_eq!(fixture.first_finding_text(&view), text);
}

#[test]
fn a_heading_that_occurs_twice_is_named_as_the_file_has_it() {
    let fixture = Fixture::new();
    let view = fixture.open("m.csv", "code,description,uoM,isActive,note\nM-1,Nut,pcs,x,a\n");
    fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let view = fixture.open("n.csv", "code,description,uoM,isActive,note,description\nM-1,Nut,pcs,x,a,b\n");
    let headings: Vec<&str> = view.changes.iter().map(|change| change.heading.as_str()).collect();
    assert!(headings.iter().all(|heading| *heading == "description"), "{headings:?}");
}

#[test]
fn values_of_an_open_document_are_sent_as_they_are_in_the_file() {
    let namespaces: String = ["office", "table", "text"]
        .map(|name| format!(r#" xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0""#))
        .concat();
    let text = |text: &str| {
        format!(r#"<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#)
    };
    let headings = ["code", "operationCode", "materialCode", "requestedQuantity", "beginPlanned"].map(text).concat();
    let code = r#"<table:table-cell office:value-type="string" office:string-value="WO-1"><text:p>SHOWN</text:p></table:table-cell>"#;
    let begin = r#"<table:table-cell office:value-type="date" office:date-value="2026-12-13T08:00:00Z"><text:p>13.12.26</text:p></table:table-cell>"#;
    let cells = [code.to_owned(), text("010"), text("MAT-1"), text("5"), begin.to_owned()].concat();
    let fixture = Fixture::new();
    let view = fixture.open(
        "orders.fods",
        format!(
            r#"<?xml version="1.0"?><office:document{namespaces} office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row>{headings}</table:table-row><table:table-row>{cells}</table:table-row></table:table></office:spreadsheet></office:body></office:document>"#
        ),
    );
    assert_eq!(fixture.findings(&view), ["A2 warning shown-otherwise"]);
    let text =
        "The cell shows “SHOWN”, but its value in the file is “WO-1”. The value is sent. Check which one is right";
    assert_eq!(fixture.first_finding_text(&view), text);
    assert_eq!(
        (fixture.sent_values(&view, "code"), fixture.sent_values(&view, "beginPlanned")),
        (vec![json!("WO-1")], vec![json!("2026-12-13T08:00:00Z")])
    );
}
