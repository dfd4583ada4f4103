//! Tests every kind of change for each sync that can be read back.

use serde_json::{Value, json};
use takt_contract::OperationKind;
use takt_engine::{
    Canceller,
    import::ImportId,
    item::{Change, RowResult},
    preview::{ConflictChoice, PreviewChoice, PreviewCounts, PreviewFilter, PreviewKind},
    submission::SubmissionRequest,
};
use takt_plant::Size;

use super::fixture::{Fixture, SITE, cells, format_as_typed};

/// An operation, the read that shows it, its fields, the changed field, and a cell that blocks a row.
struct Case {
    operation: &'static str,
    list: &'static str,
    fields: &'static [&'static str],
    changed: &'static str,
    /// A key field. With another value, the row is another item.
    other: &'static str,
}

const CASES: [Case; 8] = [
    Case {
        operation: "materials.sync",
        list: "materials.list",
        fields: &["code", "description", "uoM", "family", "isActive"],
        changed: "description",
        other: "code",
    },
    Case {
        operation: "work-orders.sync",
        list: "work-orders.list",
        fields: &[
            "code",
            "operationCode",
            "materialCode",
            "requestedQuantity",
            "beginPlanned",
            "endPlanned",
            "laborPredictedTime",
            "machinePredictedTime",
            "templateId",
            "customer",
        ],
        changed: "requestedQuantity",
        other: "operationCode",
    },
    Case {
        operation: "work-orders.execution",
        list: "work-orders.list",
        fields: &["code", "operationCode", "producedGoodQuantity", "producedBadQuantity", "statusDescription"],
        changed: "producedBadQuantity",
        other: "code",
    },
    Case {
        operation: "work-orders.planning-dates",
        list: "work-orders.list",
        fields: &["code", "operationCode", "workStationCode", "beginPlanned", "endPlanned"],
        changed: "endPlanned",
        other: "code",
    },
    Case {
        operation: "inspections.sync",
        list: "inspections.list",
        fields: &["code", "workOrderCode", "operationCode", "processCode", "quantity", "note"],
        changed: "quantity",
        other: "code",
    },
    Case {
        operation: "inspections.execution",
        list: "inspections.list",
        fields: &["code", "operationCode", "producedGoodQuantity"],
        changed: "producedGoodQuantity",
        other: "code",
    },
    Case {
        operation: "inspection-processes.sync",
        list: "inspection-processes.list",
        fields: &["code", "description", "predictedLaborTime", "predictedMachineTime", "isQualityInspection"],
        changed: "predictedLaborTime",
        other: "code",
    },
    Case {
        operation: "consumed-lots.sync",
        list: "consumed-lots.list",
        fields: &["workOrderCode", "operationCode", "materialCode", "serialNumber", "quantity"],
        changed: "quantity",
        other: "serialNumber",
    },
];

/// Returns another value that the field accepts, as typed.
fn other_value(field: &str, stored: &str) -> String {
    match field {
        "description" => format!("{stored}, new"),
        "endPlanned" | "promiseDate" => format!("{}T23:59:00", stored.get(..10).unwrap()),
        "predictedLaborTime" => "07:07:07".to_owned(),
        _ => (stored.parse::<f64>().unwrap() + 3.0).to_string(),
    }
}

