//! Bars of running orders end at the current time of the plant's clock.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::{
    action::open_order,
    gantt_moves::{parse_time, text_field},
    pictures::open_chart,
};

#[tokio::test]
async fn a_running_order_lasts_until_the_plants_now() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-browse").await;
    app.sign_in().await;
    // The plant's clock is ahead of this computer's, so that their times can be distinguished.
    app.post_to_plant("clock", json!({ "hours": 20 })).await;
    let orders = app.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let is_running =
        |order: &&Value| !text_field(order, "beginReal").is_empty() && text_field(order, "endReal").is_empty();
    let running: Vec<&Value> = orders.iter().filter(is_running).collect();
    assert!(!running.is_empty());

    open_chart(&app, "work-orders.details", true).await;
    let told = "return document.querySelector('[data-testid=\"picture-gantt\"]')?.dataset.running ?? null";
    assert_eq!(app.window.wait_until("the plan", CHANGE_TIMEOUT, told).await, json!(running.len().to_string()));
    app.window.screenshot(&results_folder("window").join("pictures-running.png")).await;

    let order = running[0];
    let code = text_field(order, "code");
    let clock = app.control("clock").await;
    let now = parse_time(&clock["now"]);
    open_order(&app, code).await;
    let bars = format!(
        "return [...document.querySelectorAll('[data-testid=\"order-plan\"] li')].filter((one) => one.firstChild.textContent === '{}')
            .map((one) => [one.querySelector('[data-open]')?.dataset.open, ...['left', 'width'].map((name) => parseFloat(one.querySelector('[data-open]')?.style[name]))])[0] ?? null",
        text_field(order, "operationCode")
    );
    let drawn = app.window.wait_until("the order's plan", CHANGE_TIMEOUT, &bars).await;
    app.window.screenshot(&results_folder("window").join("order-running.png")).await;
    let all: Vec<&Value> = orders.iter().filter(|one| one["code"] == order["code"]).collect();
    let mut ends = BTreeSet::from([now]);
    for field in ["beginPlanned", "endPlanned", "beginReal", "endReal"] {
        ends.extend(all.iter().filter(|one| !text_field(one, field).is_empty()).map(|one| parse_time(&one[field])));
    }
    let (first, last) = (*ends.first().unwrap(), *ends.last().unwrap());
    let whole = last.duration_since(first).as_secs_f64();
    let place = |at: jiff::civil::DateTime| 100.0 * at.duration_since(first).as_secs_f64() / whole;
    let begin = parse_time(&order["beginReal"]);
    let expected = (place(begin), place(now) - place(begin));
    let (left, width) = (drawn[1].as_f64().unwrap(), drawn[2].as_f64().unwrap());
    assert_eq!(drawn[0], "true");
    // The plant's clock advances while the page is being opened.
    assert!((left - expected.0).abs() < 0.5 && (width - expected.1).abs() < 0.5, "{drawn} instead of {expected:?}");
    app.window.close().await;
}
