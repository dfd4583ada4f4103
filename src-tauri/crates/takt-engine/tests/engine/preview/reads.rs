//! No more is read than it takes, and patiently.

use std::time::Duration;

use takt_engine::preview::PreviewKind;
use takt_plant::{Fault, Size};

use super::stage::{Stage, cells, typed};

const ORDER: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];

#[tokio::test]
async fn few_are_asked_for_by_code_and_many_page_by_page() {
    let stage = Stage::new(Size::Small).await;
    let material = typed(&stage.list("materials.list").await[0]["code"]);
    let more = |number: u32| vec![format!("XY-{number:04}"), "010".to_owned(), material.clone(), "5".to_owned()];
    stage.send("work-orders.sync", &ORDER, &(0..600).map(more).collect::<Vec<_>>()).await;
    let held = stage.list("work-orders.list").await;
    let pages = held.len().div_ceil(100);
    assert!(pages > 6, "there are {} orders", held.len());
    let mut codes: Vec<String> = held.iter().map(|row| typed(&row["code"])).collect();
    codes.dedup();
    let of_first = |count: usize| -> Vec<Vec<String>> {
        let wanted = &codes[codes.len() - count..];
        let rows = held.iter().filter(|row| wanted.contains(&typed(&row["code"])));
        rows.map(|row| cells(row, &ORDER)).collect()
    };
    // (orders in the file, requests): by code without a look at the list, by code after it, and the list as a whole.
    for (orders, expected) in [(1, 1), (2, 2), (4, 5), (codes.len(), pages)] {
        let before = stage.requests("work-orders.list");
        let rows = of_first(orders);
        let import = stage.open("work-orders.sync", &ORDER, &rows);
        let view = stage.preview(import).await;
        assert_eq!(stage.requests("work-orders.list") - before, expected, "{orders} orders");
        assert_eq!((view.steps[0].requests as usize, view.counts.same as usize), (expected, rows.len()));
    }
}

#[tokio::test]
async fn reading_ends_where_everything_was_found() {
    let stage = Stage::new(Size::Small).await;
    let held = stage.list("materials.list").await;
    assert!(held.len() > 100, "{}", held.len());
    let rows: Vec<Vec<String>> = held[..20].iter().map(|row| cells(row, &["code", "description"])).collect();
    let before = stage.requests("materials.list");
    let import = stage.open("materials.sync", &["code", "description"], &rows);
    assert_eq!(stage.preview(import).await.counts.same, 20);
    assert_eq!(stage.requests("materials.list") - before, 1, "the first page has them all");
}

/// Inspections are listed by order, and one may belong to another order now: what isn't found there is looked for everywhere.
#[tokio::test]
async fn what_moved_to_another_order_is_found_nonetheless() {
    let stage = Stage::new(Size::Small).await;
    let fields = ["code", "workOrderCode", "operationCode", "processCode"];
    let held = stage.list("inspections.list").await;
    let mut row = cells(&held[0], &fields);
    let other = held.iter().find(|other| other["workOrderCode"] != held[0]["workOrderCode"]).unwrap();
    row[1] = typed(&other["workOrderCode"]);
    let import = stage.open("inspections.sync", &fields, &[row]);
    let view = stage.preview(import).await;
    assert_eq!((view.counts.changed, view.counts.new), (1, 0), "{view:?}");
    let changed = stage.rows(import, Some(PreviewKind::Changed));
    assert_eq!(changed[0].fields[0].field, "workOrderCode");
}

#[tokio::test]
async fn a_limit_is_waited_for() {
    let stage = Stage::new(Size::Small).await;
    let rows: Vec<Vec<String>> =
        stage.list("materials.list").await[..3].iter().map(|row| cells(row, &["code", "description"])).collect();
    let import = stage.open("materials.sync", &["code", "description"], &rows);
    stage.plant.plant().set_faults(vec![Fault::parse("limit-429-s:1").unwrap()], 1);
    let plant = std::sync::Arc::clone(stage.plant.plant());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        plant.set_faults(Vec::new(), 1);
    });
    assert_eq!(stage.preview(import).await.counts.same, 3);
}
