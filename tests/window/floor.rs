//! The floor as its events have it: what the plant's people do stands there at once, on a station's board, on the order's
//! time line, and beside the row that was sent.

use serde_json::{Value, json};

use crate::{
    desk::{Desk, SOON},
    events::tab,
    looks::{look, look_in},
};

/// An operation of an order that nobody has begun, on a station where nothing lies.
struct Planned {
    code: String,
    operation: String,
    station: String,
}

#[tokio::test]
async fn what_people_do_stands_on_the_floor_at_once() {
    let desk = receiving().await;
    let planned = planned(&desk, 3).await;
    let [runs, rests, calls] = planned.as_slice() else { panic!("three stations are free") };
    act(&desk, runs, "begin", json!({})).await;
    act(&desk, runs, "track", json!({ "good": 3, "bad": 1 })).await;
    act(&desk, rests, "begin", json!({})).await;
    act(&desk, rests, "pause", json!({ "reason": "Coffee" })).await;
    desk.tell_plant("alerts", json!({ "workStationCode": calls.station, "type": "Help", "note": "<i>oil</i>" })).await;
    desk.click("nav-events").await;
    on_the_floor(&desk).await;
    stands(&desk, runs, "running").await;
    stands(&desk, rests, "paused").await;
    stands(&desk, calls, "alarm").await;
    let first = "return document.querySelector('[data-testid=\"floor-stations\"] tbody').dataset.state";
    assert_eq!(desk.window.script(first, vec![]).await, json!("alarm"), "what matters most stands first");
    assert!(text(&desk, &station(calls)).await.contains("<i>oil</i>"), "a note is text");
    assert!(text(&desk, &station(rests)).await.contains("Coffee"));
    let mut found = looked(&desk, "floor").await;

    desk.click("floor-filter-paused").await;
    let one = "return document.querySelectorAll('[data-testid=\"floor-stations\"] tbody').length === 1";
    desk.window.until("only what is paused", SOON, one).await;
    desk.click("floor-filter-paused").await;
    act(&desk, rests, "resume", json!({})).await;
    stands(&desk, rests, "running").await;

    desk.press(&format!("[data-testid=\"{}\"] th button", station(runs))).await;
    desk.sees("floor-board").await;
    assert!(text(&desk, "floor-board").await.contains(&runs.code));
    let events = "return document.querySelectorAll('ol[data-testid=\"floor-last-events\"] li').length >= 3";
    desk.window.until("the station's last events", SOON, events).await;
    found.extend(looked(&desk, "board").await);
    act(&desk, runs, "end", json!({})).await;
    // Events alone don't say that nothing else was begun there before.
    let free = "return document.querySelector('[data-testid=\"floor-board\"]').dataset.state === 'unknown'";
    desk.window.until("a station of which nothing is told", SOON, free).await;
    desk.click("floor-back").await;
    stands(&desk, runs, "unknown").await;
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}

#[tokio::test]
async fn an_order_tells_its_way_and_the_service_is_asked() {
    let desk = receiving().await;
    let planned = planned(&desk, 1).await;
    let order = &planned[0];
    desk.click("nav-browse").await;
    desk.click("browse-work-orders.list").await;
    desk.sign_in().await;
    desk.sees("grid-browse").await;
    for verb in ["begin", "pause", "resume"] {
        act(&desk, order, verb, json!({})).await;
    }
    desk.click("nav-events").await;
    on_the_floor(&desk).await;
    stands(&desk, order, "running").await;
    desk.click("floor-read").await;
    desk.sees("floor-otherwise").await;
    // What ran before anybody listened is what the service says otherwise, and the begun order isn't.
    let told = text(&desk, "floor-otherwise").await;
    assert!(told.contains("no event") && !told.contains(&format!("{} {}", order.code, order.operation)), "{told}");
    desk.press(&format!("[data-testid=\"{}\"] [data-testid=\"order-{}\"]", station(order), order.code)).await;
    let three = "return document.querySelectorAll('[data-testid=\"order-story-list\"] li').length === 3";
    desk.window.until("three events", SOON, three).await;
    act(&desk, order, "pause", json!({ "reason": "Tool change" })).await;
    let four = three.replace("=== 3", "=== 4");
    desk.window.until("one more", SOON, &four).await;
    let read = "return document.querySelector('[data-testid=\"order-operations\"]') !== null
        && document.querySelector('[data-testid=\"order-reading\"]') === null";
    desk.window.until("the whole order", SOON, read).await;
    let found = looked(&desk, "order-story").await;
    desk.press("[data-testid=\"order-story-list\"] li button").await;
    desk.sees("event-headers").await;
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}

