//! Forwarding: a target is added, gets what happens on the floor, is missed while it is down and gets the rest after; one event is
//! sent once more by hand.

use std::time::Duration;

use fantoccini::key::Key;
use takt_tests::{Erp, Reply, results};

use crate::{
    desk::{Desk, SOON},
    events::{fire, has, tab},
    looks::look_in,
};

/// As the retries have it, with a wait.
const LATER: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_target_gets_what_happens_and_what_it_missed() {
    let (desk, erp) = (Desk::open().await, Erp::start(|_| Reply::Status(200)));
    desk.click("nav-events").await;
    tab(&desk, "forward").await;
    desk.click("forward-new").await;
    desk.types("forward-name", "ERP").await;
    desk.types("forward-address", erp.url()).await;
    desk.click("forward-test").await;
    desk.window.until("the test event's answer", SOON, &has("forward-tested", "200")).await;
    desk.window.screenshot(&results("window").join("forwarding-form.png")).await;
    desk.click("forward-save").await;
    desk.window.until("the target", SOON, &state_is("up-to-date")).await;
    fire(&desk, 2).await;
    arrived(&erp, 1).await;
    erp.rules(|_| Reply::Status(503));
    fire(&desk, 0).await;
    desk.window.until("that it is down", LATER, &state_is("failing")).await;
    desk.click("forward-target-ERP").await;
    desk.window.until("why", SOON, &has("forward-miss", "503")).await;
    look(&desk, "down").await;
    erp.rules(|one| Reply::Status(if one.body.windows(7).any(|part| part == b"\"Id\":10") { 422 } else { 200 }));
    desk.click("forward-tryNow").await;
    arrived(&erp, 2).await;
    desk.window.until("that it has all", LATER, &state_is("up-to-date")).await;
    fire(&desk, 10).await;
    desk.window.until("what was set aside", LATER, &has("forward-aside", "422")).await;
    look(&desk, "aside").await;
    erp.rules(|_| Reply::Status(200));
    desk.click("forward-again-all").await;
    desk.gone("forward-aside").await;
    let before = erp.came().len();

    tab(&desk, "list").await;
    desk.press("[data-testid=\"grid-events\"] [row-index=\"0\"] [col-id=\"kind\"]").await;
    desk.window.until("what became of it", SOON, &has("event-forwarded", "ERP")).await;
    desk.click("event-replay").await;
    desk.types("replay-address", erp.url()).await;
    desk.window.until("what would go", SOON, &has("replay-plan", "1 event")).await;
    desk.click("replay-send").await;
    desk.window.until("that it went", SOON, &has("replay-results", "1 taken")).await;
    look(&desk, "replay").await;
    let came = erp.came();
    assert!(came.len() > before && came.last().unwrap().header("takt-replay").is_some());
    // Escape closes the dialog, and not the event beside.
    desk.window.client.active_element().await.unwrap().send_keys(&Key::Escape.to_string()).await.unwrap();
    desk.gone("replay-plan").await;
    desk.sees("event-forwarded").await;

    // Another one wants what came since a day.
    tab(&desk, "forward").await;
    desk.click("forward-new").await;
    desk.types("forward-name", "Archive").await;
    desk.types("forward-address", erp.url()).await;
    desk.press("[data-testid=\"forward-start\"] input[value=\"since\"] + label").await;
    let waits = "return document.querySelector('[data-testid=\"forward-save\"]').disabled";
    assert_eq!(desk.window.script(waits, Vec::new()).await, true, "not before the day is said");
    desk.types("forward-since", "01/01/2020").await;
    let before = forwarded(&erp);
    desk.click("forward-save").await;
    arrived(&erp, before + 3).await;
    desk.window.close().await;
}

fn forwarded(erp: &Erp) -> usize {
    erp.came().iter().filter(|one| one.header("takt-forwarded").is_some()).count()
}

/// Waits for so many events that aren't tests.
async fn arrived(erp: &Erp, count: usize) {
    for _ in 0..600 {
        if forwarded(erp) >= count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{count} were to come, {} came", erp.came().len());
}

fn state_is(state: &str) -> String {
    format!(
        "return document.querySelector('[data-testid=\"forward-target-ERP\"]')?.dataset.state === '{state}' || null"
    )
}

/// Pictures in light and dark and small; axe finds nothing.
async fn look(desk: &Desk, name: &str) {
    let looks = [("light", 1440, 900), ("dark", 1440, 900), ("light", 1024, 700)];
    let found = look_in(desk, &format!("forwarding-{name}"), &looks).await;
    assert!(found.is_empty(), "{found:#?}");
}
