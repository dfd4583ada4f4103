//! A trial run, going on with the rest, mending what was rejected, and what an undo says before it does anything.

use serde_json::json;
use takt_tests::results;

use crate::desk::{Desk, SOON};

#[tokio::test]
async fn a_trial_run_goes_on_and_can_be_looked_at_for_an_undo() {
    let desk = Desk::open().await;
    desk.click("sample-materials.sync").await;
    desk.click("step-send").await;
    desk.sees("sign-in-panel").await;
    desk.sign_in().await;
    desk.click("step-preview").await;
    desk.sees("preview-new").await;
    desk.click("step-send").await;
    desk.click("leave-out").await;
    desk.window.screenshot(&results("window").join("send-trial.png")).await;
    desk.click("send-trial").await;
    desk.sees("tried").await;
    desk.window.screenshot(&results("window").join("tried.png")).await;
    assert_eq!(desk.plant_log("materials.sync", &["code"]).await.len(), 10, "so many were sent, and no more");

    desk.click("resume").await;
    desk.sees("grid-results").await;
    let done = "return document.querySelector('[data-testid=\"fate-pending\"]')?.textContent === '0'";
    desk.window.until("the rest", SOON, done).await;
    let view = desk.ask("submission_get", json!({ "id": 1 })).await;
    assert_eq!((&view["state"], &view["trial"]), (&json!("finished"), &json!(null)), "{view}");
    let log = desk.plant_log("materials.sync", &["code"]).await;
    assert_eq!(log.values().filter(|accepted| **accepted).count() as u64, view["counts"]["accepted"].as_u64().unwrap());

    desk.click("undo").await;
    desk.sees("undo-plan").await;
    desk.window.screenshot(&results("window").join("undo.png")).await;
    let sent = desk.plant_log("materials.sync", &["code"]).await.len();
    assert_eq!(sent, log.len(), "a look sends nothing");
    desk.window.close().await;
}
