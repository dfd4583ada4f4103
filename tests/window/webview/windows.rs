//! Additional windows. They show the floor or a list, are updated live, and have links to the main window.

use std::time::Duration;

use fantoccini::wd::WindowHandle;
use serde_json::json;

use crate::{
    floor::{act, on_the_floor, planned, receiving, station, wait_for_state},
    looks::look_in,
};
use takt_tests::{SOON, TestApp, as_text};

#[tokio::test]
async fn the_floor_and_a_list_stay_open_in_windows_of_their_own() {
    let app = receiving(takt_tests::Engine::WebView).await;
    let main = app.window.client.window().await.unwrap();
    let planned = planned(&app, 2).await;
    let [before, live] = planned.as_slice() else { panic!("two stations are free") };
    act(&app, before, "begin", json!({})).await;
    app.click("nav-events").await;
    on_the_floor(&app).await;
    wait_for_state(&app, before, "running").await;

    app.click("open-window").await;
    let floor = opened(&app, &[&main]).await;
    // The second request must focus the existing window.
    app.click("open-window").await;
    let outcome = app.invoke("view_window_open", json!({ "view": { "kind": "floor", "station": null } })).await;
    assert_eq!(outcome["state"], "focused");
    assert_eq!(app.window.client.windows().await.unwrap().len(), 2, "one window shows the floor");

    show(&app, &floor).await;
    app.sees("view-window").await;
    is_called(&app, "Shop floor now – Practice").await;
    wait_for_state(&app, before, "running").await;
    for own in ["nav-import", "palette-open", "open-window", "import-open"] {
        let code = format!("return document.querySelector('[data-testid=\"{own}\"]') === null");
        assert_eq!(app.window.script(&code, vec![]).await, true, "{own} is the main window's");
    }
    act(&app, live, "begin", json!({})).await;
    wait_for_state(&app, live, "running").await;
    let mut found = look_in(&app, "window-floor", &[("light", 1200, 800), ("dark", 1024, 700)]).await;

    app.press(&format!("[data-testid=\"{}\"] [data-testid=\"order-{}\"]", station(live), live.code)).await;
    app.sees("floor-stations").await;
    show(&app, &main).await;
    app.sign_in().await;
    app.sees("order").await;
    show(&app, &floor).await;
    // The event is dispatched with a delay, since the driver's own key press would fail when the window is closed.
    let close = "setTimeout(() => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'w', ctrlKey: true, bubbles: true })))";
    app.window.script(close, vec![]).await;
    show(&app, &main).await;
    closed_but(&app, &[&main]).await;

    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sees("grid-browse").await;
    let first = "return document.querySelector('[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"code\"]')?.textContent || null";
    let code = as_text(&app.window.until("the first order", SOON, first).await);
    app.types("table-find", &code).await;
    app.window.until("fewer rows", SOON, &only(&code)).await;
    app.click("open-window").await;
    let list = opened(&app, &[&main]).await;
    show(&app, &list).await;
    is_called(&app, "Work orders – Practice").await;
    app.window.until("the rows that were looked for", SOON, &only(&code)).await;
    app.press("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    app.sees("detail").await;
    // Preferences apply to all windows, regardless of where they are changed.
    show(&app, &main).await;
    let preferences = json!({ "language": "de", "look": "dark", "density": "compact", "practiceSignIn": true });
    app.invoke("preferences_save", json!({ "preferences": preferences })).await;
    show(&app, &list).await;
    is_called(&app, "Fertigungsaufträge – Übungswerk").await;
    found.extend(look_in(&app, "window-list", &[("light", 1200, 800), ("contrast", 1024, 700)]).await);
    assert!(found.is_empty(), "{found:#?}");

    show(&app, &main).await;
    app.click("nav-history").await;
    app.window.script("setTimeout(() => window.__TAURI_INTERNALS__.invoke('close_window'))", vec![]).await;
    let ending = async {
        while app.window.client.windows().await.is_ok_and(|left| !left.is_empty()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(SOON, ending).await.expect("who closes the main window is left with none");
    drop(app.kill());
}

/// Returns a script for the condition that the table shows the order's rows, and only a few others.
fn only(code: &str) -> String {
    format!(
        "const rows = [...document.querySelectorAll('[data-testid=\"grid-browse\"] .ag-row [col-id=\"code\"]')];
        return rows.length < 12 && rows.some((row) => row.textContent === '{code}')"
    )
}

/// Waits until a window is open that isn't one of the known ones, and returns it.
async fn opened(app: &TestApp, known: &[&WindowHandle]) -> WindowHandle {
    let waiting = async {
        loop {
            let all = app.window.client.windows().await.unwrap();
            if let Some(new) = all.into_iter().find(|one| !known.contains(&one)) {
                return new;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(SOON, waiting).await.unwrap()
}

/// Waits until only as many windows are open as `left` contains.
async fn closed_but(app: &TestApp, left: &[&WindowHandle]) {
    let waiting = async {
        while app.window.client.windows().await.unwrap().len() > left.len() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(SOON, waiting).await.unwrap();
}

async fn show(app: &TestApp, window: &WindowHandle) {
    app.window.client.switch_to_window(window.clone()).await.unwrap();
}

async fn is_called(app: &TestApp, title: &str) {
    app.window.until(title, SOON, &format!("return document.title === '{title}'")).await;
}
