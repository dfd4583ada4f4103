//! Rows of a table become an import, and a page shows all data about an order. Both are compared with the plant's data.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::fix::press_keys;

const BEGIN: &str = "beginPlanned";
const END: &str = "endPlanned";

#[tokio::test]
async fn rows_of_a_table_are_changed_as_an_import() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sign_in().await;
    let ticked = |row: u32| format!("[data-testid=\"grid-browse\"] [row-index=\"{row}\"] .ag-selection-checkbox");
    for row in 0..3 {
        app.click_css(&ticked(row)).await;
        let told = format!(
            "return document.querySelector('[data-testid=\"table-ticked\"]')?.textContent.startsWith('{}')",
            row + 1
        );
        app.window.wait_until("the ticked rows", CHANGE_TIMEOUT, &told).await;
    }
    save_screenshot(&app, "action-selected").await;
    app.click("rows-change").await;
    app.click("change-work-orders.planning-dates").await;
    app.wait_for_element("grid-check").await;
    let said = "return document.querySelector('main').textContent.includes('from Takt · Work orders · 3 rows')";
    app.window.wait_until("where the rows are from", CHANGE_TIMEOUT, said).await;
    // Comparing the rows with the site redraws them, so the test waits for it.
    app.wait_for_comparison("known").await;
    let (begin, end) = ("2027-03-04T06:30:00", "2027-03-04T11:45:00");
    edit_cell(&app, 3, "2027-03-04 06:30").await;
    edit_cell(&app, 4, "2027-03-04 11:45").await;
    save_screenshot(&app, "action-check").await;
    let code = element_text(&app, &cell_selector(0, 0)).await;
    let operation = element_text(&app, &cell_selector(0, 1)).await;
    let before = order(&app, &code, &operation).await;
    app.click("step-preview").await;
    for (kind, expected) in [("changed", 1), ("same", 2)] {
        assert_eq!(app.wait_for_number(&format!("preview-{kind}")).await, expected, "{kind}");
    }
    app.click("go-on").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    assert_eq!((app.wait_for_number("result-accepted").await, app.wait_for_number("result-skipped").await), (1, 2));
    let now = order(&app, &code, &operation).await;
    assert_eq!((&now[BEGIN], &now[END]), (&json!(begin), &json!(end)), "{before} became {now}");
    assert_eq!(now["workStationCode"], before["workStationCode"]);

    // The submission must be listed on the order's page.
    open_order(&app, &code).await;
    app.window
        .wait_until(
            "what was sent",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid^=\"order-submission-\"]') !== null",
        )
        .await;
    app.window.close().await;
}

#[tokio::test]
async fn one_page_knows_everything_about_an_order() {
    let app = TestApp::open(Engine::Chromium).await;
    let code = order_with_most_rows(&app).await;
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sign_in().await;
    app.wait_for_element("grid-browse").await;
    open_order(&app, &code).await;
    let ready = "return document.querySelector('[data-testid=\"order-operations\"]') !== null
        && document.querySelector('[data-testid=\"order-reading\"]') === null";
    app.window.wait_until("the whole page", CHANGE_TIMEOUT, ready).await;
    save_screenshot(&app, "order-light").await;
    let orders = rows_of_order(&app, "work-orders", "code", &code).await;
    for row in &orders {
        let column = 1 + orders.iter().position(|other| other == row).unwrap();
        let shown = format!(
            "return document.querySelector('[data-testid=\"order-operations\"] [data-field=\"materialCode\"]').children[{column}].textContent"
        );
        assert_eq!(app.window.script(&shown, vec![]).await, row["materialCode"]);
    }
    let bars = "return document.querySelectorAll('[data-testid=\"order-plan\"] li').length";
    assert_eq!(app.window.script(bars, vec![]).await, orders.len());
    let dates: Vec<&str> = orders
        .iter()
        .flat_map(|row| ["beginPlanned", "endPlanned", "beginReal", "endReal"].map(|name| row[name].as_str()))
        .flatten()
        .collect();
    let (from, to) = (dates.iter().min().unwrap().to_string(), dates.iter().max().unwrap().to_string());
    for (list, state) in [
        ("inspections.list", "inspections"),
        ("quality-checks.list", "quality-checks"),
        ("consumed-lots.list", "consumed-lots"),
        ("order-history.list", "order-history"),
        ("alerts.list", "alerts"),
        ("labor-times.list", "labor-times"),
    ] {
        let held = rows_of_order(&app, state, "workOrderCode", &code).await;
        let shown = app.wait_for_number(&format!("order-count-{list}")).await as usize;
        // Some lists are read by dates, so they lack rows outside of the range.
        let begins = |row: &Value| row["opened"].as_str().or(row["begin"].as_str()).unwrap_or_default().to_owned();
        let near = |row: &&Value| match list {
            "alerts.list" | "labor-times.list" => begins(row) > from && begins(row) < to,
            _ => true,
        };
        let (least, most) = (held.iter().filter(near).count(), held.len());
        assert!((least..=most).contains(&shown), "{list} of {code}: {shown} of {least} to {most}");
    }
    assert_eq!(
        json!(app.window.find_violations().await.iter().map(|found| &found.rule).collect::<Vec<_>>()),
        json!([])
    );
    for (look, width, height) in [("dark", 1440, 900), ("light", 1024, 700), ("dark", 1024, 700)] {
        app.window.resize(width, height).await;
        app.window.script("document.documentElement.dataset.look = arguments[0]", vec![look.into()]).await;
        save_screenshot(&app, &format!("order-{look}-{width}")).await;
    }
    // The page can change the planning dates of all the order's operations.
    app.click("rows-change").await;
    app.click("change-work-orders.planning-dates").await;
    app.wait_for_element("grid-check").await;
    assert_eq!(app.wait_for_number("counts-rows").await as usize, orders.len());
    app.window.close().await;
}

