//! A very long list of events. It opens immediately, and its end is reached as fast as its beginning.

use std::{path::Path, time::Instant};

use fantoccini::key::Key;
use rusqlite::Connection;
use serde_json::json;

use crate::events::{NO_KEYCHAIN, contains_text_script, post_event, press_keys, receiver_state_script, row_selector};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

const EVENT_COUNT: u32 = 200_000;

#[tokio::test]
#[ignore = "long: very many events"]
async fn the_end_of_very_many_events_is_reached() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    post_event(&app, r#"{"Id":57,"Description":"Again and again"}"#).await;
    app.window.wait_until("the first", CHANGE_TIMEOUT, &contains_text_script("grid-events", "Again and again")).await;
    let takt = app.kill();
    copy_first_event(&takt.home().join("inbox.sqlite"), EVENT_COUNT);

    let app = TestApp::open_at(Engine::Chromium, takt, NO_KEYCHAIN).await;
    app.post_to_plant("clock", json!({ "idle": true })).await;
    app.click("nav-events").await;
    let begun = Instant::now();
    let count = "document.querySelector('[data-testid=\"events-count\"]')?.textContent.replace(/[^0-9]/g, '')";
    // The plant continues to send events, so there may be more.
    let all = format!("return Number({count} ?? 0) >= {EVENT_COUNT}");
    app.window.wait_until("all of them, counted", CHANGE_TIMEOUT, &all).await;
    println!("{EVENT_COUNT} events are listed after {:?}", begun.elapsed());
    app.click_css(&row_selector(0)).await;
    let begun = Instant::now();
    let end = Key::Control + &Key::End;
    press_keys(&app, &end).await;
    let last = format!(
        "return document.querySelector('[data-testid=\"grid-events\"] [row-index=\"{}\"] [col-id=\"description\"]')
            ?.textContent === 'Again and again'",
        EVENT_COUNT - 1
    );
    app.window.wait_until("the oldest", CHANGE_TIMEOUT, &last).await;
    println!("the oldest is shown after {:?}", begun.elapsed());
    let page =
        json!({ "query": { "site": "practice", "upTo": EVENT_COUNT }, "offset": EVENT_COUNT - 200, "limit": 200 });
    let begun = Instant::now();
    let oldest = app.invoke("event_list", page).await;
    println!("its page is read in {:?}", begun.elapsed());
    assert_eq!(oldest["rows"][199]["id"], 1);
    app.window.close().await;
}

/// Copies the first event until the inbox contains this many events.
fn copy_first_event(file: &Path, count: u32) {
    let file = Connection::open(file).unwrap();
    for (table, key) in [("event", "id"), ("reading", "event")] {
        let mut told = file.prepare("SELECT name FROM pragma_table_info(?1) WHERE name <> ?2").unwrap();
        let members = told.query_map([table, key], |row| row.get::<_, String>(0)).unwrap();
        let members = members.collect::<Result<Vec<_>, _>>().unwrap().join(", ");
        let copy = format!(
            "INSERT INTO {table} ({key}, {members})
             WITH RECURSIVE number(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < {count})
             SELECT n, {members} FROM number, {table} WHERE {table}.{key} = 1"
        );
        file.execute(&copy, []).unwrap();
    }
    // The floor is based on the newest event, so the copies are marked as processed.
    file.execute("UPDATE floor SET event = ?1", [count]).unwrap();
}
