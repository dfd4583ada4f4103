//! Subsets of the events: selected by time of arrival, or one by one, and sent again.

use std::collections::BTreeSet;

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, Erp, ReceivedRequest, Reply, TestApp};

use crate::{
    events::{contains_text_script, fire_event, press_keys, receiver_state_script},
    looks::check_looks,
};

#[tokio::test]
async fn what_is_ticked_stays_ticked_and_goes_along() {
    let (app, erp) = (TestApp::open(Engine::Chromium).await, Erp::start(|_| Reply::Status(200)));
    app.click("nav-events").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    let before = events_so_far(&app).await;
    for kind in 0..4 {
        fire_event(&app, kind).await;
    }
    let first = wait_for_listed_events(&app, before + 4).await;
    for at in [0, 2] {
        app.click_css(&format!("[data-testid=\"grid-events\"] [row-index=\"{at}\"] .ag-selection-checkbox")).await;
    }
    app.window
        .wait_until("two that are ticked", CHANGE_TIMEOUT, &contains_text_script("events-ticked", "2 selected"))
        .await;
    app.wait_until_gone("detail").await;
    // New events move the selected rows down. The selection must move with them.
    fire_event(&app, 4).await;
    let all = wait_for_listed_events(&app, before + 5).await;
    let here = "return document.querySelector('[data-testid=\"grid-events\"] [row-index=\"4\"]') !== null";
    app.window.wait_until("the new one", CHANGE_TIMEOUT, here).await;
    let wanted: BTreeSet<i64> = [first[0], first[2]].into();
    assert_eq!(wait_for_two_selected(&app).await, [all[1], all[3]], "of {all:?}");
    assert_eq!(BTreeSet::from([all[1], all[3]]), wanted);
    app.click("events-along").await;
    app.wait_for_element("events-export-xlsx").await;
    app.window
        .wait_until(
            "what would be saved",
            CHANGE_TIMEOUT,
            &contains_text_script("events-export-xlsx", "Save 2 selected"),
        )
        .await;
    let mut found = check_looks(&app, "events-ticked").await;
    app.click("events-replay").await;
    app.type_text("replay-address", erp.url()).await;
    app.window.wait_until("what would go", CHANGE_TIMEOUT, &contains_text_script("replay-plan", "2 events")).await;
    app.click("replay-send").await;
    app.window
        .wait_until("that they went", CHANGE_TIMEOUT, &contains_text_script("replay-results", "2 accepted"))
        .await;
    let kinds: BTreeSet<i64> = erp.accepted_requests().iter().map(event_kind).collect();
    assert_eq!((erp.accepted_requests().len(), kinds), (2, BTreeSet::from([1, 3])));
    app.click("replay-close").await;
    app.wait_until_gone("replay-plan").await;
    app.click("events-untick").await;
    app.wait_until_gone("events-ticked").await;
    app.click("events-along").await;
    app.window.wait_until("all again", CHANGE_TIMEOUT, &contains_text_script("events-export-xlsx", "Save all")).await;
    found.extend(check_looks(&app, "events-along").await);
    // Events that arrive after the preview must not be sent.
    app.click("events-replay").await;
    app.window
        .wait_until(
            "what would go",
            CHANGE_TIMEOUT,
            &contains_text_script("replay-plan", &format!("{} events", before + 5)),
        )
        .await;
    fire_event(&app, 5).await;
    wait_for_listed_events(&app, before + 6).await;
    app.click("replay-send").await;
    app.window
        .wait_until(
            "that they went",
            CHANGE_TIMEOUT,
            &contains_text_script("replay-results", &format!("{} accepted", before + 5)),
        )
        .await;
    assert_eq!(erp.accepted_requests().len(), 2 + before + 5);
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

#[tokio::test]
async fn events_are_found_by_when_they_came() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    let before = events_so_far(&app).await;
    for kind in 0..3 {
        fire_event(&app, kind).await;
    }
    wait_for_listed_events(&app, before + 3).await;
    let all = format!("{} events", before + 3);
    app.click("events-when").await;
    app.click("events-when-yesterday").await;
    app.window
        .wait_until("none of yesterday", CHANGE_TIMEOUT, &contains_text_script("events-count", "No matching events"))
        .await;
    app.wait_for_element("events-to").await;
    let found = check_looks(&app, "events-when").await;
    app.click("events-when-last-hour").await;
    app.window.wait_until("those of the last hour", CHANGE_TIMEOUT, &contains_text_script("events-count", &all)).await;
    app.click("events-when-any").await;
    app.window.wait_until("no time at all", CHANGE_TIMEOUT, &contains_text_script("events-when", "Any time")).await;
    // The start date can also be typed.
    app.type_text("events-from", "11/20/2026").await;
    app.window.wait_until("that day", CHANGE_TIMEOUT, &contains_text_script("events-when", "Since Nov 20, 2026")).await;
    app.window.wait_until("all of them", CHANGE_TIMEOUT, &contains_text_script("events-count", &all)).await;
    app.click("nav-plant").await;
    app.wait_until_gone("grid-events").await;
    app.click("nav-events").await;
    app.window
        .wait_until("a time isn't remembered", CHANGE_TIMEOUT, &contains_text_script("events-when", "Any time"))
        .await;
    // The search must find each tab by its name.
    crate::action::open_search(&app).await;
    press_keys(&app, "Events: Answers").await;
    let first = "return document.querySelector('.mantine-Spotlight-action')?.textContent === 'Events: Answers'";
    app.window.wait_until("the tab in the search", CHANGE_TIMEOUT, first).await;
    press_keys(&app, &Key::Enter.to_string()).await;
    app.wait_for_element("answers").await;
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

/// Returns the number of events that the practice plant has sent. At a full quarter of an hour, it may send some before
/// the test makes it idle.
async fn events_so_far(app: &TestApp) -> usize {
    let list = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 50 })).await;
    list["rows"].as_array().unwrap().len()
}

/// Waits until this many events are listed, and returns their IDs, newest first.
async fn wait_for_listed_events(app: &TestApp, count: usize) -> Vec<i64> {
    app.window
        .wait_until(
            &format!("{count} events"),
            CHANGE_TIMEOUT,
            &contains_text_script("events-count", &format!("{count} events")),
        )
        .await;
    let list = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 50 })).await;
    list["rows"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Waits until two events are selected. Returns their IDs, newest first.
async fn wait_for_two_selected(app: &TestApp) -> Vec<i64> {
    let rows = "[...document.querySelectorAll('[data-testid=\"grid-events\"] .ag-row-selected[row-id]')]
        .map((row) => Number(row.getAttribute('row-id')))";
    let ids = format!("[...new Set({rows})].sort((a, b) => b - a)");
    app.window.wait_until("two rows that look ticked", CHANGE_TIMEOUT, &format!("return {ids}.length === 2")).await;
    let found = app.window.script(&format!("return {ids}"), vec![]).await;
    found.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect()
}

fn event_kind(event: &ReceivedRequest) -> i64 {
    let body: Value = serde_json::from_slice(&event.body).unwrap();
    body["Id"].as_i64().unwrap()
}
