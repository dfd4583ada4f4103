//! Fixes of all findings of one kind: similar texts, duplicate keys, merged cells, and repetition on the next file.

use std::path::PathBuf;

use takt_core::{Code, FindingCode, Severity};
use takt_import::{FindingKind, FindingValue, Fix, FoundFix, FoundUnit, ImportView, MappingFile, TextChange};

use super::{Fixture, read_as, reading::write_xlsx, texts};

const ORDER_HEADINGS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];

fn finding_kind(code: FindingCode, field: &str) -> FindingKind {
    FindingKind { severity: Severity::Error, code, field: Some(field.to_owned()) }
}

fn open_orders(fixture: &Fixture) -> ImportView {
    let rows = vec![
        texts(&["WO-1", "010", "MAT-1", "five"]),
        texts(&["WO-2", "010", "MAT-1", "n/a"]),
        texts(&["WO-3", "010", "MAT-1", "n/a"]),
        texts(&["WO-1", "010", "MAT-1", "7"]),
        texts(&["WO-1", "010", "MAT-1", "8"]),
    ];
    fixture.open("orders.xlsx", &ORDER_HEADINGS, rows)
}

#[test]
fn like_texts_are_replaced_everywhere_as_one_step() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let wrong = finding_kind(FindingCode::NotANumber, "requestedQuantity");
    let found = fixture.imports.finding_values(view.id, &wrong, &|_, _| vec!["5".to_owned()]).unwrap();
    let value = |text: &str, count| {
        let suggestions = vec!["5".to_owned()];
        FindingValue { text: text.to_owned(), count, suggestion: None, suggestions }
    };
    assert_eq!((found.column, found.rows, found.more), (Some(3), 3, 0));
    assert_eq!(found.values, [value("n/a", 2), value("five", 1)]);

    let change = |from: &str, to: &str| TextChange { from: from.to_owned(), to: to.to_owned() };
    let texts = vec![change("five", "5"), change("n/a", "1")];
    let view = fixture.imports.fix(view.id, &Fix::ReplaceMany { column: 3, texts }).unwrap();
    assert_eq!((view.touched, view.edited), (3, 3));
    assert_eq!(fixture.finding_texts(&view), ["A2 duplicate-key", "A5 duplicate-key", "A6 duplicate-key"]);
    let mapping = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
    assert_eq!(mapping.replacements.len(), 2, "both are done again on the next file");
    let view = fixture.imports.undo(view.id).unwrap();
    assert_eq!((view.edited, view.undo), (0, false), "one step takes both back");
}

#[test]
fn a_clear_suggestion_is_given_and_a_doubtful_one_is_not() {
    let fixture = Fixture::new();
    let rows = vec![texts(&["WO-1", "010", "MAT-1", "x1"]), texts(&["WO-2", "010", "MAT-1", "x2"])];
    let view = fixture.open("orders.xlsx", &ORDER_HEADINGS, rows);
    let wrong = finding_kind(FindingCode::NotANumber, "requestedQuantity");
    let known = |_: &str, text: &str| match text {
        "x1" => vec!["x10".to_owned(), "ab".to_owned()],
        _ => vec!["x20".to_owned(), "x21".to_owned()],
    };
    let found = fixture.imports.finding_values(view.id, &wrong, &known).unwrap();
    let suggestions: Vec<Option<&str>> = found.values.iter().map(|value| value.suggestion.as_deref()).collect();
    assert_eq!(suggestions, [Some("x10"), None]);
    assert_eq!(found.values[1].suggestions, ["x20", "x21"], "as the cell offers them");
}

#[test]
fn a_unit_behind_numbers_is_removed_if_it_is_the_only_one() {
    let fixture = Fixture::new();
    let quantity = finding_kind(FindingCode::NotANumber, "requestedQuantity");
    let fix = Fix::FixFound { finding: quantity.clone(), way: FoundFix::RemoveUnit };
    let open = |units: [&str; 3]| {
        let row = |(number, unit): (usize, &str)| texts(&[&format!("WO-{number}"), "010", "MAT-1", unit]);
        fixture.open("orders.xlsx", &ORDER_HEADINGS, units.into_iter().enumerate().map(row).collect())
    };
    let view = open(["75 Stk", "1.250,5 Stk", "many"]);
    let found = fixture.imports.finding_values(view.id, &quantity, &|_, _| Vec::new()).unwrap();
    assert_eq!(found.unit, Some(FoundUnit { unit: "Stk".to_owned(), count: 2 }));
    let suggestions: Vec<_> =
        found.values.iter().map(|value| (value.text.as_str(), value.suggestion.as_deref())).collect();
    assert_eq!(suggestions, [("1.250,5 Stk", Some("1.250,5")), ("75 Stk", Some("75")), ("many", None)]);
    assert_eq!(fixture.imports.cell_help(view.id, 2, 3, &|_, _| Vec::new()).unwrap().suggestions, ["75"]);
    let view = fixture.imports.fix(view.id, &fix).unwrap();
    assert_eq!((view.touched, fixture.finding_texts(&view)), (2, vec!["D4 not-a-number".to_owned()]));
    let item = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items.remove(1);
    assert_eq!(item.body["requestedQuantity"], 1250.5);

    // Grams and kilograms mustn't become the same.
    let view = open(["500 g", "2 kg", "75 g"]);
    let found = fixture.imports.finding_values(view.id, &quantity, &|_, _| Vec::new()).unwrap();
    assert_eq!(found.unit, None);
    assert_eq!(fixture.imports.fix(view.id, &fix).unwrap().edited, 0);
}

