//! A trial run, going on with the rest, mending what was rejected, and what an undo says before it does anything.

use std::collections::BTreeMap;

use serde_json::json;
use takt_tests::results;

use crate::desk::{Desk, SOON};
use crate::mend_all::open;

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

#[tokio::test]
async fn rejected_rows_are_mended_where_they_stand_and_sent_alone() {
    let desk = Desk::open().await;
    let csv: String = (1..=12).map(|number| format!("\nT-{number};Bolt;pcs")).collect();
    open(&desk, &format!("code;description;uoM{csv}")).await;
    desk.click("step-send").await;
    desk.sign_in().await;
    desk.tell_plant("faults", json!({ "faults": ["reject-item:1"] })).await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    let rejected = desk.number("fate-rejected").await;
    assert!((1..12).contains(&rejected), "{rejected}");
    desk.tell_plant("faults", json!({ "faults": [] })).await;
    desk.window.screenshot(&results("window").join("rejected.png")).await;

    desk.click("mend-rejected").await;
    assert_eq!(desk.number("counts-rejected").await, rejected, "the rejected rows alone");
    let told = "return document.querySelector('[data-testid=\"grid-check\"] .ag-row [col-id=\"rejected\"]')?.textContent || null";
    desk.window.until("the service's reason", SOON, told).await;
    desk.window.screenshot(&results("window").join("mend-rejected.png")).await;
    desk.click("step-send").await;
    desk.window.screenshot(&results("window").join("send-rejected.png")).await;
    desk.click("send").await;
    let all = format!("return document.querySelector('[data-testid=\"fate-accepted\"]')?.textContent === '{rejected}'");
    desk.window.until("the mended rows", SOON, &all).await;
    let second = desk.ask("submission_get", json!({ "id": 2 })).await;
    assert_eq!(
        (&second["total"], &second["follows"], &second["relation"]),
        (&json!(rejected), &json!(1), &json!("retry"))
    );
    assert_eq!(desk.ask("submission_get", json!({ "id": 1 })).await["counts"]["rejected"], json!(rejected));

    let log = desk.control("log").await;
    let mut accepted = BTreeMap::<String, u32>::new();
    for item in log.as_array().unwrap().iter().flat_map(|entry| entry["applied"].as_array().into_iter().flatten()) {
        if item["success"] == true {
            *accepted.entry(item["code"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    let ours = accepted.iter().filter(|(code, _)| code.starts_with("T-"));
    assert!(ours.clone().count() == 12 && ours.clone().all(|(_, times)| *times == 1), "{accepted:?}");
    desk.window.close().await;
}
