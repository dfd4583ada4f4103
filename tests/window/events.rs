//! Events of the practice plant are listed, found and displayed, and remain after a restart.

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

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
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    app.wait_for_element("events-empty").await;
    assert_eq!(app.control("targets").await["data"].as_array().unwrap().len(), 1, "the plant knows the receiver");

    let planned = &floor::free_operations(&app, 1).await[0];
    let order = planned.code.as_str();
    floor::act_on_floor(&app, planned, "begin", json!({})).await;
    wait_for_text(&app, order).await;
    let sent = sent_events(&app).await;
    let begun = sent.last().unwrap_or_else(|| panic!("nothing was sent"));
    let id = newest_event_id(&app).await;
    let event = app.invoke("event_get", json!({ "id": id })).await;
    let body: Value = serde_json::from_str(event["body"].as_str().unwrap()).unwrap();
    let told = sent.iter().any(|one| one["body"] == body);
    assert!(told, "as the plant sent it: {body} among {begun}");

    app.click_css(&row_selector(0)).await;
    app.wait_for_element("event-fields").await;
    app.window.wait_until("a link to the order", CHANGE_TIMEOUT, &contains_text_script("event-summary", order)).await;
    app.window.screenshot(&results_folder("window").join("events-detail.png")).await;
    press_keys(&app, &Key::Escape.to_string()).await;
    app.wait_until_gone("event-summary").await;

    app.type_text("events-order", "no such order").await;
    wait_for_event_count(&app, "0").await;
    app.click("events-clear").await;
    app.type_text("events-find", order).await;
    wait_for_text(&app, order).await;
    app.click("events-clear").await;
    app.window.close().await;
}

#[tokio::test]
async fn what_nobody_knows_is_marked_and_what_is_hostile_does_nothing() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    post_event(&app, UNKNOWN).await;
    wait_for_text(&app, "Unknown event 57").await;
    app.click_css(&row_selector(0)).await;
    app.window
        .wait_until("what the contract doesn't know", CHANGE_TIMEOUT, &contains_text_script("event-unknown", "Novel"))
        .await;
    app.window
        .wait_until(
            "its mark",
            CHANGE_TIMEOUT,
            &contains_text_script("event-marks", "not in the interface description"),
        )
        .await;
    app.click_css("[data-testid=\"event-form\"] input[value=\"json\"] + label").await;
    app.window.wait_until("the digits as they came", CHANGE_TIMEOUT, &contains_text_script("event-body", "2.50")).await;

    post_event(&app, &json!({ "Id": 2, "Description": HOSTILE }).to_string()).await;
    post_event(&app, "{\"Id\":").await;
    app.window
        .wait_until(
            "one that came while another is looked at",
            CHANGE_TIMEOUT,
            &contains_text_script("events-fresh", "2 new"),
        )
        .await;
    app.click("events-fresh").await;
    wait_for_text(&app, "unreadable").await;
    app.click_css(&row_selector(1)).await;
    app.window.wait_until("why it is odd", CHANGE_TIMEOUT, &contains_text_script("event-oddity", "is missing")).await;
    app.click_css("[data-testid=\"event-form\"] input[value=\"fields\"] + label").await;
    app.window.wait_until("the harmless part", CHANGE_TIMEOUT, &contains_text_script("event-fields", "careful")).await;
    let hurt =
        "return window.hurt === undefined && document.querySelector('[data-testid=\"event-fields\"] img') === null";
    assert_eq!(app.window.script(hurt, vec![]).await, true);
    let url = app.window.script(&text_script("receiver-url"), vec![]).await;
    let elsewhere = format!("{}x", url.as_str().unwrap());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    assert_eq!(client.post(elsewhere).body("{}").send().await.unwrap().status(), 404);
    app.window
        .wait_until("what was refused", CHANGE_TIMEOUT, &contains_text_script("receiver-refused", "1 refused"))
        .await;
    app.window.close().await;
}

