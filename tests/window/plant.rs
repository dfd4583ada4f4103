//! The practice plant's panel. The user controls the clock, the floor and the faults, which are compared with the
//! plant.

use std::collections::BTreeSet;

use fantoccini::key::Key;
use serde_json::{Value, json};

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, as_text};

#[tokio::test]
async fn the_clock_and_the_floor_are_in_hand() {
    let app = open_plant_page().await;
    let stations = app.control("state/work-stations").await;
    let shown = "return document.querySelectorAll('[data-testid^=\"plant-station-\"]').length";
    assert_eq!(app.window.script(shown, vec![]).await, stations["data"].as_array().unwrap().len());

    // The plant's clock advances to a working day.
    advance_clock(&app, "plant-advance-morning", "06").await;
    let before = floor_text(&app).await;
    advance_clock(&app, "plant-advance-480", "14").await;
    assert_ne!(floor_text(&app).await, before, "a shift was worked");
    assert_eq!(plant_overview(&app).await["pace"]["state"], "idle", "the clock went ahead, and its pace stayed");

    let (station, order, operation) = running_order(&app).await;
    app.click(&format!("plant-pause-{station}")).await;
    app.wait_for_element(&format!("plant-resume-{station}")).await;
    assert_eq!(order_status(&app, &order, &operation).await, "Paused");
    app.click(&format!("plant-resume-{station}")).await;
    app.wait_for_element(&format!("plant-pause-{station}")).await;
    assert_eq!(order_status(&app, &order, &operation).await, "In execution");

    let good = produced_quantity(&app, &order, &operation).await;
    app.click(&format!("plant-more-{station}")).await;
    app.click(&format!("plant-track-{station}")).await;
    app.type_text("plant-good", "3").await;
    app.click("plant-track").await;
    app.wait_until_gone("plant-good").await;
    assert_eq!(produced_quantity(&app, &order, &operation).await, good + 3.0);

    app.click(&format!("plant-more-{station}")).await;
    app.click(&format!("plant-end-{station}")).await;
    app.wait_for_element(&format!("plant-begin-{station}")).await;
    assert_eq!(order_status(&app, &order, &operation).await, "Ended");
    app.click(&format!("plant-begin-{station}")).await;
    app.wait_for_element(&format!("plant-pause-{station}")).await;
    let view = station_view(&app, &station).await;
    let (next, operation) = (as_text(&view["current"][0]["code"]), as_text(&view["current"][0]["operationCode"]));
    assert_ne!((&next, &operation), (&order, &operation.clone()), "it is the next one");
    assert_eq!(order_status(&app, &next, &operation).await, "In execution");
    app.window.close().await;
}

#[tokio::test]
async fn a_fault_is_made_told_kindly_and_taken_back() {
    let app = open_plant_page().await;
    app.click("plant-tab-faults").await;
    app.click("plant-fault-error-500").await;
    app.wait_for_element("nav-faults").await;
    app.wait_for_element("plant-faults-on").await;
    assert_eq!(plant_overview(&app).await["faults"], json!(["error-500:1"]));

    app.click("nav-browse").await;
    app.click("browse-materials.list").await;
    app.sign_in().await;
    let code = "return document.querySelector('[data-testid=\"problem\"]')?.dataset.code";
    assert_eq!(app.window.wait_until("a problem", CHANGE_TIMEOUT, code).await, "service-failed");

    app.click("nav-plant").await;
    app.click("plant-tab-requests").await;
    app.wait_for_element("plant-requests").await;
    let told = "return document.querySelector('[data-testid=\"plant-requests\"]').textContent.includes('error-500')";
    app.window.wait_until("the fault among the requests", CHANGE_TIMEOUT, told).await;
    app.click("plant-tab-faults").await;
    app.click("plant-faults-off").await;
    app.wait_until_gone("nav-faults").await;
    assert_eq!(plant_overview(&app).await["faults"], json!([]));
    app.click("nav-browse").await;
    app.click("browse-work-stations.list").await;
    app.wait_for_element("grid-browse").await;
    app.window.close().await;
}

