//! Waits. A rate limit is shown, and a command that waits must not block others.

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, Plant, TestApp, results_folder};

use crate::own_site::signed_in;

#[tokio::test]
#[ignore = "long: a limit of requests"]
async fn reading_everything_says_that_it_waits() {
    let plant = Plant::start(&["--rate-limit", "1/4"]);
    let app = signed_in(Engine::Chromium, "Limited", &plant, plant.member("base_url")).await;
    app.click("browse-work-orders.list").await;
    app.wait_for_element("page-next").await;
    app.click("browse-all").await;
    let waits = "return document.querySelector('[data-testid=\"browse-waits\"]')?.textContent";
    let said = app.window.wait_until("a wait", CHANGE_TIMEOUT, waits).await;
    let said = said.as_str().unwrap();
    let time = said.strip_prefix("Request limit reached. Resuming at ").unwrap_or_else(|| panic!("{said}"));
    assert!(time.starts_with(|first: char| first.is_ascii_digit()) && time.contains(':'), "{said}");
    app.window.screenshot(&results_folder("window").join("read-all-waits.png")).await;
    app.wait_until_gone("browse-waits").await;
    let all = "return document.querySelector('[data-testid=\"browse-total\"]')?.textContent.includes('loaded')";
    app.window.wait_until("all rows", CHANGE_TIMEOUT, all).await;
    app.window.close().await;
}

/// Starts a command `times` times, and counts the completed calls in `window.done`.
async fn start_calls(app: &TestApp, command: &str, arguments: serde_json::Value, times: u32) {
    let code = "window.done = 0;
        for (let left = arguments[2]; left > 0; left -= 1) {
            const count = () => { window.done += 1; };
            window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1]).then(count, count);
        }";
    app.window.script(code, vec![json!(command), arguments, json!(times)]).await;
}

#[tokio::test]
async fn a_busy_journal_keeps_nothing_waiting_that_doesnt_need_it() {
    let app = TestApp::open(Engine::Chromium).await;
    let site = app.invoke("app_state", json!({})).await["sites"][0]["site"]["name"].clone();
    let mut file = rusqlite::Connection::open(app.takt.home().join("journal.sqlite")).unwrap();
    let busy = file.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    // These are enough calls to occupy all threads of a small computer. A browser allows six concurrent requests per
    // host.
    start_calls(&app, "site_choose", json!({ "name": site }), 3).await;
    let kinds = app.invoke("event_kinds", json!({})).await;
    assert!(kinds.as_array().is_some_and(|kinds| !kinds.is_empty()), "{kinds}");
    assert_eq!(app.window.script("return window.done", Vec::new()).await, 0, "it was answered before them");
    drop(busy);
    app.window.wait_until("all of them", CHANGE_TIMEOUT, "return window.done === 3").await;
    app.window.close().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_locked_keychain_keeps_no_other_site_waiting() {
    let keychain = takt_tests::Keychain::start();
    let app = TestApp::open_at(Engine::Chromium, takt_tests::Takt::new(), keychain.address()).await;
    app.invoke("practice_sign_in", json!({})).await;
    let mut site = app.invoke("app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!("works");
    site["kind"] = json!("test");
    // The proxy's password is needed, so the command waits for the keychain.
    site["proxy"] = json!("http://anna@127.0.0.1:9");
    let saved = app.invoke("site_save", json!({ "site": site, "secrets": { "client": "secret" } })).await;
    assert_eq!(saved["problem"], serde_json::Value::Null, "{saved}");
    keychain.suspend();
    start_calls(&app, "site_check", json!({ "name": "works" }), 1).await;
    let exists = app.invoke("order_exists", json!({ "code": "WO-260001", "ticket": 1 })).await;
    assert_eq!(exists, true);
    assert_eq!(app.window.script("return window.done", Vec::new()).await, 0, "it was answered before the other site");
    keychain.wake();
    app.window.wait_until("the check of the other site", CHANGE_TIMEOUT, "return window.done === 1").await;
    app.window.close().await;
}
