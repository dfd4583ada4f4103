//! Tests rows of a list that are opened as an import, for every list and possible operation.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Language,
    browse::{BrowseQuery, RowSet},
    import::{Fix, FromRows, ImportId, ImportView, RowChange, RowFilter},
    preview::{ConflictReason, PreviewKind},
    submission::SubmissionRequest,
};
use takt_plant::Size;

use super::fixture::{Fixture, SITE, format_as_typed};

const ORDERS: &str = "work-orders.list";

async fn read_list(fixture: &Fixture, list: &str) -> RowSet {
    let query = BrowseQuery { operation: list.to_owned(), parameters: BTreeMap::new() };
    let set = fixture.engine.browse().row_set(SITE, list).unwrap();
    fixture.engine.browse().read_all(&query, &set, &Canceller::new(), |_| {}).await.unwrap();
    set
}

fn open_rows(
    fixture: &Fixture,
    set: &RowSet,
    positions: &[u32],
    operation: &str,
    changes: Vec<RowChange>,
) -> ImportView {
    let from = FromRows { positions: positions.to_vec(), operation: operation.to_owned(), changes };
    fixture.engine.import_sources().open_rows(set, &from, Language::En).unwrap()
}

fn row_change(position: u32, field: &str, value: impl Into<Value>) -> RowChange {
    RowChange { position, field: field.to_owned(), value: value.into() }
}

fn all_positions(set: &RowSet) -> Vec<u32> {
    (0..u32::try_from(set.len()).unwrap()).collect()
}

async fn send_import(fixture: &Fixture, import: ImportId) {
    let steps = fixture.engine.imports().prepare_items(import).unwrap();
    let request = SubmissionRequest { site: SITE.to_owned(), steps, ..SubmissionRequest::default() };
    let id = fixture.engine.submissions().submit(request).await.unwrap().id.first();
    let view = fixture.engine.submissions().wait(id).await.unwrap().submissions.remove(0);
    assert_eq!(view.counts.accepted, view.total, "{view:?}");
}

#[tokio::test]
async fn lists_can_be_imported_for_operations_that_they_read_back() {
    let fixture = Fixture::new(Size::Small).await;
    let becomes = |list: &str| fixture.engine.import_sources().list_target_operations(SITE, list).unwrap();
    let orders = ["work-orders.sync", "work-orders.execution", "work-orders.properties", "work-orders.planning-dates"];
    assert_eq!(becomes(ORDERS), orders);
    assert_eq!(becomes("work-orders.details"), orders, "the same orders, told in more detail");
    assert_eq!(becomes("inspections.list"), ["inspections.sync", "inspections.execution", "inspections.properties"]);
    assert_eq!(becomes("materials.list"), ["materials.sync"]);
    assert_eq!(becomes("consumed-lots.list"), ["consumed-lots.sync"]);
    for other in ["templates.processes", "alerts.list", "labor-times.list", "order-history.list", "nothing"] {
        assert!(becomes(other).is_empty(), "{other}");
    }
}

#[tokio::test]
async fn rows_that_nobody_changed_change_nothing() {
    let fixture = Fixture::new(Size::Small).await;
    let operations = fixture.engine.sites().builtin_contract().operations().to_vec();
    let mut seen = 0;
    for list in operations.iter().map(|operation| operation.id.as_str()) {
        for operation in fixture.engine.import_sources().list_target_operations(SITE, list).unwrap() {
            let set = read_list(&fixture, list).await;
            let view = open_rows(&fixture, &set, &all_positions(&set), &operation, Vec::new());
            let what = format!("{list} as {operation}");
            assert!(view.missing.is_empty(), "{what} misses {:?}", view.missing);
            assert!(view.columns.iter().all(|column| column.matched.is_some()), "{what}: {:?}", view.columns);
            assert!(view.settled, "{what}: nobody has to look at the columns");
            assert_eq!(view.operation.as_deref(), Some(operation.as_str()));
            let counts = fixture.preview(view.id).await.counts;
            let changed = fixture.rows(view.id, Some(PreviewKind::Changed));
            assert_eq!(
                (counts.new, counts.changed, counts.conflict, counts.unknown),
                (0, 0, 0, 0),
                "{what}: {changed:?}"
            );
            assert!(counts.same > 0, "{what}: {counts:?}");
            fixture.engine.imports().close(view.id);
            seen += 1;
        }
    }
    assert_eq!(seen, 4 + 4 + 3 + 1 + 1 + 1, "every pair was looked at");
}

