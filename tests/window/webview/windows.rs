//! Additional windows. They show the floor or a list, are updated live, and have links to the main window.

use std::time::Duration;

use fantoccini::wd::WindowHandle;
use serde_json::json;

use crate::{
    floor::{act_on_floor, free_operations, open_floor_page, open_with_receiver, station_id, wait_for_state},
    looks::check_looks_in,
};
use takt_tests::{CHANGE_TIMEOUT, TestApp, as_text};

#[tokio::test]
async fn the_floor_and_a_list_stay_open_in_windows_of_their_own() {
    let app = open_with_receiver(takt_tests::Engine::WebView).await;
    let main = app.window.client.window().await.unwrap();
    let planned = free_operations(&app, 2).await;
    let [before, live] = planned.as_slice() else { panic!("two stations are free") };
    act_on_floor(&app, before, "begin", json!({})).await;
    app.click("nav-events").await;
    open_floor_page(&app).await;
    wait_for_state(&app, before, "running").await;

    app.click("open-window").await;
    let floor = wait_for_window(&app, &[&main]).await;
    // The second request must focus the existing window.
    app.click("open-window").await;
    let outcome = app.invoke("view_window_open", json!({ "view": { "kind": "floor", "station": null } })).await;
    assert_eq!(outcome["state"], "focused");
    assert_eq!(app.window.client.windows().await.unwrap().len(), 2, "one window shows the floor");

    switch_to_window(&app, &floor).await;
    app.wait_for_element("view-window").await;
    wait_for_title(&app, "Shop floor – Practice").await;
    wait_for_state(&app, before, "running").await;
    for own in ["nav-import", "palette-open", "open-window", "import-open"] {
        let code = format!("return document.querySelector('[data-testid=\"{own}\"]') === null");
        assert_eq!(app.window.script(&code, vec![]).await, true, "{own} is the main window's");
    }
    act_on_floor(&app, live, "begin", json!({})).await;
    wait_for_state(&app, live, "running").await;
    let mut found = check_looks_in(&app, "window-floor", &[("light", 1200, 800), ("dark", 1024, 700)]).await;

    app.click_css(&format!("[data-testid=\"{}\"] [data-testid=\"order-{}\"]", station_id(live), live.code)).await;
    app.wait_for_element("floor-stations").await;
    switch_to_window(&app, &main).await;
    app.sign_in().await;
    app.wait_for_element("order").await;
    switch_to_window(&app, &floor).await;
    // The event is dispatched with a delay, since the driver's own key press would fail when the window is closed.
    let close = "setTimeout(() => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'w', ctrlKey: true, bubbles: true })))";
    app.window.script(close, vec![]).await;
    switch_to_window(&app, &main).await;
    wait_until_closed(&app, &[&main]).await;

    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.wait_for_element("grid-browse").await;
    let first = "return document.querySelector('[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"code\"]')?.textContent || null";
    let code = as_text(&app.window.wait_until("the first order", CHANGE_TIMEOUT, first).await);
    app.type_text("table-find", &code).await;
    app.window.wait_until("fewer rows", CHANGE_TIMEOUT, &only_rows_script(&code)).await;
    app.click("open-window").await;
    let list = wait_for_window(&app, &[&main]).await;
    switch_to_window(&app, &list).await;
    wait_for_title(&app, "Work orders – Practice").await;
    app.window.wait_until("the rows that were looked for", CHANGE_TIMEOUT, &only_rows_script(&code)).await;
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    app.wait_for_element("detail").await;
    // Preferences apply to all windows, regardless of where they are changed.
    switch_to_window(&app, &main).await;
    let preferences = json!({ "language": "de", "look": "dark", "density": "compact", "practiceSignIn": true });
    app.invoke("preferences_save", json!({ "preferences": preferences })).await;
    switch_to_window(&app, &list).await;
    wait_for_title(&app, "Fertigungsaufträge – Übungswerk").await;
    found.extend(check_looks_in(&app, "window-list", &[("light", 1200, 800), ("contrast", 1024, 700)]).await);
    assert!(found.is_empty(), "{found:#?}");

    switch_to_window(&app, &main).await;
    app.click("nav-history").await;
    app.window.script("setTimeout(() => window.__TAURI_INTERNALS__.invoke('close_window'))", vec![]).await;
    let ending = async {
        while app.window.client.windows().await.is_ok_and(|left| !left.is_empty()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(CHANGE_TIMEOUT, ending).await.expect("who closes the main window is left with none");
    drop(app.kill());
}

/// Returns a script for the condition that the table shows the order's rows, and only a few others.
fn only_rows_script(code: &str) -> String {
    format!(
        "const rows = [...document.querySelectorAll('[data-testid=\"grid-browse\"] .ag-row [col-id=\"code\"]')];
        return rows.length < 12 && rows.some((row) => row.textContent === '{code}')"
    )
}

/// Waits until a window is open that isn't one of the known ones, and returns it.
async fn wait_for_window(app: &TestApp, known: &[&WindowHandle]) -> WindowHandle {
    let waiting = async {
        loop {
            let all = app.window.client.windows().await.unwrap();
            if let Some(new) = all.into_iter().find(|one| !known.contains(&one)) {
                return new;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(CHANGE_TIMEOUT, waiting).await.unwrap()
}

/// Waits until only as many windows are open as `left` contains.
async fn wait_until_closed(app: &TestApp, left: &[&WindowHandle]) {
    let waiting = async {
        while app.window.client.windows().await.unwrap().len() > left.len() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(CHANGE_TIMEOUT, waiting).await.unwrap();
}

async fn switch_to_window(app: &TestApp, window: &WindowHandle) {
    app.window.client.switch_to_window(window.clone()).await.unwrap();
}

async fn wait_for_title(app: &TestApp, title: &str) {
    app.window.wait_until(title, CHANGE_TIMEOUT, &format!("return document.title === '{title}'")).await;
}
