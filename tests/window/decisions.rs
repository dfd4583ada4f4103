//! A trial run and its continuation, corrections of rejected rows, and the preview of an undo.

use std::collections::BTreeMap;

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::fix_all::open_text;

#[tokio::test]
async fn a_trial_run_goes_on_and_can_be_looked_at_for_an_undo() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-materials.sync").await;
    app.click("step-send").await;
    app.wait_for_element("sign-in-panel").await;
    app.sign_in().await;
    app.click("step-preview").await;
    app.wait_for_element("preview-new").await;
    app.click("step-send").await;
    app.window.screenshot(&results_folder("window").join("send-trial.png")).await;
    app.click("send-trial").await;
    app.wait_for_element("tried").await;
    app.window.screenshot(&results_folder("window").join("tried.png")).await;
    assert_eq!(app.plant_log("materials.sync", &["code"]).await.len(), 10, "so many were sent, and no more");

    // In a small window, the paused submission must be displayed next to the site's name.
    app.window.resize(720, 450).await;
    app.click("nav-browse").await;
    let beside = "const [site, pill] = ['site-switch', 'background-submission'].map((id) => document.querySelector(`[data-testid=\"${id}\"]`)?.getBoundingClientRect());
        return pill ? site.right <= pill.left && pill.right <= innerWidth && site.width > 60 : null";
    assert_eq!(app.window.wait_until("both side by side", CHANGE_TIMEOUT, beside).await, json!(true));
    app.window.screenshot(&results_folder("window").join("small-bar.png")).await;
    app.window.resize(1440, 900).await;
    app.click("nav-import").await;

    app.click("resume").await;
    app.wait_for_submission_end().await;
    let done = "return document.querySelector('[data-testid=\"results\"]')?.dataset.state === 'finished'";
    app.window.wait_until("the rest", CHANGE_TIMEOUT, done).await;
    app.wait_until_gone("result-pending").await;
    let view = app.invoke("submission_get", json!({ "id": 1 })).await;
    assert_eq!((&view["state"], &view["trial"]), (&json!("finished"), &json!(null)), "{view}");
    let log = app.plant_log("materials.sync", &["code"]).await;
    assert_eq!(log.values().filter(|accepted| **accepted).count() as u64, view["counts"]["accepted"].as_u64().unwrap());

    let named = "return document.querySelector('[data-testid=\"undo\"]')?.textContent";
    let named = app.window.wait_until("an undo", CHANGE_TIMEOUT, named).await;
    assert!(named.as_str() == Some("Undo changes…"), "{named}");
    app.click("undo").await;
    app.wait_for_element("undo-plan").await;
    app.window.screenshot(&results_folder("window").join("undo.png")).await;
    let sent = app.plant_log("materials.sync", &["code"]).await.len();
    assert_eq!(sent, log.len(), "a look sends nothing");
    app.window.close().await;
}

#[tokio::test]
async fn rejected_rows_are_fixed_where_they_stand_and_sent_alone() {
    let app = TestApp::open(Engine::Chromium).await;
    let csv: String = (1..=12).map(|number| format!("\nT-{number};Bolt;pcs")).collect();
    open_text(&app, &format!("code;description;uoM{csv}")).await;
    app.click("step-send").await;
    app.sign_in().await;
    app.post_to_plant("faults", json!({ "faults": ["reject-item:1"] })).await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    let rejected = app.wait_for_number("result-rejected").await;
    assert!((1..12).contains(&rejected), "{rejected}");
    app.post_to_plant("faults", json!({ "faults": [] })).await;
    let said = format!("{} materials sent to Practice. {rejected} rejected.", 12 - rejected);
    let headline =
        format!("return document.querySelector('[data-testid=\"headline\"]')?.textContent.trim() === '{said}'");
    app.window.wait_until(&said, CHANGE_TIMEOUT, &headline).await;
    let filled = "return document.querySelector('[data-testid=\"fix-rejected\"]').dataset.variant";
    assert_eq!(app.window.script(filled, Vec::new()).await, json!("filled"), "the next thing to do stands out");
    app.window.screenshot(&results_folder("window").join("rejected.png")).await;

    app.click("fix-rejected").await;
    assert_eq!(app.wait_for_number("counts-rejected").await, rejected, "the rejected rows alone");
    let reason = "return document.querySelector('[data-testid=\"grid-check\"] .ag-row [col-id=\"rejected\"]')?.textContent || null";
    app.window.wait_until("the service's reason", CHANGE_TIMEOUT, reason).await;
    app.window.screenshot(&results_folder("window").join("fix-rejected.png")).await;
    app.click("step-send").await;
    app.window.screenshot(&results_folder("window").join("send-rejected.png")).await;
    app.click("send").await;
    let all =
        format!("return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '{rejected}'");
    app.window.wait_until("the fixed rows", CHANGE_TIMEOUT, &all).await;
    let second = app.invoke("submission_get", json!({ "id": 2 })).await;
    assert_eq!(
        (&second["total"], &second["follows"], &second["relation"]),
        (&json!(rejected), &json!(1), &json!("retry"))
    );
    assert_eq!(app.invoke("submission_get", json!({ "id": 1 })).await["counts"]["rejected"], json!(rejected));

    let log = app.control("log").await;
    let mut accepted = BTreeMap::<String, u32>::new();
    for item in log.as_array().unwrap().iter().flat_map(|entry| entry["applied"].as_array().into_iter().flatten()) {
        if item["success"] == true {
            *accepted.entry(item["code"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    let ours = accepted.iter().filter(|(code, _)| code.starts_with("T-"));
    assert!(ours.clone().count() == 12 && ours.clone().all(|(_, times)| *times == 1), "{accepted:?}");
    app.window.close().await;
}
