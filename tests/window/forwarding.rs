//! Forwarding events. A target is added and receives the plant's events. After a failure, it receives the missed ones.
//! An event is also sent again by the user.

use std::time::Duration;

use fantoccini::key::Key;
use takt_tests::{Engine, Erp, Reply, SOON, TestApp, results};

use crate::{
    events::{fire, has},
    looks::look_in,
};

/// The time limit for forwarding, which includes the wait between retries.
const LATER: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_target_gets_what_happens_and_what_it_missed() {
    let (app, erp) = (TestApp::open(Engine::Chromium).await, Erp::start(|_| Reply::Status(200)));
    app.click("nav-integrations").await;
    app.click("forward-new").await;
    app.types("forward-name", "ERP").await;
    app.types("forward-address", erp.url()).await;
    app.click("forward-test").await;
    app.window.until("the test event's answer", SOON, &has("forward-tested", "200")).await;
    app.window.screenshot(&results("window").join("forwarding-form.png")).await;
    app.click("forward-save").await;
    app.window.until("the target", SOON, &state_is("up-to-date")).await;
    fire(&app, 2).await;
    arrived(&erp, 1).await;
    erp.set_rule(|_| Reply::Status(503));
    fire(&app, 0).await;
    app.window.until("that it is down", LATER, &state_is("failing")).await;
    app.click("forward-target-ERP").await;
    app.window.until("why", SOON, &has("forward-miss", "503")).await;
    look(&app, "down").await;
    erp.set_rule(|one| Reply::Status(if one.body.windows(7).any(|part| part == b"\"Id\":10") { 422 } else { 200 }));
    app.click("forward-tryNow").await;
    arrived(&erp, 2).await;
    app.window.until("that it has all", LATER, &state_is("up-to-date")).await;
    fire(&app, 10).await;
    app.window.until("what was set aside", LATER, &has("forward-aside", "422")).await;
    look(&app, "aside").await;
    erp.set_rule(|_| Reply::Status(200));
    app.click("forward-again-all").await;
    app.gone("forward-aside").await;
    let before = erp.accepted().len();

    app.click("nav-events").await;
    app.press("[data-testid=\"grid-events\"] [row-index=\"0\"] [col-id=\"kind\"]").await;
    app.window.until("what became of it", SOON, &has("event-forwarded", "ERP")).await;
    app.click("event-replay").await;
    app.types("replay-address", erp.url()).await;
    app.window.until("what would go", SOON, &has("replay-plan", "1 event")).await;
    app.click("replay-send").await;
    app.window.until("that it went", SOON, &has("replay-results", "1 accepted")).await;
    look(&app, "replay").await;
    let accepted = erp.accepted();
    assert!(accepted.len() > before && accepted.last().unwrap().header("takt-replay").is_some());
    // Escape must close the dialog, but not the event's panel.
    app.window.send_keys_to_focus(&Key::Escape.to_string()).await;
    app.gone("replay-plan").await;
    app.sees("event-forwarded").await;

    // Forwarding to another target starts with the events since a date.
    app.click("nav-integrations").await;
    app.click("forward-new").await;
    app.types("forward-name", "Archive").await;
    app.types("forward-address", erp.url()).await;
    app.press("[data-testid=\"forward-start\"] input[value=\"since\"] + label").await;
    let waits = "return document.querySelector('[data-testid=\"forward-save\"]').disabled";
    assert_eq!(app.window.script(waits, Vec::new()).await, true, "not before the day is said");
    app.types("forward-since", "01/01/2020").await;
    let before = forwarded(&erp);
    app.click("forward-save").await;
    arrived(&erp, before + 3).await;
    app.window.close().await;
}

fn forwarded(erp: &Erp) -> usize {
    erp.accepted().iter().filter(|one| one.header("takt-forwarded").is_some()).count()
}

/// Waits until this many events were forwarded. Test events aren't included.
async fn arrived(erp: &Erp, count: usize) {
    for _ in 0..600 {
        if forwarded(erp) >= count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{count} were to come, {} came", erp.accepted().len());
}

fn state_is(state: &str) -> String {
    format!(
        "return document.querySelector('[data-testid=\"forward-target-ERP\"]')?.dataset.state === '{state}' || null"
    )
}

/// Takes pictures of the light, the dark and a small window, and checks each with axe-core.
async fn look(app: &TestApp, name: &str) {
    let looks = [("light", 1440, 900), ("dark", 1440, 900), ("light", 1024, 700)];
    let found = look_in(app, &format!("forwarding-{name}"), &looks).await;
    assert!(found.is_empty(), "{found:#?}");
}
