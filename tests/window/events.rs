//! Events of the practice plant are listed, found and displayed, and remain after a restart.

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{Engine, SOON, TestApp, results};

use crate::floor;

/// The address of a session bus that doesn't exist, so that no keychain is found.
pub(crate) const NO_KEYCHAIN: &str = "unix:path=/nonexistent";
const HOSTILE: &str = "<img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script><b>careful</b>";
/// An event with an unknown kind and an unknown member.
const UNKNOWN: &str = r#"{"Id":57,"Description":"Something new","Novel":{"deep":[1,2.50,null]}}"#;

#[tokio::test]
async fn what_happens_on_the_floor_is_told_found_and_understood() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    app.sees("events-empty").await;
    assert_eq!(app.control("targets").await["data"].as_array().unwrap().len(), 1, "the plant knows the receiver");

    let planned = &floor::planned(&app, 1).await[0];
    let order = planned.code.as_str();
    floor::act(&app, planned, "begin", json!({})).await;
    shows(&app, order).await;
    let sent = deliveries(&app).await;
    let begun = sent.last().unwrap_or_else(|| panic!("nothing was sent"));
    let id = newest(&app).await;
    let event = app.invoke("event_get", json!({ "id": id })).await;
    let body: Value = serde_json::from_str(event["body"].as_str().unwrap()).unwrap();
    let told = sent.iter().any(|one| one["body"] == body);
    assert!(told, "as the plant sent it: {body} among {begun}");

    app.press(&row(0)).await;
    app.sees("event-fields").await;
    app.window.until("a link to the order", SOON, &has("event-summary", order)).await;
    app.window.screenshot(&results("window").join("events-detail.png")).await;
    press(&app, &Key::Escape.to_string()).await;
    app.gone("event-summary").await;

    app.types("events-order", "no such order").await;
    counts(&app, "0").await;
    app.click("events-clear").await;
    app.types("events-find", order).await;
    shows(&app, order).await;
    app.click("events-clear").await;
    app.window.close().await;
}

#[tokio::test]
async fn what_nobody_knows_is_marked_and_what_is_hostile_does_nothing() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    post(&app, UNKNOWN).await;
    shows(&app, "Unknown event 57").await;
    app.press(&row(0)).await;
    app.window.until("what the contract doesn't know", SOON, &has("event-unknown", "Novel")).await;
    app.window.until("its mark", SOON, &has("event-marks", "not in the interface description")).await;
    app.press("[data-testid=\"event-form\"] input[value=\"json\"] + label").await;
    app.window.until("the digits as they came", SOON, &has("event-body", "2.50")).await;

    post(&app, &json!({ "Id": 2, "Description": HOSTILE }).to_string()).await;
    post(&app, "{\"Id\":").await;
    app.window.until("one that came while another is looked at", SOON, &has("events-fresh", "2 new")).await;
    app.click("events-fresh").await;
    shows(&app, "unreadable").await;
    app.press(&row(1)).await;
    app.window.until("why it is odd", SOON, &has("event-oddity", "is missing")).await;
    app.press("[data-testid=\"event-form\"] input[value=\"fields\"] + label").await;
    app.window.until("the harmless part", SOON, &has("event-fields", "careful")).await;
    let hurt =
        "return window.hurt === undefined && document.querySelector('[data-testid=\"event-fields\"] img') === null";
    assert_eq!(app.window.script(hurt, vec![]).await, true);
    let url = app.window.script(&text_of("receiver-url"), vec![]).await;
    let elsewhere = format!("{}x", url.as_str().unwrap());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    assert_eq!(client.post(elsewhere).body("{}").send().await.unwrap().status(), 404);
    app.window.until("what was refused", SOON, &has("receiver-refused", "1 refused")).await;
    app.window.close().await;
}

