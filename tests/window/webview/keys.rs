//! Shortcuts that work on every page: back and forward, zoom, and the list of shortcuts.

use fantoccini::key::Key;
use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::fix::press_keys;

#[tokio::test]
async fn keys_lead_back_make_everything_larger_and_are_listed() {
    let app = TestApp::open(Engine::WebView).await;
    app.click("nav-history").await;
    app.click("nav-settings").await;
    press_keys(&app, &[Key::Alt], &Key::Left.to_string()).await;
    wait_for_page(&app, "history").await;
    press_keys(&app, &[Key::Alt], &Key::Right.to_string()).await;
    wait_for_page(&app, "settings").await;
    app.click("go-back").await;
    wait_for_page(&app, "history").await;

    let width = app.window.script("return window.innerWidth", Vec::new()).await.as_f64().unwrap();
    press_keys(&app, &[Key::Control], "+").await;
    wait_for_width(&app, width / 1.1).await;
    press_keys(&app, &[], &Key::F1.to_string()).await;
    app.wait_for_element("shortcuts").await;
    app.window.screenshot(&results_folder("window").join("shortcuts.png")).await;
    press_keys(&app, &[], &Key::Escape.to_string()).await;
    app.wait_until_gone("shortcuts").await;

    // The zoom must remain after a restart.
    let again = TestApp::open_at(Engine::WebView, app.kill(), "unix:path=/nonexistent").await;
    wait_for_width(&again, width / 1.1).await;
    press_keys(&again, &[Key::Control], "0").await;
    wait_for_width(&again, width).await;
    assert_eq!(again.invoke("preferences", json!({})).await["zoom"], json!(null));
    again.window.close().await;
}

async fn wait_for_page(app: &TestApp, name: &str) {
    let current = format!(
        "return document.querySelector('[data-testid=\"nav-{name}\"]')?.getAttribute('aria-current') === 'page'"
    );
    app.window.wait_until(name, CHANGE_TIMEOUT, &current).await;
}

/// Waits until the page has this width in CSS pixels, which a larger zoom reduces.
async fn wait_for_width(app: &TestApp, width: f64) {
    let code = format!("return Math.abs(window.innerWidth - {width}) < 3");
    app.window.wait_until(&format!("a width of {width}"), CHANGE_TIMEOUT, &code).await;
}
