//! A spreadsheet of orders is dropped and its columns are matched. Invalid rows are skipped, and each row has a result.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, SecondPlant, TestApp, repository, results_folder, sample_path};

use super::{ORDERS, check_agreement, drop_rows, orders, with_document};

const SAMPLE: &str = "work-orders.sync.xlsx";

#[tokio::test]
async fn a_spreadsheet_is_dropped_checked_and_sent() {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    app.click("nav-import").await;
    app.drop_file(&sample_path(SAMPLE)).await;
    app.click("step-columns").await;
    app.wait_for_element("match-A").await;
    let missing = "return document.querySelectorAll('[data-testid^=\"missing-\"]').length";
    assert_eq!(app.window.script(missing, vec![]).await, json!(0), "every required field found its column");
    app.click("step-check").await;
    app.wait_for_comparison("known").await;
    app.window.screenshot(&results_folder("window").join("second-plant-check.png")).await;
    app.click("step-send").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    let rows = "return document.querySelector('[data-testid=\"grid-results\"]')?.textContent.includes('WO-')";
    app.window.wait_until("rows", CHANGE_TIMEOUT, rows).await;
    app.window.screenshot(&results_folder("window").join("second-plant-import.png")).await;
    let left =
        "return innerHeight - document.querySelector('[data-testid=\"grid-results\"]').getBoundingClientRect().bottom";
    assert_eq!(app.window.script(left, vec![]).await.as_f64(), Some(0.0), "the rows reach the window's end");
    let counts = check_agreement(&app, &plant, ORDERS, 1).await;
    let sample = expected_results();
    assert_eq!(counts.values().sum::<u64>(), sample["rows"].as_u64().unwrap(), "no row is lost: {counts:?}");
    // The document has fewer constraints than the service, so the service must reject the remaining errors.
    assert_eq!(not_accepted(&app).await, wrong_rows(&sample));
    app.window.close().await;
}

#[tokio::test]
async fn rejected_rows_say_the_sites_reason_and_are_sent_again() {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    drop_rows(&app, "orders.xls", &orders(12)).await;
    app.click("step-send").await;
    plant.set_faults(&["reject-item:1"]).await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    plant.set_faults(&[]).await;
    let counts = check_agreement(&app, &plant, ORDERS, 1).await;
    let rejected = counts["rejected"];
    assert_eq!(counts["accepted"] + rejected, 12, "some of each: {counts:?}");
    let reason = "return [...document.querySelectorAll('[data-testid=\"grid-results\"] .ag-row [col-id=\"reasons\"]')]
        .map((cell) => cell.textContent).find((text) => text !== '') || null";
    app.window.wait_until("the site's reason", CHANGE_TIMEOUT, reason).await;
    app.click("fix-rejected").await;
    assert_eq!(app.wait_for_number("counts-rejected").await, rejected);
    app.click("step-send").await;
    app.click("send").await;
    let done =
        format!("return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '{rejected}'");
    app.window.wait_until("the rows that were rejected", CHANGE_TIMEOUT, &done).await;
    let applied = plant.applied(ORDERS).await;
    assert!(applied.len() == 12 && applied.values().all(|item| item.accepted == 1), "{applied:?}");
    app.window.close().await;
}

/// Returns the expected results for the sample of work orders, as listed in `samples.json`.
fn expected_results() -> Value {
    let list = std::fs::read_to_string(repository().join("tests/data/samples/samples.json")).unwrap();
    let mut list: Value = serde_json::from_str(&list).unwrap();
    let samples = list["samples"].as_array_mut().unwrap();
    samples.iter_mut().find(|sample| sample["file"] == SAMPLE).unwrap().take()
}

fn wrong_rows(sample: &Value) -> BTreeSet<u64> {
    let wrong = sample["wrong"].as_array().unwrap().iter().flat_map(|wrong| wrong["rows"].as_array().unwrap());
    wrong.map(|row| row.as_u64().unwrap()).collect()
}

async fn not_accepted(app: &TestApp) -> BTreeSet<u64> {
    let asked = json!({ "id": 1, "result": null, "offset": 0, "limit": 1000 });
    let page = app.invoke("submission_rows", asked).await;
    let rows = page["rows"].as_array().unwrap().iter().filter(|row| row["result"] != "accepted");
    rows.map(|row| row["row"].as_u64().unwrap()).collect()
}