#[tokio::test]
async fn a_row_that_was_sent_knows_when_its_order_began() {
    let desk = receiving().await;
    desk.click("sample-work-orders.sync").await;
    desk.click("step-send").await;
    desk.sign_in().await;
    desk.stands_against("known").await;
    desk.click("leave-out").await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    let accepted = desk.number("fate-accepted").await;
    assert_eq!(desk.number("filter-not-begun").await, accepted);
    let rows = desk.ask("submission_rows", json!({ "id": 1, "fate": "accepted", "offset": 0, "limit": 5 })).await;
    let key = rows["rows"][0]["key"].as_str().unwrap().to_owned();
    let (code, operation) = key.split_once(" · ").unwrap();
    desk.tell_plant(&format!("work-orders/{code}/begin"), json!({ "operationCode": operation })).await;
    desk.types("find-row", &key).await;
    let begun = "return [...document.querySelectorAll('[data-testid=\"grid-results\"] [role=\"row\"]')].some((row) =>
        row.querySelector('[col-id=\"after\"]')?.textContent.includes('Production started'))";
    desk.window.until("the begin beside its row", SOON, begun).await;
    let fewer = format!(
        "return Number(document.querySelector('[data-testid=\"filter-not-begun\"]').textContent.replace(/[^0-9]/g, '')) < {accepted}"
    );
    desk.window.until("one that has begun", SOON, &fewer).await;
    desk.press("[data-testid=\"grid-results\"] .ag-row [col-id=\"reasons\"]").await;
    desk.sees("row-after").await;
    let found = looked(&desk, "results-after").await;
    assert!(text(&desk, "row-after").await.contains("Production started"));
    desk.click("filter-not-begun").await;
    let others = "return [...document.querySelectorAll('[data-testid=\"grid-results\"] .ag-row')].length > 3";
    desk.window.until("those that haven't begun", SOON, others).await;
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}

/// In every look and size, and in light.
async fn looked(desk: &Desk, name: &str) -> Vec<String> {
    let light = look_in(desk, name, &[("light", 1440, 900)]).await;
    [light, look(desk, name).await].concat()
}

/// A desk at which the practice plant's events arrive.
async fn receiving() -> Desk {
    let desk = Desk::open().await;
    desk.ask("receiver_start", json!({ "site": "practice" })).await;
    desk
}

/// Operations that can be begun, each on a station of its own, which is freed of what lies there.
async fn planned(desk: &Desk, count: usize) -> Vec<Planned> {
    let rows = desk.control("state/work-orders").await["data"].as_array().unwrap().clone();
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
            act(desk, &order, "end", json!({})).await;
        }
    }
    planned
}

/// A row's operation, where it has a station, and its state.
fn operation_of(row: &Value) -> Option<(Planned, String)> {
    let of = |name: &str| Some(row[name].as_str()?.to_owned()).filter(|text| !text.is_empty());
    let order = Planned { code: of("code")?, operation: of("operationCode")?, station: of("workStationCode")? };
    Some((order, of("statusDescription")?.to_lowercase()))
}

async fn act(desk: &Desk, order: &Planned, verb: &str, mut details: Value) {
    details["operationCode"] = json!(order.operation);
    desk.tell_plant(&format!("work-orders/{}/{verb}", order.code), details).await;
}

async fn on_the_floor(desk: &Desk) {
    tab(desk, "floor").await;
    desk.sees("floor-stations").await;
}

async fn stands(desk: &Desk, order: &Planned, state: &str) {
    let code =
        format!("return document.querySelector('[data-testid=\"{}\"]')?.dataset.state === '{state}'", station(order));
    desk.window.until(&format!("{} {state}", order.station), SOON, &code).await;
}

fn station(order: &Planned) -> String {
    format!("floor-station-{}", order.station)
}

async fn text(desk: &Desk, id: &str) -> String {
    let code = format!("return document.querySelector('[data-testid=\"{id}\"]').textContent");
    desk.window.script(&code, vec![]).await.as_str().unwrap().to_owned()
}
