//! Tests the totals of rows that can't be read back, and that only few of them are unconfirmed.

use serde_json::json;
use takt_engine::{
    item::Item,
    submission::{ClaimChoice, Decision, SendOptions, SubmissionRequest, UnconfirmedTotal},
};

use super::support::{counts, engine_fixture, item, parse_faults, plant, request, request_count, send};

fn stock_item(row: u32, warehouse: &str, quantity: f64) -> Item {
    let serial = format!("S-{row}");
    let body =
        json!({ "materialCode": "MAT-1001", "warehouse": warehouse, "quantity": quantity, "serialNumber": serial });
    item(row, &format!("MAT-1001 · {warehouse} · {serial}"), body)
}

fn stock_request(items: Vec<Item>) -> SubmissionRequest {
    SubmissionRequest { options: SendOptions::default(), ..request("stock.sync", items, 1) }
}

fn total(warehouse: &str, rows: u32, if_not: f64, if_arrived: f64, unknown_before: u32) -> UnconfirmedTotal {
    UnconfirmedTotal {
        by: vec!["MAT-1001".to_owned(), warehouse.to_owned(), String::new()],
        rows,
        if_not,
        if_arrived,
        unknown_before,
    }
}

#[tokio::test]
async fn few_rows_are_unconfirmed_at_a_time() {
    let plant = plant(&["apply-then-drop:1"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, stock_request((1..=500).map(|row| stock_item(row, "W1", 1.0)).collect())).await;
    // Five consecutive failures stop the submission, so at most the rows of five requests are unconfirmed.
    assert_eq!(view.counts, counts(450, 0, 0, 50));
    assert_eq!(request_count(&plant.log(), "stock.sync"), 5);
}

#[tokio::test]
async fn sums_are_told_with_and_without_the_rows_unconfirmed() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    // If the new rows didn't arrive, the earlier ones are still there.
    send(engine, stock_request(vec![stock_item(1, "W1", 5.0), stock_item(2, "W1", 7.0)])).await;
    plant.plant().set_faults(parse_faults(&["apply-then-drop"]), 1);
    let items =
        vec![stock_item(1, "W1", 6.1), stock_item(2, "W1", 7.2), stock_item(3, "W1", 1.0), stock_item(4, "W2", 3.0)];
    let view = send(engine, stock_request(items)).await;
    assert_eq!(view.counts, counts(0, 0, 0, 4));
    let found = engine.submissions().unconfirmed_totals(view.id).await.unwrap().unwrap();
    assert_eq!((found.of.as_str(), found.by.len(), found.more), ("quantity", 3, 0));
    assert_eq!(found.totals, [total("W1", 3, 12.0, 14.3, 1), total("W2", 1, 0.0, 3.0, 1)]);

    // One decision for all of them, after which no totals remain.
    let view = engine.submissions().decide(view.id, &[], Decision::Arrived, None, ClaimChoice::Refuse).await.unwrap();
    assert_eq!(view.counts, counts(0, 4, 0, 0));
    assert_eq!(engine.submissions().unconfirmed_totals(view.id).await.unwrap(), None);
}
