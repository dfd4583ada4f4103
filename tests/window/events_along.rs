//! Some of many events: by the time when they came, or ticked one by one, and those sent once more.

use std::collections::BTreeSet;

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{Arrived, Erp, Reply};

use crate::{
    desk::{Desk, SOON},
    events::{fire, has, press, receiver_is},
    looks::look,
};

#[tokio::test]
async fn what_is_ticked_stays_ticked_and_goes_along() {
    let (desk, erp) = (Desk::open().await, Erp::start(|_| Reply::Status(200)));
    desk.click("nav-events").await;
    desk.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    for kind in 0..4 {
        fire(&desk, kind).await;
    }
    let first = listed(&desk, 4).await;
    for at in [0, 2] {
        desk.press(&format!("[data-testid=\"grid-events\"] [row-index=\"{at}\"] .ag-selection-checkbox input")).await;
    }
    desk.window.until("two that are ticked", SOON, &has("events-ticked", "2 ticked")).await;
    desk.gone("detail").await;
    // What comes pushes them down, and they are still the ones.
    fire(&desk, 4).await;
    let all = listed(&desk, 5).await;
    let here = "return document.querySelector('[data-testid=\"grid-events\"] [row-index=\"4\"]') !== null";
    desk.window.until("the new one", SOON, here).await;
    let wanted: BTreeSet<i64> = [first[0], first[2]].into();
    assert_eq!(ticked(&desk).await, [all[1], all[3]], "of {all:?}");
    assert_eq!(BTreeSet::from([all[1], all[3]]), wanted);
    desk.click("events-along").await;
    desk.sees("events-export-xlsx").await;
    desk.window.until("what would be saved", SOON, &has("events-export-xlsx", "Save 2 ticked")).await;
    let mut found = look(&desk, "events-ticked").await;
    desk.click("events-replay").await;
    desk.types("replay-address", erp.url()).await;
    desk.window.until("what would go", SOON, &has("replay-plan", "2 events")).await;
    desk.click("replay-send").await;
    desk.window.until("that they went", SOON, &has("replay-results", "2 taken")).await;
    let kinds: BTreeSet<i64> = erp.came().iter().map(kind).collect();
    assert_eq!((erp.came().len(), kinds), (2, BTreeSet::from([1, 3])));
    desk.click("replay-close").await;
    desk.gone("replay-plan").await;
    desk.click("events-untick").await;
    desk.gone("events-ticked").await;
    desk.click("events-along").await;
    desk.window.until("all again", SOON, &has("events-export-xlsx", "Save all")).await;
    found.extend(look(&desk, "events-along").await);
    // What comes while a person thinks isn't sent.
    desk.click("events-replay").await;
    desk.window.until("what would go", SOON, &has("replay-plan", "5 events")).await;
    fire(&desk, 5).await;
    listed(&desk, 6).await;
    desk.click("replay-send").await;
    desk.window.until("that they went", SOON, &has("replay-results", "5 taken")).await;
    assert_eq!(erp.came().len(), 2 + 5);
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}

#[tokio::test]
async fn events_are_found_by_when_they_came() {
    let desk = Desk::open().await;
    desk.click("nav-events").await;
    desk.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    for kind in 0..3 {
        fire(&desk, kind).await;
    }
    listed(&desk, 3).await;
    desk.click("events-when").await;
    desk.click("events-when-yesterday").await;
    desk.window.until("none of yesterday", SOON, &has("events-count", "No event fits")).await;
    desk.sees("events-to").await;
    let found = look(&desk, "events-when").await;
    desk.click("events-when-last-hour").await;
    desk.window.until("those of the last hour", SOON, &has("events-count", "3 events")).await;
    desk.click("events-when-any").await;
    desk.window.until("no time at all", SOON, &has("events-when", "Any time")).await;
    // From a day on, as it is typed.
    desk.types("events-from", "11/20/2026").await;
    desk.window.until("that day", SOON, &has("events-when", "Since Nov 20, 2026")).await;
    desk.window.until("all of them", SOON, &has("events-count", "3 events")).await;
    desk.click("nav-plant").await;
    desk.gone("grid-events").await;
    desk.click("nav-events").await;
    desk.window.until("a time isn't remembered", SOON, &has("events-when", "Any time")).await;
    // Each tab is found by its name.
    press(&desk, &(Key::Control + "k")).await;
    let there = "return document.activeElement?.closest('.mantine-Spotlight-content') !== null";
    desk.window.until("the palette", SOON, there).await;
    press(&desk, "Events: Answers").await;
    let first = "return document.querySelector('.mantine-Spotlight-action')?.textContent === 'Events: Answers'";
    desk.window.until("the tab in the palette", SOON, first).await;
    press(&desk, &Key::Enter.to_string()).await;
    desk.sees("answers").await;
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}

/// Numbers of the events from the newest on, once so many are listed.
async fn listed(desk: &Desk, count: usize) -> Vec<i64> {
    desk.window.until(&format!("{count} events"), SOON, &has("events-count", &format!("{count} events"))).await;
    let list = desk.ask("event_list", json!({ "query": {}, "offset": 0, "limit": 50 })).await;
    list["rows"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Numbers of the events that are ticked, from the newest on, once two are.
async fn ticked(desk: &Desk) -> Vec<i64> {
    let rows = "[...document.querySelectorAll('[data-testid=\"grid-events\"] .ag-row-selected[row-id]')]
        .map((row) => Number(row.getAttribute('row-id')))";
    let ids = format!("[...new Set({rows})].sort((a, b) => b - a)");
    desk.window.until("two rows that look ticked", SOON, &format!("return {ids}.length === 2")).await;
    let found = desk.window.script(&format!("return {ids}"), vec![]).await;
    found.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect()
}

fn kind(came: &Arrived) -> i64 {
    let body: Value = serde_json::from_slice(&came.body).unwrap();
    body["Id"].as_i64().unwrap()
}
