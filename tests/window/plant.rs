//! The practice plant's panel: its clock, its floor and its faults in hand, held against what the plant itself says.

use std::collections::BTreeSet;

use fantoccini::key::Key;
use serde_json::{Value, json};

use crate::desk::{Desk, SOON};

#[tokio::test]
async fn the_clock_and_the_floor_are_in_hand() {
    let desk = at_the_plant().await;
    let stations = desk.control("state/work-stations").await;
    let shown = "return document.querySelectorAll('[data-testid^=\"plant-station-\"]').length";
    assert_eq!(desk.window.script(shown, vec![]).await, stations["data"].as_array().unwrap().len());

    // A working day, whatever day it is outside.
    go_ahead(&desk, "plant-advance-morning", "06").await;
    let before = floor(&desk).await;
    go_ahead(&desk, "plant-advance-480", "14").await;
    assert_ne!(floor(&desk).await, before, "a shift was worked");
    assert_eq!(overview(&desk).await["pace"]["state"], "idle", "the clock went ahead, and its pace stayed");

    let (station, order, operation) = running(&desk).await;
    desk.click(&format!("plant-pause-{station}")).await;
    desk.sees(&format!("plant-resume-{station}")).await;
    assert_eq!(status(&desk, &order, &operation).await, "Paused");
    desk.click(&format!("plant-resume-{station}")).await;
    desk.sees(&format!("plant-pause-{station}")).await;
    assert_eq!(status(&desk, &order, &operation).await, "In execution");

    let good = produced(&desk, &order, &operation).await;
    desk.click(&format!("plant-more-{station}")).await;
    desk.click(&format!("plant-track-{station}")).await;
    desk.types("plant-good", "3").await;
    desk.click("plant-track").await;
    desk.gone("plant-good").await;
    assert_eq!(produced(&desk, &order, &operation).await, good + 3.0);

    desk.click(&format!("plant-more-{station}")).await;
    desk.click(&format!("plant-end-{station}")).await;
    desk.sees(&format!("plant-begin-{station}")).await;
    assert_eq!(status(&desk, &order, &operation).await, "Ended");
    desk.click(&format!("plant-begin-{station}")).await;
    desk.sees(&format!("plant-pause-{station}")).await;
    let view = station_view(&desk, &station).await;
    let (next, operation) = (text(&view["current"][0]["code"]), text(&view["current"][0]["operationCode"]));
    assert_ne!((&next, &operation), (&order, &operation.clone()), "it is the next one");
    assert_eq!(status(&desk, &next, &operation).await, "In execution");
    desk.window.close().await;
}

#[tokio::test]
async fn a_fault_is_made_told_kindly_and_taken_back() {
    let desk = at_the_plant().await;
    desk.click("plant-tab-faults").await;
    desk.click("plant-fault-error-500").await;
    desk.sees("nav-faults").await;
    desk.sees("plant-faults-on").await;
    assert_eq!(overview(&desk).await["faults"], json!(["error-500:1"]));

    desk.click("nav-browse").await;
    desk.click("browse-materials.list").await;
    desk.sign_in().await;
    let code = "return document.querySelector('[data-testid=\"problem\"]')?.dataset.code";
    assert_eq!(desk.window.until("a problem", SOON, code).await, "service-failed");

    desk.click("nav-plant").await;
    desk.click("plant-tab-requests").await;
    desk.sees("plant-requests").await;
    let told = "return document.querySelector('[data-testid=\"plant-requests\"]').textContent.includes('error-500')";
    desk.window.until("the fault among the requests", SOON, told).await;
    desk.click("plant-tab-faults").await;
    desk.click("plant-faults-off").await;
    desk.gone("nav-faults").await;
    assert_eq!(overview(&desk).await["faults"], json!([]));
    desk.click("nav-browse").await;
    desk.click("browse-work-stations.list").await;
    desk.sees("grid-browse").await;
    desk.window.close().await;
}

#[tokio::test]
async fn everything_begins_anew_only_when_it_was_confirmed() {
    let desk = at_the_plant().await;
    desk.click("plant-raise-alert").await;
    desk.types("alert-station", "Saw").await;
    press(&desk, &(Key::Down + &Key::Enter)).await;
    desk.types("alert-kind", "Crane").await;
    desk.click("alert-raise").await;
    let raised = "return document.body.innerText.includes('Crane')";
    desk.window.until("the alert", SOON, raised).await;
    let alerts = desk.control("state/alerts").await["data"].as_array().unwrap().len();
    for (button, after) in [("plant-reset-cancel", alerts), ("plant-reset-confirm", alerts - 1)] {
        desk.click("plant-state").await;
        desk.click("plant-reset").await;
        desk.click(button).await;
        desk.gone("plant-reset-confirm").await;
        assert_eq!(desk.control("state/alerts").await["data"].as_array().unwrap().len(), after, "{button}");
    }
    desk.window.close().await;
}

