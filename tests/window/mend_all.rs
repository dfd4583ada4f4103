//! Everything of one kind mended at once, and a text's separator tried out before it is taken.

use std::fs;

use crate::desk::{Desk, SOON};

#[tokio::test]
async fn like_cells_are_mended_at_once_and_doubled_rows_left_out() {
    let desk = Desk::open().await;
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity\n");
    for row in 0..40 {
        let quantity = if row % 4 == 0 { "n/a" } else { "5" };
        text += &format!("WO-MEND-{};010;MAT-1001;{quantity}\n", row / 2);
    }
    open(&desk, &text).await;
    desk.click("step-check").await;
    assert_eq!(desk.number("counts-errors").await, 40, "every key stands in two rows");

    desk.click("mend-all-not-a-number").await;
    desk.types("found-n/a", "7").await;
    desk.click("found-replace").await;
    says(&desk, "10 changes made").await;
    desk.gone("facet-not-a-number").await;
    desk.click("mend-undo").await;
    says(&desk, "10 changes taken back").await;
    desk.click("mend-redo").await;
    says(&desk, "10 changes made").await;

    desk.click("mend-all-duplicate-key").await;
    desk.click("found-keep-first").await;
    desk.sees("counts-excluded").await;
    assert_eq!(desk.number("counts-excluded").await, 20);
    assert_eq!(desk.number("counts-errors").await, 0);
    assert_eq!(desk.number("counts-ready").await, 20);
    desk.window.close().await;
}

#[tokio::test]
async fn a_separator_is_tried_out_before_it_is_taken() {
    let desk = Desk::open().await;
    open(&desk, "code;operationCode;materialCode;requestedQuantity\nWO-1;010;MAT-1001;1,5\nWO-2;010;MAT-1001;2,5\n")
        .await;
    desk.click("step-file").await;
    choose(&desk, "separator", ",").await;
    desk.sees("text-preview").await;
    let cell = "return [...document.querySelectorAll('[data-testid=\"text-preview\"] td')].some((cell) => cell.textContent === 'WO-1;010;MAT-1001;1')";
    desk.window.until("the line in two columns", SOON, cell).await;
    desk.click("preview-leave").await;
    desk.gone("text-preview").await;
    desk.sees("head").await;

    choose(&desk, "separator", "").await;
    desk.click("preview-take").await;
    desk.gone("text-preview").await;
    let one = "return document.querySelectorAll('[data-testid=\"head\"] thead th').length === 2";
    desk.window.until("one column", SOON, one).await;
    desk.window.close().await;
}

/// A sample that a planner has already edited is opened as it is; what it holds counts, not its name.
pub(crate) async fn open(desk: &Desk, text: &str) {
    let samples = desk.takt.home().join("samples");
    fs::create_dir_all(&samples).unwrap();
    fs::write(samples.join("work-orders.sync.xlsx"), text).unwrap();
    desk.click("sample-work-orders.sync").await;
}

async fn choose(desk: &Desk, id: &str, value: &str) {
    desk.sees(id).await;
    let code = "const select = document.querySelector(`[data-testid=\"${arguments[0]}\"]`);
        Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, arguments[1]);
        select.dispatchEvent(new Event('change', { bubbles: true }));";
    desk.window.script(code, vec![id.into(), value.into()]).await;
}

async fn says(desk: &Desk, text: &str) {
    let code = format!("return document.querySelector('[data-testid=\"mend-said\"]')?.textContent === '{text}'");
    desk.window.until(text, SOON, &code).await;
}

#[tokio::test]
async fn merged_cells_are_filled_down_by_one_click() {
    let desk = Desk::open().await;
    // A web page's table, as ERP systems write it under the name of a workbook.
    let rest = "<td>010</td><td>MAT-1001</td><td>5</td></tr>";
    let table = format!(
        "<table><tr><th>code</th><th>operationCode</th><th>materialCode</th><th>requestedQuantity</th></tr>
        <tr><td rowspan=3>WO-1</td>{rest}<tr>{rest}<tr>{rest}<tr><td>WO-2</td>{rest}</table>"
    );
    open(&desk, &table).await;
    desk.click("step-check").await;
    assert_eq!(desk.number("counts-errors").await, 2);
    desk.click("fill-merged").await;
    says(&desk, "2 changes made").await;
    desk.gone("merged").await;
    desk.gone("facet-required").await;
    desk.click("mend-undo").await;
    desk.sees("merged").await;
    desk.window.close().await;
}
