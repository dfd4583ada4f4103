//! All findings of one kind are fixed at once, and a delimiter is previewed before it is applied.

use std::fs;

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

#[tokio::test]
async fn like_cells_are_fixed_at_once_and_doubled_rows_left_out() {
    let app = TestApp::open(Engine::Chromium).await;
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity\n");
    for row in 0..40 {
        let quantity = if row % 4 == 0 { "n/a" } else { "5" };
        text += &format!("WO-MEND-{};010;MAT-1001;{quantity}\n", row / 2);
    }
    open_text(&app, &text).await;
    app.click("step-check").await;
    assert_eq!(app.wait_for_number("counts-errors").await, 40, "every key stands in two rows");

    app.click("fix-all-not-a-number").await;
    app.type_text("found-n/a", "7").await;
    app.click("found-replace").await;
    wait_for_text(&app, "10 changes made").await;
    app.wait_until_gone("facet-not-a-number").await;
    app.click("fix-undo").await;
    wait_for_text(&app, "10 changes undone").await;
    app.click("fix-redo").await;
    wait_for_text(&app, "10 changes made").await;

    app.click("fix-all-duplicate-key").await;
    app.click("found-keep-first").await;
    app.wait_for_element("counts-excluded").await;
    assert_eq!(app.wait_for_number("counts-excluded").await, 20);
    assert_eq!(app.wait_for_number("counts-errors").await, 0);
    assert_eq!(app.wait_for_number("counts-ready").await, 20);
    app.window.close().await;
}

#[tokio::test]
async fn a_separator_is_tried_out_before_it_is_taken() {
    let app = TestApp::open(Engine::Chromium).await;
    open_text(
        &app,
        "code;operationCode;materialCode;requestedQuantity\nWO-1;010;MAT-1001;1,5\nWO-2;010;MAT-1001;2,5\n",
    )
    .await;
    app.click("step-file").await;
    choose_value(&app, "separator", ",").await;
    app.wait_for_element("text-preview").await;
    let cell = "return [...document.querySelectorAll('[data-testid=\"text-preview\"] td')].some((cell) => cell.textContent === 'WO-1;010;MAT-1001;1')";
    app.window.wait_until("the line in two columns", CHANGE_TIMEOUT, cell).await;
    app.click("preview-leave").await;
    app.wait_until_gone("text-preview").await;
    app.wait_for_element("head").await;

    choose_value(&app, "separator", "").await;
    app.click("preview-take").await;
    app.wait_until_gone("text-preview").await;
    let one = "return document.querySelectorAll('[data-testid=\"head\"] thead th').length === 2";
    app.window.wait_until("one column", CHANGE_TIMEOUT, one).await;
    app.window.close().await;
}

/// Opens a text as sample. An existing sample file isn't replaced, and its content determines its format.
pub(crate) async fn open_text(app: &TestApp, text: &str) {
    let samples = app.takt.home().join("samples");
    fs::create_dir_all(&samples).unwrap();
    fs::write(samples.join("work-orders.sync.xlsx"), text).unwrap();
    app.click("sample-work-orders.sync").await;
}

/// Chooses a value of a native select, with the same events as a user.
pub(crate) async fn choose_value(app: &TestApp, id: &str, value: &str) {
    app.wait_for_element(id).await;
    let code = "const select = document.querySelector(`[data-testid=\"${arguments[0]}\"]`);
        Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, arguments[1]);
        select.dispatchEvent(new Event('change', { bubbles: true }));";
    app.window.script(code, vec![id.into(), value.into()]).await;
}

async fn wait_for_text(app: &TestApp, text: &str) {
    let code = format!("return document.querySelector('[data-testid=\"fix-said\"]')?.textContent === '{text}'");
    app.window.wait_until(text, CHANGE_TIMEOUT, &code).await;
}

#[tokio::test]
async fn merged_cells_are_filled_down_by_one_click() {
    let app = TestApp::open(Engine::Chromium).await;
    // The HTML table has the extension of a workbook, as some ERP systems export it.
    let rest = "<td>010</td><td>MAT-1001</td><td>5</td></tr>";
    let table = format!(
        "<table><tr><th>code</th><th>operationCode</th><th>materialCode</th><th>requestedQuantity</th></tr>
        <tr><td rowspan=3>WO-1</td>{rest}<tr>{rest}<tr>{rest}<tr><td>WO-2</td>{rest}</table>"
    );
    open_text(&app, &table).await;
    app.click("step-check").await;
    assert_eq!(app.wait_for_number("counts-errors").await, 2);
    app.click("fill-merged").await;
    wait_for_text(&app, "2 changes made").await;
    app.wait_until_gone("merged").await;
    app.wait_until_gone("facet-required").await;
    app.click("fix-undo").await;
    app.wait_for_element("merged").await;
    app.window.close().await;
}
