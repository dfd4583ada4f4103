//! Subsets of the events: selected by time of arrival, or one by one, and sent again.

use std::collections::BTreeSet;

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{Engine, Erp, ReceivedRequest, Reply, SOON, TestApp};

use crate::{
    events::{fire, has, press, receiver_is},
    looks::look,
};

#[tokio::test]
async fn what_is_ticked_stays_ticked_and_goes_along() {
    let (app, erp) = (TestApp::open(Engine::Chromium).await, Erp::start(|_| Reply::Status(200)));
    app.click("nav-events").await;
    app.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    let before = events_so_far(&app).await;
    for kind in 0..4 {
        fire(&app, kind).await;
    }
    let first = wait_for_listed_events(&app, before + 4).await;
    for at in [0, 2] {
        app.press(&format!("[data-testid=\"grid-events\"] [row-index=\"{at}\"] .ag-selection-checkbox")).await;
    }
    app.window.until("two that are ticked", SOON, &has("events-ticked", "2 selected")).await;
    app.gone("detail").await;
    // New events move the selected rows down. The selection must move with them.
    fire(&app, 4).await;
    let all = wait_for_listed_events(&app, before + 5).await;
    let here = "return document.querySelector('[data-testid=\"grid-events\"] [row-index=\"4\"]') !== null";
    app.window.until("the new one", SOON, here).await;
    let wanted: BTreeSet<i64> = [first[0], first[2]].into();
    assert_eq!(ticked(&app).await, [all[1], all[3]], "of {all:?}");
    assert_eq!(BTreeSet::from([all[1], all[3]]), wanted);
    app.click("events-along").await;
    app.sees("events-export-xlsx").await;
    app.window.until("what would be saved", SOON, &has("events-export-xlsx", "Save 2 selected")).await;
    let mut found = look(&app, "events-ticked").await;
    app.click("events-replay").await;
    app.types("replay-address", erp.url()).await;
    app.window.until("what would go", SOON, &has("replay-plan", "2 events")).await;
    app.click("replay-send").await;
    app.window.until("that they went", SOON, &has("replay-results", "2 accepted")).await;
    let kinds: BTreeSet<i64> = erp.accepted().iter().map(kind).collect();
    assert_eq!((erp.accepted().len(), kinds), (2, BTreeSet::from([1, 3])));
    app.click("replay-close").await;
    app.gone("replay-plan").await;
    app.click("events-untick").await;
    app.gone("events-ticked").await;
    app.click("events-along").await;
    app.window.until("all again", SOON, &has("events-export-xlsx", "Save all")).await;
    found.extend(look(&app, "events-along").await);
    // Events that arrive after the preview must not be sent.
    app.click("events-replay").await;
    app.window.until("what would go", SOON, &has("replay-plan", &format!("{} events", before + 5))).await;
    fire(&app, 5).await;
    wait_for_listed_events(&app, before + 6).await;
    app.click("replay-send").await;
    app.window.until("that they went", SOON, &has("replay-results", &format!("{} accepted", before + 5))).await;
    assert_eq!(erp.accepted().len(), 2 + before + 5);
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

#[tokio::test]
async fn events_are_found_by_when_they_came() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    let before = events_so_far(&app).await;
    for kind in 0..3 {
        fire(&app, kind).await;
    }
    wait_for_listed_events(&app, before + 3).await;
    let all = format!("{} events", before + 3);
    app.click("events-when").await;
    app.click("events-when-yesterday").await;
    app.window.until("none of yesterday", SOON, &has("events-count", "No matching events")).await;
    app.sees("events-to").await;
    let found = look(&app, "events-when").await;
    app.click("events-when-last-hour").await;
    app.window.until("those of the last hour", SOON, &has("events-count", &all)).await;
    app.click("events-when-any").await;
    app.window.until("no time at all", SOON, &has("events-when", "Any time")).await;
    // The start date can also be typed.
    app.types("events-from", "11/20/2026").await;
    app.window.until("that day", SOON, &has("events-when", "Since Nov 20, 2026")).await;
    app.window.until("all of them", SOON, &has("events-count", &all)).await;
    app.click("nav-plant").await;
    app.gone("grid-events").await;
    app.click("nav-events").await;
    app.window.until("a time isn't remembered", SOON, &has("events-when", "Any time")).await;
    // The search must find each tab by its name.
    crate::action::open_search(&app).await;
    press(&app, "Events: Answers").await;
    let first = "return document.querySelector('.mantine-Spotlight-action')?.textContent === 'Events: Answers'";
    app.window.until("the tab in the search", SOON, first).await;
    press(&app, &Key::Enter.to_string()).await;
    app.sees("answers").await;
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
    app.window.until(&format!("{count} events"), SOON, &has("events-count", &format!("{count} events"))).await;
    let list = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 50 })).await;
    list["rows"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Waits until two events are selected. Returns their IDs, newest first.
async fn ticked(app: &TestApp) -> Vec<i64> {
    let rows = "[...document.querySelectorAll('[data-testid=\"grid-events\"] .ag-row-selected[row-id]')]
        .map((row) => Number(row.getAttribute('row-id')))";
    let ids = format!("[...new Set({rows})].sort((a, b) => b - a)");
    app.window.until("two rows that look ticked", SOON, &format!("return {ids}.length === 2")).await;
    let found = app.window.script(&format!("return {ids}"), vec![]).await;
    found.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect()
}

fn kind(event: &ReceivedRequest) -> i64 {
    let body: Value = serde_json::from_slice(&event.body).unwrap();
    body["Id"].as_i64().unwrap()
}
