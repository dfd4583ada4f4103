//! The help in the window. It opens with the current page's topic, can be searched, has links, and is translated.

use serde_json::json;

use crate::{contract::choose_option, looks::check_looks};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

#[tokio::test]
async fn the_help_opens_at_the_page_is_searched_and_follows_its_links() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-history").await;
    app.click("help-open").await;
    wait_for_help_page(&app, "history").await;
    let found = check_looks(&app, "help").await;
    assert!(found.is_empty(), "{found:#?}");
    let broken = "return [...document.querySelectorAll('[data-testid=\"help-text\"] img')].filter((one) => one.complete && one.naturalWidth === 0).length";
    assert_eq!(app.window.script(broken, Vec::new()).await, 0);

    // A link in the text opens its page.
    let link = "return document.querySelector('[data-testid=\"help-text\"] a')?.getAttribute('href') ?? null";
    let address = app.window.wait_until("a link", CHANGE_TIMEOUT, link).await;
    app.click_css("[data-testid=\"help-text\"] a").await;
    wait_for_help_page(&app, address.as_str().unwrap().trim_start_matches("./#")).await;
    // A search opens the matching page.
    app.type_text("help-search", "unconfirmed").await;
    app.click("help-match-unconfirmed-rows").await;
    wait_for_help_page(&app, "unconfirmed-rows").await;

    // The fields are described by the contract.
    app.click("help-all").await;
    app.click("help-page-operation-work-orders.sync").await;
    wait_for_help_page(&app, "operation-work-orders.sync").await;
    let rows = "return document.querySelectorAll('[data-testid=\"help-text\"] tbody tr').length";
    assert!(app.window.script(rows, Vec::new()).await.as_u64().is_some_and(|rows| rows > 10));

    // Each Escape closes only one thing: first the search, then the help.
    app.type_text("help-search", "nothing-has-this-word").await;
    app.window
        .wait_until(
            "no match",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"help-found\"]') !== null",
        )
        .await;
    press_escape(&app).await;
    wait_for_help_page(&app, "operation-work-orders.sync").await;
    press_escape(&app).await;
    app.wait_until_gone("help").await;
    app.window.close().await;
}

#[tokio::test]
async fn the_help_speaks_the_language_of_the_window() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-settings").await;
    app.wait_for_element("receiver-form").await;
    choose_option(&app, "language", "Deutsch").await;
    app.window.wait_until("German", CHANGE_TIMEOUT, "return document.documentElement.lang === 'de'").await;
    app.click("nav-plant").await;
    app.click("help-open").await;
    wait_for_help_page(&app, "plant").await;
    let title = app
        .window
        .wait_until(
            "a title",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"help-text\"] h1')?.textContent ?? null",
        )
        .await;
    assert_eq!(title, "Übungswerk");
    app.window.close().await;
}

async fn wait_for_help_page(app: &TestApp, page: &str) {
    let code = format!(
        "return document.querySelector('[data-testid=\"help-text\"]')?.dataset.page === {} && document.querySelector('[data-testid=\"help-text\"] h1') !== null",
        json!(page)
    );
    app.window.wait_until(page, CHANGE_TIMEOUT, &code).await;
}

async fn press_escape(app: &TestApp) {
    let code = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))";
    app.window.script(code, Vec::new()).await;
}
