//! A workbook with three sheets. The plan is shown in order, fixed on each sheet, and sent step by step. Each step has
//! its results.

use std::fs;

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

/// Returns a workbook with these sheets in the format XML Spreadsheet 2003.
fn workbook(sheets: &[(&str, &[&[&str]])]) -> String {
    let sheet = |(name, rows): &(&str, &[&[&str]])| {
        let row = |row: &&[&str]| {
            let cells = row.iter().map(|cell| format!("<Cell><Data ss:Type=\"String\">{cell}</Data></Cell>"));
            format!("<Row>{}</Row>", cells.collect::<String>())
        };
        let rows: String = rows.iter().map(row).collect();
        format!("<Worksheet ss:Name=\"{name}\"><Table>{rows}</Table></Worksheet>")
    };
    let sheets: String = sheets.iter().map(sheet).collect();
    format!(
        "<?xml version=\"1.0\"?><?mso-application progid=\"Excel.Sheet\"?>\
         <Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\" \
         xmlns:ss=\"urn:schemas-microsoft-com:office:spreadsheet\">{sheets}</Workbook>"
    )
}

#[tokio::test]
async fn a_workbook_of_three_sheets_goes_step_by_step() {
    let app = TestApp::open(Engine::Chromium).await;
    let samples = app.takt.home().join("samples");
    fs::create_dir_all(&samples).unwrap();
    let text = workbook(&[
        (
            "Orders",
            &[
                &["Work order", "Operation", "Material", "Requested quantity"],
                &["WO-990001", "010", "MAT-99001", "5"],
                &["WO-990002", "010", "MAT-99001", "6"],
            ],
        ),
        (
            "Components",
            &[
                &["Work order", "Operation", "Raw material", "Quantity"],
                &["WO-990001", "010", "RAW-99002", "2"],
                &["WO-990009", "010", "RAW-99002", "2"],
            ],
        ),
        ("Materials", &[&["Material code", "Description"], &["MAT-99001", "Bolt"], &["RAW-99002", "Steel"]]),
    ]);
    fs::write(samples.join("work-orders.sync.xlsx"), text).unwrap();
    app.click("sample-work-orders.sync").await;
    app.wait_for_element("plan").await;
    let order = "return [...document.querySelectorAll('[data-testid=\"plan\"] li')]
        .map((step) => step.querySelector('[data-testid^=\"plan-state-\"]').dataset.testid + ' ' + step.dataset.state)";
    let steps = app.window.script(order, Vec::new()).await;
    assert_eq!(steps, json!(["plan-state-Materials ready", "plan-state-Orders ready", "plan-state-Components errors"]));

    // The component has no order, so it is skipped on its sheet.
    app.click("step-check").await;
    app.click("plan-go-Components").await;
    app.click("facet-no-parent").await;
    app.window
        .wait_until("one row", CHANGE_TIMEOUT, "return document.querySelectorAll('[row-index]').length > 0")
        .await;
    let sent = app.invoke("import_fix", json!({"id": 1, "fix": {"kind": "exclude", "rows": [3]}})).await;
    assert_eq!(sent["counts"]["errors"], 0, "{sent}");
    app.click("plan-go-Orders").await;
    let ready = "return [...document.querySelectorAll('[data-testid=\"plan-bar\"] [data-testid^=\"plan-state-\"]')]
        .every((mark) => mark.dataset.state !== 'errors')";
    app.window.wait_until("no errors", CHANGE_TIMEOUT, ready).await;

    app.click("step-preview").await;
    app.wait_for_element("sign-in-panel").await;
    app.sign_in().await;
    app.click("preview-step-Materials").await;
    assert_eq!(app.wait_for_number("preview-new").await, 2);
    app.click("preview-step-Orders").await;
    assert_eq!(app.wait_for_number("preview-new").await, 3, "two orders and a part");
    app.window.screenshot(&results_folder("window").join("preview-plan.png")).await;
    app.click("step-send").await;
    app.wait_for_element("plan-order").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    app.click("plan-step-Orders").await;
    app.window
        .wait_until(
            "accepted",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '3'",
        )
        .await;
    assert_eq!(app.wait_for_number("result-skipped").await, 1);
    app.click("plan-step-Materials").await;
    app.window
        .wait_until(
            "accepted",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '2'",
        )
        .await;

    let state = app.control("state/work-orders").await;
    let order = state["data"].as_array().unwrap().iter().find(|order| order["code"] == "WO-990001").unwrap().clone();
    assert_eq!(order["rawMaterials"][0]["code"], "RAW-99002", "{order}");
    app.window.close().await;
}

