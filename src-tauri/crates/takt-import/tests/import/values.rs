//! Values that must not change silently: separators in numbers, times at clock changes, invisible characters, and
//! several columns that match one field.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use takt_contract::{Contract, overlay::Overlay};
use takt_core::{FindingCode, Severity};
use takt_import::{FindingKind, Fix, FormatChoice, FoundFix, ImportView, MappingChange, MappingFile};

use super::{Fixture, texts};

fn sent_values(fixture: &Fixture, view: &ImportView, field: &str) -> Vec<Value> {
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    items.into_iter().map(|item| item.body[field].clone()).collect()
}

fn open_both(fixture: &Fixture, text: &str, operation: &str) -> [ImportView; 2] {
    let workbook = fixture.write_workbook_from_text("file.xlsx", text);
    let opened = [fixture.open_csv(text), fixture.imports.open(&workbook).unwrap()];
    opened.map(|view| fixture.imports.choose_operation(view.id, operation).unwrap())
}

#[test]
fn separators_group_three_digits_or_the_cell_has_an_error() {
    let fixture = Fixture::new();
    let text = "materialCode;quantity;uoM;date
RAW-2016;1 5;m;2026-11-20
RAW-2017;1 000 000;m;2026-11-20
RAW-2018;10 20;m;2026-11-20
RAW-2019;5000000 - 10000000;m;2026-11-20
RAW-2020;12'5;m;2026-11-20
RAW-2021;5';m;2026-11-20
RAW-2022;7,5 0;m;2026-11-20
RAW-2023;1.23,5;m;2026-11-20
";
    for view in open_both(&fixture, text, "stock.sync") {
        let wrong = [2, 4, 5, 6, 7, 8, 9].map(|row| format!("B{row} not-a-number"));
        assert_eq!(fixture.finding_texts(&view), wrong);
        assert_eq!(sent_values(&fixture, &view, "quantity")[1], 1_000_000);
    }
    let text = "materialCode;quantity;uoM;date
RAW-2016;1\u{2019}234.50;m;2026-11-20
RAW-2017;1'234.50;m;2026-11-20
RAW-2018;-2\u{2019}500;m;2026-11-20
RAW-2019;12\u{2007}500.25;m;2026-11-20
";
    for view in open_both(&fixture, text, "stock.sync") {
        assert_eq!(fixture.finding_texts(&view), ["B4 below-minimum"]);
        let sent = [json!(1234.5), json!(1234.5), json!(-2500), json!(12500.25)];
        assert_eq!(sent_values(&fixture, &view, "quantity"), sent);
    }
}

#[test]
fn negative_marks_are_asked_about_at_the_column() {
    let fixture = Fixture::new();
    let text = "materialCode;quantity;uoM
RAW-2016;50,00-;m
RAW-2017;1.234,56-;m
RAW-2018;(50,00);m
RAW-2019;- 50,00;m
RAW-2020;-;m
RAW-2021;12,00;m
";
    for view in open_both(&fixture, text, "stock.sync") {
        let found = fixture.finding_texts(&view);
        let wrong = ["B2 not-a-number", "B3 not-a-number", "B4 not-a-number", "B5 below-minimum", "B6 not-a-number"];
        assert_eq!(found, wrong);
        assert!(!view.settled);
        let open = view.columns[1].formats[0].clone();
        assert_eq!((open.choice, open.examples[0].read.as_deref()), (None, Some("-50")));
        let choice = MappingChange::Format { column: 1, choice: FormatChoice::Negative };
        let view = fixture.imports.change_mapping(view.id, choice).unwrap();
        let below = [2, 3, 4, 5].map(|row| format!("B{row} below-minimum"));
        assert_eq!(fixture.finding_texts(&view)[..4], below);
        assert_eq!(fixture.finding_texts(&view)[4..], ["B6 not-a-number"]);
        let sent = [json!(-50), json!(-1234.56), json!(-50), json!(-50), json!(null), json!(12)];
        assert_eq!(sent_values(&fixture, &view, "quantity"), sent);
        let chosen = view.columns[1].formats[0].clone();
        assert_eq!(chosen.choice, Some(FormatChoice::Negative));
        let mapping = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
        assert_eq!(json!(mapping.formats["quantity"]), "negative");
    }
}