#[tokio::test]
async fn everything_begins_anew_only_when_it_was_confirmed() {
    let app = open_plant_page().await;
    app.click("plant-raise-alert").await;
    app.type_text("alert-station", "Saw").await;
    press_keys(&app, &(Key::Down + &Key::Enter)).await;
    app.type_text("alert-kind", "Crane").await;
    app.click("alert-raise").await;
    let raised = "return document.body.innerText.includes('Crane')";
    app.window.wait_until("the alert", CHANGE_TIMEOUT, raised).await;
    let alerts = app.control("state/alerts").await["data"].as_array().unwrap().len();
    for (button, after) in [("plant-reset-cancel", alerts), ("plant-reset-confirm", alerts - 1)] {
        app.click("plant-state").await;
        app.click("plant-reset").await;
        app.click(button).await;
        app.wait_until_gone("plant-reset-confirm").await;
        assert_eq!(app.control("state/alerts").await["data"].as_array().unwrap().len(), after, "{button}");
    }
    app.window.close().await;
}

/// The history would otherwise show rows as accepted that no list has.
#[tokio::test]
async fn what_was_sent_stays_in_the_plant_until_it_is_reset() {
    let app = TestApp::open(Engine::Chromium).await;
    let fresh = plant_materials(&app).await;
    app.click("sample-materials.sync").await;
    app.click("step-preview").await;
    app.sign_in().await;
    app.wait_for_element("preview").await;
    app.click("go-on").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    let sent = plant_materials(&app).await;
    assert_ne!(sent, fresh);
    let open_submission = async |app: &TestApp| {
        app.click("nav-history").await;
        app.click("open-1").await;
        app.wait_for_element("save-results").await;
    };

    // The program is killed, so nothing is stored at its end.
    let app = TestApp::open_at(Engine::Chromium, app.kill(), "unix:path=/nonexistent").await;
    assert_eq!(plant_materials(&app).await, sent, "after a restart");
    open_submission(&app).await;
    app.wait_for_element("undo").await;
    app.wait_until_gone("plant-gone").await;

    app.click("nav-plant").await;
    app.click("plant-state").await;
    app.click("plant-reset").await;
    app.click("plant-reset-confirm").await;
    app.wait_until_gone("plant-reset-confirm").await;
    assert_eq!(plant_materials(&app).await, fresh);
    open_submission(&app).await;
    app.wait_for_element("plant-gone").await;
    app.window.screenshot(&takt_tests::results_folder("window").join("plant-gone.png")).await;
    for id in ["undo", "find-out", "resume"] {
        app.wait_until_gone(id).await;
    }
    let problem = "const done = arguments[arguments.length - 1];
        window.__TAURI_INTERNALS__.invoke('submission_undo_plan', { id: 1 }).then(() => done(null), done);";
    let problem = app.window.client.execute_async(problem, Vec::new()).await.unwrap();
    assert_eq!(problem["parameters"]["obstacle"], "plant-gone");

    // A new submission belongs to the new plant.
    app.click("nav-import").await;
    app.click("sample-materials.sync").await;
    app.click("step-send").await;
    app.sign_in().await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    app.wait_until_gone("plant-gone").await;
    assert_eq!(plant_materials(&app).await, sent);
    app.window.close().await;
}

#[tokio::test]
async fn the_keyboard_reaches_all_of_it() {
    let app = open_plant_page().await;
    let focus = "document.querySelector('[data-testid=\"plant-addresses\"]').focus()";
    app.window.script(focus, vec![]).await;
    let mut reached = BTreeSet::new();
    for _ in 0..80 {
        press_keys(&app, &Key::Tab.to_string()).await;
        let now = "return document.activeElement.closest('[data-testid]')?.dataset.testid ?? ''";
        reached.insert(as_text(&app.window.script(now, vec![]).await));
    }
    let all: Vec<String> =
        ["plant-state", "plant-run", "plant-run-600", "plant-idle", "plant-stop", "plant-advance-480"]
            .into_iter()
            .chain(["plant-advance-morning", "plant-floor", "plant-more-WS-01", "plant-more-WS-12", "plant-tab-alerts"])
            .map(str::to_owned)
            .collect();
    let missed: Vec<_> = all.iter().filter(|id| !reached.contains(*id)).collect();
    assert!(missed.is_empty(), "{missed:?} not in {reached:?}");

    app.window.script("document.querySelector('[data-testid=\"plant-tab-alerts\"]').focus()", vec![]).await;
    press_keys(&app, &Key::Right.to_string()).await;
    let tab = "return document.querySelector('[data-testid=\"plant-tab-supplies\"]').ariaSelected === 'true'";
    app.window.wait_until("the next tab", CHANGE_TIMEOUT, tab).await;
    app.window.script("document.querySelector('[data-testid=\"plant-stop\"]').focus()", vec![]).await;
    press_keys(&app, " ").await;
    app.window.wait_until("a clock that stands", CHANGE_TIMEOUT, &state_script("stopped")).await;
    // The panel polls every second, which must not move the focus.
    app.window.script("performance.clearResourceTimings()", vec![]).await;
    let asked = "return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('plant_overview')).length > 2";
    app.window.wait_until("three more looks", CHANGE_TIMEOUT, asked).await;
    let kept = "return document.activeElement.dataset.testid";
    assert_eq!(app.window.script(kept, vec![]).await, "plant-stop");
    app.window.close().await;
}