#[tokio::test]
async fn values_arrive_as_what_they_are() {
    let fixture = Fixture::new(Size::Small).await;
    let set = read_list(&fixture, ORDERS).await;
    let rows = set.rows(0..usize::MAX);
    let view = open_rows(&fixture, &set, &all_positions(&set), "work-orders.sync", Vec::new());
    assert_eq!(view.file, format!("from Takt · Work orders · {} rows", rows.len()));
    assert_eq!(view.hash.len(), 64);
    let items = fixture.engine.imports().prepare_items(view.id).unwrap().remove(0).set.items;
    assert_eq!(items.len(), rows.len(), "an order with its materials and properties is one item");
    let mut lists = 0;
    for (item, row) in items.iter().zip(&rows) {
        for field in ["code", "operationCode", "materialCode", "requestedQuantity", "customer", "note"] {
            let stored = Some(&row[field]).filter(|stored| !format_as_typed(stored).is_empty());
            assert_eq!(item.body.get(field).map(format_as_typed), stored.map(format_as_typed), "{field} of {row}");
        }
        for field in ["laborPredictedTime", "machinePredictedTime"] {
            assert_eq!(
                item.body.get(field).map(format_as_typed).unwrap_or_default(),
                format_as_typed(&row[field]),
                "{field} of {row}"
            );
        }
        for field in ["beginPlanned", "endPlanned", "promiseDate"] {
            assert_eq!(
                item.body.get(field).map(format_as_typed).unwrap_or_default(),
                format_as_typed(&row[field]),
                "{field} of {row}"
            );
        }
        for list in ["rawMaterials", "properties"] {
            let stored = row[list].as_array().map_or(0, Vec::len);
            assert_eq!(item.body.get(list).and_then(Value::as_array).map_or(0, Vec::len), stored, "{list} of {row}");
            lists += stored;
        }
    }
    assert!(lists > 0);
    let german =
        FromRows { positions: vec![0], operation: "work-orders.planning-dates".to_owned(), changes: Vec::new() };
    let german = fixture.engine.import_sources().open_rows(&set, &german, Language::De).unwrap();
    assert_eq!(german.file, "aus Takt · Fertigungsaufträge · 1 Zeile");
    assert!(german.settled, "in every language the columns are certain");
}

#[tokio::test]
async fn changes_are_made_and_what_others_changed_meanwhile_is_a_conflict() {
    let fixture = Fixture::new(Size::Small).await;
    let set = read_list(&fixture, ORDERS).await;
    let rows = set.rows(0..usize::MAX);
    let planned: Vec<u32> = all_positions(&set)
        .into_iter()
        .filter(|&at| rows[at as usize]["beginPlanned"].is_string() && rows[at as usize]["endPlanned"].is_string())
        .take(3)
        .collect();
    let [mine, theirs, both] = planned[..] else { panic!("too few planned orders") };
    let (begin, end) = ("2027-03-04T06:30:00", "2027-03-04T11:45:30");
    let others = |at: u32| {
        vec![row_change(at, "beginPlanned", "2027-05-01T06:00:00"), row_change(at, "endPlanned", "2027-05-01T07:00:00")]
    };
    let elsewhere =
        open_rows(&fixture, &set, &[], "work-orders.planning-dates", [others(theirs), others(both)].concat());
    send_import(&fixture, elsewhere.id).await;
    let own = |at: u32| vec![row_change(at, "beginPlanned", begin), row_change(at, "endPlanned", end)];
    let changes = [own(mine), own(both)].concat();
    let view = open_rows(&fixture, &set, &[theirs], "work-orders.planning-dates", changes);
    assert_eq!(view.file, "from Takt · Work orders · 3 rows", "rows that only a change names come, too");
    let counts = fixture.preview(view.id).await.counts;
    assert_eq!((counts.changed, counts.conflict), (1, 2), "{:?}", fixture.rows(view.id, None));
    for row in fixture.rows(view.id, Some(PreviewKind::Conflict)) {
        assert!(row.fields.iter().all(|field| field.conflict == Some(ConflictReason::ChangedSince)), "{row:?}");
    }
    let only = open_rows(&fixture, &set, &[], "work-orders.planning-dates", own(mine));
    let preview = fixture.preview(only.id).await;
    assert_eq!((preview.counts.changed, fixture.rows(only.id, None).len()), (1, 1), "{:?}", preview.counts);
    let row = &fixture.rows(only.id, None)[0];
    let shown: Vec<_> = row.fields.iter().map(|field| (field.field.as_str(), format_as_typed(&field.new))).collect();
    assert_eq!(shown, [("beginPlanned", begin.to_owned()), ("endPlanned", end.to_owned())]);
    assert_eq!(row.fields[0].old, rows[mine as usize]["beginPlanned"]);
    send_import(&fixture, only.id).await;
    let now = fixture.list(ORDERS).await;
    let sent = now.iter().find(|row| row["id"] == rows[mine as usize]["id"]).unwrap();
    assert_eq!((&sent["beginPlanned"], &sent["endPlanned"]), (&json!(begin), &json!(end)));
    assert_eq!(sent["workStationCode"], rows[mine as usize]["workStationCode"]);
}

