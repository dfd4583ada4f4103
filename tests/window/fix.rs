//! Fixing rows in the grid. The service receives the planner's changes, and every step can be undone.

use fantoccini::{
    actions::{InputSource, KeyAction, KeyActions},
    key::Key,
};
use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

const CODE: u32 = 0;
const MATERIAL: u32 = 2;
const QUANTITY: u32 = 3;

#[tokio::test]
async fn what_is_fixed_in_the_grid_arrives() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-work-orders.sync").await;
    app.click("step-check").await;
    let rows = app.wait_for_number("counts-rows").await;
    let errors = app.wait_for_number("counts-errors").await;

    // "ca. 200" isn't a number. Typing starts editing, and Enter applies the text.
    app.click("facet-not-a-number").await;
    focus_first_cell(&app, QUANTITY, "ca. 200").await;
    save_screenshot(&app, "fix-focused").await;
    press_keys(&app, &[], "200\u{e007}").await;
    wait_for_text(&app, "1 change made").await;
    wait_for_first_cell(&app, QUANTITY, "200").await;
    assert_eq!(
        (app.wait_for_number("counts-errors").await, app.wait_for_number("counts-edited").await),
        (errors - 1, 1)
    );
    save_screenshot(&app, "fix-edited").await;

    // An unknown material is replaced in all rows that contain it.
    app.click("counts-rows").await;
    app.type_text("check-search", "MAT-9099").await;
    focus_first_cell(&app, MATERIAL, "MAT-9099").await;
    app.click("fix-replace").await;
    app.wait_for_element("fix-replace-by").await;
    save_screenshot(&app, "fix-replace").await;
    press_keys(&app, &[Key::Control], "a").await;
    press_keys(&app, &[], "MAT-1043").await;
    app.click("fix-replace-do").await;
    wait_for_first_cell(&app, MATERIAL, "MAT-1043").await;

    // A row is skipped, restored, and skipped again, by keyboard only.
    app.click("check-search").await;
    press_keys(&app, &[Key::Control], "a").await;
    press_keys(&app, &[], "\u{e003}").await;
    app.click("facet-required").await;
    focus_first_cell(&app, CODE, "").await;
    press_keys(&app, &[Key::Shift], &char::from(Key::F10).to_string()).await;
    let focused = "return Boolean(document.activeElement?.closest('[data-testid=\"fix-menu\"]'))";
    app.window.wait_until("the menu in hand", CHANGE_TIMEOUT, focused).await;
    press_keys(&app, &[], "\u{e015}").await;
    let chosen = "return document.activeElement?.getAttribute('role') === 'menuitem'";
    app.window.wait_until("the menu's first entry", CHANGE_TIMEOUT, chosen).await;
    save_screenshot(&app, "fix-menu").await;
    press_keys(&app, &[], "\u{e010}\u{e007}").await;
    app.wait_for_element("counts-excluded").await;
    save_screenshot(&app, "fix-excluded").await;
    press_keys(&app, &[Key::Control], "z").await;
    wait_for_text(&app, "1 change undone").await;
    press_keys(&app, &[Key::Control], "y").await;
    wait_for_text(&app, "1 change made").await;
    assert_eq!(app.wait_for_number("counts-excluded").await, 1);

    app.click("step-send").await;
    app.sign_in().await;
    save_screenshot(&app, "fix-send").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    let submission = app.invoke("submission_list", json!({})).await[0].clone();
    let counts = &submission["counts"];
    let of = |result: &str| counts[result].as_u64().unwrap();
    assert_eq!(of("accepted") + of("rejected") + of("skipped"), rows, "{counts}");
    let orders = app.control("state/work-orders").await;
    assert_eq!(find_order(&orders, "WO-270016")["requestedQuantity"], 200);
    assert_eq!(find_order(&orders, "WO-270036")["materialCode"], "MAT-1043");
    app.window.close().await;
}

