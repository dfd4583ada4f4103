//! The site's events appear in the list, next to sent rows, and on the order's page.

use serde_json::{Value, json};
use takt_tests::{SOON, SecondPlant, results};

use super::{SITE, drop_rows, orders, preview_and_send, with_document};
use crate::events::{has, receiver_is};

#[tokio::test]
#[ignore = "long: another interface"]
async fn events_stand_beside_what_was_sent() {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    app.click("nav-events").await;
    app.window.until("a receiver that is off", SOON, &receiver_is("off")).await;
    app.click("receiver-start").await;
    app.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    let view = app.invoke("receiver_view", json!({ "site": SITE })).await;
    plant.post("targets", json!({ "url": view["urls"][0] })).await;
    drop_rows(&app, "orders.xls", &orders(2)).await;
    preview_and_send(&app).await;
    plant.post("work-orders/WO-900001/begin", json!({})).await;

    app.window.until("what isn't begun", SOON, &has("filter-not-begun", "1")).await;
    app.press("[data-testid=\"grid-results\"] [row-index=\"0\"] [col-id=\"row\"]").await;
    app.window.until("the order's event", SOON, &has("row-after", "Production started")).await;
    app.window.screenshot(&results("window").join("second-plant-events.png")).await;
    app.click("nav-events").await;
    app.window.until("the event in the list", SOON, &has("grid-events", "WO-900001")).await;
    let sent = plant.sent_events().await;
    let list = app.invoke("event_list", json!({ "query": {}, "offset": 0, "limit": 50 })).await;
    let event = app.invoke("event_get", json!({ "id": list["rows"][0]["id"] })).await;
    let body: Value = serde_json::from_str(event["body"].as_str().unwrap()).unwrap();
    assert!(sent.contains(&body), "as the plant sent it: {body} in {sent:?}");
    app.window.close().await;
}
