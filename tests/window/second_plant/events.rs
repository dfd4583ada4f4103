//! The site's events appear in the list, next to sent rows, and on the order's page.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, SecondPlant, results_folder};

use super::{SITE, drop_rows, orders, preview_and_send, with_document};
use crate::events::{contains_text_script, receiver_state_script};

#[tokio::test]
#[ignore = "long: another interface"]
async fn events_stand_beside_what_was_sent() {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    app.click("nav-events").await;
    app.window.wait_until("a receiver that is off", CHANGE_TIMEOUT, &receiver_state_script("off")).await;
    app.click("receiver-start").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    let view = app.invoke("receiver_view", json!({ "site": SITE })).await;
    plant.post("targets", json!({ "url": view["urls"][0] })).await;
    drop_rows(&app, "orders.xls", &orders(2)).await;
    preview_and_send(&app).await;
    plant.post("work-orders/WO-900001/begin", json!({})).await;

    app.window.wait_until("what isn't begun", CHANGE_TIMEOUT, &contains_text_script("filter-not-begun", "1")).await;
    app.click_css("[data-testid=\"grid-results\"] [row-index=\"0\"] [col-id=\"row\"]").await;
    app.window
        .wait_until("the order's event", CHANGE_TIMEOUT, &contains_text_script("row-after", "Production started"))
        .await;
    app.window.screenshot(&results_folder("window").join("second-plant-events.png")).await;
    app.click("nav-events").await;
    app.window
        .wait_until("the event in the list", CHANGE_TIMEOUT, &contains_text_script("grid-events", "WO-900001"))
        .await;
    let sent = plant.sent_events().await;
    let list = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 50 })).await;
    let event = app.invoke("event_get", json!({ "id": list["rows"][0]["id"] })).await;
    let body: Value = serde_json::from_str(event["body"].as_str().unwrap()).unwrap();
    assert!(sent.contains(&body), "as the plant sent it: {body} in {sent:?}");
    app.window.close().await;
}
