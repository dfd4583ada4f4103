//! A planner writes a rule, tries it on what came, puts it in force, and the plant is refused.

use fantoccini::Locator;
use serde_json::{Value, json};

use crate::{
    desk::{Desk, SOON},
    events::tab,
    looks::{Look, look_in},
};

const SITE: &str = "practice";
const LOOKS: [Look; 4] = [("light", 1440, 900), ("dark", 1440, 900), ("light", 1024, 700), ("contrast", 1440, 900)];

#[tokio::test]
async fn a_rule_is_written_tried_put_in_force_and_refuses() {
    let desk = Desk::open().await;
    desk.ask("receiver_stop", json!({ "site": SITE })).await;
    desk.click("nav-events").await;
    tab(&desk, "answers").await;
    desk.sees("answers-silent").await;
    desk.ask("receiver_start", json!({ "site": SITE })).await;
    desk.gone("answers-silent").await;
    assert_eq!(told_to_plant(&desk, "events", json!({ "event": "CanWorkOrderFinalize" })).await.0, 202);

    desk.click("rule-add").await;
    desk.click("rule-own").await;
    fill(&desk, "rule-when", "order.ProducedQuantity >").await;
    told(&desk, "rule-when-faults", "missing at the end").await;
    fill(&desk, "rule-when", "order.ProducedGoodQuantity >= 0 && event.EmployeeBadge != \"E-100\"").await;
    desk.window.until("no fault", SOON, "return document.querySelector('#rule-when-faults').textContent === ''").await;
    fill(&desk, "rule-refuse", "Order {order.Code} waits for quality.").await;
    desk.window.script("document.querySelector('[data-testid=\"rule-on-0\"]').click()", Vec::new()).await;
    let refused = "return document.querySelector('[data-testid=\"answers-save\"]').disabled";
    assert_eq!(desk.window.script(refused, Vec::new()).await, true, "not before it was tried");
    desk.click("trial-start").await;
    desk.sees("trial").await;
    assert!(desk.number("trial-changed").await >= 1);
    let found = look_in(&desk, "answers", &LOOKS).await;
    assert!(found.is_empty(), "{found:#?}");
    desk.click("answers-save").await;
    desk.gone("answers-restore").await;

    let order = running(&desk).await;
    let (status, body) = end(&desk, &order).await;
    assert_eq!((status, &body["errors"][0]), (412, &json!(format!("Order {order} waits for quality."))), "{body}");
    tab(&desk, "list").await;
    let mark = "return [...document.querySelectorAll('[data-testid=\"grid-events\"] [col-id=\"marks\"]')]
        .some((cell) => cell.textContent.includes('refused'))";
    desk.window.until("the mark", SOON, mark).await;
    desk.press("[data-testid=\"grid-events\"] [row-index=\"0\"] [col-id=\"kind\"]").await;
    told(&desk, "event-answer", &format!("Order {order} waits for quality.")).await;
    told(&desk, "event-answer", "refused").await;
    let found = look_in(&desk, "answered", &LOOKS).await;
    assert!(found.is_empty(), "{found:#?}");

    // Off again, and the plant may.
    tab(&desk, "answers").await;
    desk.sees("rule-0").await;
    desk.window.script("document.querySelector('[data-testid=\"rule-on-0\"]').click()", Vec::new()).await;
    desk.click("answers-save").await;
    desk.gone("answers-restore").await;
    let (status, body) = end(&desk, &order).await;
    assert_eq!(status, 200, "{body}");
    desk.window.close().await;
}

#[tokio::test]
async fn examples_are_taken_moved_and_completed_by_keys() {
    let desk = Desk::open().await;
    desk.click("nav-events").await;
    tab(&desk, "answers").await;
    desk.sees("rule-examples").await;
    let found = look_in(&desk, "answers-none", &LOOKS).await;
    assert!(found.is_empty(), "{found:#?}");
    desk.click("take-outside-the-shift").await;
    desk.gone("rule-examples").await;
    desk.click("rule-add").await;
    desk.click("example-shift-lead").await;
    desk.sees("rule-1").await;
    let names = "return [...document.querySelectorAll('[data-testid=\"rules\"] button[aria-current]')]
        .map((one) => one.textContent)";
    let before = desk.window.script(names, Vec::new()).await;
    assert_eq!(before.as_array().map(Vec::len), Some(2), "{before}");
    let second = desk.window.client.find(Locator::Css("[data-testid=\"rule-1\"]")).await.unwrap();
    second.send_keys("\u{E00A}\u{E013}").await.unwrap();
    let moved = format!(
        "const now = [...document.querySelectorAll('[data-testid=\"rules\"] button[aria-current]')];
        return now[0]?.textContent === {} && now[0].getAttribute('aria-current') === 'true'",
        before[1]
    );
    desk.window.until("the move", SOON, &moved).await;
    // A word goes where the caret is.
    desk.press("[data-testid=\"rule-when\"]").await;
    desk.press("[data-testid=\"rule-words\"] button[title=\"order.Code\"]").await;
    let put = "return document.querySelector('textarea[data-testid=\"rule-when\"]').value.includes('order.Code')";
    desk.window.until("the word", SOON, put).await;
    // What is written stays while something else is looked at.
    tab(&desk, "list").await;
    tab(&desk, "answers").await;
    desk.sees("rule-1").await;
    desk.click("answers-restore").await;
    desk.gone("rule-0").await;
    desk.window.close().await;
}

/// Replaces what a field with several lines holds.
async fn fill(desk: &Desk, id: &str, text: &str) {
    let css = format!("textarea[data-testid=\"{id}\"]");
    desk.sees(id).await;
    desk.window.clear(&css).await;
    desk.window.client.find(Locator::Css(&css)).await.unwrap().send_keys(text).await.unwrap();
}

/// Waits until an element says something.
async fn told(desk: &Desk, id: &str, text: &str) {
    let code = format!(
        "const found = document.querySelector('#{id}, [data-testid=\"{id}\"]'); return found !== null && found.textContent.includes({})",
        json!(text)
    );
    desk.window.until(text, SOON, &code).await;
}

/// An order that runs.
async fn running(desk: &Desk) -> String {
    let orders = desk.control("state/work-orders").await;
    let orders = orders.as_array().cloned().or_else(|| orders["data"].as_array().cloned()).unwrap();
    let of = |state: &str| orders.iter().find(|order| order["statusDescription"] == state).cloned();
    of("In execution").unwrap()["code"].as_str().unwrap().to_owned()
}

/// An operator ends an order; what the plant answers.
async fn end(desk: &Desk, order: &str) -> (u16, Value) {
    told_to_plant(desk, &format!("work-orders/{order}/end"), json!({})).await
}

async fn told_to_plant(desk: &Desk, path: &str, body: Value) -> (u16, Value) {
    let plant = desk.ask("practice_plant", json!({})).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/{path}", plant["controlUrl"].as_str().unwrap());
    let request = client.post(&address).json(&body).bearer_auth(plant["controlKey"].as_str().unwrap());
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}
