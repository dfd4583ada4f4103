//! A workbook of three sheets: the plan is shown in its order, mended on each sheet, sent step by step, and each step has results.

use std::fs;

use serde_json::json;
use takt_tests::results;

use crate::desk::{Desk, SOON};

/// XML Spreadsheet 2003, which is text.
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
    let desk = Desk::open().await;
    let samples = desk.takt.home().join("samples");
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
    desk.click("sample-work-orders.sync").await;
    desk.sees("plan").await;
    let order = "return [...document.querySelectorAll('[data-testid=\"plan\"] li')]
        .map((step) => step.querySelector('[data-testid^=\"plan-state-\"]').dataset.testid + ' ' + step.dataset.state)";
    let steps = desk.window.script(order, Vec::new()).await;
    assert_eq!(steps, json!(["plan-state-Materials ready", "plan-state-Orders ready", "plan-state-Components errors"]));

    // The part that belongs to no order is left out with its sheet's own rows at hand.
    desk.click("step-check").await;
    desk.click("plan-go-Components").await;
    desk.click("facet-no-parent").await;
    desk.window.until("one row", SOON, "return document.querySelectorAll('[row-index]').length > 0").await;
    let sent = desk.ask("import_fix", json!({"id": 1, "fix": {"kind": "exclude", "rows": [3]}})).await;
    assert_eq!(sent["counts"]["errors"], 0, "{sent}");
    desk.click("plan-go-Orders").await;
    let ready = "return [...document.querySelectorAll('[data-testid=\"plan-bar\"] [data-testid^=\"plan-state-\"]')]
        .every((mark) => mark.dataset.state !== 'errors')";
    desk.window.until("no errors", SOON, ready).await;

    desk.click("step-preview").await;
    desk.sees("sign-in-panel").await;
    desk.sign_in().await;
    desk.click("preview-step-Materials").await;
    assert_eq!(desk.number("preview-new").await, 2);
    desk.click("preview-step-Orders").await;
    assert_eq!(desk.number("preview-new").await, 3, "two orders and a part");
    desk.window.screenshot(&results("window").join("preview-plan.png")).await;
    desk.click("step-send").await;
    desk.sees("plan-order").await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    desk.click("plan-step-Orders").await;
    desk.window
        .until(
            "accepted",
            SOON,
            "return document.querySelector('[data-testid=\"fate-accepted\"]')?.textContent === '3'",
        )
        .await;
    assert_eq!(desk.number("fate-skipped").await, 1);
    desk.click("plan-step-Materials").await;
    desk.window
        .until(
            "accepted",
            SOON,
            "return document.querySelector('[data-testid=\"fate-accepted\"]')?.textContent === '2'",
        )
        .await;

    let state = desk.control("state/work-orders").await;
    let order = state["data"].as_array().unwrap().iter().find(|order| order["code"] == "WO-990001").unwrap().clone();
    assert_eq!(order["rawMaterials"][0]["code"], "RAW-99002", "{order}");
    desk.window.close().await;
}

/// What stands in the plan's list, in its order.
async fn order(desk: &Desk) -> serde_json::Value {
    let order = "return [...document.querySelectorAll('[data-testid=\"plan\"] li [data-testid^=\"sheet-\"]')]
        .map((step) => step.dataset.testid.replace('sheet-', ''))";
    desk.window.script(order, Vec::new()).await
}

#[tokio::test]
async fn a_workbook_is_ordered_by_hand_and_tried_before_the_rest_of_it_is_sent() {
    let desk = Desk::open().await;
    let samples = desk.takt.home().join("samples");
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
    desk.click("sample-work-orders.sync").await;
    desk.sees("plan").await;
    assert_eq!(order(&desk).await, json!(["Materials", "More materials", "Orders"]));
    let arrows =
        "return [...document.querySelectorAll('[data-testid^=\"plan-earlier-\"]')].map((one) => one.dataset.testid)";
    let arrows = desk.window.script(arrows, Vec::new()).await;
    assert_eq!(arrows, json!(["plan-earlier-More materials"]), "what an order refers to goes before it");
    desk.click("plan-earlier-More materials").await;
    let moved = "return document.querySelector('[data-testid=\"plan\"] li [data-testid^=\"sheet-\"]')
        ?.dataset.testid === 'sheet-More materials'";
    desk.window.until("the order", SOON, moved).await;
    assert_eq!(order(&desk).await, json!(["More materials", "Materials", "Orders"]));

    desk.click("step-send").await;
    desk.sees("sign-in-panel").await;
    desk.sign_in().await;
    desk.sees("plan-order").await;
    desk.window.screenshot(&results("window").join("send-plan.png")).await;
    desk.click("send-trial").await;
    desk.sees("tried").await;
    desk.window.screenshot(&results("window").join("tried-plan.png")).await;
    assert_eq!(desk.plant_log("materials.sync", &["code"]).await.len(), 10, "two, and eight of nine");
    assert_eq!(desk.plant_log("work-orders.sync", &["code"]).await.len(), 0);

    desk.click("resume").await;
    desk.sees("grid-results").await;
    assert_eq!(desk.plant_log("materials.sync", &["code"]).await.len(), 11);
    assert_eq!(desk.plant_log("work-orders.sync", &["code"]).await.len(), 1);
    desk.window.close().await;
}
