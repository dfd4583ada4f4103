//! Undo restores values that a submission changed, leaves later changes alone, and lists rows that can't be undone.

use std::path::Path;

use serde_json::{Value, json};
use takt_engine::item::ExcelRow;
use takt_engine::{
    item::{Change, Item, ItemComparison, RowResult},
    submission::{ClaimChoice, Relation, SubmissionState},
};

use super::result_workbook::links;
use super::support::{counts, engine_fixture, item, plant, request, request_count, rows, send};

fn material_with_description(row: u32, description: &str) -> Item {
    let code = format!("T-{row}");
    item(row, &code, json!({ "code": code, "description": description, "family": "Bolts" }))
}

/// Adds the comparison that a preview would have made.
fn with_comparison(before: Value, item: Item) -> Item {
    let change = if before.is_null() { Change::New } else { Change::Changed };
    let before = Some(before).filter(|before| !before.is_null());
    Item { comparison: Some(Box::new(ItemComparison { change, before, neighbors: Vec::new(), skip: false })), ..item }
}

fn service_row(row: u32, description: &str, family: Option<&str>) -> Value {
    json!({ "code": format!("T-{row}"), "description": description, "family": family, "uoM": null, "type": null })
}

#[tokio::test]
async fn changed_rows_are_put_back_and_others_left_alone() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    // Materials 1 and 2 have no family, 3 already has the sent family, and 4 doesn't exist.
    let plain = |row: u32| item(row, &format!("T-{row}"), json!({ "code": format!("T-{row}"), "description": "Bolt" }));
    let was = vec![plain(1), plain(2), material_with_description(3, "Screw")];
    send(engine, request("materials.sync", was, 10)).await;
    let items = vec![
        with_comparison(service_row(1, "Bolt", None), material_with_description(1, "Nut")),
        with_comparison(service_row(2, "Bolt", None), material_with_description(2, "Nut")),
        with_comparison(service_row(3, "Screw", Some("Bolts")), material_with_description(3, "Screw")),
        with_comparison(Value::Null, material_with_description(4, "Nut")),
        material_with_description(5, "Nut"),
    ];
    let ours = send(engine, request("materials.sync", items, 10)).await;
    assert_eq!(ours.counts, counts(0, 5, 0, 0));
    // Another user changes one of them afterwards.
    send(engine, request("materials.sync", vec![material_with_description(2, "Washer")], 10)).await;

    assert_eq!(engine.submissions().undoable_rows(ours.id).unwrap(), 3, "rows with earlier values");

    let before = request_count(&plant.log(), "materials.sync");
    let plan = engine.submissions().preview_undo(ours.id).await.unwrap();
    assert_eq!((plan.rows, plan.restored, plan.same, plan.changed_since), (5, 1, 1, 1));
    assert_eq!((plan.created, plan.deleted, plan.unknown), (1, 0, 1));
    let reason_text = plan.unrestored_rows.iter().find(|row| row.row == ExcelRow::new(2)).unwrap().reasons.join(" ");
    assert!(["description", "Washer", "Nut"].iter().all(|word| reason_text.contains(word)), "{reason_text}");
    assert_eq!(request_count(&plant.log(), "materials.sync"), before, "looking sends nothing");

    let undone = engine.submissions().undo(ours.id, None, ClaimChoice::Refuse).await.unwrap().id.first();
    let view = super::support::wait_for_end(engine, undone).await;
    assert_eq!((view.state, view.counts.accepted, view.counts.skipped), (SubmissionState::Finished, 1, 4));
    assert_eq!((view.follows, view.relation), (Some(ours.id), Some(Relation::Undo)));
    assert!(
        rows(engine, undone, Some(RowResult::Skipped)).iter().all(|row| !row.reasons[0].starts_with("unconfirmed."))
    );

    // The service's state: the first row is restored completely, the others are unchanged.
    let again = engine.submissions().preview_undo(ours.id).await.unwrap();
    assert_eq!((again.restored, again.same, again.changed_since), (0, 2, 1));
    assert_eq!(
        engine.submissions().undo(ours.id, None, ClaimChoice::Refuse).await.unwrap_err().parameters["obstacle"],
        "nothing-to-undo"
    );
    let sent =
        plant.log().into_iter().rev().find(|entry| entry.operation.as_deref() == Some("materials.sync")).unwrap();
    assert_eq!(sent.applied.len(), 1, "only what is put back was sent: {sent:?}");

    assert_eq!(engine.submissions().undoable_rows(ours.id).unwrap(), 2, "one is restored");

    // An undo can be undone.
    let back = engine.submissions().preview_undo(undone).await.unwrap();
    assert_eq!((back.rows, back.restored), (1, 1));
    let redone = engine.submissions().undo(undone, None, ClaimChoice::Refuse).await.unwrap().id.first();
    super::support::wait_for_end(engine, redone).await;
    assert_eq!(engine.submissions().undoable_rows(ours.id).unwrap(), 3, "it can be restored again");
    assert_eq!(engine.submissions().view(ours.id).unwrap().counts, counts(0, 5, 0, 0), "the old results stay");
}

#[tokio::test]
async fn deleted_links_and_stock_are_said_not_to_come_back() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let links = links(&plant, 2).await;
    let items = links.iter().zip(1..).map(|(link, row)| item(row, &row.to_string(), link.clone())).collect();
    let deleted = send(&fixture.engine, request("template-processes.delete", items, 10)).await;
    let plan = fixture.engine.submissions().preview_undo(deleted.id).await.unwrap();
    assert_eq!((plan.rows, plan.deleted, plan.restored), (2, 2, 0));
    assert!(plan.unrestored_rows[0].reasons[0].contains("no operation that restores it"), "{plan:?}");
    let workbook = plan.workbook.unwrap();
    assert!(Path::new(&workbook).is_file(), "{workbook}");
    let refused = fixture.engine.submissions().undo(deleted.id, None, ClaimChoice::Refuse).await.unwrap_err();
    assert_eq!(refused.parameters["obstacle"], "no-restore-operation");
    assert_eq!(refused.message, "The service has no operation that restores deleted links.");
    assert!(refused.hint.ends_with(&workbook), "{refused:?}");
    // A missing workbook is written again.
    std::fs::remove_file(&workbook).unwrap();
    let again = fixture.engine.submissions().deleted_workbook(deleted.id).await.unwrap().unwrap();
    assert!(again.path == workbook && Path::new(&workbook).is_file(), "{again:?}");

    let stock = item(1, "MAT-1001", json!({ "materialCode": "MAT-1001", "quantity": 5, "serialNumber": "S-1" }));
    let stocked = send(&fixture.engine, request("stock.sync", vec![stock], 10)).await;
    let plan = fixture.engine.submissions().preview_undo(stocked.id).await.unwrap();
    assert_eq!((plan.rows, plan.unknown), (1, 1));
    assert!(plan.unrestored_rows[0].reasons[0].contains("isn't known"), "{plan:?}");
}
