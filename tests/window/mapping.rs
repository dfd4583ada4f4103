//! The columns: an open date order is settled by one click, and a constant fills a required field; the plant holds both.

use std::fs;

use fantoccini::key::Key;

use crate::desk::{Desk, SOON};

#[tokio::test]
async fn one_click_settles_a_date_order_and_a_constant_fills_a_required_field() {
    let desk = Desk::open().await;
    let samples = desk.takt.home().join("samples");
    fs::create_dir_all(&samples).unwrap();
    let text = "code;operationCode;requestedQuantity;promiseDate\nWO-CLICK;010;5;03/02/2027\n";
    fs::write(samples.join("work-orders.sync.xlsx"), text).unwrap();
    desk.click("sample-work-orders.sync").await;
    desk.click("step-columns").await;
    desk.sees("choose-day-first-D").await;
    desk.click("choose-day-first-D").await;
    let settled = "return document.querySelector('[data-testid=\"format-D\"]')?.dataset.verdict === 'chosen'";
    desk.window.until("the order is settled", SOON, settled).await;
    desk.types("constant-materialCode", &format!("MAT-1001{}", char::from(Key::Enter))).await;
    desk.sees("mapping-notes").await;
    desk.click("step-check").await;
    assert_eq!(desk.number("counts-rows").await, 1);
    desk.click("step-send").await;
    desk.sees("sign-in-panel").await;
    desk.sign_in().await;
    // Signed in, the rows are held against the site once more; what is sent is what stands there then.
    desk.stands_against("known").await;
    desk.click("send").await;
    desk.sees("grid-results").await;

    let state = desk.control("state/work-orders").await;
    let orders = state["data"].as_array().unwrap();
    let order = orders.iter().find(|order| order["code"] == "WO-CLICK").unwrap();
    assert_eq!(order["materialCode"], "MAT-1001", "{order}");
    assert!(order["promiseDate"].as_str().unwrap().starts_with("2027-02-03"), "{order}");
    desk.window.close().await;
}