#[tokio::test]
async fn every_kind_of_change_is_told_of_every_operation() {
    let fixture = Fixture::new(Size::Small).await;
    for case in &CASES {
        let stored = fixture.list(case.list).await;
        let full = stored.iter().filter(|row| {
            let dated = !case.fields.contains(&"endPlanned")
                || (row["beginPlanned"].is_string() && row["endPlanned"].is_string());
            dated && !row["workOrderCode"].is_null() | !case.fields.contains(&"workOrderCode")
        });
        let full: Vec<_> = full.take(3).collect();
        assert!(full.len() == 3, "{}: too few rows of {}", case.operation, stored.len());
        let column = |field: &str| case.fields.iter().position(|known| *known == field).unwrap();
        let mut rows: Vec<Vec<String>> = full.iter().map(|row| cells(row, case.fields)).collect();
        let old = rows[1][column(case.changed)].clone();
        let new = other_value(case.changed, &old);
        rows[1][column(case.changed)].clone_from(&new);
        rows[2][column(case.other)] = "NEW-1".to_owned();
        let mut wrong = rows[0].clone();
        wrong[column(case.fields[0])] = String::new();
        rows.push(wrong);

        let import = fixture.open(case.operation, case.fields, &rows);
        let before = fixture.plant.log().len();
        let view = fixture.preview(import).await;
        let all = fixture.rows(import, None);
        let expected = PreviewCounts { new: 1, changed: 1, same: 1, blocked: 1, ..PreviewCounts::default() };
        assert_eq!(view.counts, expected, "{}: {all:#?}", case.operation);
        assert_eq!(view.steps[0].list.as_deref(), Some(case.list));
        assert!(!view.stale && view.steps[0].alarms.is_empty(), "{view:?}");
        let changed = fixture.rows(import, Some(PreviewKind::Changed));
        assert_eq!((changed.len(), changed[0].row.get(), changed[0].fields.len()), (1, 3, 1), "{changed:?}");
        assert_eq!(changed[0].fields[0].field, case.changed);
        assert_eq!(
            (format_as_typed(&changed[0].fields[0].old), format_as_typed(&changed[0].fields[0].new)),
            (old, new),
            "{}",
            case.operation
        );
        let new: Vec<u32> = fixture.rows(import, Some(PreviewKind::New)).iter().map(|row| row.row.get()).collect();
        let blocked: Vec<u32> =
            fixture.rows(import, Some(PreviewKind::Blocked)).iter().map(|row| row.row.get()).collect();
        assert_eq!((new, blocked), (vec![4], vec![5]), "{}", case.operation);
        assert_eq!(all.iter().map(|row| row.row.get()).collect::<Vec<_>>(), [3, 4, 5], "all but what is the same");
        let log = fixture.plant.log();
        assert!(log[before..].iter().all(|entry| entry.method == "GET"), "a preview changes nothing");
        assert_eq!(view.steps[0].requests as usize, log.len() - before, "{}", case.operation);
    }
}

/// The service accepts no empty promise date, so a date that was missing can't be removed again.
const PROMISE: Case = Case {
    operation: "work-orders.sync",
    list: "work-orders.list",
    fields: &["code", "operationCode", "materialCode", "requestedQuantity", "promiseDate"],
    changed: "promiseDate",
    other: "code",
};

#[tokio::test]
async fn an_undo_is_promised_for_the_rows_that_it_restores() {
    let fixture = Fixture::new(Size::Small).await;
    for case in CASES.iter().chain([&PROMISE]) {
        let stored = fixture.list(case.list).await;
        let column = case.fields.iter().position(|known| *known == case.changed).unwrap();
        let change = |row: &Value| {
            let mut cells = cells(row, case.fields);
            let old = std::mem::take(&mut cells[column]);
            cells[column] = match (case.changed, old.as_str()) {
                ("endPlanned" | "promiseDate", "") => "2030-01-02T23:59:00".to_owned(),
                (_, "") => "7".to_owned(),
                (field, old) => other_value(field, old),
            };
            cells
        };
        let (empty, full): (Vec<&Value>, Vec<&Value>) =
            stored.iter().partition(|row| format_as_typed(&row[case.changed]).is_empty());
        let rows: Vec<_> = empty.into_iter().take(3).chain(full.into_iter().take(3)).map(change).collect();
        let import = fixture.open(case.operation, case.fields, &rows);
        let view = fixture.preview(import).await;
        let promised = view.steps[0].undoable_changes;
        let sent = fixture.send_import(import, Some(PreviewChoice::default())).await;
        let undo = fixture.engine.submissions().preview_undo(sent).await.unwrap();
        assert_eq!((promised, undo.rows), (undo.restored, view.counts.changed), "{}", case.operation);
        if case.changed == PROMISE.changed {
            assert_eq!((undo.restored, undo.unknown), (3, 3), "{undo:?}");
        }
    }
}

#[tokio::test]
async fn properties_are_parts_of_their_order() {
    let fixture = Fixture::new(Size::Small).await;
    let orders = fixture.list("work-orders.list").await;
    let one = orders.iter().find(|row| row["properties"].as_array().is_some_and(|list| !list.is_empty())).unwrap();
    let property = &one["properties"][0];
    let key = [format_as_typed(&one["code"]), format_as_typed(&one["operationCode"])];
    let fields = ["workOrderCode", "operationCode", "key", "value"];
    let row = |name: &str, value: &str| vec![key[0].clone(), key[1].clone(), name.to_owned(), value.to_owned()];
    let name = format_as_typed(&property["key"]);
    for (value, kind) in
        [(format_as_typed(&property["value"]), PreviewKind::Same), ("other".to_owned(), PreviewKind::Changed)]
    {
        let import = fixture.open("work-orders.properties", &fields, &[row(&name, &value), row("NEVER", "1")]);
        let view = fixture.preview(import).await;
        let found = fixture.rows(import, Some(kind));
        let locked = property["isLocked"] == json!(true) && kind == PreviewKind::Changed;
        assert!(locked || found.len() == 1, "{view:?}");
        assert_eq!(view.counts.new, 1, "{view:?}");
    }
}