/// Opens the search, and waits until its input has the focus.
pub(crate) async fn open_search(app: &TestApp) {
    press_keys(app, &[fantoccini::key::Key::Control], "k").await;
    let there = "return document.activeElement?.matches('.mantine-Spotlight-content input') === true";
    app.window.wait_until("the search", CHANGE_TIMEOUT, there).await;
}

pub(crate) async fn open_order(app: &TestApp, code: &str) {
    open_search(app).await;
    press_keys(app, &[], code).await;
    let label = format!(
        "return document.querySelector('.mantine-Spotlight-content')?.textContent.includes('Go to order {code}')"
    );
    app.window.wait_until("the order in the search", CHANGE_TIMEOUT, &label).await;
    press_keys(app, &[], "\u{e007}").await;
    app.wait_for_element("order").await;
}

/// Returns the code of the order with the most rows in other lists.
async fn order_with_most_rows(app: &TestApp) -> String {
    let alerts = app.control("state/alerts").await;
    let hours = app.control("state/labor-times").await;
    let count = |rows: &Value, code: &str| {
        rows["data"].as_array().unwrap().iter().filter(|row| row["workOrderCode"] == code).count()
    };
    let lots = app.control("state/consumed-lots").await;
    let orders = app.control("state/work-orders").await;
    let codes = orders["data"].as_array().unwrap().iter().filter_map(|row| row["code"].as_str());
    let score =
        |code: &&str| 100 * count(&alerts, code).min(1) + 10 * count(&lots, code).min(3) + count(&hours, code).min(9);
    codes.max_by_key(score).unwrap().to_owned()
}

async fn rows_of_order(app: &TestApp, state: &str, field: &str, code: &str) -> Vec<Value> {
    let held = app.control(&format!("state/{state}")).await;
    held["data"].as_array().unwrap().iter().filter(|row| row[field] == code).cloned().collect()
}

async fn order(app: &TestApp, code: &str, operation: &str) -> Value {
    let rows = rows_of_order(app, "work-orders", "code", code).await;
    rows.into_iter().find(|row| row["operationCode"] == operation).unwrap()
}

fn cell_selector(row: u32, column: u32) -> String {
    format!("[data-testid=\"grid-check\"] [row-index=\"{row}\"] [col-id=\"{column}\"]")
}

async fn element_text(app: &TestApp, css: &str) -> String {
    let code = format!("return document.querySelector('{css}')?.textContent.trim()");
    app.window.wait_until(css, CHANGE_TIMEOUT, &code).await.as_str().unwrap().to_owned()
}

async fn edit_cell(app: &TestApp, column: u32, value: &str) {
    app.click_css(&cell_selector(0, column)).await;
    let here = "return document.activeElement?.closest('[data-testid=\"grid-check\"]') !== null";
    app.window.wait_until("the focus in the cell", CHANGE_TIMEOUT, here).await;
    press_keys(app, &[], &format!("{value}\u{e007}")).await;
    let shown = format!(
        "return document.querySelector('{}')?.textContent.includes('{}')",
        cell_selector(0, column),
        &value[..10]
    );
    app.window.wait_until("what was typed", CHANGE_TIMEOUT, &shown).await;
}

async fn save_screenshot(app: &TestApp, name: &str) {
    app.window.screenshot(&results_folder("window").join(format!("{name}.png"))).await;
}