/// Returns the sheets in the plan's order.
async fn sheet_order(app: &TestApp) -> serde_json::Value {
    let order = "return [...document.querySelectorAll('[data-testid=\"plan\"] li [data-testid^=\"sheet-\"]')]
        .map((step) => step.dataset.testid.replace('sheet-', ''))";
    app.window.script(order, Vec::new()).await
}

#[tokio::test]
async fn a_workbook_is_ordered_by_hand_and_tried_before_the_rest_of_it_is_sent() {
    let app = TestApp::open(Engine::Chromium).await;
    let samples = app.takt.home().join("samples");
    fs::create_dir_all(&samples).unwrap();
    let codes: Vec<String> = (1..=9).map(|number| format!("MAT-9900{number}")).collect();
    let mut first: Vec<Vec<&str>> = vec![vec!["Material code", "Description"]];
    first.extend(codes.iter().map(|code| vec![code.as_str(), "Bolt"]));
    let first: Vec<&[&str]> = first.iter().map(Vec::as_slice).collect();
    let text = workbook(&[
        ("Materials", &first),
        (
            "Orders",
            &[&["Work order", "Operation", "Material", "Requested quantity"], &["WO-990001", "010", "MAT-99001", "5"]],
        ),
        ("More materials", &[&["Material code", "Description"], &["MAT-99021", "Nut"], &["MAT-99022", "Nut"]]),
    ]);
    fs::write(samples.join("work-orders.sync.xlsx"), text).unwrap();
    app.click("sample-work-orders.sync").await;
    app.wait_for_element("plan").await;
    assert_eq!(sheet_order(&app).await, json!(["Materials", "More materials", "Orders"]));
    let arrows =
        "return [...document.querySelectorAll('[data-testid^=\"plan-earlier-\"]')].map((one) => one.dataset.testid)";
    let arrows = app.window.script(arrows, Vec::new()).await;
    assert_eq!(arrows, json!(["plan-earlier-More materials"]), "what an order refers to goes before it");
    app.click("plan-earlier-More materials").await;
    let moved = "return document.querySelector('[data-testid=\"plan\"] li [data-testid^=\"sheet-\"]')
        ?.dataset.testid === 'sheet-More materials'";
    app.window.wait_until("the order", CHANGE_TIMEOUT, moved).await;
    assert_eq!(sheet_order(&app).await, json!(["More materials", "Materials", "Orders"]));

    app.click("step-send").await;
    app.wait_for_element("sign-in-panel").await;
    app.sign_in().await;
    app.wait_for_element("plan-order").await;
    app.window.screenshot(&results_folder("window").join("send-plan.png")).await;
    app.click("send-trial").await;
    app.wait_for_element("tried").await;
    app.window.screenshot(&results_folder("window").join("tried-plan.png")).await;
    assert_eq!(app.plant_log("materials.sync", &["code"]).await.len(), 10, "two, and eight of nine");
    assert_eq!(app.plant_log("work-orders.sync", &["code"]).await.len(), 0);

    app.click("resume").await;
    app.wait_for_submission_end().await;
    assert_eq!(app.plant_log("materials.sync", &["code"]).await.len(), 11);
    assert_eq!(app.plant_log("work-orders.sync", &["code"]).await.len(), 1);
    app.window.close().await;
}
