//! Rows are edited like in Excel: blocks are pasted, filled, found and emptied. The reason of a finding is shown next
//! to its cell.

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::{fix::press_keys, fix_all::open_text, gantt_moves::drag};

const CODE: u32 = 0;
const MATERIAL: u32 = 2;
const QUANTITY: u32 = 3;
const ROWS: u32 = 6;

#[tokio::test]
async fn blocks_are_pasted_filled_and_emptied_as_one_step_each() {
    let app = open_six_orders().await;
    // The clipboard contains a spreadsheet's format, and one row more than the table has left.
    let text = "MAT-1001\t7\r\nMAT-1002\t\"8\"\r\nMAT-1003\t9\r\n";
    copy_text(&app, text).await;
    focus_cell(&app, 4, MATERIAL).await;
    press_keys(&app, &[Key::Control], "v").await;
    wait_for_message(&app, "4 cells changed by pasting").await;
    wait_for_texts(&app, 4, MATERIAL, &["MAT-1001", "MAT-1002"]).await;
    wait_for_texts(&app, 4, QUANTITY, &["7", "8"]).await;
    let lost = "return document.body.innerText.includes('1 pasted row doesn\\'t fit below the last row: “MAT-1003”.')";
    app.window.wait_until("what was lost", CHANGE_TIMEOUT, lost).await;
    save_screenshot(&app, "cells-pasted").await;
    press_keys(&app, &[Key::Control], "z").await;
    wait_for_message(&app, "4 changes undone").await;
    wait_for_texts(&app, 4, QUANTITY, &["5", "5"]).await;

    // A block is selected by keys and copied. Pasting it into a block of twice the height repeats it.
    focus_cell(&app, 0, CODE).await;
    press_keys(&app, &[Key::Shift], "\u{e015}").await;
    press_keys(&app, &[Key::Control], "c").await;
    wait_for_message(&app, "2 cells copied").await;
    focus_cell(&app, 2, CODE).await;
    press_keys(&app, &[Key::Shift], "\u{e015}\u{e015}\u{e015}").await;
    press_keys(&app, &[Key::Control], "v").await;
    wait_for_texts(&app, 2, CODE, &["WO-0", "WO-1", "WO-0", "WO-1"]).await;
    press_keys(&app, &[Key::Control], "z").await;
    wait_for_message(&app, "4 changes undone").await;

    // Ctrl+Shift+Down extends the selection to the last value, and Delete empties it.
    focus_cell(&app, 1, CODE).await;
    press_keys(&app, &[Key::Control, Key::Shift], "\u{e015}").await;
    wait_for_selection(&app, 5).await;
    press_keys(&app, &[], &Key::Delete.to_string()).await;
    wait_for_texts(&app, 1, CODE, &[""; 5]).await;
    press_keys(&app, &[Key::Control], "z").await;
    wait_for_message(&app, "5 changes undone").await;

    // Two keys are pressed before the page is redrawn. The second one must affect the selection of the first.
    focus_cell(&app, 1, CODE).await;
    let keys = "const cell = document.activeElement;
        for (const key of [{ key: 'ArrowDown', shiftKey: true }, { key: 'Delete' }])
            cell.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }));";
    app.window.script(keys, vec![]).await;
    wait_for_texts(&app, 1, CODE, &["", "", "WO-3"]).await;
    press_keys(&app, &[Key::Control], "z").await;
    wait_for_message(&app, "2 changes undone").await;

    // Two cells are selected by dragging, and the fill handle fills the cells below.
    focus_cell(&app, 0, CODE).await;
    let (x, y, width, height) = cell_rect(&app, 0, CODE).await;
    drag(&app, (x + 20.0, y + 10.0), &[(20.0, height / 2.0), (20.0, height)]).await;
    wait_for_selection(&app, 2).await;
    save_screenshot(&app, "cells-chosen").await;
    let at = (x + width - 4.0, y + 2.0 * height - 4.0);
    drag(&app, at, &[(0.0, height), (0.0, 2.0 * height)]).await;
    wait_for_message(&app, "Nothing changed: the cells already have these values").await;
    focus_cell(&app, 0, MATERIAL).await;
    let (x, y, width, height) = cell_rect(&app, 0, MATERIAL).await;
    drag(&app, (x + width - 4.0, y + height - 4.0), &[(0.0, height), (0.0, 2.0 * height)]).await;
    wait_for_message(&app, "2 cells filled").await;
    wait_for_texts(&app, 0, MATERIAL, &["MAT-1000"; 3]).await;
    save_screenshot(&app, "cells-filled").await;
    // Ctrl+D copies the value above a single cell, and Ctrl+R the value to its left.
    focus_cell(&app, 3, MATERIAL).await;
    press_keys(&app, &[Key::Control], "d").await;
    wait_for_texts(&app, 3, MATERIAL, &["MAT-1000"]).await;
    press_keys(&app, &[Key::Control], "r").await;
    wait_for_texts(&app, 3, MATERIAL, &["010"]).await;
    app.window.close().await;
}

