//! Reading lists: every page through refusals, stopped and gone on with, filters by dates and codes that are remembered.

use serde_json::{Value, json};
use takt_tests::results;

use crate::desk::{Desk, SOON};

const ORDERS: &str = "work-orders.list";
/// Nobody listens there.
const NO_KEYCHAIN: &str = "unix:path=/nonexistent";

async fn open_orders(desk: &Desk) {
    desk.click("nav-browse").await;
    desk.sign_in().await;
    desk.click(&format!("browse-{ORDERS}")).await;
    desk.sees("page-number").await;
}

async fn held(desk: &Desk, resource: &str) -> u64 {
    let held = desk.control(&format!("state/{resource}")).await;
    u64::try_from(held["data"].as_array().unwrap().len()).unwrap()
}

/// Waits until the status line says so many rows, and gives all of what it says.
async fn says_rows(desk: &Desk, rows: u64) -> String {
    let code = format!(
        "const text = document.querySelector('[data-testid=\"browse-total\"]')?.textContent ?? '';
        return text.replace(/[^0-9]/g, '') === '{rows}' ? text : null"
    );
    desk.window.until(&format!("{rows} rows"), SOON, &code).await.as_str().unwrap().to_owned()
}

/// The queries with which the plant was asked for orders, oldest first.
async fn asked(desk: &Desk) -> Vec<String> {
    let log = desk.control("log").await;
    let mut entries: Vec<&Value> =
        log.as_array().unwrap().iter().filter(|entry| entry["operation"] == ORDERS).collect();
    entries.sort_by_key(|entry| entry["number"].as_u64());
    entries.iter().map(|entry| entry["path"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn every_page_is_read_through_refusals_and_can_be_stopped_and_gone_on_with() {
    let desk = Desk::open().await;
    open_orders(&desk).await;
    let total = held(&desk, "work-orders").await;
    desk.tell_plant("faults", json!({ "faults": ["limit-429-header:0.4"] })).await;
    desk.click("browse-all").await;
    desk.sees("browse-pages").await;
    assert!(says_rows(&desk, total).await.contains("all that was read"));
    desk.click("browse-pages").await;
    desk.tell_plant("faults", json!({ "faults": ["latency=700"] })).await;
    desk.click("browse-all").await;
    desk.sees("browse-progress").await;
    let some =
        "return Number(document.querySelector('[data-testid=\"browse-progress\"]')?.textContent.split(' ')[0]) > 0";
    desk.window.until("some rows", SOON, some).await;
    desk.window.screenshot(&results("window").join("pages-reading.png")).await;
    desk.click("browse-stop").await;
    desk.sees("browse-go-on").await;
    let so_far = "return document.querySelector('[data-testid=\"browse-total\"]').textContent";
    let so_far = desk.window.script(so_far, Vec::new()).await.as_str().unwrap().to_owned();
    assert!(so_far.ends_with(&format!("of {total} rows")), "{so_far}");
    desk.window.screenshot(&results("window").join("pages-stopped.png")).await;
    desk.tell_plant("faults", json!({ "faults": [] })).await;
    desk.click("browse-go-on").await;
    desk.gone("browse-go-on").await;
    assert!(says_rows(&desk, total).await.contains("all that was read"));
    desk.window.close().await;
}

#[tokio::test]
async fn filters_by_dates_and_codes_are_remembered_after_a_restart() {
    let desk = Desk::open().await;
    open_orders(&desk).await;
    let total = held(&desk, "work-orders").await;
    says_rows(&desk, total).await;
    desk.click("span-this-week").await;
    let fewer = format!(
        "const shown = Number(document.querySelector('[data-testid=\"browse-total\"]')?.textContent.replace(/[^0-9]/g, ''));
        return shown > 0 && shown < {total} ? shown : null"
    );
    let week = desk.window.until("this week's orders", SOON, &fewer).await.as_u64().unwrap();
    assert!(asked(&desk).await.last().unwrap().contains("from="), "{:?}", asked(&desk).await);
    desk.window.screenshot(&results("window").join("pages-filters.png")).await;
    let takt = desk.kill();

    let desk = Desk::open_at(takt, NO_KEYCHAIN).await;
    desk.tell_plant("clock", json!({ "idle": true })).await;
    open_orders(&desk).await;
    says_rows(&desk, week).await;
    let pressed =
        "return document.querySelector('[data-testid=\"span-this-week\"]')?.getAttribute('aria-pressed') === 'true'";
    desk.window.until("the remembered span", SOON, pressed).await;
    assert_eq!(asked(&desk).await.len(), 1, "it is read once, and with its filters: {:?}", asked(&desk).await);
    desk.click("browse-clear").await;
    says_rows(&desk, total).await;
    let code = desk.control("state/work-orders").await["data"][0]["code"].as_str().unwrap().to_owned();
    desk.types("parameter-code", &format!("{code}\u{e007}")).await;
    let one = "return Number(document.querySelector('[data-testid=\"browse-total\"]')?.textContent.replace(/[^0-9]/g, '')) < 20";
    desk.window.until("the order's rows", SOON, one).await;
    assert!(asked(&desk).await.last().unwrap().contains(&code));
    desk.window.close().await;
}