#[tokio::test]
async fn cells_are_filled_down_and_rows_sorted() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-work-orders.sync").await;
    app.click("step-check").await;
    // The table is sorted by its header, with the largest quantity first.
    let heading = "[data-testid=\"grid-check\"] .ag-header-cell[col-id=\"3\"]";
    wait_for_any_first_cell(&app, QUANTITY).await;
    app.click_css(heading).await;
    wait_for_first_cell(&app, QUANTITY, "0").await;
    let first = cell_selector(0, MATERIAL);
    app.click_css(&first).await;
    let material =
        app.window.script("return document.querySelector(arguments[0]).innerText.trim()", vec![json!(first)]).await;
    let material = material.as_str().unwrap();
    // Two key presses in quick succession select two more rows. The table must not scroll.
    press_keys(&app, &[Key::Shift], "\u{e015}\u{e015}").await;
    let chosen = "return document.body.innerText.includes('C · 3 rows')";
    app.window.wait_until("the rows that are chosen", CHANGE_TIMEOUT, chosen).await;
    press_keys(&app, &[Key::Control], "d").await;
    let filled = format!(
        "return [0, 1, 2].every((row) => document.querySelector(`[data-testid=\"grid-check\"] .ag-row[row-index=\"${{row}}\"] .ag-cell[col-id=\"2\"]`)?.textContent.startsWith('{material}'))"
    );
    app.window.wait_until("the cells below", CHANGE_TIMEOUT, &filled).await;
    let scrolled = "return document.querySelector('[data-testid=\"grid-check\"] .ag-grid-viewport').scrollTop";
    assert_eq!(app.window.script(scrolled, Vec::new()).await, 0);
    save_screenshot(&app, "fix-filled").await;
    assert_eq!(app.wait_for_number("counts-edited").await, 2);
    app.click("fix-undo").await;
    wait_for_text(&app, "2 changes undone").await;
    app.window.close().await;
}

fn cell_selector(row: u32, column: u32) -> String {
    format!("[data-testid=\"grid-check\"] .ag-row[row-index=\"{row}\"] .ag-cell[col-id=\"{column}\"]")
}

/// Waits until the first row shows a text in this column. Each cell also contains a text for screen readers.
async fn wait_for_first_cell(app: &TestApp, column: u32, text: &str) {
    let css = cell_selector(0, column);
    let code = format!("return document.querySelector('{css} [class*=\"shown\"]')?.textContent === {}", json!(text));
    app.window.wait_until(&format!("{text:?} in the first row"), CHANGE_TIMEOUT, &code).await;
}

async fn wait_for_any_first_cell(app: &TestApp, column: u32) {
    let css = cell_selector(0, column);
    app.window
        .wait_until(
            "the first row",
            CHANGE_TIMEOUT,
            &format!("return Boolean(document.querySelector('{css}')?.textContent)"),
        )
        .await;
}

pub(crate) async fn focus_first_cell(app: &TestApp, column: u32, text: &str) {
    wait_for_first_cell(app, column, text).await;
    app.click_css(&cell_selector(0, column)).await;
    app.wait_for_element("fix-replace").await;
}

async fn wait_for_text(app: &TestApp, text: &str) {
    let code = format!("return document.querySelector('[data-testid=\"fix-said\"]')?.textContent === {}", json!(text));
    app.window.wait_until(text, CHANGE_TIMEOUT, &code).await;
}

/// Presses keys one after the other while the `held` keys are down.
pub(crate) async fn press_keys(app: &TestApp, held: &[Key], keys: &str) {
    let mut actions = KeyActions::new("keys".to_owned());
    for &key in held {
        actions = actions.then(KeyAction::Down { value: char::from(key) });
    }
    for value in keys.chars() {
        actions = actions.then(KeyAction::Down { value }).then(KeyAction::Up { value });
    }
    for &key in held.iter().rev() {
        actions = actions.then(KeyAction::Up { value: char::from(key) });
    }
    app.window.client.perform_actions(actions).await.unwrap();
}

async fn save_screenshot(app: &TestApp, name: &str) {
    app.window.screenshot(&results_folder("window").join(format!("{name}.png"))).await;
}

fn find_order<'a>(state: &'a Value, code: &str) -> &'a Value {
    let rows = state["data"].as_array().unwrap();
    rows.iter().find(|row| row["code"] == code).unwrap_or_else(|| panic!("{code} isn't there"))
}
