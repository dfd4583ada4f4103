//! The practice plant's panel. The user controls the clock, the floor and the faults, which are compared with the
//! plant.

use std::collections::BTreeSet;

use fantoccini::key::Key;
use serde_json::{Value, json};

use takt_tests::{Engine, SOON, TestApp, as_text};

#[tokio::test]
async fn the_clock_and_the_floor_are_in_hand() {
    let app = at_the_plant().await;
    let stations = app.control("state/work-stations").await;
    let shown = "return document.querySelectorAll('[data-testid^=\"plant-station-\"]').length";
    assert_eq!(app.window.script(shown, vec![]).await, stations["data"].as_array().unwrap().len());

    // The plant's clock advances to a working day.
    go_ahead(&app, "plant-advance-morning", "06").await;
    let before = floor(&app).await;
    go_ahead(&app, "plant-advance-480", "14").await;
    assert_ne!(floor(&app).await, before, "a shift was worked");
    assert_eq!(overview(&app).await["pace"]["state"], "idle", "the clock went ahead, and its pace stayed");

    let (station, order, operation) = running(&app).await;
    app.click(&format!("plant-pause-{station}")).await;
    app.sees(&format!("plant-resume-{station}")).await;
    assert_eq!(status(&app, &order, &operation).await, "Paused");
    app.click(&format!("plant-resume-{station}")).await;
    app.sees(&format!("plant-pause-{station}")).await;
    assert_eq!(status(&app, &order, &operation).await, "In execution");

    let good = produced(&app, &order, &operation).await;
    app.click(&format!("plant-more-{station}")).await;
    app.click(&format!("plant-track-{station}")).await;
    app.types("plant-good", "3").await;
    app.click("plant-track").await;
    app.gone("plant-good").await;
    assert_eq!(produced(&app, &order, &operation).await, good + 3.0);

    app.click(&format!("plant-more-{station}")).await;
    app.click(&format!("plant-end-{station}")).await;
    app.sees(&format!("plant-begin-{station}")).await;
    assert_eq!(status(&app, &order, &operation).await, "Ended");
    app.click(&format!("plant-begin-{station}")).await;
    app.sees(&format!("plant-pause-{station}")).await;
    let view = station_view(&app, &station).await;
    let (next, operation) = (as_text(&view["current"][0]["code"]), as_text(&view["current"][0]["operationCode"]));
    assert_ne!((&next, &operation), (&order, &operation.clone()), "it is the next one");
    assert_eq!(status(&app, &next, &operation).await, "In execution");
    app.window.close().await;
}

#[tokio::test]
async fn a_fault_is_made_told_kindly_and_taken_back() {
    let app = at_the_plant().await;
    app.click("plant-tab-faults").await;
    app.click("plant-fault-error-500").await;
    app.sees("nav-faults").await;
    app.sees("plant-faults-on").await;
    assert_eq!(overview(&app).await["faults"], json!(["error-500:1"]));

    app.click("nav-browse").await;
    app.click("browse-materials.list").await;
    app.sign_in().await;
    let code = "return document.querySelector('[data-testid=\"problem\"]')?.dataset.code";
    assert_eq!(app.window.until("a problem", SOON, code).await, "service-failed");

    app.click("nav-plant").await;
    app.click("plant-tab-requests").await;
    app.sees("plant-requests").await;
    let told = "return document.querySelector('[data-testid=\"plant-requests\"]').textContent.includes('error-500')";
    app.window.until("the fault among the requests", SOON, told).await;
    app.click("plant-tab-faults").await;
    app.click("plant-faults-off").await;
    app.gone("nav-faults").await;
    assert_eq!(overview(&app).await["faults"], json!([]));
    app.click("nav-browse").await;
    app.click("browse-work-stations.list").await;
    app.sees("grid-browse").await;
    app.window.close().await;
}

#[tokio::test]
async fn everything_begins_anew_only_when_it_was_confirmed() {
    let app = at_the_plant().await;
    app.click("plant-raise-alert").await;
    app.types("alert-station", "Saw").await;
    press(&app, &(Key::Down + &Key::Enter)).await;
    app.types("alert-kind", "Crane").await;
    app.click("alert-raise").await;
    let raised = "return document.body.innerText.includes('Crane')";
    app.window.until("the alert", SOON, raised).await;
    let alerts = app.control("state/alerts").await["data"].as_array().unwrap().len();
    for (button, after) in [("plant-reset-cancel", alerts), ("plant-reset-confirm", alerts - 1)] {
        app.click("plant-state").await;
        app.click("plant-reset").await;
        app.click(button).await;
        app.gone("plant-reset-confirm").await;
        assert_eq!(app.control("state/alerts").await["data"].as_array().unwrap().len(), after, "{button}");
    }
    app.window.close().await;
}

