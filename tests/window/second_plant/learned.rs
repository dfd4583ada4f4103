//! The main job without a document. The user sets the paths and the batch response, and responses determine the rest.
//! Rows are dropped, sent in a trial run, and undone.

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, SecondPlant, TestApp, results_folder};

use super::{ORDERS, SITE, check_agreement, drop_rows, preview_and_send, row_in_plant};
use crate::{
    contract::{choose_option, replace_text, wait_for_words},
    own_site::signed_in,
};

/// The read operations of the main job, with their paths at the site.
const READS: [(&str, &str); 3] = [
    ("materials.list", "/mes/v2/articles"),
    ("work-orders.list", "/mes/v2/production-orders"),
    ("work-stations.list", "/mes/v2/work-centers"),
];
const HEADS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];

#[tokio::test]
#[ignore = "long: another interface"]
async fn rows_are_sent_and_taken_back_by_what_was_learned() {
    let plant = SecondPlant::start_without_document(&[]);
    let app = signed_in(takt_tests::Engine::Chromium, SITE, &plant, plant.member("base_url")).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    for (version, (operation, path)) in (1..).zip(READS) {
        edit(&app, operation).await;
        replace_text(&app, "edit-path", path).await;
        save(&app, version).await;
    }
    set_batch(&app).await;
    app.click("contract-learn").await;
    app.wait_for_element("contract-learned").await;
    app.window.screenshot(&results_folder("window").join("second-plant-learned.png")).await;
    app.click("contract-take").await;
    wait_for_words(&app, "contract-current", "learned from the service's answers").await;
    let log = plant.log().await;
    assert!(log.iter().all(|entry| entry["applied"].as_array().is_none_or(Vec::is_empty)), "nothing is written");

    // One row proves the format of the batch response before the other is sent.
    drop_rows(
        &app,
        "first.xls",
        &[HEADS, ["WO-900001", "010", "MAT-1001", "4"], ["WO-900002", "010", "MAT-1001", "5"]],
    )
    .await;
    app.click("step-send").await;
    app.wait_for_element("send-untried").await;
    app.window.screenshot(&results_folder("window").join("second-plant-untried.png")).await;
    app.click("send-trial").await;
    app.wait_for_element("tried").await;
    assert_eq!(plant.applied(ORDERS).await.len(), 1, "one row is tried");
    app.click("resume").await;
    let both = "return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '2'";
    app.window.wait_until("both rows", CHANGE_TIMEOUT, both).await;
    app.wait_for_submission_end().await;
    check_agreement(&app, &plant, ORDERS, 1).await;
    app.click("new-import").await;

    let rows = [HEADS, ["WO-900001", "010", "MAT-1001", "7"], ["WO-900003", "010", "MAT-1001", "8"]];
    drop_rows(&app, "second.xls", &rows).await;
    preview_and_send(&app).await;
    assert_eq!(app.wait_for_number("result-accepted").await, 2);
    assert_eq!(row_in_plant(&plant, "work-orders", "WO-900001").await["requestedQuantity"], 7);
    app.click("undo").await;
    app.click("undo-confirm").await;
    let undone = "return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '1'";
    app.window.wait_until("the row that was put back", CHANGE_TIMEOUT, undone).await;
    app.wait_for_submission_end().await;
    assert_eq!(row_in_plant(&plant, "work-orders", "WO-900001").await["requestedQuantity"], 4);
    assert_eq!(
        row_in_plant(&plant, "work-orders", "WO-900003").await["requestedQuantity"],
        8,
        "what was created stays"
    );
    let view = app.invoke("submission_get", json!({ "id": 3 })).await;
    assert_eq!((&view["follows"], &view["relation"]), (&json!(2), &json!("undo")));
    app.window.close().await;
}

/// Sets the path for orders and the format of its response: only failed rows, each with its index and reasons.
async fn set_batch(app: &TestApp) {
    edit(app, ORDERS).await;
    choose_option(app, "edit-method", "PUT").await;
    replace_text(app, "edit-path", "/mes/v2/production-orders").await;
    app.click("edit-only-failures").await;
    let members = [
        ("list", "Failures"),
        ("reasons", "Messages"),
        ("index", "Index"),
        ("all", "Total"),
        ("accepted", "Succeeded"),
        ("rejected", "Failed"),
    ];
    for (member, name) in members {
        replace_text(app, &format!("edit-results-{member}"), name).await;
    }
    app.window.screenshot(&results_folder("window").join("second-plant-batch.png")).await;
    save(app, 4).await;
}

async fn edit(app: &TestApp, operation: &str) {
    app.click(&format!("contract-edit-{operation}")).await;
    app.wait_for_element("contract-edit").await;
}

async fn save(app: &TestApp, version: u32) {
    app.click("edit-save").await;
    wait_for_words(app, "contract-current", &format!("Version {version}, edited by")).await;
}
