//! Headings, operations and columns.

use serde_json::json;
use takt_core::{Code, ExcelRow};
use takt_import::{MappingFile, MatchReason};
use takt_sheet::writer::OutCell;

use super::{Fixture, text, texts};

fn matched_fields(view: &takt_import::ImportView) -> Vec<Option<&str>> {
    view.columns.iter().map(|column| column.matched.as_ref().map(|matched| matched.field.as_str())).collect()
}

#[test]
fn a_planners_headings_find_their_fields() {
    let fixture = Fixture::new();
    let view = fixture.open(
        "orders.xlsx",
        &["Work order", "Operation", "Material", "Requested quantity [pcs]", "Remarks of the shift"],
        vec![vec![text("WO-1"), text("010"), text("MAT-1001"), OutCell::Number(5.0), text("x")]],
    );
    assert_eq!(view.header_row, Some(1));
    assert_eq!(view.operation.as_deref(), Some("work-orders.sync"));
    assert_eq!(
        matched_fields(&view)[..4],
        [Some("code"), Some("operationCode"), Some("materialCode"), Some("requestedQuantity")]
    );
    assert_eq!(view.columns[3].letter, "D");
    assert_eq!(view.missing, Vec::<String>::new());
    assert_eq!((view.counts.rows, view.counts.items, view.counts.ready_rows), (1, 1, 1));
}

#[test]
fn the_same_words_in_another_order_are_like_the_name_and_are_to_be_looked_at() {
    let fixture = Fixture::new();
    let headings = ["Auftragsnummer", "Arbeitsgang", "Material", "Menge", "Beginn geplant", "Ende geplant"];
    let view =
        fixture.open("plan.xlsx", &headings, vec![texts(&["WO-1", "010", "M-1", "5", "2027-01-02", "2027-01-03"])]);
    let view = fixture.imports.choose_operation(view.id, "work-orders.sync").unwrap();
    assert_eq!(matched_fields(&view)[4..], [Some("beginPlanned"), Some("endPlanned")]);
    let reasons = view.columns[4..].iter().map(|column| column.matched.as_ref().unwrap().reason);
    assert_eq!(reasons.collect::<Vec<_>>(), [MatchReason::Similar, MatchReason::Similar]);
    assert!(!view.settled);
}

#[test]
fn a_heading_below_a_title_keeps_excels_row_numbers() {
    let fixture = Fixture::new();
    let headings = ["Materialcode", "Menge", "Lager"];
    let rows = vec![texts(&["MAT-1001", "5", "A"]), texts(&["", "6", "A"])];
    let path = fixture.write("stock.xlsx", &["Bestand Werk 2", ""], &headings, rows);
    let view = fixture.imports.open(&path).unwrap();
    let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
    let heading = view.header_row.unwrap();
    assert_eq!(view.head.iter().find(|row| row.row == ExcelRow::new(heading)).unwrap().cells, headings);
    assert_eq!(fixture.finding_texts(&view), [format!("A{} required", heading + 2)]);
}

#[test]
fn values_alone_are_no_heading() {
    let fixture = Fixture::new();
    let view = fixture.open_csv("MAT-1001;5;2026-01-01\nMAT-1002;7;2026-01-02\n");
    assert_eq!(view.header_row, None);
    assert_eq!(view.operation, None);
    assert_eq!(view.counts.rows, 2);
    let view = fixture.imports.choose_header_row(view.id, 1).unwrap();
    assert_eq!((view.header_row, view.counts.rows), (Some(1), 1));
}

#[test]
fn a_field_given_by_hand_moves_and_can_be_taken_away() {
    let fixture = Fixture::new();
    let view = fixture.open("m.xlsx", &["Code", "Description", "Second text"], vec![texts(&["M-1", "Shaft", "Axle"])]);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(matched_fields(&view)[..2], [Some("code"), Some("description")]);
    let view = fixture.imports.match_column(view.id, 2, Some("description")).unwrap();
    assert_eq!(matched_fields(&view), [Some("code"), None, Some("description")]);
    assert_eq!(view.columns[2].matched.as_ref().unwrap().reason, MatchReason::ByHand);
    let view = fixture.imports.match_column(view.id, 0, None).unwrap();
    assert_eq!(view.missing, ["code"]);
    assert_eq!(fixture.finding_texts(&view), ["2 missing-column"]);
    assert_eq!(fixture.imports.match_column(view.id, 0, Some("nonsense")).unwrap_err().code, Code::Unknown);
}

#[test]
fn what_was_sent_once_is_matched_the_same_way_next_week() {
    let fixture = Fixture::new();
    let headings = ["Code", "Description", "Second text"];
    let view = fixture.open("week1.xlsx", &headings, vec![texts(&["M-1", "Shaft", "Axle"])]);
    fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    fixture.imports.match_column(view.id, 2, Some("description")).unwrap();
    fixture.imports.prepare_items(view.id).unwrap();
    let view = fixture.open("week2.xlsx", &headings, vec![texts(&["M-2", "Shaft", "Axle"])]);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(matched_fields(&view), [Some("code"), None, Some("description")]);
    assert_eq!(view.columns[2].matched.as_ref().unwrap().reason, MatchReason::Remembered);
}

#[test]
fn a_mapping_file_decides_and_its_mistakes_are_named() {
    let fixture = Fixture::new();
    let view = fixture.open("m.xlsx", &["A-No", "Text"], vec![texts(&["M-1", "Shaft"])]);
    let mapping: MappingFile = serde_json::from_value(json!({
        "operation": "materials.sync", "columns": {"A-No": "code", "Text": "description"}
    }))
    .unwrap();
    fixture.imports.apply_mapping(view.id, &mapping).unwrap();
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    assert_eq!(items[0].body, json!({"code": "M-1", "description": "Shaft"}));
    assert_eq!(fixture.imports.mapping(view.id).unwrap().sheets.remove(0).columns, mapping.columns);
    let wrong = MappingFile { columns: [("A-No".to_owned(), "kode".into())].into(), ..mapping };
    let problem = fixture.imports.apply_mapping(view.id, &wrong).unwrap_err();
    assert_eq!((problem.code, problem.parameters["field"].as_str()), (Code::MappingRefused, "kode"));
}

#[test]
fn rows_of_one_order_with_raw_materials_are_one_item() {
    let fixture = Fixture::new();
    let path = fixture.write(
        "orders.xlsx",
        &[],
        &["code", "operationCode", "materialCode", "requestedQuantity", "rawMaterials.code", "rawMaterials.quantity"],
        vec![
            texts(&["WO-1", "010", "MAT-1001", "5", "RAW-2001", "2"]),
            texts(&["WO-2", "010", "MAT-1002", "6", "RAW-2002", "1"]),
            texts(&["WO-1", "010", "", "", "RAW-2003", "4"]),
            texts(&["WO-2", "010", "MAT-9999", "6", "RAW-2004", ""]),
        ],
    );
    let view = fixture.imports.open(&path).unwrap();
    assert_eq!((view.counts.rows, view.counts.items, view.counts.ready_rows), (4, 2, 2));
    assert_eq!(fixture.finding_texts(&view), ["C3 group-disagrees", "C5 group-disagrees", "F5 required"]);
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    assert_eq!(items[0].rows.iter().map(|row| row.row.get()).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(
        items[0].body,
        json!({"code": "WO-1", "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 5,
            "rawMaterials": [{"code": "RAW-2001", "quantity": 2}, {"code": "RAW-2003", "quantity": 4}]})
    );
    assert_eq!((items[0].key.as_str(), items[0].blocked), ("WO-1 · 010", false));
    assert!(items[1].blocked);
}
