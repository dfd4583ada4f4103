//! Rows are edited like in Excel: blocks are pasted, filled, found and emptied. The reason of a finding is shown next
//! to its cell.

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{Engine, SOON, TestApp, results};

use crate::{fix::press, fix_all::open, pictures_move::drag};

const CODE: u32 = 0;
const MATERIAL: u32 = 2;
const QUANTITY: u32 = 3;
const ROWS: u32 = 6;

#[tokio::test]
async fn blocks_are_pasted_filled_and_emptied_as_one_step_each() {
    let app = sheet().await;
    // The clipboard contains a spreadsheet's format, and one row more than the table has left.
    let text = "MAT-1001\t7\r\nMAT-1002\t\"8\"\r\nMAT-1003\t9\r\n";
    copy(&app, text).await;
    focus(&app, 4, MATERIAL).await;
    press(&app, &[Key::Control], "v").await;
    wait_for_message(&app, "4 cells changed by pasting").await;
    shows(&app, 4, MATERIAL, &["MAT-1001", "MAT-1002"]).await;
    shows(&app, 4, QUANTITY, &["7", "8"]).await;
    let lost = "return document.body.innerText.includes('1 pasted row doesn\\'t fit below the last row: “MAT-1003”.')";
    app.window.until("what was lost", SOON, lost).await;
    picture(&app, "cells-pasted").await;
    press(&app, &[Key::Control], "z").await;
    wait_for_message(&app, "4 changes undone").await;
    shows(&app, 4, QUANTITY, &["5", "5"]).await;

    // A block is selected by keys and copied. Pasting it into a block of twice the height repeats it.
    focus(&app, 0, CODE).await;
    press(&app, &[Key::Shift], "\u{e015}").await;
    press(&app, &[Key::Control], "c").await;
    wait_for_message(&app, "2 cells copied").await;
    focus(&app, 2, CODE).await;
    press(&app, &[Key::Shift], "\u{e015}\u{e015}\u{e015}").await;
    press(&app, &[Key::Control], "v").await;
    shows(&app, 2, CODE, &["WO-0", "WO-1", "WO-0", "WO-1"]).await;
    press(&app, &[Key::Control], "z").await;
    wait_for_message(&app, "4 changes undone").await;

    // Ctrl+Shift+Down extends the selection to the last value, and Delete empties it.
    focus(&app, 1, CODE).await;
    press(&app, &[Key::Control, Key::Shift], "\u{e015}").await;
    wait_for_selection(&app, 5).await;
    press(&app, &[], &Key::Delete.to_string()).await;
    shows(&app, 1, CODE, &[""; 5]).await;
    press(&app, &[Key::Control], "z").await;
    wait_for_message(&app, "5 changes undone").await;

    // Two keys are pressed before the page is redrawn. The second one must affect the selection of the first.
    focus(&app, 1, CODE).await;
    let keys = "const cell = document.activeElement;
        for (const key of [{ key: 'ArrowDown', shiftKey: true }, { key: 'Delete' }])
            cell.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }));";
    app.window.script(keys, vec![]).await;
    shows(&app, 1, CODE, &["", "", "WO-3"]).await;
    press(&app, &[Key::Control], "z").await;
    wait_for_message(&app, "2 changes undone").await;

    // Two cells are selected by dragging, and the fill handle fills the cells below.
    focus(&app, 0, CODE).await;
    let (x, y, width, height) = cell_rect(&app, 0, CODE).await;
    drag(&app, (x + 20.0, y + 10.0), &[(20.0, height / 2.0), (20.0, height)]).await;
    wait_for_selection(&app, 2).await;
    picture(&app, "cells-chosen").await;
    let at = (x + width - 4.0, y + 2.0 * height - 4.0);
    drag(&app, at, &[(0.0, height), (0.0, 2.0 * height)]).await;
    wait_for_message(&app, "Nothing changed: the cells have these values already").await;
    focus(&app, 0, MATERIAL).await;
    let (x, y, width, height) = cell_rect(&app, 0, MATERIAL).await;
    drag(&app, (x + width - 4.0, y + height - 4.0), &[(0.0, height), (0.0, 2.0 * height)]).await;
    wait_for_message(&app, "2 cells filled").await;
    shows(&app, 0, MATERIAL, &["MAT-1000"; 3]).await;
    picture(&app, "cells-filled").await;
    // Ctrl+D copies the value above a single cell, and Ctrl+R the value to its left.
    focus(&app, 3, MATERIAL).await;
    press(&app, &[Key::Control], "d").await;
    shows(&app, 3, MATERIAL, &["MAT-1000"]).await;
    press(&app, &[Key::Control], "r").await;
    shows(&app, 3, MATERIAL, &["010"]).await;
    app.window.close().await;
}

