//! The floor's state according to events. Changes on the plant appear immediately on a station's board, on the order's
//! timeline, and next to the sent row.

use serde_json::{Value, json};

use crate::{
    events::open_tab,
    looks::{check_looks, check_looks_in},
};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

/// A planned operation whose station is free.
pub(crate) struct Planned {
    pub(crate) code: String,
    pub(crate) operation: String,
    pub(crate) station: String,
}

#[tokio::test]
async fn what_people_do_stands_on_the_floor_at_once() {
    let app = open_with_receiver(Engine::Chromium).await;
    let planned = free_operations(&app, 3).await;
    let [runs, rests, calls] = planned.as_slice() else { panic!("three stations are free") };
    act_on_floor(&app, runs, "begin", json!({})).await;
    act_on_floor(&app, runs, "track", json!({ "good": 3, "bad": 1 })).await;
    act_on_floor(&app, rests, "begin", json!({})).await;
    act_on_floor(&app, rests, "pause", json!({ "reason": "Coffee" })).await;
    app.post_to_plant("alerts", json!({ "workStationCode": calls.station, "type": "Help", "note": "<i>oil</i>" }))
        .await;
    app.click("nav-events").await;
    open_floor_page(&app).await;
    wait_for_state(&app, runs, "running").await;
    wait_for_state(&app, rests, "paused").await;
    wait_for_state(&app, calls, "alarm").await;
    let first = "return document.querySelector('[data-testid=\"floor-stations\"] tbody').dataset.state";
    assert_eq!(app.window.script(first, vec![]).await, json!("alarm"), "what matters most stands first");
    let note = element_text(&app, &station_id(calls)).await;
    assert!(note.contains("oil") && !note.contains("<i>"), "a note is text without its markup: {note}");
    assert!(element_text(&app, &station_id(rests)).await.contains("Coffee"));
    let mut found = check_all_looks(&app, "floor").await;

    app.click("floor-filter-paused").await;
    let one = "return document.querySelectorAll('[data-testid=\"floor-stations\"] tbody').length === 1";
    app.window.wait_until("only what is paused", CHANGE_TIMEOUT, one).await;
    app.click("floor-filter-paused").await;
    act_on_floor(&app, rests, "resume", json!({})).await;
    wait_for_state(&app, rests, "running").await;

    app.click_css(&format!("[data-testid=\"{}\"] th button", station_id(runs))).await;
    app.wait_for_element("floor-board").await;
    assert!(element_text(&app, "floor-board").await.contains(&runs.code));
    let events = "return document.querySelectorAll('ol[data-testid=\"floor-last-events\"] li').length >= 3";
    app.window.wait_until("the station's last events", CHANGE_TIMEOUT, events).await;
    found.extend(check_all_looks(&app, "board").await);
    act_on_floor(&app, runs, "end", json!({})).await;
    // Without the plant's lists, Takt can't know whether another operation is running there.
    let free = "return document.querySelector('[data-testid=\"floor-board\"]').dataset.state === 'unknown'";
    app.window.wait_until("a station of which nothing is told", CHANGE_TIMEOUT, free).await;
    app.click("floor-back").await;
    wait_for_state(&app, runs, "unknown").await;
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

#[tokio::test]
async fn an_order_tells_its_way_and_the_service_is_asked() {
    let app = open_with_receiver(Engine::Chromium).await;
    let planned = free_operations(&app, 1).await;
    let order = &planned[0];
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sign_in().await;
    app.wait_for_element("grid-browse").await;
    for verb in ["begin", "pause", "resume"] {
        act_on_floor(&app, order, verb, json!({})).await;
    }
    app.click("nav-events").await;
    open_floor_page(&app).await;
    wait_for_state(&app, order, "running").await;
    app.click("floor-read").await;
    app.wait_for_element("floor-otherwise").await;
    // Only operations that began before the receiver's start may be listed as different.
    compare_with_plant(&app).await;
    let told = element_text(&app, "floor-otherwise").await;
    assert!(told.contains("no event") && !told.contains(&format!("{} {}", order.code, order.operation)), "{told}");
    app.click_css(&format!("[data-testid=\"{}\"] [data-testid=\"order-{}\"]", station_id(order), order.code)).await;
    let three = "return document.querySelectorAll('[data-testid=\"order-timeline-list\"] li').length === 3";
    app.window.wait_until("three events", CHANGE_TIMEOUT, three).await;
    act_on_floor(&app, order, "pause", json!({ "reason": "Tool change" })).await;
    let four = three.replace("=== 3", "=== 4");
    app.window.wait_until("one more", CHANGE_TIMEOUT, &four).await;
    let read = "return document.querySelector('[data-testid=\"order-operations\"]') !== null
        && document.querySelector('[data-testid=\"order-reading\"]') === null";
    app.window.wait_until("the whole order", CHANGE_TIMEOUT, read).await;
    let found = check_all_looks(&app, "order-timeline").await;
    app.click_css("[data-testid=\"order-timeline-list\"] li button").await;
    app.wait_for_element("event-headers").await;
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

#[tokio::test]
async fn a_row_that_was_sent_knows_when_its_order_began() {
    let app = open_with_receiver(Engine::Chromium).await;
    app.click("sample-work-orders.sync").await;
    app.click("step-send").await;
    app.sign_in().await;
    app.wait_for_comparison("known").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    let accepted = app.wait_for_number("result-accepted").await;
    assert_eq!(app.wait_for_number("filter-not-begun").await, accepted);
    let rows = app.invoke("submission_rows", json!({ "id": 1, "result": "accepted", "offset": 0, "limit": 5 })).await;
    let key = rows["rows"][0]["key"].as_str().unwrap().to_owned();
    let (code, operation) = key.split_once(" · ").unwrap();
    app.post_to_plant(&format!("work-orders/{code}/begin"), json!({ "operationCode": operation })).await;
    app.type_text("find-row", &key).await;
    let begun = "return [...document.querySelectorAll('[data-testid=\"grid-results\"] [role=\"row\"]')].some((row) =>
        row.querySelector('[col-id=\"after\"]')?.textContent.includes('Production started'))";
    app.window.wait_until("the begin beside its row", CHANGE_TIMEOUT, begun).await;
    let fewer = format!(
        "return Number(document.querySelector('[data-testid=\"filter-not-begun\"]').textContent.replace(/[^0-9]/g, '')) < {accepted}"
    );
    app.window.wait_until("one that has begun", CHANGE_TIMEOUT, &fewer).await;
    app.click_css("[data-testid=\"grid-results\"] .ag-row [col-id=\"reasons\"]").await;
    app.wait_for_element("row-after").await;
    let found = check_all_looks(&app, "results-after").await;
    assert!(element_text(&app, "row-after").await.contains("Production started"));
    app.click("filter-not-begun").await;
    let more = "return [...document.querySelectorAll('[data-testid=\"grid-results\"] .ag-row')].length > 3";
    app.window.wait_until("those that haven't begun", CHANGE_TIMEOUT, more).await;
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

/// Checks that every station has the plant's state, even if that state began before the receiver's start.
async fn compare_with_plant(app: &TestApp) {
    let rows = app.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let mut expected = std::collections::BTreeMap::new();
    for (order, state) in rows.iter().filter_map(operation_of) {
        let state = match state.as_str() {
            "in execution" => "running",
            "paused" => "paused",
            _ => continue,
        };
        let known = expected.entry(order.station).or_insert(state);
        if state == "running" {
            *known = state;
        }
    }
    assert!(expected.values().any(|state| *state == "paused"), "the plant begins with paused orders: {expected:?}");
    for (station, state) in expected {
        let code = format!(
            "const state = document.querySelector('[data-testid=\"floor-station-{station}\"]')?.dataset.state;
            return state === '{state}' || state === 'alarm'"
        );
        app.window.wait_until(&format!("{station} {state}"), CHANGE_TIMEOUT, &code).await;
    }
}

/// Checks the page in light, and in all other looks and sizes.
async fn check_all_looks(app: &TestApp, name: &str) -> Vec<String> {
    let light = check_looks_in(app, name, &[("light", 1440, 900)]).await;
    [light, check_looks(app, name).await].concat()
}

/// Opens an app with a running receiver for the practice plant's events.
pub(crate) async fn open_with_receiver(engine: Engine) -> TestApp {
    let app = TestApp::open(engine).await;
    app.invoke("receiver_start", json!({ "site": "practice" })).await;
    app
}

/// Returns operations that can be started, each on its own station. Ends the operations that run there.
pub(crate) async fn free_operations(app: &TestApp, count: usize) -> Vec<Planned> {
    let rows = app.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let found = rows.iter().filter_map(operation_of).filter(|(_, state)| state == "planned");
    let mut planned: Vec<Planned> = Vec::new();
    for (order, _) in found {
        if planned.len() < count && planned.iter().all(|one| one.station != order.station) {
            planned.push(order);
        }
    }
    let is_wanted = |order: &Planned| planned.iter().any(|one| one.station == order.station);
    for (order, state) in rows.iter().filter_map(operation_of) {
        if is_wanted(&order) && !["planned", "ended"].contains(&state.as_str()) {
            act_on_floor(app, &order, "end", json!({})).await;
        }
    }
    planned
}

/// Returns a row's operation and state. Returns `None` if the row has no station.
fn operation_of(row: &Value) -> Option<(Planned, String)> {
    let of = |name: &str| Some(row[name].as_str()?.to_owned()).filter(|text| !text.is_empty());
    let order = Planned { code: of("code")?, operation: of("operationCode")?, station: of("workStationCode")? };
    Some((order, of("statusDescription")?.to_lowercase()))
}

pub(crate) async fn act_on_floor(app: &TestApp, order: &Planned, verb: &str, mut details: Value) {
    details["operationCode"] = json!(order.operation);
    app.post_to_plant(&format!("work-orders/{}/{verb}", order.code), details).await;
}

pub(crate) async fn open_floor_page(app: &TestApp) {
    open_tab(app, "floor").await;
    app.wait_for_element("floor-stations").await;
}

/// Waits until the order's station has this state, or an order or alert in this state.
pub(crate) async fn wait_for_state(app: &TestApp, order: &Planned, state: &str) {
    let code = format!(
        "const station = document.querySelector('[data-testid=\"{}\"]');
        return station?.dataset.state === '{state}' || Boolean(station?.querySelector('[data-state=\"{state}\"]'))",
        station_id(order)
    );
    app.window.wait_until(&format!("{} {state}", order.station), CHANGE_TIMEOUT, &code).await;
}

pub(crate) fn station_id(order: &Planned) -> String {
    format!("floor-station-{}", order.station)
}

async fn element_text(app: &TestApp, id: &str) -> String {
    let code = format!("return document.querySelector('[data-testid=\"{id}\"]').textContent");
    app.window.script(&code, vec![]).await.as_str().unwrap().to_owned()
}
