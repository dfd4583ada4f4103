//! The change preview in the window, compared with the plant's data: totals, old and new values, and warnings.
//! Unchanged rows must not be sent.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::fix_all::open_text;

#[tokio::test]
async fn a_planner_sees_what_would_change_before_it_does() {
    let app = TestApp::open(Engine::Chromium).await;
    let held = app.control("state/materials").await["data"].as_array().unwrap().clone();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().replace('"', "\"\"");
    let mut csv = "code;description;uoM".to_owned();
    for (index, row) in held.iter().take(12).enumerate() {
        let description = if index == 4 { "Another name".to_owned() } else { text(row, "description") };
        csv.push_str(&format!("\n{};\"{description}\";{}", text(row, "code"), text(row, "uoM")));
    }
    csv.push_str("\nNEW-1;Bolt;pcs\nNEW-2;Nut;pcs\nWRONG-1;;pcs");
    open_text(&app, &csv).await;
    app.click("step-preview").await;
    app.sign_in().await;
    for (kind, expected) in [("new", 2), ("changed", 1), ("same", 11), ("blocked", 1)] {
        assert_eq!(app.wait_for_number(&format!("preview-{kind}")).await, expected, "{kind}");
    }
    let new = "return document.querySelector('[data-testid=\"grid-preview\"]')?.textContent.includes('Bolt')";
    app.window.wait_until("what a new row is created with", CHANGE_TIMEOUT, new).await;
    app.click("preview-blocked").await;
    app.wait_for_element("preview-errors").await;
    app.click("preview-changed").await;
    let shown =
        "return document.querySelector('[data-testid=\"grid-preview\"] [data-field=\"description\"]')?.textContent";
    let shown = app.window.wait_until("old beside new", CHANGE_TIMEOUT, shown).await;
    let old = held[4]["description"].as_str().unwrap();
    assert!(shown.as_str().unwrap().ends_with(&format!("{old} Another name")), "{shown}");
    app.window.screenshot(&results_folder("window").join("preview-changed.png")).await;

    app.click("go-on").await;
    let button = "return document.querySelector('[data-testid=\"send\"]').textContent";
    let button = app.window.script(button, Vec::new()).await;
    assert!(button.as_str().unwrap().starts_with("Send 3 materials to Practice"), "{button}");
    let undo = "return document.querySelector('[data-testid=\"send-undo\"]').textContent";
    let undo = app.window.script(undo, Vec::new()).await;
    assert!(undo.as_str().unwrap().contains("the previous values of 1 material,"), "{undo}");
    assert!(undo.as_str().unwrap().contains("can't be removed afterwards: 2 materials"), "{undo}");
    app.window.screenshot(&results_folder("window").join("preview-send.png")).await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    let said = "return document.querySelector('[data-testid=\"headline\"]').textContent.trim()";
    let said = app.window.script(said, Vec::new()).await;
    assert_eq!(said, "3 materials sent to Practice. 12 skipped, 0 rejected.");
    app.wait_until_gone("result-rejected").await;
    let log = app.plant_log("materials.sync", &["code"]).await;
    assert_eq!(log.len(), 3, "what is the same was not sent: {log:?}");
    assert_eq!((app.wait_for_number("result-accepted").await, app.wait_for_number("result-skipped").await), (3, 12));
    // A row's details list its old and new values.
    let code = held[4]["code"].as_str().unwrap();
    app.type_text("find-row", code).await;
    let found = format!(
        "return document.querySelector('[data-testid=\"grid-results\"] .ag-row [col-id=\"key\"]')?.textContent === '{code}'"
    );
    app.window.wait_until("the row", CHANGE_TIMEOUT, &found).await;
    app.click_css("[data-testid=\"grid-results\"] .ag-row [col-id=\"reasons\"]").await;
    let values = "return document.querySelector('[data-testid=\"row-values\"]')?.textContent.includes('Another name')";
    app.window.wait_until("the row's values", CHANGE_TIMEOUT, values).await;
    let shown = "return document.querySelector('[data-testid=\"row-values\"]').textContent";
    let shown = app.window.script(shown, Vec::new()).await;
    assert!(shown.as_str().unwrap().contains(old), "{shown}");
    app.window.screenshot(&results_folder("window").join("preview-result.png")).await;
    let now = app.control("state/materials").await["data"].as_array().unwrap().clone();
    assert!(now.iter().any(|row| row["code"] == held[4]["code"] && row["description"] == "Another name"));
    app.window.close().await;
}

#[tokio::test]
async fn a_column_that_slipped_is_said_above_the_rows() {
    let app = TestApp::open(Engine::Chromium).await;
    let orders = app.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let mut csv = "code;operationCode;materialCode;requestedQuantity;customer".to_owned();
    for (index, row) in orders.iter().take(40).enumerate() {
        let before = &orders[index.saturating_sub(1)];
        let names = ["code", "operationCode", "materialCode"].map(|name| row[name].as_str().unwrap());
        csv.push_str(&format!("\n{};{};{}", names.join(";"), before["requestedQuantity"], "Someone else"));
    }
    open_text(&app, &csv).await;
    app.click("step-preview").await;
    app.sign_in().await;
    app.wait_for_element("preview").await;
    let alarm = "return document.querySelector('[data-testid=\"alarm-column-shifted\"]')?.textContent";
    let said = app.window.wait_until("the alarm", CHANGE_TIMEOUT, alarm).await;
    assert!(said.as_str().unwrap().contains("Requested quantity"), "{said}");
    let first = "[data-testid=\"grid-preview\"] [row-index=\"3\"] [col-id=\"A\"]";
    app.window.wait_until("a row", CHANGE_TIMEOUT, &format!("return document.querySelector('{first}') !== null")).await;
    app.click_css(first).await;
    app.wait_for_element("detail").await;
    app.window.screenshot(&results_folder("window").join("preview-alarm.png")).await;
    assert_eq!(
        json!(app.window.find_violations().await.iter().map(|found| &found.rule).collect::<Vec<_>>()),
        json!([])
    );
    // After the user returns to the columns, the preview must be made again.
    app.click("step-columns").await;
    app.click("step-preview").await;
    app.wait_for_element("preview").await;
    app.window.close().await;
}