#[tokio::test]
async fn locked_fields_are_conflicts_and_sent_only_by_choice() {
    let fixture = Fixture::new(Size::Small).await;
    let orders = fixture.list("work-orders.list").await;
    let order = &orders[0];
    let key = [format_as_typed(&order["code"]), format_as_typed(&order["operationCode"])];
    let fields = ["workOrderCode", "operationCode", "key", "value", "isLocked"];
    let row = |value: &str, locked: &str| {
        vec![key[0].clone(), key[1].clone(), "SEAL".to_owned(), value.to_owned(), locked.to_owned()]
    };
    let import = fixture.open("work-orders.properties", &fields, &[row("red", "true")]);
    let send = async |import: ImportId, choice: PreviewChoice| {
        let mut steps = fixture.engine.imports().prepare_items(import).unwrap();
        fixture.engine.previews().mark_items(import, SITE, &mut steps, choice)?;
        let request = SubmissionRequest { site: SITE.to_owned(), steps, ..SubmissionRequest::default() };
        let id = fixture.engine.submissions().submit(request).await?.id.first();
        fixture.engine.submissions().wait(id).await?;
        fixture.engine.submissions().view(id)
    };
    fixture.preview(import).await;
    assert_eq!(send(import, PreviewChoice::default()).await.unwrap().counts.accepted, 1);

    let import = fixture.open("work-orders.properties", &fields[..4], &[row("blue", "")[..4].to_vec()]);
    let view = fixture.preview(import).await;
    assert_eq!((view.counts.conflict, view.counts.changed), (1, 0), "{view:?}");
    let conflict = &fixture.rows(import, Some(PreviewKind::Conflict))[0];
    assert_eq!(
        (format_as_typed(&conflict.fields[0].old), format_as_typed(&conflict.fields[0].new)),
        ("red".to_owned(), "blue".to_owned())
    );
    let refused = send(import, PreviewChoice::default()).await.unwrap_err();
    assert_eq!(refused.parameters["obstacle"], "rows-in-conflict");
    assert!(refused.message.contains('1'), "{}", refused.message);
    let leave = PreviewChoice { conflicts: ConflictChoice::Skip, ..PreviewChoice::default() };
    let left = send(import, leave).await.unwrap();
    assert_eq!((left.counts.skipped, left.requests), (1, 0));
    let reasons =
        &fixture.engine.submissions().result_rows(left.id, Some(RowResult::Skipped), 0, 9).unwrap().rows[0].reasons;
    assert!(reasons[0].contains("locked"), "{reasons:?}");
    let go = PreviewChoice { conflicts: ConflictChoice::Send, ..PreviewChoice::default() };
    assert_eq!(send(import, go).await.unwrap().counts.rejected, 1, "the service refuses it");
    // Unlocking the property is no conflict.
    let import = fixture.open("work-orders.properties", &fields, &[row("blue", "false")]);
    assert_eq!(fixture.preview(import).await.counts.changed, 1);
}

#[tokio::test]
async fn unchanged_items_are_skipped_and_previous_values_are_stored() {
    let fixture = Fixture::new(Size::Small).await;
    let stored = fixture.list("materials.list").await;
    let fields = ["code", "description"];
    let mut rows: Vec<Vec<String>> = stored[..3].iter().map(|row| cells(row, &fields)).collect();
    rows[1][1] = "Another".to_owned();
    rows.push(vec!["BRAND-NEW".to_owned(), "New".to_owned()]);
    let import = fixture.open("materials.sync", &fields, &rows);
    fixture.preview(import).await;
    let mut steps = fixture.engine.imports().prepare_items(import).unwrap();
    fixture.engine.previews().mark_items(import, SITE, &mut steps, PreviewChoice::default()).unwrap();
    let compared: Vec<_> = steps[0].set.items.iter().map(|item| item.comparison.clone().unwrap()).collect();
    let comparisons: Vec<(Change, bool)> = compared.iter().map(|compared| (compared.change, compared.skip)).collect();
    assert_eq!(
        comparisons,
        [(Change::Same, true), (Change::Changed, false), (Change::Same, true), (Change::New, false)]
    );
    assert_eq!(
        compared[1].before,
        Some(json!({ "code": stored[1]["code"], "description": stored[1]["description"] })),
        "what an undo restores"
    );
    assert_eq!(compared[3].before, None);
    let all = PreviewChoice { send_same: true, ..PreviewChoice::default() };
    fixture.engine.previews().mark_items(import, SITE, &mut steps, all).unwrap();
    assert!(steps[0].set.items.iter().all(|item| !item.comparison.as_ref().unwrap().skip));
}