#[tokio::test]
async fn the_keyboard_reaches_all_of_it() {
    let desk = at_the_plant().await;
    let focus = "document.querySelector('[data-testid=\"plant-addresses\"]').focus()";
    desk.window.script(focus, vec![]).await;
    let mut reached = BTreeSet::new();
    for _ in 0..80 {
        press(&desk, &Key::Tab.to_string()).await;
        let now = "return document.activeElement.closest('[data-testid]')?.dataset.testid ?? ''";
        reached.insert(text(&desk.window.script(now, vec![]).await));
    }
    let all: Vec<String> =
        ["plant-state", "plant-run", "plant-run-600", "plant-idle", "plant-stop", "plant-advance-480"]
            .into_iter()
            .chain(["plant-advance-morning", "plant-floor", "plant-more-WS-01", "plant-more-WS-12", "plant-tab-alerts"])
            .map(str::to_owned)
            .collect();
    let missed: Vec<_> = all.iter().filter(|id| !reached.contains(*id)).collect();
    assert!(missed.is_empty(), "{missed:?} not in {reached:?}");

    desk.window.script("document.querySelector('[data-testid=\"plant-tab-alerts\"]').focus()", vec![]).await;
    press(&desk, &Key::Right.to_string()).await;
    let tab = "return document.querySelector('[data-testid=\"plant-tab-supplies\"]').ariaSelected === 'true'";
    desk.window.until("the next tab", SOON, tab).await;
    desk.window.script("document.querySelector('[data-testid=\"plant-stop\"]').focus()", vec![]).await;
    press(&desk, " ").await;
    desk.window.until("a clock that stands", SOON, &state_is("stopped")).await;
    // Looking again every second takes the focus from nothing.
    tokio::time::sleep(std::time::Duration::from_millis(2500)).await;
    let kept = "return document.activeElement.dataset.testid";
    assert_eq!(desk.window.script(kept, vec![]).await, "plant-stop");
    desk.window.close().await;
}

async fn at_the_plant() -> Desk {
    let desk = Desk::open().await;
    desk.click("nav-plant").await;
    desk.window.until("a floor where nobody works by themselves", SOON, &state_is("idle")).await;
    desk
}

fn state_is(state: &str) -> String {
    format!("return document.querySelector('[data-testid=\"plant-clock\"]')?.dataset.state === '{state}'")
}

/// Goes ahead to that hour, and waits until the plant is there, and the window shows it. On the way the clock shows other hours.
async fn go_ahead(desk: &Desk, button: &str, hour: &str) {
    let before = text(&overview(desk).await["now"]);
    desk.click(button).await;
    let there = format!(
        "const clock = document.querySelector('[data-testid=\"plant-clock\"]');
         return clock.parentElement.ariaBusy === 'false'
             && clock.querySelector('time').textContent.startsWith('{hour}:0')"
    );
    desk.window.until(hour, SOON, &there).await;
    let after = text(&overview(desk).await["now"]);
    assert!(after > before && after[11..].starts_with(hour), "{button}: {before} to {after}");
}

async fn floor(desk: &Desk) -> String {
    text(&desk.window.script("return document.querySelector('[data-testid=\"plant-floor\"]').innerText", vec![]).await)
}

async fn overview(desk: &Desk) -> Value {
    desk.control("overview").await
}

async fn station_view(desk: &Desk, station: &str) -> Value {
    let overview = overview(desk).await;
    overview["stations"].as_array().unwrap().iter().find(|view| view["code"] == station).unwrap().clone()
}

/// A station on which one order runs and another waits, with the order that runs.
async fn running(desk: &Desk) -> (String, String, String) {
    let overview = overview(desk).await;
    let found = overview["stations"].as_array().unwrap().iter().find(|view| {
        let current = view["current"].as_array().unwrap();
        let is_one = current.len() == 1 && current[0]["statusDescription"] == "In execution";
        is_one && !view["next"].as_array().unwrap().is_empty()
    });
    let view = found.unwrap_or_else(|| panic!("nothing runs: {overview}"));
    (text(&view["code"]), text(&view["current"][0]["code"]), text(&view["current"][0]["operationCode"]))
}

async fn row(desk: &Desk, order: &str, operation: &str) -> Value {
    let rows = desk.control("state/work-orders").await;
    let found = rows["data"].as_array().unwrap().iter();
    let mut found = found.filter(|row| row["code"] == order && row["operationCode"] == operation);
    found.next().unwrap_or_else(|| panic!("there is no {order} {operation}")).clone()
}

async fn status(desk: &Desk, order: &str, operation: &str) -> String {
    text(&row(desk, order, operation).await["statusDescription"])
}

async fn produced(desk: &Desk, order: &str, operation: &str) -> f64 {
    row(desk, order, operation).await["producedGoodQuantity"].as_f64().unwrap()
}

async fn press(desk: &Desk, keys: &str) {
    desk.window.client.active_element().await.unwrap().send_keys(keys).await.unwrap();
}

fn text(value: &Value) -> String {
    crate::desk::as_text(value)
}