#[tokio::test]
async fn events_stay_and_a_time_without_a_receiver_is_said() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    post(&app, UNKNOWN).await;
    shows(&app, "Unknown event 57").await;
    let targets = app.control("targets").await;
    app.click("receiver-stop").await;
    app.window.until("a receiver that is off", SOON, &receiver_is("off")).await;
    assert_eq!(app.control("targets").await["data"].as_array().unwrap().len(), 0);
    app.click("receiver-start").await;
    app.window.until("a receiver that runs again", SOON, &receiver_is("on")).await;
    let again = app.control("targets").await;
    assert_eq!(again["data"].as_array().unwrap().len(), 1, "known once");
    assert_eq!(again["data"][0]["url"], targets["data"][0]["url"], "the address stays the same");
    let takt = app.kill();

    // Moves all times one hour into the past, as if Takt had been closed for that time.
    let file = rusqlite::Connection::open(takt.home().join("inbox.sqlite")).unwrap();
    for (table, moment) in [("pulse", "at"), ("event", "received"), ("reading", "received")] {
        let earlier = format!("UPDATE {table} SET {moment} = {moment} - 3600000");
        assert_eq!(file.execute(&earlier, []).unwrap(), 1, "{table}");
    }
    drop(file);
    let app = TestApp::open_at(Engine::Chromium, takt, NO_KEYCHAIN).await;
    app.click("nav-events").await;
    shows(&app, "Unknown event 57").await;
    app.window.until("the gap", SOON, &has("gap", "the receiver was off")).await;
    fire(&app, 3).await;
    shows(&app, "Production paused").await;
    let between = "return document.querySelector('[data-testid=\"grid-events\"] [class*=\"afterGap\"]') !== null";
    app.window.until("the gap between the rows", SOON, between).await;
    app.window.screenshot(&results("window").join("events-gap.png")).await;

    // The floor must show that events may be missing.
    let takt = app.takt.home().join("inbox.sqlite");
    tab(&app, "floor").await;
    app.window.until("the gap on the floor", SOON, &has("floor-gap", "may be missing here")).await;
    app.gone("floor-off").await;
    assert_eq!(app.invoke("receiver_stop", json!({ "site": "practice" })).await, Value::Null);
    rusqlite::Connection::open(takt).unwrap().execute("UPDATE pulse SET at = at - 3600000", []).unwrap();
    app.window.until("that nobody listens", SOON, &has("floor-off", "Nothing has been received since")).await;
    app.window.close().await;
}

#[tokio::test]
async fn other_addresses_are_a_choice_with_a_warning() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    app.click("receiver-settings").await;
    app.sees("receiver-form").await;
    app.gone("receiver-shared").await;
    let before = app.invoke("receiver_view", json!({ "site": "practice" })).await;
    let mut wish = before["settings"].clone();
    wish["address"] = json!("0.0.0.0");
    assert_eq!(app.invoke("receiver_change", json!({ "site": "practice", "settings": wish })).await, Value::Null);
    app.sees("receiver-shared").await;
    let after = app.invoke("receiver_view", json!({ "site": "practice" })).await;
    assert_eq!(after["urls"][0], before["urls"][0], "this computer's own address stays the same");
    assert_eq!(app.control("targets").await["data"].as_array().unwrap().len(), 1, "known once");
    fire(&app, 1).await;
    press(&app, &Key::Escape.to_string()).await;
    shows(&app, "Work order planned").await;

    // A body that isn't text is shown as bytes.
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sent = client.post(after["urls"][0].as_str().unwrap()).body(vec![0x7b, 0xff, 0x00]).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    shows(&app, "unreadable").await;
    app.press(&row(0)).await;
    let bytes = "return [...document.querySelectorAll('[data-testid=\"event-body\"]')]
        .some((body) => body.textContent.includes('7b ff 00'))";
    app.window.until("the bytes", SOON, bytes).await;
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn every_look_and_the_keyboard_alone() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    let mut found = crate::looks::look(&app, "events-empty").await;
    for event in 0..12 {
        fire(&app, event).await;
    }
    post(&app, UNKNOWN).await;
    post(&app, "no JSON").await;
    counts(&app, "14").await;
    found.extend(crate::looks::look(&app, "events").await);
    app.press(&row(3)).await;
    app.sees("event-fields").await;
    found.extend(crate::looks::look(&app, "events-detail").await);
    let here = app.window.script(&text_of("detail"), vec![]).await;
    press(&app, &Key::Down.to_string()).await;
    let other = format!("return document.querySelector('[data-testid=\"detail\"]')?.textContent !== {here}");
    app.window.until("the next one by keyboard", SOON, &other).await;
    press(&app, &Key::Enter.to_string()).await;
    let inside = "return document.activeElement.closest('[data-testid=\"detail\"]') !== null";
    app.window.until("the focus in the detail", SOON, inside).await;
    press(&app, &Key::Escape.to_string()).await;
    app.gone("event-summary").await;
    app.click("receiver-settings").await;
    app.sees("receiver-form").await;
    found.extend(crate::looks::look(&app, "events-settings").await);
    app.press("[data-testid=\"receiver-scheme\"] input[value=\"body\"] + label").await;
    app.types("receiver-secret", "s3cret").await;
    app.click("receiver-secret-add").await;
    app.sees("receiver-secret-remove-0").await;
    press(&app, &Key::Escape.to_string()).await;
    fire(&app, 3).await;
    counts(&app, "15").await;
    let newest = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 1 })).await;
    assert_eq!(newest["rows"][0]["signed"], "valid", "the plant signs with it: {newest}");
    post(&app, UNKNOWN).await;
    shows(&app, "not signed").await;
    app.click("notices").await;
    app.click("notices-on").await;
    app.sees("notice-kinds-1").await;
    found.extend(crate::looks::look(&app, "events-notices").await);
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