/// The history would otherwise show rows as accepted that no list has.
#[tokio::test]
async fn what_was_sent_stays_in_the_plant_until_it_is_reset() {
    let app = TestApp::open(Engine::Chromium).await;
    let fresh = materials(&app).await;
    app.click("sample-materials.sync").await;
    app.click("step-preview").await;
    app.sign_in().await;
    app.sees("preview").await;
    app.click("go-on").await;
    app.click("send").await;
    app.submission_ends().await;
    let sent = materials(&app).await;
    assert_ne!(sent, fresh);
    let open_submission = async |app: &TestApp| {
        app.click("nav-history").await;
        app.click("open-1").await;
        app.sees("save-results").await;
    };

    // The program is killed, so nothing is stored at its end.
    let app = TestApp::open_at(Engine::Chromium, app.kill(), "unix:path=/nonexistent").await;
    assert_eq!(materials(&app).await, sent, "after a restart");
    open_submission(&app).await;
    app.sees("undo").await;
    app.gone("plant-gone").await;

    app.click("nav-plant").await;
    app.click("plant-state").await;
    app.click("plant-reset").await;
    app.click("plant-reset-confirm").await;
    app.gone("plant-reset-confirm").await;
    assert_eq!(materials(&app).await, fresh);
    open_submission(&app).await;
    app.sees("plant-gone").await;
    app.window.screenshot(&takt_tests::results("window").join("plant-gone.png")).await;
    for id in ["undo", "find-out", "resume"] {
        app.gone(id).await;
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
    app.submission_ends().await;
    app.gone("plant-gone").await;
    assert_eq!(materials(&app).await, sent);
    app.window.close().await;
}

#[tokio::test]
async fn the_keyboard_reaches_all_of_it() {
    let app = at_the_plant().await;
    let focus = "document.querySelector('[data-testid=\"plant-addresses\"]').focus()";
    app.window.script(focus, vec![]).await;
    let mut reached = BTreeSet::new();
    for _ in 0..80 {
        press(&app, &Key::Tab.to_string()).await;
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
    press(&app, &Key::Right.to_string()).await;
    let tab = "return document.querySelector('[data-testid=\"plant-tab-supplies\"]').ariaSelected === 'true'";
    app.window.until("the next tab", SOON, tab).await;
    app.window.script("document.querySelector('[data-testid=\"plant-stop\"]').focus()", vec![]).await;
    press(&app, " ").await;
    app.window.until("a clock that stands", SOON, &state_is("stopped")).await;
    // The panel polls every second, which must not move the focus.
    app.window.script("performance.clearResourceTimings()", vec![]).await;
    let asked = "return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('plant_overview')).length > 2";
    app.window.until("three more looks", SOON, asked).await;
    let kept = "return document.activeElement.dataset.testid";
    assert_eq!(app.window.script(kept, vec![]).await, "plant-stop");
    app.window.close().await;
}

/// The codes and descriptions of the plant's materials.
async fn materials(app: &TestApp) -> Vec<(Value, Value)> {
    let materials = app.control("state/materials").await;
    materials["data"].as_array().unwrap().iter().map(|row| (row["code"].clone(), row["description"].clone())).collect()
}

async fn at_the_plant() -> TestApp {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-plant").await;
    app.window.until("a floor where nobody works by themselves", SOON, &state_is("idle")).await;
    app
}

fn state_is(state: &str) -> String {
    format!("return document.querySelector('[data-testid=\"plant-clock\"]')?.dataset.state === '{state}'")
}

/// Advances the clock to that hour, and waits for the plant and the window. The clock may show other hours before.
async fn go_ahead(app: &TestApp, button: &str, hour: &str) {
    let before = as_text(&overview(app).await["now"]);
    app.click(button).await;
    let there = format!(
        "const clock = document.querySelector('[data-testid=\"plant-clock\"]');
         return clock.parentElement.ariaBusy === 'false'
             && clock.querySelector('time').textContent.startsWith('{hour}:0')"
    );
    app.window.until(hour, SOON, &there).await;
    let after = as_text(&overview(app).await["now"]);
    assert!(after > before && after[11..].starts_with(hour), "{button}: {before} to {after}");
}

async fn floor(app: &TestApp) -> String {
    as_text(
        &app.window.script("return document.querySelector('[data-testid=\"plant-floor\"]').innerText", vec![]).await,
    )
}

async fn overview(app: &TestApp) -> Value {
    app.control("overview").await
}

async fn station_view(app: &TestApp, station: &str) -> Value {
    let overview = overview(app).await;
    overview["stations"].as_array().unwrap().iter().find(|view| view["code"] == station).unwrap().clone()
}

/// Returns a station with one running and at least one waiting order, and the running order.
async fn running(app: &TestApp) -> (String, String, String) {
    let overview = overview(app).await;
    let found = overview["stations"].as_array().unwrap().iter().find(|view| {
        let current = view["current"].as_array().unwrap();
        let is_one = current.len() == 1 && current[0]["statusDescription"] == "In execution";
        is_one && !view["next"].as_array().unwrap().is_empty()
    });
    let view = found.unwrap_or_else(|| panic!("nothing runs: {overview}"));
    (as_text(&view["code"]), as_text(&view["current"][0]["code"]), as_text(&view["current"][0]["operationCode"]))
}

async fn row(app: &TestApp, order: &str, operation: &str) -> Value {
    let rows = app.control("state/work-orders").await;
    let found = rows["data"].as_array().unwrap().iter();
    let mut found = found.filter(|row| row["code"] == order && row["operationCode"] == operation);
    found.next().unwrap_or_else(|| panic!("there is no {order} {operation}")).clone()
}

async fn status(app: &TestApp, order: &str, operation: &str) -> String {
    as_text(&row(app, order, operation).await["statusDescription"])
}

async fn produced(app: &TestApp, order: &str, operation: &str) -> f64 {
    row(app, order, operation).await["producedGoodQuantity"].as_f64().unwrap()
}

async fn press(app: &TestApp, keys: &str) {
    app.window.send_keys_to_focus(keys).await;
}