#[tokio::test]
async fn cells_are_found_and_the_reason_stands_at_the_cell() {
    let app = open_six_orders().await;
    focus_cell(&app, 2, QUANTITY).await;
    let beside = "const note = document.querySelector('[data-testid=\"cell-note\"]');
        const cell = document.querySelector('.ag-cell-focus')?.getBoundingClientRect();
        if (!cell || !note.textContent || getComputedStyle(note).visibility !== 'visible') return null;
        const { left, right, top, bottom } = note.getBoundingClientRect();
        const near = left >= cell.right ? left - cell.right : right <= cell.left ? cell.left - right : Math.min(Math.abs(top - cell.bottom), Math.abs(cell.top - bottom));
        return near < 10 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && top <= cell.bottom + 10 && note.textContent";
    let note = app.window.wait_until("the reason", CHANGE_TIMEOUT, beside).await;
    assert!(note.as_str().unwrap().contains("n/a"), "{note}");
    save_screenshot(&app, "cells-reason").await;
    press_keys(&app, &[], &Key::Escape.to_string()).await;
    let closed = "return document.querySelector('[data-testid=\"cell-note\"]').textContent === ''";
    app.window.wait_until("no reason", CHANGE_TIMEOUT, closed).await;
    let kept = "return document.querySelector('[data-testid=\"step-check\"]').getAttribute('aria-current') === 'step' && document.activeElement.matches('.ag-cell')";
    assert_eq!(app.window.script(kept, vec![]).await, true, "Escape closed nothing else");

    press_keys(&app, &[Key::Control], "f").await;
    app.wait_for_element("find-text").await;
    press_keys(&app, &[], "wo-").await;
    wait_for_count(&app, "4 of 6 matches").await;
    press_keys(&app, &[], &Key::Enter.to_string()).await;
    wait_for_count(&app, "5 of 6 matches").await;
    press_keys(&app, &[Key::Shift], &Key::Enter.to_string()).await;
    wait_for_count(&app, "4 of 6 matches").await;
    save_screenshot(&app, "cells-found").await;
    press_keys(&app, &[], &Key::Escape.to_string()).await;
    app.wait_until_gone("find-text").await;
    wait_for_focus(&app, 3, CODE).await;
    let axe = app.window.find_violations().await;
    assert!(axe.is_empty(), "{axe:?}");
    // Enter moves down, F2 starts editing, and Ctrl+End moves to the last cell.
    press_keys(&app, &[], &Key::Enter.to_string()).await;
    wait_for_focus(&app, 4, CODE).await;
    press_keys(&app, &[Key::Control], &Key::End.to_string()).await;
    wait_for_focus(&app, ROWS - 1, QUANTITY).await;
    press_keys(&app, &[], &format!("{}6{}", Key::F2, Key::Enter)).await;
    wait_for_texts(&app, ROWS - 1, QUANTITY, &["56"]).await;

    // In a small window, the reason must also be next to the cell, and not be cut off.
    app.window.resize(1024, 700).await;
    focus_cell(&app, 2, QUANTITY).await;
    app.window.wait_until("the reason in a small window", CHANGE_TIMEOUT, beside).await;
    press_keys(&app, &[Key::Control], "+").await;
    app.window.wait_until("the reason in large type", CHANGE_TIMEOUT, beside).await;
    save_screenshot(&app, "cells-reason-small").await;
    app.window.close().await;
}

/// Opens six orders. One of them has an invalid quantity.
#[tokio::test]
async fn problems_are_visited_by_keys_and_skipped_rows_are_sent_once_they_are_fixed() {
    let app = TestApp::open(Engine::Chromium).await;
    let rows = ["WO-7;010;MAT-1001;5", "WO-8;010;MAT-1001;n/a", "WO-9;010;MAT-1001;7", "WO-10;010;MAT-1001;many"];
    open_text(&app, &format!("code;operationCode;materialCode;requestedQuantity\n{}\n", rows.join("\n"))).await;
    app.click("step-check").await;
    wait_for_problem(&app, "2 cells with problems").await;
    let next = Key::F8.to_string();
    for (row, text) in [(1, "Problem 1 of 2"), (3, "Problem 2 of 2"), (1, "Problem 1 of 2")] {
        press_keys(&app, &[], &next).await;
        wait_for_focus(&app, row, QUANTITY).await;
        wait_for_problem(&app, text).await;
    }
    press_keys(&app, &[Key::Shift], &next).await;
    wait_for_focus(&app, 3, QUANTITY).await;
    save_screenshot(&app, "cells-problem").await;

    app.click("step-send").await;
    app.sign_in().await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    assert_eq!((app.wait_for_number("result-accepted").await, app.wait_for_number("result-skipped").await), (2, 2));
    app.click("fix-skipped").await;
    app.wait_for_element("grid-check").await;
    assert_eq!(app.wait_for_number("counts-rows").await, 2, "the rows that were sent are no longer part of the import");
    let undo = "return document.querySelector('[data-testid=\"fix-undo\"]').disabled";
    assert_eq!(app.window.script(undo, Vec::new()).await, json!(true), "an undo can't bring them back");
    // Only the rows with errors are shown.
    for row in 0..2 {
        focus_cell(&app, row, QUANTITY).await;
        press_keys(&app, &[], &format!("6{}", Key::Enter)).await;
        wait_for_texts(&app, row, QUANTITY, &["6"]).await;
    }
    assert_eq!(app.wait_for_number("counts-ready").await, 2);
    app.click("step-send").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    assert_eq!(app.wait_for_number("result-accepted").await, 2);
    app.window.close().await;
}