#[test]
fn a_twelve_hour_clock_is_read_with_spaces_of_any_kind() {
    let fixture = Fixture::new();
    let row = |code: &str, begin: &str, end: &str| texts(&[code, "10", "MAT-1024", "5", begin, end]);
    let headings = ["code", "operationCode", "materialCode", "requestedQuantity", "beginPlanned", "endPlanned"];
    let rows = vec![
        row("WO-7", "12/13/2026, 3:27 PM", "12/13/2026, 5:27 PM"),
        row("WO-8", "12/13/2026 3:27\u{202f}PM", "12/13/2026 5:27\u{202f}p.m."),
        row("WO-9", "12/13/2026 12:05 AM", "12/13/2026 12:05 PM"),
        row("WO-10", "12/13/2026\u{a0}15:27", "12/13/2026\u{a0}17:27"),
        row("WO-11", "12/13/2026\u{202f}15:27", "12/13/2026\u{202f}17:27"),
    ];
    let view = fixture.open("orders.xlsx", &headings, rows);
    assert_eq!(fixture.finding_texts(&view), ["E2 date-order", "F2 date-order"]);
    let times = ["15:27", "15:27", "00:05", "15:27", "15:27"].map(|time| json!(format!("2026-12-13T{time}:00")));
    assert_eq!(sent_values(&fixture, &view, "beginPlanned"), times);
    let times = ["17:27", "17:27", "12:05", "17:27", "17:27"].map(|time| json!(format!("2026-12-13T{time}:00")));
    assert_eq!(sent_values(&fixture, &view, "endPlanned"), times);
}

/// A fixture whose site requires this form for the begin of orders.
fn berlin_fixture(form: &Value) -> Fixture {
    let provenance = json!({ "level": "site", "source": "test" });
    let field = json!({ "name": "beginPlanned", "form": form, "provenance": provenance });
    let overlay: Overlay = serde_json::from_value(json!({ "operations": [
        { "id": "work-orders.sync", "provenance": provenance, "request": { "fields": [field] } },
    ] }))
    .unwrap();
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    Fixture::with_contract(Arc::new(Contract::builtin().unwrap().with_overlay(&overlay, &zone)))
}

fn orders_csv(begins: &[&str]) -> String {
    let rows = begins.iter().enumerate().map(|(at, begin)| format!("WO-{at};010;MAT-1;5;{begin}\n"));
    format!("code;operationCode;materialCode;requestedQuantity;beginPlanned\n{}", rows.collect::<String>())
}

#[test]
fn times_that_the_clock_skips_or_repeats_are_found_if_they_are_sent_as_moments() {
    let begins = orders_csv(&["2026-03-29 02:10", "2026-10-25 02:10", "2026-10-25 02:10+01:00", "2026-03-29 03:00"]);
    for form in [
        json!({ "form": "utc-date-time" }),
        json!({ "form": "offset-date-time" }),
        json!({ "form": "epoch", "unit": "seconds" }),
    ] {
        let fixture = berlin_fixture(&form);
        let view = fixture.open_csv(&begins);
        assert_eq!(fixture.finding_texts(&view), ["E2 skipped-time", "E3 repeated-time"], "{form}");
        let findings = fixture.imports.findings(view.id).unwrap();
        assert_eq!(
            findings.iter().map(|found| found.severity).collect::<Vec<_>>(),
            [Severity::Error, Severity::Warning]
        );
        let named = |at: usize, name: &str| findings[at].parameters[name].clone();
        assert_eq!((named(0, "from"), named(0, "to")), ("02:00".to_owned(), "03:00".to_owned()));
        assert_eq!((named(1, "first"), named(1, "second")), ("+02:00".to_owned(), "+01:00".to_owned()));
        assert_eq!(named(1, "zone"), "Europe/Berlin");

        let help = fixture.imports.cell_help(view.id, 3, 4, &|_, _| Vec::new()).unwrap();
        assert_eq!(help.suggestions, ["2026-10-25T02:10:00+02:00", "2026-10-25T02:10:00+01:00"]);
        let kind = FindingKind {
            severity: Severity::Warning,
            code: FindingCode::RepeatedTime,
            field: Some("beginPlanned".to_owned()),
        };
        let view = fixture.imports.fix(view.id, &Fix::FixFound { finding: kind, way: FoundFix::SecondOffset }).unwrap();
        assert_eq!(fixture.finding_texts(&view), ["E2 skipped-time"]);
        assert_eq!(sent_values(&fixture, &view, "beginPlanned")[1], "2026-10-25T02:10:00+01:00");
    }
}

