//! The main job in the window at a site with its own interface, with and without its document. Results are compared
//! with the log of the practice plant behind it.

mod cleanup;
mod events;
mod import;
mod learned;
mod unconfirmed;
mod undo;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, SecondPlant, TestApp, results_folder, workbook};

use crate::{import_site::change_first_orders, own_site};

pub(crate) const SITE: &str = "works";
pub(crate) const DATES: &str = "work-orders.planning-dates";
const ORDERS: &str = "work-orders.sync";

#[tokio::test]
#[ignore = "long: another interface"]
async fn rows_of_a_list_are_changed_and_sent_back() {
    let plant = SecondPlant::start(&["--fault", "reject-item:1"]);
    let app = with_document(&plant).await;
    let taken =
        "return document.querySelector('[data-testid=\"contract-current\"]')?.textContent.includes('/swagger/')";
    app.window.wait_until("the address of the document", CHANGE_TIMEOUT, taken).await;
    change_three_orders(&app).await;
    app.click("step-preview").await;
    app.wait_for_element("preview").await;
    // The rows have no changes, so the user must choose to send them.
    app.click("send-same").await;
    app.click("step-send").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    app.window.screenshot(&results_folder("window").join("second-plant-results.png")).await;
    assert_eq!([app.wait_for_number("result-accepted").await, app.wait_for_number("result-rejected").await], [2, 1]);
    check_agreement(&app, &plant, DATES, 1).await;
    app.window.close().await;
}

/// Opens a window that is signed in to the plant and has adopted its document.
pub(crate) async fn with_document(plant: &SecondPlant) -> TestApp {
    let app = own_site::signed_in(takt_tests::Engine::Chromium, SITE, plant, plant.member("base_url")).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    app.click("contract-fetch").await;
    app.wait_for_element("contract-preview").await;
    app.window.screenshot(&results_folder("window").join("contract-fetched.png")).await;
    app.click("contract-take").await;
    app.wait_until_gone("contract-preview").await;
    app
}

pub(crate) async fn change_three_orders(app: &TestApp) {
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    change_first_orders(app).await;
}

/// Returns a spreadsheet's rows: a header row and this many orders.
pub(crate) fn orders(count: usize) -> Vec<[String; 4]> {
    let heads = ["code", "operationCode", "materialCode", "requestedQuantity"].map(str::to_owned);
    let row = |number| [format!("WO-{}", 900_000 + number), "010".to_owned(), "MAT-1001".to_owned(), "4".to_owned()];
    [heads].into_iter().chain((1..=count).map(row)).collect()
}

/// Drops a spreadsheet on the import page and checks that its rows have no findings.
async fn drop_rows<const N: usize>(app: &TestApp, name: &str, rows: &[[impl AsRef<str>; N]]) {
    drop_sheet(app, name, rows).await;
    assert_eq!(app.wait_for_number("counts-ready").await, rows.len() as u64 - 1, "{name}");
}

/// Drops a spreadsheet on the import page and opens its rows.
pub(crate) async fn drop_sheet<const N: usize>(app: &TestApp, name: &str, rows: &[[impl AsRef<str>; N]]) {
    let cells: Vec<[&str; N]> = rows.iter().map(|row| row.each_ref().map(AsRef::as_ref)).collect();
    let cells: Vec<&[&str]> = cells.iter().map(<[&str; N]>::as_slice).collect();
    let file = app.takt.write(name, workbook(&[("Sheet1", &cells)]));
    app.click("nav-import").await;
    app.drop_file(&file).await;
    app.click("step-check").await;
}

/// Sends the ready rows, after the preview.
async fn preview_and_send(app: &TestApp) {
    app.click("step-preview").await;
    app.wait_for_element("preview").await;
    app.click("step-send").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
}

/// Compares every row's result with the plant's log, and the totals on the screen with the rows. Returns the totals by
/// result.
async fn check_agreement(
    app: &TestApp,
    plant: &SecondPlant,
    operation: &str,
    submission: u32,
) -> BTreeMap<String, u64> {
    let asked = json!({ "id": submission, "result": null, "offset": 0, "limit": 1000 });
    let page = app.invoke("submission_rows", asked).await;
    let applied = plant.applied(operation).await;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for row in page["rows"].as_array().unwrap() {
        let (key, result) = (row["key"].as_str().unwrap(), row["result"].as_str().unwrap());
        *counts.entry(result.to_owned()).or_default() += 1;
        let done = applied.get(key).map_or((0, 0), |item| (item.accepted, item.refused));
        let fits = match result {
            "accepted" => done.0 == 1,
            "rejected" => done.0 == 0 && done.1 > 0,
            "skipped" => done == (0, 0),
            _ => false,
        };
        assert!(fits, "{row} was applied {done:?}");
    }
    for (result, count) in &counts {
        assert_eq!(app.wait_for_number(&format!("result-{result}")).await, *count, "{result} on screen");
    }
    counts
}

/// Returns the plant's row with this code. Panics if there is none.
async fn row_in_plant(plant: &SecondPlant, resource: &str, code: &str) -> Value {
    let rows = plant.state(resource).await;
    rows.into_iter().find(|row| row["code"] == code).unwrap_or_else(|| panic!("{code} isn't there"))
}