async fn wait_for_problem(app: &TestApp, text: &str) {
    let code =
        format!("return document.querySelector('[data-testid=\"problem-number\"]')?.textContent === {}", json!(text));
    app.window.wait_until(text, CHANGE_TIMEOUT, &code).await;
}

async fn open_six_orders() -> TestApp {
    let app = TestApp::open(Engine::Chromium).await;
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity\n");
    for row in 0..ROWS {
        let quantity = if row == 2 { "n/a" } else { "5" };
        text += &format!("WO-{row};010;MAT-100{row};{quantity}\n");
    }
    open_text(&app, &text).await;
    app.click("step-check").await;
    app.wait_for_element("grid-check").await;
    app
}

fn cell_selector(row: u32, column: u32) -> String {
    format!("[data-testid=\"grid-check\"] .ag-row[row-index=\"{row}\"] .ag-cell[col-id=\"{column}\"]")
}

/// Puts a text into the clipboard, like another program.
async fn copy_text(app: &TestApp, text: &str) {
    let code = "const done = arguments[arguments.length - 1];
        navigator.clipboard.writeText(arguments[0]).then(() => done(true), (error) => done(String(error)))";
    assert_eq!(app.window.client.execute_async(code, vec![json!(text)]).await.unwrap(), true);
}

async fn focus_cell(app: &TestApp, row: u32, column: u32) {
    app.click_css(&cell_selector(row, column)).await;
    wait_for_focus(app, row, column).await;
}

async fn wait_for_focus(app: &TestApp, row: u32, column: u32) {
    let code = format!("return document.activeElement?.matches('{}')", cell_selector(row, column));
    app.window.wait_until(&format!("the focus in row {row}, column {column}"), CHANGE_TIMEOUT, &code).await;
}

/// Waits until the column contains these texts, starting at row `first`.
async fn wait_for_texts(app: &TestApp, first: u32, column: u32, texts: &[&str]) {
    let cells: Vec<String> = (first..).take(texts.len()).map(|row| cell_selector(row, column)).collect();
    let code = format!(
        "const shown = {}.map((css) => document.querySelector(`${{css}} [class*=\"shown\"]`)?.textContent);
        return JSON.stringify(shown) === JSON.stringify({})",
        json!(cells),
        json!(texts)
    );
    app.window.wait_until(&format!("{texts:?} from row {first} on"), CHANGE_TIMEOUT, &code).await;
}

async fn wait_for_message(app: &TestApp, text: &str) {
    let code = format!("return document.querySelector('[data-testid=\"fix-said\"]')?.textContent === {}", json!(text));
    app.window.wait_until(text, CHANGE_TIMEOUT, &code).await;
}

async fn wait_for_count(app: &TestApp, text: &str) {
    let code =
        format!("return document.querySelector('[data-testid=\"find-count\"]')?.textContent === {}", json!(text));
    app.window.wait_until(text, CHANGE_TIMEOUT, &code).await;
}

/// Waits until this many cells are selected.
async fn wait_for_selection(app: &TestApp, cells: usize) {
    let code = format!("return document.querySelectorAll('.ag-cell[class*=\"chosen\"]').length === {cells}");
    app.window.wait_until(&format!("{cells} chosen cells"), CHANGE_TIMEOUT, &code).await;
}

async fn cell_rect(app: &TestApp, row: u32, column: u32) -> (f64, f64, f64, f64) {
    let code = "const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect(); return [left, top, width, height]";
    let found: Value = app.window.script(code, vec![json!(cell_selector(row, column))]).await;
    serde_json::from_value(found).unwrap()
}

async fn save_screenshot(app: &TestApp, name: &str) {
    app.window.screenshot(&results_folder("window").join(format!("{name}.png"))).await;
}
