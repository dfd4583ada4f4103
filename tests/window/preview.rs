//! The change preview in the window, held against what the plant holds: four totals, old beside new, alarms as sentences, and
//! what is the same stays where it is.

use serde_json::{Value, json};
use takt_tests::results;

use crate::{
    desk::{Desk, SOON},
    mend_all::open,
};

#[tokio::test]
async fn a_planner_sees_what_would_change_before_it_does() {
    let desk = Desk::open().await;
    let held = desk.control("state/materials").await["data"].as_array().unwrap().clone();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().replace('"', "\"\"");
    let mut csv = "code;description;uoM".to_owned();
    for (place, row) in held.iter().take(12).enumerate() {
        let description = if place == 4 { "Another name".to_owned() } else { text(row, "description") };
        csv.push_str(&format!("\n{};\"{description}\";{}", text(row, "code"), text(row, "uoM")));
    }
    csv.push_str("\nNEW-1;Bolt;pcs\nNEW-2;Nut;pcs\nWRONG-1;;pcs");
    open(&desk, &csv).await;
    desk.click("step-preview").await;
    desk.sign_in().await;
    for (kind, expected) in [("new", 2), ("changed", 1), ("same", 11), ("blocked", 1)] {
        assert_eq!(desk.number(&format!("preview-{kind}")).await, expected, "{kind}");
    }
    desk.click("preview-changed").await;
    let shown =
        "return document.querySelector('[data-testid=\"grid-preview\"] [data-field=\"description\"]')?.textContent";
    let shown = desk.window.until("old beside new", SOON, shown).await;
    let old = held[4]["description"].as_str().unwrap();
    assert!(shown.as_str().unwrap().ends_with(&format!("{old} Another name")), "{shown}");
    desk.window.screenshot(&results("window").join("preview-changed.png")).await;

    desk.click("go-on").await;
    desk.click("leave-out").await;
    let button = "return document.querySelector('[data-testid=\"send\"]').textContent";
    let button = desk.window.script(button, Vec::new()).await;
    assert!(button.as_str().unwrap().starts_with("Send 3 rows to Practice"), "{button}");
    desk.window.screenshot(&results("window").join("preview-send.png")).await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    let log = desk.plant_log("materials.sync", &["code"]).await;
    assert_eq!(log.len(), 3, "what is the same was not sent: {log:?}");
    assert_eq!((desk.number("fate-accepted").await, desk.number("fate-skipped").await), (3, 12));
    let now = desk.control("state/materials").await["data"].as_array().unwrap().clone();
    assert!(now.iter().any(|row| row["code"] == held[4]["code"] && row["description"] == "Another name"));
    desk.window.close().await;
}

#[tokio::test]
async fn a_column_that_slipped_is_said_above_the_rows() {
    let desk = Desk::open().await;
    let orders = desk.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let mut csv = "code;operationCode;materialCode;requestedQuantity;customer".to_owned();
    for (place, row) in orders.iter().take(40).enumerate() {
        let before = &orders[place.saturating_sub(1)];
        let names = ["code", "operationCode", "materialCode"].map(|name| row[name].as_str().unwrap());
        csv.push_str(&format!("\n{};{};{}", names.join(";"), before["requestedQuantity"], "Someone else"));
    }
    open(&desk, &csv).await;
    desk.click("step-preview").await;
    desk.sign_in().await;
    desk.sees("preview").await;
    let alarm = "return document.querySelector('[data-testid=\"alarm-column-shifted\"]')?.textContent";
    let said = desk.window.until("the alarm", SOON, alarm).await;
    assert!(said.as_str().unwrap().contains("Requested quantity"), "{said}");
    let first = "[data-testid=\"grid-preview\"] [row-index=\"3\"] [col-id=\"key\"]";
    desk.window.until("a row", SOON, &format!("return document.querySelector('{first}') !== null")).await;
    desk.press(first).await;
    desk.sees("detail").await;
    desk.window.screenshot(&results("window").join("preview-alarm.png")).await;
    assert_eq!(json!(desk.window.axe().await.iter().map(|found| &found.rule).collect::<Vec<_>>()), json!([]));
    // Whoever changes the rows takes the preview anew.
    desk.click("step-columns").await;
    desk.click("step-preview").await;
    desk.sees("preview").await;
    desk.window.close().await;
}
