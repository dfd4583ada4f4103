//! Reading lists: all pages despite a rate limit, stopping and continuing, and remembered filters by dates and codes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, FreezePoint, Plant, TestApp, results_folder};

use crate::own_site::signed_in;

const ORDERS: &str = "work-orders.list";
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The address of a session bus that doesn't exist, so that no keychain is found.
const NO_KEYCHAIN: &str = "unix:path=/nonexistent";

async fn open_orders(app: &TestApp) {
    app.click("nav-browse").await;
    app.sign_in().await;
    app.click(&format!("browse-{ORDERS}")).await;
    app.wait_for_element("page-number").await;
}

async fn count_in_plant(app: &TestApp, resource: &str) -> u64 {
    let held = app.control(&format!("state/{resource}")).await;
    u64::try_from(held["data"].as_array().unwrap().len()).unwrap()
}

/// Waits until the status line shows this number of rows, and returns its text.
async fn wait_for_rows(app: &TestApp, rows: u64) -> String {
    let code = format!(
        "const text = document.querySelector('[data-testid=\"browse-total\"]')?.textContent ?? '';
        return text.replace(/[^0-9]/g, '') === '{rows}' ? text : null"
    );
    app.window.wait_until(&format!("{rows} rows"), CHANGE_TIMEOUT, &code).await.as_str().unwrap().to_owned()
}