#[tokio::test]
async fn rows_are_found_by_the_text_of_any_cell_even_if_they_change_nothing() {
    let fixture = Fixture::new(Size::Small).await;
    let stored = fixture.list("materials.list").await;
    let fields = ["code", "description"];
    let mut rows: Vec<Vec<String>> = stored[..2].iter().map(|row| cells(row, &fields)).collect();
    rows[1][1] = "Quartz lamp".to_owned();
    rows.push(vec!["BRAND-NEW".to_owned(), "Lamp".to_owned()]);
    let import = fixture.open("materials.sync", &fields, &rows);
    fixture.preview(import).await;
    let found = |kind, text: &str| {
        let rows = fixture.filtered_rows(import, kind, text);
        rows.iter().map(|row| (row.row.get(), row.kind)).collect::<Vec<_>>()
    };
    assert_eq!(found(None, ""), [(3, PreviewKind::Changed), (4, PreviewKind::New)]);
    assert_eq!(found(None, " LAMP "), [(3, PreviewKind::Changed), (4, PreviewKind::New)], "in any case");
    assert_eq!(found(Some(PreviewKind::New), "lamp"), [(4, PreviewKind::New)]);
    assert_eq!(found(None, &rows[0][0]), [(2, PreviewKind::Same)], "a search also finds unchanged rows");
    assert_eq!(found(None, "nowhere"), []);
    let all = PreviewFilter { unchanged: true, ..PreviewFilter::default() };
    let all = fixture.engine.previews().rows(import, 0, &all, 0, 9).unwrap();
    assert_eq!((all.total, all.rows[0].kind), (3, PreviewKind::Same));
}

#[tokio::test]
async fn a_preview_goes_stale_with_the_import() {
    let fixture = Fixture::new(Size::Small).await;
    let rows: Vec<Vec<String>> =
        fixture.list("materials.list").await[..3].iter().map(|row| cells(row, &["code", "description"])).collect();
    let import = fixture.open("materials.sync", &["code", "description"], &rows);
    assert!(!fixture.preview(import).await.stale);
    fixture.engine.imports().view(import).unwrap();
    assert!(!fixture.engine.previews().view(import).unwrap().stale, "looking changes nothing");
    let stopped = Canceller::new();
    stopped.cancel();
    let stopped = fixture.engine.previews().compare(SITE, import, &stopped, |_| {}).await.unwrap_err();
    assert_eq!(stopped.parameters["obstacle"], "reading-stopped");
    fixture.engine.imports().match_column(import, 1, None).unwrap();
    assert!(fixture.engine.previews().view(import).unwrap().stale);
    let mut steps = fixture.engine.imports().prepare_items(import).unwrap();
    let refused = fixture.engine.previews().mark_items(import, SITE, &mut steps, PreviewChoice::default()).unwrap_err();
    assert_eq!(refused.parameters["obstacle"], "preview-stale");
}

#[tokio::test]
async fn operations_without_a_list_are_reported() {
    let fixture = Fixture::new(Size::Small).await;
    let code = format_as_typed(&fixture.list("materials.list").await[0]["code"]);
    let import = fixture.open("stock.sync", &["materialCode", "quantity"], &[vec![code, "5".to_owned()]]);
    let before = fixture.plant.log().len();
    let view = fixture.preview(import).await;
    assert_eq!((view.steps[0].list.clone(), view.counts.unknown), (None, 1));
    assert_eq!(fixture.plant.log().len(), before, "nothing is asked");
    let contract = fixture.engine.sites().builtin_contract();
    let silent: Vec<&str> = contract
        .operations()
        .iter()
        .filter(|operation| matches!(operation.kind, OperationKind::Sync | OperationKind::Delete))
        .filter(|operation| operation.read_back.is_none())
        .map(|operation| operation.id.as_str())
        .collect();
    assert_eq!(silent, ["stock.sync"]);
}

#[tokio::test]
async fn a_preview_that_breaks_off_speaks_of_reading() {
    let fixture = Fixture::new(Size::Small).await;
    let import = fixture.open("materials.sync", &["code", "description"], &[vec!["M-1".into(), "One".into()]]);
    fixture.plant.plant().set_faults(vec![takt_plant::Fault::parse("truncate").unwrap()], 1);
    let broken = fixture.engine.previews().compare(SITE, import, &Canceller::new(), |_| {}).await.unwrap_err();
    assert_eq!(broken.code, takt_engine::Code::ReadBroken, "no row was sent: {broken:?}");
}