#[test]
fn a_local_time_that_is_sent_as_it_is_is_found_too() {
    let begins = orders_csv(&["2026-03-29 02:10", "2026-10-25 02:10"]);
    let fixture = berlin_fixture(&json!({ "form": "as-is" }));
    let view = fixture.open_csv(&begins);
    assert_eq!(fixture.finding_texts(&view), ["E2 skipped-time", "E3 repeated-local-time"]);
    assert!(fixture.imports.findings(view.id).unwrap().iter().all(|found| found.severity == Severity::Warning));
    let fixture = berlin_fixture(&json!({ "form": "date-only" }));
    assert_eq!(fixture.finding_texts(&fixture.open_csv(&begins)), Vec::<String>::new());
}

#[test]
fn offsets_decide_which_time_is_before_the_other() {
    let fixture = Fixture::new();
    let text = "code;operationCode;materialCode;requestedQuantity;beginPlanned;endPlanned
WO-1;010;M-1;5;2027-10-31 02:50+02:00;2027-10-31 02:10+01:00
WO-2;010;M-1;5;2027-10-31 02:10+01:00;2027-10-31 02:50+02:00
";
    assert_eq!(fixture.finding_texts(&fixture.open_csv(text)), ["F3 not-before"]);
}

#[test]
fn invisible_characters_in_codes_are_shown_and_removed_at_once() {
    let fixture = Fixture::new();
    let row = |code: &str, note: &str| texts(&[code, "010", "MAT-1", "5", note]);
    let headings = ["code", "operationCode", "materialCode", "requestedQuantity", "note"];
    let rows = vec![
        row("WO-12\u{200b}34", "❤\u{fe0f} 👩\u{200d}🔧 soft\u{ad}hyphen"),
        row("WO\u{a0}13", "می\u{200c}خواهم"),
        row("\u{feff}WO-14\u{200e}", "a\u{202e}b"),
        row("\u{a0}WO-15\u{a0}", "two\nlines"),
        row("WO-16\u{7}", "plain"),
        row("WO-1\u{1}7", "plain"),
    ];
    let view = fixture.open("orders.xlsx", &headings, rows);
    let found = [
        "A2 invisible-character",
        "A3 invisible-character",
        "A4 invisible-removed",
        "E4 invisible-character",
        "A6 invisible-removed",
        "A7 invisible-character",
    ];
    assert_eq!(fixture.finding_texts(&view), found);
    let findings = fixture.imports.findings(view.id).unwrap();
    assert_eq!(findings[0].parameters["shown"], "WO-12⟨U+200B zero width space⟩34");
    assert_eq!((findings[0].severity, findings[2].severity), (Severity::Warning, Severity::Note));
    let codes = sent_values(&fixture, &view, "code");
    assert_eq!((&codes[2], &codes[3], &codes[4]), (&json!("WO-14"), &json!("WO-15"), &json!("WO-16")));
    let help = fixture.imports.cell_help(view.id, 2, 0, &|_, _| Vec::new()).unwrap();
    assert_eq!(help.suggestions, ["WO-1234"]);
    let kind = |field: &str| FindingKind {
        severity: Severity::Warning,
        code: FindingCode::InvisibleCharacter,
        field: Some(field.to_owned()),
    };
    let listed = fixture.imports.finding_values(view.id, &kind("code"), &|_, _| Vec::new()).unwrap();
    let suggested: Vec<_> = listed.values.iter().map(|value| value.suggestion.clone().unwrap()).collect();
    assert!(suggested.contains(&"WO 13".to_owned()) && listed.rows == 3, "{listed:?}");
    let all = |field: &str| Fix::FixFound { finding: kind(field), way: FoundFix::RemoveInvisible };
    let view = fixture.imports.fix(view.id, &all("code")).unwrap();
    assert_eq!(view.touched, 3);
    let view = fixture.imports.fix(view.id, &all("note")).unwrap();
    assert_eq!(fixture.finding_texts(&view), ["A4 invisible-removed", "A6 invisible-removed"]);
    assert_eq!(sent_values(&fixture, &view, "code")[0], "WO-1234");
    let notes = sent_values(&fixture, &view, "note");
    assert_eq!((&notes[0], &notes[2]), (&json!("❤\u{fe0f} 👩\u{200d}🔧 soft\u{ad}hyphen"), &json!("ab")));
}