/// The codes and descriptions of the plant's materials.
async fn plant_materials(app: &TestApp) -> Vec<(Value, Value)> {
    let materials = app.control("state/materials").await;
    materials["data"].as_array().unwrap().iter().map(|row| (row["code"].clone(), row["description"].clone())).collect()
}

async fn open_plant_page() -> TestApp {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-plant").await;
    app.window.wait_until("a floor where nobody works by themselves", CHANGE_TIMEOUT, &state_script("idle")).await;
    app
}

fn state_script(state: &str) -> String {
    format!("return document.querySelector('[data-testid=\"plant-clock\"]')?.dataset.state === '{state}'")
}

/// Advances the clock to that hour, and waits for the plant and the window. The clock may show other hours before.
async fn advance_clock(app: &TestApp, button: &str, hour: &str) {
    let before = as_text(&plant_overview(app).await["now"]);
    app.click(button).await;
    let there = format!(
        "const clock = document.querySelector('[data-testid=\"plant-clock\"]');
         return clock.parentElement.ariaBusy === 'false'
             && clock.querySelector('time').textContent.startsWith('{hour}:0')"
    );
    app.window.wait_until(hour, CHANGE_TIMEOUT, &there).await;
    let after = as_text(&plant_overview(app).await["now"]);
    assert!(after > before && after[11..].starts_with(hour), "{button}: {before} to {after}");
}

async fn floor_text(app: &TestApp) -> String {
    as_text(
        &app.window.script("return document.querySelector('[data-testid=\"plant-floor\"]').innerText", vec![]).await,
    )
}

async fn plant_overview(app: &TestApp) -> Value {
    app.control("overview").await
}

async fn station_view(app: &TestApp, station: &str) -> Value {
    let overview = plant_overview(app).await;
    overview["stations"].as_array().unwrap().iter().find(|view| view["code"] == station).unwrap().clone()
}

/// Returns a station with one running and at least one waiting order, and the running order.
async fn running_order(app: &TestApp) -> (String, String, String) {
    let overview = plant_overview(app).await;
    let found = overview["stations"].as_array().unwrap().iter().find(|view| {
        let current = view["current"].as_array().unwrap();
        let is_one = current.len() == 1 && current[0]["statusDescription"] == "In execution";
        is_one && !view["next"].as_array().unwrap().is_empty()
    });
    let view = found.unwrap_or_else(|| panic!("nothing runs: {overview}"));
    (as_text(&view["code"]), as_text(&view["current"][0]["code"]), as_text(&view["current"][0]["operationCode"]))
}

async fn plant_row(app: &TestApp, order: &str, operation: &str) -> Value {
    let rows = app.control("state/work-orders").await;
    let found = rows["data"].as_array().unwrap().iter();
    let mut found = found.filter(|row| row["code"] == order && row["operationCode"] == operation);
    found.next().unwrap_or_else(|| panic!("there is no {order} {operation}")).clone()
}

async fn order_status(app: &TestApp, order: &str, operation: &str) -> String {
    as_text(&plant_row(app, order, operation).await["statusDescription"])
}

async fn produced_quantity(app: &TestApp, order: &str, operation: &str) -> f64 {
    plant_row(app, order, operation).await["producedGoodQuantity"].as_f64().unwrap()
}

async fn press_keys(app: &TestApp, keys: &str) {
    app.window.send_keys_to_focus(keys).await;
}
