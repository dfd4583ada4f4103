//! Mending in the grid: what a planner changes there is what arrives at the service, and every step can be taken back.

use fantoccini::{
    actions::{InputSource, KeyAction, KeyActions},
    key::Key,
};
use serde_json::{Value, json};
use takt_tests::results;

use crate::desk::{Desk, SOON};

const CODE: u32 = 0;
const MATERIAL: u32 = 2;
const QUANTITY: u32 = 3;

#[tokio::test]
async fn what_is_mended_in_the_grid_arrives() {
    let desk = Desk::open().await;
    desk.click("sample-work-orders.sync").await;
    desk.click("step-check").await;
    let rows = desk.number("counts-rows").await;
    let errors = desk.number("counts-errors").await;

    // "ca. 200" is no number: typing begins to edit, and Enter keeps the text.
    desk.click("facet-not-a-number").await;
    focus(&desk, QUANTITY, "ca. 200").await;
    picture(&desk, "mend-focused").await;
    press(&desk, &[], "200\u{e007}").await;
    says(&desk, "1 change made").await;
    shows(&desk, QUANTITY, "200").await;
    assert_eq!((desk.number("counts-errors").await, desk.number("counts-edited").await), (errors - 1, 1));
    picture(&desk, "mend-edited").await;

    // A material that the service doesn't know is replaced in all its rows.
    desk.click("counts-rows").await;
    desk.types("check-search", "MAT-9099").await;
    focus(&desk, MATERIAL, "MAT-9099").await;
    desk.click("mend-replace").await;
    desk.sees("mend-replace-by").await;
    picture(&desk, "mend-replace").await;
    press(&desk, &[Key::Control], "a").await;
    press(&desk, &[], "MAT-1043").await;
    desk.click("mend-replace-do").await;
    shows(&desk, MATERIAL, "MAT-1043").await;

    // Left out, taken back, and left out again: by the keyboard alone.
    desk.click("check-search").await;
    press(&desk, &[Key::Control], "a").await;
    press(&desk, &[], "\u{e003}").await;
    desk.click("facet-required").await;
    focus(&desk, CODE, "").await;
    press(&desk, &[Key::Shift], &char::from(Key::F10).to_string()).await;
    let focused = "return Boolean(document.activeElement?.closest('[data-testid=\"mend-menu\"]'))";
    desk.window.until("the menu in hand", SOON, focused).await;
    press(&desk, &[], "\u{e015}").await;
    let chosen = "return document.activeElement?.getAttribute('role') === 'menuitem'";
    desk.window.until("the menu's first entry", SOON, chosen).await;
    picture(&desk, "mend-menu").await;
    press(&desk, &[], "\u{e010}\u{e007}").await;
    desk.sees("counts-excluded").await;
    picture(&desk, "mend-excluded").await;
    press(&desk, &[Key::Control], "z").await;
    says(&desk, "1 change taken back").await;
    press(&desk, &[Key::Control], "y").await;
    says(&desk, "1 change made").await;
    assert_eq!(desk.number("counts-excluded").await, 1);

    desk.click("step-send").await;
    desk.sign_in().await;
    desk.click("leave-out").await;
    picture(&desk, "mend-send").await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    let submission = desk.ask("submission_list", json!({})).await[0].clone();
    let counts = &submission["counts"];
    let of = |fate: &str| counts[fate].as_u64().unwrap();
    assert_eq!(of("accepted") + of("rejected") + of("skipped"), rows, "{counts}");
    let orders = desk.control("state/work-orders").await;
    assert_eq!(order(&orders, "WO-270016")["requestedQuantity"], 200);
    assert_eq!(order(&orders, "WO-270036")["materialCode"], "MAT-1043");
    desk.window.close().await;
}

#[tokio::test]
async fn cells_are_filled_down_and_rows_sorted() {
    let desk = Desk::open().await;
    desk.click("sample-work-orders.sync").await;
    desk.click("step-check").await;
    // By the heading: the largest quantity first.
    let heading = "[data-testid=\"grid-check\"] .ag-header-cell[col-id=\"3\"]";
    shows_some(&desk, QUANTITY).await;
    desk.press(heading).await;
    shows(&desk, QUANTITY, "0").await;
    let first = place(0, MATERIAL);
    desk.press(&first).await;
    let material =
        desk.window.script("return document.querySelector(arguments[0]).innerText.trim()", vec![json!(first)]).await;
    let material = material.as_str().unwrap();
    // Two keys in one go draw two rows, and what is to be seen stays where it is.
    press(&desk, &[Key::Shift], "\u{e015}\u{e015}").await;
    let chosen = "return document.body.innerText.includes('3 rows of column C')";
    desk.window.until("the rows that are chosen", SOON, chosen).await;
    press(&desk, &[Key::Control], "d").await;
    let filled = format!(
        "return [0, 1, 2].every((row) => document.querySelector(`[data-testid=\"grid-check\"] .ag-row[row-index=\"${{row}}\"] .ag-cell[col-id=\"2\"]`)?.textContent.startsWith('{material}'))"
    );
    desk.window.until("the cells below", SOON, &filled).await;
    let scrolled = "return document.querySelector('[data-testid=\"grid-check\"] .ag-grid-viewport').scrollTop";
    assert_eq!(desk.window.script(scrolled, Vec::new()).await, 0);
    picture(&desk, "mend-filled").await;
    assert_eq!(desk.number("counts-edited").await, 2);
    desk.click("mend-undo").await;
    says(&desk, "2 changes taken back").await;
    desk.window.close().await;
}

fn place(row: u32, column: u32) -> String {
    format!("[data-testid=\"grid-check\"] .ag-row[row-index=\"{row}\"] .ag-cell[col-id=\"{column}\"]")
}

/// Until the first row shows a text in this column. What a screen reader alone hears comes after it.
async fn shows(desk: &Desk, column: u32, text: &str) {
    let css = place(0, column);
    let code = format!("return document.querySelector('{css} [class*=\"shown\"]')?.textContent === {}", json!(text));
    desk.window.until(&format!("{text:?} in the first row"), SOON, &code).await;
}

async fn shows_some(desk: &Desk, column: u32) {
    let css = place(0, column);
    desk.window
        .until("the first row", SOON, &format!("return Boolean(document.querySelector('{css}')?.textContent)"))
        .await;
}

pub(crate) async fn focus(desk: &Desk, column: u32, text: &str) {
    shows(desk, column, text).await;
    desk.press(&place(0, column)).await;
    desk.sees("mend-replace").await;
}

async fn says(desk: &Desk, text: &str) {
    let code = format!("return document.querySelector('[data-testid=\"mend-said\"]')?.textContent === {}", json!(text));
    desk.window.until(text, SOON, &code).await;
}

/// Presses these keys one after the other while the others are held.
pub(crate) async fn press(desk: &Desk, held: &[Key], keys: &str) {
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
    desk.window.client.perform_actions(actions).await.unwrap();
}

async fn picture(desk: &Desk, name: &str) {
    desk.window.screenshot(&results("window").join(format!("{name}.png"))).await;
}

fn order<'a>(state: &'a Value, code: &str) -> &'a Value {
    let rows = state["data"].as_array().unwrap();
    rows.iter().find(|row| row["code"] == code).unwrap_or_else(|| panic!("{code} isn't there"))
}