const DUPLICATE_HEADING_CSV: &str = "code,description,uoM,description\nM-801,first,pcs,second\nM-802,one,pcs,two\n";

fn open_with_duplicate_heading(fixture: &Fixture) -> ImportView {
    let view = fixture.open_csv(DUPLICATE_HEADING_CSV);
    fixture.imports.choose_operation(view.id, "materials.sync").unwrap()
}

fn parse_mapping(value: &Value) -> MappingFile {
    MappingFile::from_json(value.to_string().as_bytes()).unwrap()
}

#[test]
fn a_heading_that_occurs_twice_stops_the_rows_until_a_column_is_chosen() {
    let fixture = Fixture::new();
    let view = open_with_duplicate_heading(&fixture);
    assert_eq!(fixture.finding_texts(&view), ["B2 several-columns"]);
    let finding = fixture.imports.findings(view.id).unwrap().remove(0);
    assert_eq!(finding.severity, Severity::Error);
    assert_eq!(finding.parameters["columns"], "B “description”, D “description”");
    assert_eq!((view.counts.errors, view.counts.ready_rows, view.settled), (1, 0, false));
    assert_eq!((view.contested[0].field.as_str(), view.contested[0].columns.as_slice()), ("description", &[1, 3][..]));

    let view = fixture.imports.match_column(view.id, 3, Some("description")).unwrap();
    assert_eq!((fixture.finding_texts(&view), view.contested.len()), (Vec::new(), 0));
    assert_eq!(sent_values(&fixture, &view, "description"), ["second", "two"]);
    // After one submission, the choice is remembered, and the mapping contains it.
    let remembered = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
    assert_eq!(remembered.columns["description"].paths(), Vec::<String>::new().as_slice());
    let view = open_with_duplicate_heading(&fixture);
    assert_eq!((fixture.finding_texts(&view), view.contested.len()), (Vec::new(), 0));
    assert_eq!(sent_values(&fixture, &view, "description"), ["second", "two"]);
}

#[test]
fn the_first_of_two_columns_can_be_chosen_too_and_taken_back() {
    let fixture = Fixture::new();
    let view = open_with_duplicate_heading(&fixture);
    let view = fixture.imports.match_column(view.id, 1, Some("description")).unwrap();
    assert_eq!(sent_values(&fixture, &view, "description"), ["first", "one"]);
    let view = fixture.imports.match_column(view.id, 1, None).unwrap();
    assert_eq!((fixture.finding_texts(&view), view.contested.len()), (vec!["2 missing-column".to_owned()], 0));
    let joined = MappingChange::Joined { field: "description".to_owned(), columns: vec![1, 3], with: " ".to_owned() };
    let view = fixture.imports.change_mapping(view.id, joined).unwrap();
    assert_eq!(sent_values(&fixture, &view, "description"), ["first second", "one two"]);
}