#[tokio::test]
async fn each_property_is_a_row_and_fixing_works_as_in_a_file() {
    let fixture = Fixture::new(Size::Small).await;
    let set = read_list(&fixture, ORDERS).await;
    let rows = set.rows(0..usize::MAX);
    let view = open_rows(&fixture, &set, &all_positions(&set), "work-orders.properties", Vec::new());
    let stored: usize = rows.iter().filter_map(|row| row["properties"].as_array()).map(Vec::len).sum();
    let page = fixture.engine.imports().rows(view.id, &RowFilter::default(), 0, 1_000).unwrap();
    assert_eq!(page.total as usize, stored);
    let column = |field: &str| {
        let own = |column: &&takt_engine::import::ColumnView| {
            column.matched.as_ref().is_some_and(|found| found.field == field)
        };
        view.columns.iter().find(own).unwrap().index
    };
    let (key, value) = (column("key"), column("value"));
    let shown = |row: &takt_engine::import::GridRow, column: u32| row.cells[column as usize].shown.clone();
    let box_ = page.rows.iter().find(|row| shown(row, key) == "PACKAGING").unwrap();
    let fix = Fix::Set { row: box_.row, column: value, text: "Crate".to_owned() };
    fixture.engine.imports().fix(view.id, &fix).unwrap();
    let counts = fixture.preview(view.id).await.counts;
    assert_eq!(counts.changed, 1);
    assert_eq!(format_as_typed(&fixture.rows(view.id, Some(PreviewKind::Changed))[0].fields[0].new), "Crate");
    let copy = fixture.home.path().join("taken.xlsx");
    let saved = fixture.engine.imports().save_findings(view.id, Language::En, &copy).unwrap();
    assert!(saved.keeps_original, "what was made is a workbook, and is saved as one");
    let again = fixture.engine.imports().open(&copy).unwrap();
    assert_eq!(again.sheets.len(), 1);
    let headings = |view: &ImportView| view.columns.iter().map(|column| column.heading.clone()).collect::<Vec<_>>();
    assert_eq!(headings(&again)[..view.columns.len()], headings(&view));
}

#[tokio::test]
async fn values_too_long_for_a_cell_are_not_truncated() {
    let fixture = Fixture::new(Size::Small).await;
    let long = "n".repeat(40_000);
    let row = json!({
        "code": "O-1", "operationCode": "10", "materialCode": "M-1", "requestedQuantity": 5.5, "note": long,
        "promiseDate": "2026-11-21T06:30:17.1234567", "laborPredictedTime": { "ticks": 12_345_678_901_i64 },
        "properties": [{ "key": "A", "value": long }, { "key": "B", "value": "b" }],
        "rawMaterials": [{ "code": "=1+1", "quantity": 0.125 }, { "code": "Total", "quantity": 3 }],
    });
    let set = fixture.engine.browse().row_set(SITE, ORDERS).unwrap();
    set.append(&[row]);
    let view = open_rows(&fixture, &set, &[0], "work-orders.sync", Vec::new());
    let items = fixture.engine.imports().prepare_items(view.id).unwrap().remove(0).set.items;
    assert_eq!(items.len(), 1);
    let body = &items[0].body;
    assert_eq!((body.get("note"), body.get("properties")), (None, None), "left out, so that the service keeps them");
    assert_eq!(body["promiseDate"], "2026-11-21T06:30:17.1234567");
    assert_eq!(body["laborPredictedTime"], "00:20:34.5678901");
    assert_eq!(
        body["rawMaterials"],
        json!([{ "code": "=1+1", "quantity": 0.125 }, { "code": "Total", "quantity": 3 }])
    );
}

#[tokio::test]
async fn unreadable_rows_are_refused_with_the_reason() {
    let fixture = Fixture::new(Size::Small).await;
    let set = fixture.engine.browse().row_set(SITE, "inspections.list").unwrap();
    set.append(&[json!({ "code": "I-1", "workOrderCode": "O-1", "operationCode": null, "properties": [] })]);
    let refused = |operation: &str, positions: &[u32]| {
        let from = FromRows { positions: positions.to_vec(), operation: operation.to_owned(), changes: Vec::new() };
        fixture.engine.import_sources().open_rows(&set, &from, Language::En).unwrap_err().parameters
    };
    assert_eq!(refused("inspections.properties", &[0])["obstacle"], "rows-mean-others");
    assert_eq!(refused("inspections.sync", &[])["obstacle"], "no-rows-chosen");
    assert_eq!(refused("inspections.sync", &[7])["obstacle"], "no-rows-chosen");
    assert_eq!(refused("materials.sync", &[0])["what"], "materials.sync");
}
