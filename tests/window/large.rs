//! A hundred thousand rows in the grid. All of them are there, and one key moves to the last one.

use std::{fmt::Write, fs};

use fantoccini::{
    actions::{InputSource, KeyAction, KeyActions},
    key::Key,
};

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

const ROWS: u32 = 100_000;

#[tokio::test]
#[ignore = "long: 100,000 rows"]
async fn a_hundred_thousand_rows_are_there_to_the_last() {
    let app = TestApp::open(Engine::Chromium).await;
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity\n");
    for row in 0..ROWS {
        let quantity = if row == 77_777 { 0 } else { row + 1 };
        writeln!(text, "WO-{row};010;MAT-1001;{quantity}").unwrap();
    }
    // An existing sample file isn't replaced, and its content determines its format.
    let samples = app.takt.home().join("samples");
    fs::create_dir_all(&samples).unwrap();
    fs::write(samples.join("work-orders.sync.xlsx"), text).unwrap();
    app.click("sample-work-orders.sync").await;
    app.click("step-check").await;
    assert_eq!(app.wait_for_number("counts-rows").await, u64::from(ROWS));
    assert_eq!(app.wait_for_number("counts-errors").await, 1);
    let css = "[data-testid=\"grid-check\"] .ag-row[row-index=\"0\"] .ag-cell[col-id=\"0\"]";
    let filled = format!("return document.querySelector('{css}')?.textContent === 'WO-0'");
    app.window.wait_until("the first row", CHANGE_TIMEOUT, &filled).await;
    app.click_css(css).await;
    let down = |value: char| KeyAction::Down { value };
    let up = |value: char| KeyAction::Up { value };
    let (control, end) = (char::from(Key::Control), char::from(Key::End));
    let keys = KeyActions::new("keys".to_owned()).then(down(control)).then(down(end)).then(up(end)).then(up(control));
    app.window.client.perform_actions(keys).await.unwrap();
    let last = format!(
        "return [...document.querySelectorAll('[data-testid=\"grid-check\"] .ag-cell')].some((cell) => cell.textContent === 'WO-{}')",
        ROWS - 1
    );
    app.window.wait_until("the last row", CHANGE_TIMEOUT, &last).await;

    app.click("facet-not-above").await;
    let found = "return [...document.querySelectorAll('[data-testid=\"grid-check\"] .ag-cell')].some((cell) => cell.textContent === 'WO-77777')";
    app.window.wait_until("the row in error", CHANGE_TIMEOUT, found).await;
    app.window.close().await;
}