/// Returns the paths of the plant's requests for orders, oldest first.
async fn requested_pages(app: &TestApp) -> Vec<String> {
    let log = app.control("log").await;
    let mut entries: Vec<&Value> =
        log.as_array().unwrap().iter().filter(|entry| entry["operation"] == ORDERS).collect();
    entries.sort_by_key(|entry| entry["number"].as_u64());
    entries.iter().map(|entry| entry["path"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The button is clicked without a pointer, like on a touch screen.
#[tokio::test]
async fn the_page_behind_the_one_that_was_turned_to_is_asked_for_meanwhile() {
    let app = TestApp::open(Engine::Chromium).await;
    open_orders(&app).await;
    let press = "const next = document.querySelector('[data-testid=\"page-next\"]');
        if (!next || next.disabled) return false;
        next.click();
        return true";
    app.window.wait_until("a next page", CHANGE_TIMEOUT, press).await;
    let second = "return document.querySelector('[data-testid=\"page-typed\"]')?.value === '2'";
    app.window.wait_until("the second page", CHANGE_TIMEOUT, second).await;
    let patience = Instant::now() + CHANGE_TIMEOUT;
    while !requested_pages(&app).await.iter().any(|path| path.contains("page=3")) {
        assert!(Instant::now() < patience, "the third page isn't asked for");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    app.window.close().await;
}

#[tokio::test]
async fn every_page_is_read_through_refusals() {
    let app = TestApp::open(Engine::Chromium).await;
    open_orders(&app).await;
    let total = count_in_plant(&app, "work-orders").await;
    app.post_to_plant("faults", json!({ "faults": ["limit-429-header:0.4"] })).await;
    app.click("browse-all").await;
    app.wait_for_element("browse-pages").await;
    assert!(wait_for_rows(&app, total).await.contains("loaded"));
    app.window.close().await;
}

#[tokio::test]
async fn reading_every_page_can_be_stopped_and_continued() {
    let mut plant = Plant::start(&[]);
    let relay = plant.relay();
    let app = signed_in(takt_tests::Engine::Chromium, "Relayed", &plant, plant.member("base_url")).await;
    app.click(&format!("browse-{ORDERS}")).await;
    app.wait_for_element("page-number").await;
    let total = plant.state("work-orders").await.len();
    // Holds back the response with the second page until the test stops reading.
    relay.freeze_at(FreezePoint { after: "", text: "page=2", skip: 0, arrives: true });
    app.click("browse-all").await;
    let some =
        "return Number(document.querySelector('[data-testid=\"browse-progress\"]')?.textContent.split(' ')[0]) > 0";
    app.window.wait_until("some rows", CHANGE_TIMEOUT, some).await;
    app.window.screenshot(&results_folder("window").join("pages-reading.png")).await;
    app.click("browse-stop").await;
    app.wait_for_element("browse-go-on").await;
    let so_far = "return document.querySelector('[data-testid=\"browse-total\"]').textContent";
    let so_far = app.window.script(so_far, Vec::new()).await.as_str().unwrap().to_owned();
    assert!(so_far.ends_with(&format!("of {total} rows")), "{so_far}");
    app.window.screenshot(&results_folder("window").join("pages-stopped.png")).await;
    relay.heal();
    app.click("browse-go-on").await;
    app.wait_until_gone("browse-go-on").await;
    let total = u64::try_from(total).unwrap();
    assert!(wait_for_rows(&app, total).await.contains("loaded"));
    app.window.close().await;
}

#[tokio::test]
async fn filters_by_dates_and_codes_are_remembered_after_a_restart() {
    let app = TestApp::open(Engine::Chromium).await;
    open_orders(&app).await;
    let total = count_in_plant(&app, "work-orders").await;
    wait_for_rows(&app, total).await;
    app.click("span-this-week").await;
    let fewer = format!(
        "const shown = Number(document.querySelector('[data-testid=\"browse-total\"]')?.textContent.replace(/[^0-9]/g, ''));
        return shown > 0 && shown < {total} ? shown : null"
    );
    let week = app.window.wait_until("this week's orders", CHANGE_TIMEOUT, &fewer).await.as_u64().unwrap();
    assert!(requested_pages(&app).await.last().unwrap().contains("from="), "{:?}", requested_pages(&app).await);
    app.window.screenshot(&results_folder("window").join("pages-filters.png")).await;
    let takt = app.kill();

    let app = TestApp::open_at(Engine::Chromium, takt, NO_KEYCHAIN).await;
    app.post_to_plant("clock", json!({ "idle": true })).await;
    let before = requested_pages(&app).await.len();
    open_orders(&app).await;
    wait_for_rows(&app, week).await;
    let pressed =
        "return document.querySelector('[data-testid=\"span-this-week\"]')?.getAttribute('aria-pressed') === 'true'";
    app.window.wait_until("the remembered span", CHANGE_TIMEOUT, pressed).await;
    let pages = requested_pages(&app).await;
    assert_eq!(pages.len() - before, 1, "it is read once, and with its filters: {pages:?}");
    app.click("browse-clear").await;
    wait_for_rows(&app, total).await;
    let code = app.control("state/work-orders").await["data"][0]["code"].as_str().unwrap().to_owned();
    app.type_text("parameter-code", &format!("{code}\u{e007}")).await;
    let one = "return Number(document.querySelector('[data-testid=\"browse-total\"]')?.textContent.replace(/[^0-9]/g, '')) < 20";
    app.window.wait_until("the order's rows", CHANGE_TIMEOUT, one).await;
    assert!(requested_pages(&app).await.last().unwrap().contains(&code));
    app.window.close().await;
}

#[tokio::test]
async fn a_list_opens_on_today_and_as_it_was_looked_at_last() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-browse").await;
    app.sign_in().await;
    let total = count_in_plant(&app, "work-orders").await;
    app.click_css(&format!("[data-testid=\"browse-{ORDERS}\"]")).await;
    let pressed =
        "return document.querySelector('[data-testid=\"span-today\"]')?.getAttribute('aria-pressed') === 'true'";
    app.window.wait_until("today", CHANGE_TIMEOUT, pressed).await;
    let shown = "return Number(document.querySelector('[data-testid=\"browse-total\"]')?.textContent.replace(/[^0-9]/g, '')) || null";
    let today = app.window.wait_until("today's rows", CHANGE_TIMEOUT, shown).await.as_u64().unwrap();
    assert!(today < total, "{today} of {total}");
    assert!(requested_pages(&app).await.last().is_some_and(|path| path.contains("from=")));
    app.click("picture-switch").await;
    app.wait_for_element("picture-axes").await;
    app.window.screenshot(&results_folder("window").join("pages-today.png")).await;
    app.click("nav-import").await;
    app.click("nav-browse").await;
    app.wait_for_element("picture-gantt").await;
    app.click("span-today").await;
    wait_for_rows(&app, total).await;

    // The search must find the order only if it exists.
    let said = |text: &str| {
        format!("return document.querySelector('.mantine-Spotlight-content')?.textContent.includes('{text}')")
    };
    crate::action::open_search(&app).await;
    app.window.wait_until("what it offers", CHANGE_TIMEOUT, &said("Browse")).await;
    crate::fix::press_keys(&app, &[], "WO-999999").await;
    app.window.wait_until("that there is no such order", CHANGE_TIMEOUT, &said("No order with code WO-999999")).await;
    crate::fix::press_keys(&app, &[], "\u{e00c}").await;
    let orders = app.control("state/work-orders").await;
    let code = orders["data"][0]["code"].as_str().unwrap().to_owned();
    crate::action::open_order(&app, &code).await;
    app.wait_for_element("order-operations").await;
    crate::action::open_search(&app).await;
    app.window.wait_until("the order that was looked at", CHANGE_TIMEOUT, &said(&format!("Go to order {code}"))).await;
    app.window.screenshot(&results_folder("window").join("pages-search.png")).await;
    app.window.close().await;
}