#[test]
fn a_mapping_names_one_of_two_columns_by_its_letter_or_number() {
    let fixture = Fixture::new();
    let of = |columns: Value| parse_mapping(&json!({ "operation": "materials.sync", "columns": columns }));
    for (columns, sent) in [
        (json!({ "code": "code", "[D]": "description" }), "second"),
        (json!({ "code": "code", "[B]": "description" }), "first"),
        (json!({ "code": "code", "description (2)": "description" }), "second"),
        (json!({ "code": "code", "description": "description", "description (2)": [] }), "first"),
    ] {
        let view =
            fixture.imports.apply_mapping(fixture.open_csv(DUPLICATE_HEADING_CSV).id, &of(columns.clone())).unwrap();
        assert_eq!(fixture.finding_texts(&view), Vec::<String>::new(), "{columns}");
        assert_eq!(sent_values(&fixture, &view, "description")[0], sent, "{columns}");
        let again = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
        let view = fixture.imports.apply_mapping(fixture.open_csv(DUPLICATE_HEADING_CSV).id, &again).unwrap();
        assert_eq!(
            (fixture.finding_texts(&view), &sent_values(&fixture, &view, "description")[0]),
            (Vec::new(), &json!(sent))
        );
    }
    // Saved for a file with one such heading.
    let once = of(json!({ "code": "code", "description": "description" }));
    let view = fixture.imports.apply_mapping(fixture.open_csv(DUPLICATE_HEADING_CSV).id, &once).unwrap();
    assert_eq!(fixture.finding_texts(&view), ["B2 several-columns"]);
    let view = fixture.imports.apply_mapping(fixture.open_csv("code,description\nM-1,a\n").id, &once).unwrap();
    assert_eq!(fixture.finding_texts(&view), Vec::<String>::new());
}

#[test]
fn columns_that_fit_one_field_by_other_spellings_or_names_are_both_named() {
    let fixture = Fixture::new();
    for (headings, columns) in [
        ("materialCode;Qty;qty ", "B “Qty”, C “qty”"),
        ("materialCode;Quantity;Menge", "B “Quantity”, C “Menge”"),
        ("materialCode;quantity;QUANTITY", "B “quantity”, C “QUANTITY”"),
    ] {
        let view = fixture.open_csv(&format!("{headings}\nM-1;1;2\n"));
        let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
        assert_eq!(fixture.finding_texts(&view), ["B2 several-columns"], "{headings}");
        assert_eq!(fixture.imports.findings(view.id).unwrap()[0].parameters["columns"], columns);
    }
    // A mapping with one of two different headings is a choice.
    let view = fixture.open_csv("materialCode;Quantity;Menge\nM-1;1;2\n");
    let chosen =
        json!({ "operation": "stock.sync", "columns": { "materialCode": "materialCode", "Menge": "quantity" } });
    let view = fixture.imports.apply_mapping(view.id, &parse_mapping(&chosen)).unwrap();
    assert_eq!((fixture.finding_texts(&view), &sent_values(&fixture, &view, "quantity")[0]), (Vec::new(), &json!(2)));
    // Two columns for the same property.
    let view = fixture.open_csv("code;description;properties[SIZE];properties[SIZE]\nM-1;Shaft;1;2\n");
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(fixture.finding_texts(&view), ["C2 several-columns"]);
}

#[test]
fn names_of_columns_in_mappings_are_different_ones() {
    let fixture = Fixture::new();
    let view = fixture.open_csv("code;note;note (2);note\nM-1;a;b;c\n");
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let mapping = parse_mapping(
        &json!({ "operation": "materials.sync", "columns": { "code": "code", "note (3)": "description" } }),
    );
    let view = fixture.imports.apply_mapping(view.id, &mapping).unwrap();
    assert_eq!(sent_values(&fixture, &view, "description"), ["c"]);
}
