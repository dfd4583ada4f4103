//! The protection of production sites. The window has a red border, the buttons for sending contain the site's name,
//! and the user must type that name.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::import_site::{WORKS, add_works, open_rows_as_import};

#[tokio::test]
async fn a_production_site_asks_for_its_name_before_anything_is_sent() {
    let app = TestApp::open(Engine::Chromium).await;
    add_works(&app, "production").await;
    assert_eq!(app.invoke("site_choose", json!({ "name": WORKS })).await, Value::Null);
    let edge = "return document.querySelector('[data-kind=\"production\"]') !== null";
    app.window.wait_until("red edge", CHANGE_TIMEOUT, edge).await;
    open_rows_as_import(&app).await;
    app.click("step-send").await;
    app.wait_for_element("preview-first").await;
    app.wait_until_gone("send").await;
    app.window.screenshot(&results_folder("window").join("preview-first.png")).await;
    app.click("preview-first").await;
    app.wait_for_element("preview").await;
    // The rows have no changes, so the user must choose to send them.
    app.click("send-same").await;
    app.click("go-on").await;
    app.wait_for_element("send").await;
    let button = "return document.querySelector('[data-testid=\"send\"]').textContent";
    let said = app.window.script(button, Vec::new()).await;
    assert!(said.as_str().unwrap().contains(WORKS), "{said}");

    app.click("send").await;
    app.wait_for_element("guard").await;
    app.type_text("guard-name", "yes").await;
    app.window.screenshot(&results_folder("window").join("guard.png")).await;
    let shut = "return document.querySelector('[data-testid=\"guard-confirm\"]').disabled";
    assert_eq!(app.window.script(shut, Vec::new()).await, json!(true));
    app.click("guard-cancel").await;
    app.wait_until_gone("guard").await;
    assert!(
        app.plant_log("work-orders.planning-dates", &["code", "operationCode"]).await.is_empty(),
        "nothing was sent"
    );
    assert_eq!(app.invoke("submission_list", json!({})).await, json!([]), "and nothing written down");

    app.click("send").await;
    app.type_text("guard-name", WORKS).await;
    app.click("guard-confirm").await;
    app.wait_for_submission_end().await;
    assert!(!app.plant_log("work-orders.planning-dates", &["code", "operationCode"]).await.is_empty());
    app.window.close().await;
}