pub(crate) fn receiver_is(state: &str) -> String {
    format!("return document.querySelector('[data-testid=\"receiver\"]')?.dataset.state === '{state}'")
}

fn text_of(id: &str) -> String {
    format!("return document.querySelector('[data-testid=\"{id}\"]')?.textContent")
}

pub(crate) fn has(id: &str, text: &str) -> String {
    format!("return document.querySelector('[data-testid=\"{id}\"]')?.textContent.includes({})", json!(text))
}

pub(crate) fn row(at: u32) -> String {
    format!("[data-testid=\"grid-events\"] [row-index=\"{at}\"] [col-id=\"kind\"]")
}

async fn shows(app: &TestApp, text: &str) {
    app.window.until(text, SOON, &has("grid-events", text)).await;
}

/// Opens a tab of the events page by its id.
pub(crate) async fn tab(app: &TestApp, id: &str) {
    app.press(&format!("[data-testid=\"events-tabs\"] input[value=\"{id}\"] + label")).await;
}

/// Waits until the status line shows this number of events.
async fn counts(app: &TestApp, count: &str) {
    let said = match count {
        "0" => has("events-count", "No matching events"),
        count => has("events-count", &format!("{count} event")),
    };
    app.window.until(&format!("{count} events"), SOON, &said).await;
}

async fn newest(app: &TestApp) -> Value {
    let list = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 1 })).await;
    list["rows"][0]["id"].clone()
}

/// Returns the events that the plant has sent, each with its body.
async fn deliveries(app: &TestApp) -> Vec<Value> {
    let mut all = Vec::new();
    for one in app.control("events").await["data"].as_array().unwrap() {
        all.push(app.control(&format!("events/{}", one["id"])).await);
    }
    all
}

/// Sends a body to the practice plant's receiver. It needn't be a valid event.
pub(crate) async fn post(app: &TestApp, body: &str) {
    let view = app.invoke("receiver_view", json!({ "site": "practice" })).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sent = client.post(view["urls"][0].as_str().unwrap()).body(body.to_owned()).send().await.unwrap();
    assert!(sent.status().is_success() || sent.status() == 401, "{}", sent.status());
}

/// Makes the plant send an event. Returns before the event is received.
pub(crate) async fn fire(app: &TestApp, event: u32) {
    let told = app.invoke("plant_fire", json!({ "event": event, "order": null })).await;
    assert_eq!(told, Value::Null, "event {event}");
}

/// Presses keys in the element that has the focus.
pub(crate) async fn press(app: &TestApp, keys: &str) {
    app.window.send_keys_to_focus(keys).await;
}