#[test]
fn of_each_doubled_key_the_first_row_stays() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let doubled = FindingKind { severity: Severity::Error, code: FindingCode::DuplicateKey, field: None };
    let found = fixture.imports.finding_values(view.id, &doubled, &|_, _| Vec::new()).unwrap();
    assert_eq!((found.column, found.rows, found.later), (None, 3, 2));
    let exclude = |keep_first| Fix::ExcludeFound { finding: doubled.clone(), keep_first };
    let view = fixture.imports.fix(view.id, &exclude(true)).unwrap();
    assert_eq!(view.counts.excluded, 2);
    assert_eq!(fixture.finding_texts(&view), ["D2 not-a-number", "D3 not-a-number", "D4 not-a-number"]);
    let view = fixture.imports.undo(view.id).unwrap();
    let view = fixture.imports.fix(view.id, &exclude(false)).unwrap();
    assert_eq!(view.counts.excluded, 3);
}

#[test]
fn merged_cells_are_filled_down_and_again_next_week() {
    let fixture = Fixture::new();
    let headings =
        ["code", "operationCode", "materialCode", "requestedQuantity", "rawMaterials.code", "rawMaterials.quantity"];
    let rows = [
        ["WO-1", "010", "MAT-1", "5", "RAW-1", "1"],
        ["", "", "", "", "RAW-2", "2"],
        ["", "", "", "", "RAW-3", "3"],
        ["WO-2", "010", "MAT-1", "5", "RAW-1", "1"],
    ];
    let merges = ["A2:A4", "B2:B4", "C2:C4", "D2:D4", "E5:F5"];
    let view =
        fixture.imports.open(&write_merged_workbook(&fixture, "merged.xlsx", &headings, &rows, &merges)).unwrap();
    assert_eq!((view.reading.merged.cells, view.reading.merged.columns.join("")), (8, "ABCD".to_owned()));
    assert!(fixture.finding_texts(&view).contains(&"A3 required".to_owned()));

    let view = fixture.imports.fix(view.id, &Fix::FillMerged).unwrap();
    assert_eq!((view.touched, view.reading.merged.cells), (8, 0));
    assert_eq!(fixture.finding_texts(&view), Vec::<String>::new());
    assert_eq!(view.counts.items, 2);
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    assert_eq!(items[0].body["rawMaterials"].as_array().unwrap().len(), 3);

    let mapping = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
    let text = mapping.to_json().unwrap();
    assert!(text.contains("\"fillMerged\": true"), "{text}");
    assert_eq!(MappingFile::from_json(text.as_bytes()).unwrap(), mapping);
    let view = fixture.imports.undo(view.id).unwrap();
    assert_eq!((view.reading.merged.cells, view.edited), (8, 0));
    assert!(!fixture.imports.mapping(view.id).unwrap().sheets.remove(0).fill_merged);

    let next = fixture.imports.open(&write_merged_workbook(&fixture, "next.xlsx", &headings, &rows, &merges)).unwrap();
    assert_eq!((next.replayed, next.reading.merged.cells), (8, 0), "remembered with the mapping of the first file");
    let next = fixture.imports.undo(next.id).unwrap();
    assert_eq!((next.edited, next.reading.merged.cells), (0, 8));
}

#[test]
fn the_head_of_a_text_is_read_with_another_choice_before_it_is_made() {
    let fixture = Fixture::new();
    let view = fixture.open_csv("code;quantity,5\nWO-1;1,5\n\nWO-2;2,5\n");
    let cells = |encoding, separator| {
        let rows = fixture.imports.preview_text(view.id, &read_as(encoding, separator)).unwrap();
        rows.into_iter().map(|row| (row.row.get(), row.cells)).collect::<Vec<_>>()
    };
    let row = |row, cells: &[&str]| (row, cells.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(cells(None, Some(","))[..2], [row(1, &["code;quantity", "5"]), row(2, &["WO-1;1", "5"])]);
    assert_eq!(cells(None, Some(";"))[2], row(4, &["WO-2", "2,5"]));
    assert_eq!(cells(None, Some(""))[0], row(1, &["code;quantity,5"]));
    let view = fixture.imports.view(view.id).unwrap();
    assert_eq!(view.reading.separator.as_deref(), Some(";"), "the file's own reading stays");
    let problem = fixture.imports.preview_text(view.id, &read_as(Some("klingon"), None)).unwrap_err();
    assert_eq!(problem.code, Code::Unknown);

    let long: String = (0..50_000).map(|row| format!("WO-{row};{row}\n")).collect();
    let view = fixture.open_csv(&format!("code;quantity\n{long}"));
    assert_eq!(fixture.imports.preview_text(view.id, &read_as(None, Some(";"))).unwrap().len(), 15);
    assert!(fixture.imports.preview_text(open_orders(&fixture).id, &read_as(None, None)).unwrap().is_empty());
}

/// Writes a workbook with headings in row 1, rows and merged cells.
fn write_merged_workbook(
    fixture: &Fixture,
    name: &str,
    headings: &[&str],
    rows: &[[&str; 6]],
    merges: &[&str],
) -> PathBuf {
    let path = fixture.file(name);
    let lines = std::iter::once(headings).chain(rows.iter().map(<[&str; 6]>::as_slice));
    let lines: Vec<(u32, bool, &[&str])> = (1..).zip(lines).map(|(row, cells)| (row, false, cells)).collect();
    write_xlsx(&path, &lines, merges);
    path
}
