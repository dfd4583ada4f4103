//! Shortcuts that work on every page: back and forward, zoom, and the list of shortcuts.

use fantoccini::key::Key;
use serde_json::json;
use takt_tests::{Engine, SOON, TestApp, results};

use crate::fix::press;

#[tokio::test]
async fn keys_lead_back_make_everything_larger_and_are_listed() {
    let app = TestApp::open(Engine::WebView).await;
    app.click("nav-history").await;
    app.click("nav-settings").await;
    press(&app, &[Key::Alt], &Key::Left.to_string()).await;
    page(&app, "history").await;
    press(&app, &[Key::Alt], &Key::Right.to_string()).await;
    page(&app, "settings").await;
    app.click("go-back").await;
    page(&app, "history").await;

    let width = app.window.script("return window.innerWidth", Vec::new()).await.as_f64().unwrap();
    press(&app, &[Key::Control], "+").await;
    zoomed(&app, width / 1.1).await;
    press(&app, &[], &Key::F1.to_string()).await;
    app.sees("shortcuts").await;
    app.window.screenshot(&results("window").join("shortcuts.png")).await;
    press(&app, &[], &Key::Escape.to_string()).await;
    app.gone("shortcuts").await;

    // The zoom must remain after a restart.
    let again = TestApp::open_at(Engine::WebView, app.kill(), "unix:path=/nonexistent").await;
    zoomed(&again, width / 1.1).await;
    press(&again, &[Key::Control], "0").await;
    zoomed(&again, width).await;
    assert_eq!(again.invoke("preferences", json!({})).await["zoom"], json!(null));
    again.window.close().await;
}

async fn page(app: &TestApp, name: &str) {
    let current = format!(
        "return document.querySelector('[data-testid=\"nav-{name}\"]')?.getAttribute('aria-current') === 'page'"
    );
    app.window.until(name, SOON, &current).await;
}

/// Waits until the page has this width in CSS pixels, which a larger zoom reduces.
async fn zoomed(app: &TestApp, width: f64) {
    let code = format!("return Math.abs(window.innerWidth - {width}) < 3");
    app.window.until(&format!("a width of {width}"), SOON, &code).await;
}
