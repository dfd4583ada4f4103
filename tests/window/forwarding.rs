//! Forwarding events. A target is added and receives the plant's events. After a failure, it receives the missed ones.
//! An event is also sent again by the user.

use std::time::Duration;

use fantoccini::key::Key;
use takt_tests::{CHANGE_TIMEOUT, Engine, Erp, Reply, TestApp, results_folder};

use crate::{
    events::{contains_text_script, fire_event},
    looks::check_looks_in,
};

/// The time limit for forwarding, which includes the wait between retries.
const RETRY_TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_target_gets_what_happens_and_what_it_missed() {
    let (app, erp) = (TestApp::open(Engine::Chromium).await, Erp::start(|_| Reply::Status(200)));
    app.click("nav-integrations").await;
    app.click("forward-new").await;
    app.type_text("forward-name", "ERP").await;
    app.type_text("forward-address", erp.url()).await;
    app.click("forward-test").await;
    app.window
        .wait_until("the test event's answer", CHANGE_TIMEOUT, &contains_text_script("forward-tested", "200"))
        .await;
    app.window.screenshot(&results_folder("window").join("forwarding-form.png")).await;
    app.click("forward-save").await;
    app.window.wait_until("the target", CHANGE_TIMEOUT, &state_script("up-to-date")).await;
    fire_event(&app, 2).await;
    wait_for_forwarded(&erp, 1).await;
    erp.set_rule(|_| Reply::Status(503));
    fire_event(&app, 0).await;
    app.window.wait_until("that it is down", RETRY_TIMEOUT, &state_script("failing")).await;
    app.click("forward-target-ERP").await;
    app.window.wait_until("why", CHANGE_TIMEOUT, &contains_text_script("forward-miss", "503")).await;
    check_looks(&app, "down").await;
    erp.set_rule(|one| Reply::Status(if one.body.windows(7).any(|part| part == b"\"Id\":10") { 422 } else { 200 }));
    app.click("forward-tryNow").await;
    wait_for_forwarded(&erp, 2).await;
    app.window.wait_until("that it has all", RETRY_TIMEOUT, &state_script("up-to-date")).await;
    fire_event(&app, 10).await;
    app.window.wait_until("what was set aside", RETRY_TIMEOUT, &contains_text_script("forward-aside", "422")).await;
    check_looks(&app, "aside").await;
    erp.set_rule(|_| Reply::Status(200));
    app.click("forward-again-all").await;
    app.wait_until_gone("forward-aside").await;
    let before = erp.accepted_requests().len();

    app.click("nav-events").await;
    app.click_css("[data-testid=\"grid-events\"] [row-index=\"0\"] [col-id=\"kind\"]").await;
    app.window.wait_until("what became of it", CHANGE_TIMEOUT, &contains_text_script("event-forwarded", "ERP")).await;
    app.click("event-replay").await;
    app.type_text("replay-address", erp.url()).await;
    app.window.wait_until("what would go", CHANGE_TIMEOUT, &contains_text_script("replay-plan", "1 event")).await;
    app.click("replay-send").await;
    app.window.wait_until("that it went", CHANGE_TIMEOUT, &contains_text_script("replay-results", "1 accepted")).await;
    check_looks(&app, "replay").await;
    let accepted = erp.accepted_requests();
    assert!(accepted.len() > before && accepted.last().unwrap().header("takt-replay").is_some());
    // Escape must close the dialog, but not the event's panel.
    app.window.send_keys_to_focus(&Key::Escape.to_string()).await;
    app.wait_until_gone("replay-plan").await;
    app.wait_for_element("event-forwarded").await;

    // Forwarding to another target starts with the events since a date.
    app.click("nav-integrations").await;
    app.click("forward-new").await;
    app.type_text("forward-name", "Archive").await;
    app.type_text("forward-address", erp.url()).await;
    app.click_css("[data-testid=\"forward-start\"] input[value=\"since\"] + label").await;
    let waits = "return document.querySelector('[data-testid=\"forward-save\"]').disabled";
    assert_eq!(app.window.script(waits, Vec::new()).await, true, "not before the day is said");
    app.type_text("forward-since", "01/01/2020").await;
    let before = count_forwarded(&erp);
    app.click("forward-save").await;
    wait_for_forwarded(&erp, before + 3).await;
    app.window.close().await;
}

fn count_forwarded(erp: &Erp) -> usize {
    erp.accepted_requests().iter().filter(|one| one.header("takt-forwarded").is_some()).count()
}

/// Waits until this many events were forwarded. Test events aren't included.
async fn wait_for_forwarded(erp: &Erp, count: usize) {
    for _ in 0..600 {
        if count_forwarded(erp) >= count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{count} were to come, {} came", erp.accepted_requests().len());
}

fn state_script(state: &str) -> String {
    format!(
        "return document.querySelector('[data-testid=\"forward-target-ERP\"]')?.dataset.state === '{state}' || null"
    )
}

/// Takes pictures of the light, the dark and a small window, and checks each with axe-core.
async fn check_looks(app: &TestApp, name: &str) {
    let looks = [("light", 1440, 900), ("dark", 1440, 900), ("light", 1024, 700)];
    let found = check_looks_in(app, &format!("forwarding-{name}"), &looks).await;
    assert!(found.is_empty(), "{found:#?}");
}
