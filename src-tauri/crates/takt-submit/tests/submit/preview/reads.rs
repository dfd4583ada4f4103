//! Reads as few pages as possible, with retries.

use std::time::Duration;

use takt_engine::preview::PreviewKind;
use takt_plant::{Fault, Size};

use super::stage::{Fixture, cells, typed};

const ORDER: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];

#[tokio::test]
async fn few_are_asked_for_by_code_and_many_page_by_page() {
    let fixture = Fixture::new(Size::Small).await;
    let material = typed(&fixture.list("materials.list").await[0]["code"]);
    let more = |number: u32| vec![format!("XY-{number:04}"), "010".to_owned(), material.clone(), "5".to_owned()];
    fixture.send("work-orders.sync", &ORDER, &(0..600).map(more).collect::<Vec<_>>()).await;
    let stored = fixture.list("work-orders.list").await;
    let pages = stored.len().div_ceil(100);
    assert!(pages > 6, "there are {} orders", stored.len());
    let mut codes: Vec<String> = stored.iter().map(|row| typed(&row["code"])).collect();
    codes.dedup();
    let of_first = |count: usize| -> Vec<Vec<String>> {
        let wanted = &codes[codes.len() - count..];
        let rows = stored.iter().filter(|row| wanted.contains(&typed(&row["code"])));
        rows.map(|row| cells(row, &ORDER)).collect()
    };
    // (Orders in the file, requests): by code without the list, by code after its first page, and the complete list.
    for (orders, expected) in [(1, 1), (2, 2), (4, 5), (codes.len(), pages)] {
        let before = fixture.requests("work-orders.list");
        let rows = of_first(orders);
        let import = fixture.open("work-orders.sync", &ORDER, &rows);
        let view = fixture.preview(import).await;
        assert_eq!(fixture.requests("work-orders.list") - before, expected, "{orders} orders");
        assert_eq!((view.steps[0].requests as usize, view.counts.same as usize), (expected, rows.len()));
    }
}

#[tokio::test]
async fn reading_ends_where_everything_was_found() {
    let fixture = Fixture::new(Size::Small).await;
    let stored = fixture.list("materials.list").await;
    assert!(stored.len() > 100, "{}", stored.len());
    let rows: Vec<Vec<String>> = stored[..20].iter().map(|row| cells(row, &["code", "description"])).collect();
    let before = fixture.requests("materials.list");
    let import = fixture.open("materials.sync", &["code", "description"], &rows);
    assert_eq!(fixture.preview(import).await.counts.same, 20);
    assert_eq!(fixture.requests("materials.list") - before, 1, "the first page has them all");
}

/// Inspections are listed by order, and may have moved to another order. Missing ones are searched in the whole list.
#[tokio::test]
async fn what_moved_to_another_order_is_found_nonetheless() {
    let fixture = Fixture::new(Size::Small).await;
    let fields = ["code", "workOrderCode", "operationCode", "processCode"];
    let stored = fixture.list("inspections.list").await;
    let mut row = cells(&stored[0], &fields);
    let other = stored.iter().find(|other| other["workOrderCode"] != stored[0]["workOrderCode"]).unwrap();
    row[1] = typed(&other["workOrderCode"]);
    let import = fixture.open("inspections.sync", &fields, &[row]);
    let view = fixture.preview(import).await;
    assert_eq!((view.counts.changed, view.counts.new), (1, 0), "{view:?}");
    let changed = fixture.rows(import, Some(PreviewKind::Changed));
    assert_eq!(changed[0].fields[0].field, "workOrderCode");
}

#[tokio::test]
async fn a_limit_is_waited_for() {
    let fixture = Fixture::new(Size::Small).await;
    let rows: Vec<Vec<String>> =
        fixture.list("materials.list").await[..3].iter().map(|row| cells(row, &["code", "description"])).collect();
    let import = fixture.open("materials.sync", &["code", "description"], &rows);
    fixture.plant.plant().set_faults(vec![Fault::parse("limit-429-s:1").unwrap()], 1);
    let plant = std::sync::Arc::clone(fixture.plant.plant());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        plant.set_faults(Vec::new(), 1);
    });
    assert_eq!(fixture.preview(import).await.counts.same, 3);
}