#[tokio::test]
async fn cells_are_found_and_the_reason_stands_at_the_cell() {
    let app = sheet().await;
    focus(&app, 2, QUANTITY).await;
    let beside = "const note = document.querySelector('[data-testid=\"cell-note\"]');
        const cell = document.querySelector('.ag-cell-focus')?.getBoundingClientRect();
        if (!cell || !note.textContent || getComputedStyle(note).visibility !== 'visible') return null;
        const { left, right, top, bottom } = note.getBoundingClientRect();
        const near = left >= cell.right ? left - cell.right : right <= cell.left ? cell.left - right : Math.min(Math.abs(top - cell.bottom), Math.abs(cell.top - bottom));
        return near < 10 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && top <= cell.bottom + 10 && note.textContent";
    let note = app.window.until("the reason", SOON, beside).await;
    assert!(note.as_str().unwrap().contains("n/a"), "{note}");
    picture(&app, "cells-reason").await;
    press(&app, &[], &Key::Escape.to_string()).await;
    let closed = "return document.querySelector('[data-testid=\"cell-note\"]').textContent === ''";
    app.window.until("no reason", SOON, closed).await;
    let kept = "return document.querySelector('[data-testid=\"step-check\"]').getAttribute('aria-current') === 'step' && document.activeElement.matches('.ag-cell')";
    assert_eq!(app.window.script(kept, vec![]).await, true, "Escape closed nothing else");

    press(&app, &[Key::Control], "f").await;
    app.sees("find-text").await;
    press(&app, &[], "wo-").await;
    wait_for_count(&app, "4 of 6 matches").await;
    press(&app, &[], &Key::Enter.to_string()).await;
    wait_for_count(&app, "5 of 6 matches").await;
    press(&app, &[Key::Shift], &Key::Enter.to_string()).await;
    wait_for_count(&app, "4 of 6 matches").await;
    picture(&app, "cells-found").await;
    press(&app, &[], &Key::Escape.to_string()).await;
    app.gone("find-text").await;
    focused(&app, 3, CODE).await;
    let axe = app.window.axe().await;
    assert!(axe.is_empty(), "{axe:?}");
    // Enter moves down, F2 starts editing, and Ctrl+End moves to the last cell.
    press(&app, &[], &Key::Enter.to_string()).await;
    focused(&app, 4, CODE).await;
    press(&app, &[Key::Control], &Key::End.to_string()).await;
    focused(&app, ROWS - 1, QUANTITY).await;
    press(&app, &[], &format!("{}6{}", Key::F2, Key::Enter)).await;
    shows(&app, ROWS - 1, QUANTITY, &["56"]).await;

    // In a small window, the reason must also be next to the cell, and not be cut off.
    app.window.resize(1024, 700).await;
    focus(&app, 2, QUANTITY).await;
    app.window.until("the reason in a small window", SOON, beside).await;
    press(&app, &[Key::Control], "+").await;
    app.window.until("the reason in large type", SOON, beside).await;
    picture(&app, "cells-reason-small").await;
    app.window.close().await;
}

/// Opens six orders. One of them has an invalid quantity.
async fn sheet() -> TestApp {
    let app = TestApp::open(Engine::Chromium).await;
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity\n");
    for row in 0..ROWS {
        let quantity = if row == 2 { "n/a" } else { "5" };
        text += &format!("WO-{row};010;MAT-100{row};{quantity}\n");
    }
    open(&app, &text).await;
    app.click("step-check").await;
    app.sees("grid-check").await;
    app
}

fn css(row: u32, column: u32) -> String {
    format!("[data-testid=\"grid-check\"] .ag-row[row-index=\"{row}\"] .ag-cell[col-id=\"{column}\"]")
}

/// Puts a text into the clipboard, like another program.
async fn copy(app: &TestApp, text: &str) {
    let code = "const done = arguments[arguments.length - 1];
        navigator.clipboard.writeText(arguments[0]).then(() => done(true), (error) => done(String(error)))";
    assert_eq!(app.window.client.execute_async(code, vec![json!(text)]).await.unwrap(), true);
}

async fn focus(app: &TestApp, row: u32, column: u32) {
    app.press(&css(row, column)).await;
    focused(app, row, column).await;
}

async fn focused(app: &TestApp, row: u32, column: u32) {
    let code = format!("return document.activeElement?.matches('{}')", css(row, column));
    app.window.until(&format!("the focus in row {row}, column {column}"), SOON, &code).await;
}

/// Waits until the column contains these texts, starting at row `first`.
async fn shows(app: &TestApp, first: u32, column: u32, texts: &[&str]) {
    let cells: Vec<String> = (first..).take(texts.len()).map(|row| css(row, column)).collect();
    let code = format!(
        "const shown = {}.map((css) => document.querySelector(`${{css}} [class*=\"shown\"]`)?.textContent);
        return JSON.stringify(shown) === JSON.stringify({})",
        json!(cells),
        json!(texts)
    );
    app.window.until(&format!("{texts:?} from row {first} on"), SOON, &code).await;
}

async fn wait_for_message(app: &TestApp, text: &str) {
    let code = format!("return document.querySelector('[data-testid=\"fix-said\"]')?.textContent === {}", json!(text));
    app.window.until(text, SOON, &code).await;
}

async fn wait_for_count(app: &TestApp, text: &str) {
    let code =
        format!("return document.querySelector('[data-testid=\"find-count\"]')?.textContent === {}", json!(text));
    app.window.until(text, SOON, &code).await;
}

/// Waits until this many cells are selected.
async fn wait_for_selection(app: &TestApp, cells: usize) {
    let code = format!("return document.querySelectorAll('.ag-cell[class*=\"chosen\"]').length === {cells}");
    app.window.until(&format!("{cells} chosen cells"), SOON, &code).await;
}

async fn cell_rect(app: &TestApp, row: u32, column: u32) -> (f64, f64, f64, f64) {
    let code = "const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect(); return [left, top, width, height]";
    let found: Value = app.window.script(code, vec![json!(css(row, column))]).await;
    serde_json::from_value(found).unwrap()
}

async fn picture(app: &TestApp, name: &str) {
    app.window.screenshot(&results("window").join(format!("{name}.png"))).await;
}
