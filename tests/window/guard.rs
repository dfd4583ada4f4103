//! The guard before production: the window's edge is red, the site's name stands beside every send button, and nothing leaves
//! before it was typed.

use serde_json::{Value, json};
use takt_tests::results;

use crate::{
    desk::{Desk, SOON},
    import_site::{WORKS, add_works, rows_as_import},
};

#[tokio::test]
async fn a_production_site_asks_for_its_name_before_anything_is_sent() {
    let desk = Desk::open().await;
    add_works(&desk, "production").await;
    assert_eq!(desk.ask("site_choose", json!({ "name": WORKS })).await, Value::Null);
    let edge = "return document.querySelector('[data-kind=\"production\"]') !== null";
    desk.window.until("red edge", SOON, edge).await;
    rows_as_import(&desk).await;
    desk.click("step-send").await;
    desk.sees("send").await;
    let button = "return document.querySelector('[data-testid=\"send\"]').textContent";
    let said = desk.window.script(button, Vec::new()).await;
    assert!(said.as_str().unwrap().contains(WORKS), "{said}");

    desk.click("send").await;
    desk.sees("guard").await;
    desk.types("guard-name", "yes").await;
    desk.window.screenshot(&results("window").join("guard.png")).await;
    let shut = "return document.querySelector('[data-testid=\"guard-confirm\"]').disabled";
    assert_eq!(desk.window.script(shut, Vec::new()).await, json!(true));
    desk.click("guard-cancel").await;
    desk.gone("guard").await;
    assert!(
        desk.plant_log("work-orders.planning-dates", &["code", "operationCode"]).await.is_empty(),
        "nothing was sent"
    );
    assert_eq!(desk.ask("submission_list", json!({})).await, json!([]), "and nothing written down");

    desk.click("send").await;
    desk.types("guard-name", WORKS).await;
    desk.click("guard-confirm").await;
    desk.sees("grid-results").await;
    assert!(!desk.plant_log("work-orders.planning-dates", &["code", "operationCode"]).await.is_empty());
    desk.window.close().await;
}