#[tokio::test]
async fn events_stay_and_a_time_without_a_receiver_is_said() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    post_event(&app, UNKNOWN).await;
    wait_for_text(&app, "Unknown event 57").await;
    let targets = app.control("targets").await;
    app.click("receiver-stop").await;
    app.window.wait_until("a receiver that is off", CHANGE_TIMEOUT, &receiver_state_script("off")).await;
    assert_eq!(app.control("targets").await["data"].as_array().unwrap().len(), 0);
    app.click("receiver-start").await;
    app.window.wait_until("a receiver that runs again", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
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
    wait_for_text(&app, "Unknown event 57").await;
    app.window.wait_until("the gap", CHANGE_TIMEOUT, &contains_text_script("gap", "the receiver was off")).await;
    fire_event(&app, 3).await;
    wait_for_text(&app, "Production paused").await;
    let between = "return document.querySelector('[data-testid=\"grid-events\"] [class*=\"afterGap\"]') !== null";
    app.window.wait_until("the gap between the rows", CHANGE_TIMEOUT, between).await;
    app.window.screenshot(&results_folder("window").join("events-gap.png")).await;

    // The floor must show that events may be missing.
    let takt = app.takt.home().join("inbox.sqlite");
    open_tab(&app, "floor").await;
    app.window
        .wait_until("the gap on the floor", CHANGE_TIMEOUT, &contains_text_script("floor-gap", "may be missing here"))
        .await;
    app.wait_until_gone("floor-off").await;
    assert_eq!(app.invoke("receiver_stop", json!({ "site": "practice" })).await, Value::Null);
    rusqlite::Connection::open(takt).unwrap().execute("UPDATE pulse SET at = at - 3600000", []).unwrap();
    app.window
        .wait_until(
            "that nobody listens",
            CHANGE_TIMEOUT,
            &contains_text_script("floor-off", "Nothing has been received since"),
        )
        .await;
    app.window.close().await;
}

#[tokio::test]
async fn other_addresses_are_a_choice_with_a_warning() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    app.click("receiver-settings").await;
    app.wait_for_element("receiver-form").await;
    app.wait_until_gone("receiver-shared").await;
    let before = app.invoke("receiver_view", json!({ "site": "practice" })).await;
    let mut wish = before["settings"].clone();
    wish["address"] = json!("0.0.0.0");
    assert_eq!(app.invoke("receiver_change", json!({ "site": "practice", "settings": wish })).await, Value::Null);
    app.wait_for_element("receiver-shared").await;
    let after = app.invoke("receiver_view", json!({ "site": "practice" })).await;
    assert_eq!(after["urls"][0], before["urls"][0], "this computer's own address stays the same");
    assert_eq!(app.control("targets").await["data"].as_array().unwrap().len(), 1, "known once");
    fire_event(&app, 1).await;
    press_keys(&app, &Key::Escape.to_string()).await;
    wait_for_text(&app, "Work order planned").await;

    // A body that isn't text is shown as bytes.
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sent = client.post(after["urls"][0].as_str().unwrap()).body(vec![0x7b, 0xff, 0x00]).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    wait_for_text(&app, "unreadable").await;
    app.click_css(&row_selector(0)).await;
    let bytes = "return [...document.querySelectorAll('[data-testid=\"event-body\"]')]
        .some((body) => body.textContent.includes('7b ff 00'))";
    app.window.wait_until("the bytes", CHANGE_TIMEOUT, bytes).await;
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn every_look_and_the_keyboard_alone() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    let mut found = crate::looks::check_looks(&app, "events-empty").await;
    for event in 0..12 {
        fire_event(&app, event).await;
    }
    post_event(&app, UNKNOWN).await;
    post_event(&app, "no JSON").await;
    wait_for_event_count(&app, "14").await;
    found.extend(crate::looks::check_looks(&app, "events").await);
    app.click_css(&row_selector(3)).await;
    app.wait_for_element("event-fields").await;
    found.extend(crate::looks::check_looks(&app, "events-detail").await);
    let here = app.window.script(&text_script("detail"), vec![]).await;
    press_keys(&app, &Key::Down.to_string()).await;
    let other = format!("return document.querySelector('[data-testid=\"detail\"]')?.textContent !== {here}");
    app.window.wait_until("the next one by keyboard", CHANGE_TIMEOUT, &other).await;
    press_keys(&app, &Key::Enter.to_string()).await;
    let inside = "return document.activeElement.closest('[data-testid=\"detail\"]') !== null";
    app.window.wait_until("the focus in the detail", CHANGE_TIMEOUT, inside).await;
    press_keys(&app, &Key::Escape.to_string()).await;
    app.wait_until_gone("event-summary").await;
    app.click("receiver-settings").await;
    app.wait_for_element("receiver-form").await;
    found.extend(crate::looks::check_looks(&app, "events-settings").await);
    app.click_css("[data-testid=\"receiver-scheme\"] input[value=\"body\"] + label").await;
    app.type_text("receiver-secret", "s3cret").await;
    app.click("receiver-secret-add").await;
    app.wait_for_element("receiver-secret-remove-0").await;
    press_keys(&app, &Key::Escape.to_string()).await;
    fire_event(&app, 3).await;
    wait_for_event_count(&app, "15").await;
    let newest = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 1 })).await;
    assert_eq!(newest["rows"][0]["signed"], "valid", "the plant signs with it: {newest}");
    post_event(&app, UNKNOWN).await;
    wait_for_text(&app, "not signed").await;
    app.click("notices").await;
    app.click("notices-on").await;
    app.wait_for_element("notice-kinds-1").await;
    found.extend(crate::looks::check_looks(&app, "events-notices").await);
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

