//! Template cleanup: links are ticked, confirmed by typing their number, and gone from the plant.

use std::collections::BTreeMap;

use serde_json::Value;
use takt_tests::results;

use crate::desk::{Desk, SOON, as_text};

#[tokio::test]
async fn ticked_links_are_deleted_and_gone() {
    let desk = Desk::open().await;
    let (template, operation, processes) = a_template(&links(&desk).await);
    desk.click("nav-templates").await;
    desk.sign_in().await;
    desk.types("template-ids", &format!("{template}, 9999")).await;
    desk.click("template-read").await;
    desk.sees("grid-processes").await;
    for process in &processes {
        tick(&desk, process).await;
    }
    desk.types("operation-code", &operation).await;
    desk.click("add-links").await;
    desk.click("delete-links").await;
    desk.sees("affected").await;
    let orders = desk.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let made = orders.iter().filter(|order| as_text(&order["templateId"]) == template).count();
    assert_eq!(desk.number("affected-count").await, u64::try_from(made).unwrap(), "orders of the template");
    desk.window.screenshot(&results("window").join("delete-affected.png")).await;
    desk.types("confirm-count", &processes.len().to_string()).await;
    desk.click("confirm-delete").await;
    desk.sees("grid-results").await;
    desk.window
        .until(
            "all deleted",
            SOON,
            "return document.querySelector('[data-testid=\"fate-accepted\"]')?.textContent === '2'",
        )
        .await;

    let log = desk.plant_log("template-processes.delete", &["templateId", "processCode", "operationCode"]).await;
    let expected: BTreeMap<String, bool> =
        processes.iter().map(|process| (format!("{template} · {process} · {operation}"), true)).collect();
    assert_eq!(log, expected);
    let left = links(&desk).await;
    assert!(!left.iter().any(|link| {
        link["templateId"] == template.parse::<i64>().unwrap()
            && link["operationCode"] == operation.as_str()
            && processes.contains(&as_text(&link["processCode"]))
    }));
    desk.window.close().await;
}

#[tokio::test]
async fn links_from_a_workbook_are_confirmed_by_typing_too() {
    let desk = Desk::open().await;
    desk.click("sample-template-processes.delete").await;
    desk.click("step-send").await;
    desk.sign_in().await;
    desk.click("leave-out").await;
    desk.click("send").await;
    desk.types("confirm-count", "1").await;
    let disabled = "return document.querySelector('[data-testid=\"confirm-delete\"]').disabled";
    assert_eq!(desk.window.script(disabled, Vec::new()).await, true, "a wrong number deletes nothing");
    let before = links(&desk).await.len();
    let view = desk.ask("import_view", serde_json::json!({ "id": 1 })).await;
    let ready = view["counts"]["ready_rows"].as_u64().unwrap().to_string();
    // The first digit stands there already.
    desk.types("confirm-count", ready.strip_prefix('1').unwrap()).await;
    desk.click("confirm-delete").await;
    desk.sees("grid-results").await;
    let accepted = desk.number("fate-accepted").await;
    assert_eq!(before - links(&desk).await.len(), usize::try_from(accepted).unwrap());
    assert!(accepted > 100, "{accepted}");
    desk.window.close().await;
}

async fn links(desk: &Desk) -> Vec<Value> {
    desk.control("state/template-processes").await["data"].as_array().unwrap().clone()
}

/// A template, and two of its processes that belong to the same operation.
fn a_template(links: &[Value]) -> (String, String, Vec<String>) {
    let mut groups: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for link in links {
        let place = (as_text(&link["templateId"]), as_text(&link["operationCode"]));
        groups.entry(place).or_default().push(as_text(&link["processCode"]));
    }
    let ((template, operation), mut processes) =
        groups.into_iter().find(|(_, processes)| processes.len() >= 2).unwrap();
    processes.truncate(2);
    (template, operation, processes)
}

async fn tick(desk: &Desk, process: &str) {
    let find = format!(
        "const row = [...document.querySelectorAll('[data-testid=\"grid-processes\"] .ag-row')]
            .find((row) => row.textContent.includes('{process}'));
         const box = row?.querySelector('input[type=\"checkbox\"]');
         if (!box) return false;
         box.setAttribute('data-testid', 'tick-{process}');
         return true"
    );
    desk.window.until(process, SOON, &find).await;
    let css = format!("[data-testid=\"tick-{process}\"]");
    desk.press(&css).await;
}