pub(crate) fn receiver_state_script(state: &str) -> String {
    format!("return document.querySelector('[data-testid=\"receiver\"]')?.dataset.state === '{state}'")
}

fn text_script(id: &str) -> String {
    format!("return document.querySelector('[data-testid=\"{id}\"]')?.textContent")
}

pub(crate) fn contains_text_script(id: &str, text: &str) -> String {
    format!("return document.querySelector('[data-testid=\"{id}\"]')?.textContent.includes({})", json!(text))
}

pub(crate) fn row_selector(at: u32) -> String {
    format!("[data-testid=\"grid-events\"] [row-index=\"{at}\"] [col-id=\"kind\"]")
}

async fn wait_for_text(app: &TestApp, text: &str) {
    app.window.wait_until(text, CHANGE_TIMEOUT, &contains_text_script("grid-events", text)).await;
}

/// Opens a tab of the events page by its id.
pub(crate) async fn open_tab(app: &TestApp, id: &str) {
    if id == "floor" {
        return app.click("nav-floor").await;
    }
    app.click("nav-events").await;
    app.click_css(&format!("[data-testid=\"events-tabs\"] input[value=\"{id}\"] + label")).await;
}

/// Waits until the status line shows this number of events.
async fn wait_for_event_count(app: &TestApp, count: &str) {
    let said = match count {
        "0" => contains_text_script("events-count", "No matching events"),
        count => contains_text_script("events-count", &format!("{count} event")),
    };
    app.window.wait_until(&format!("{count} events"), CHANGE_TIMEOUT, &said).await;
}

async fn newest_event_id(app: &TestApp) -> Value {
    let list = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 1 })).await;
    list["rows"][0]["id"].clone()
}

/// Returns the events that the plant has sent, each with its body.
async fn sent_events(app: &TestApp) -> Vec<Value> {
    let mut all = Vec::new();
    for one in app.control("events").await["data"].as_array().unwrap() {
        all.push(app.control(&format!("events/{}", one["id"])).await);
    }
    all
}

/// Sends a body to the practice plant's receiver. It needn't be a valid event.
pub(crate) async fn post_event(app: &TestApp, body: &str) {
    let view = app.invoke("receiver_view", json!({ "site": "practice" })).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sent = client.post(view["urls"][0].as_str().unwrap()).body(body.to_owned()).send().await.unwrap();
    assert!(sent.status().is_success() || sent.status() == 401, "{}", sent.status());
}

/// Makes the plant send an event. Returns before the event is received.
pub(crate) async fn fire_event(app: &TestApp, event: u32) {
    let told = app.invoke("plant_fire", json!({ "event": event, "order": null })).await;
    assert_eq!(told, Value::Null, "event {event}");
}

/// Presses keys in the element that has the focus.
pub(crate) async fn press_keys(app: &TestApp, keys: &str) {
    app.window.send_keys_to_focus(keys).await;
}
