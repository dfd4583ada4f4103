//! A planner writes a rule, tests it on received events and activates it. Then the plant's request is refused.

use serde_json::{Value, json};

use crate::{
    contract::{choose_option, pick_option},
    events::open_tab,
    looks::{Look, check_looks_in},
};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

const SITE: &str = "practice";
const LOOKS: [Look; 4] = [("light", 1440, 900), ("dark", 1440, 900), ("light", 1024, 700), ("contrast", 1440, 900)];

#[tokio::test]
async fn a_rule_is_written_tried_put_in_force_and_refuses() {
    let app = TestApp::open(Engine::Chromium).await;
    app.invoke("receiver_stop", json!({ "site": SITE })).await;
    app.click("nav-events").await;
    open_tab(&app, "answers").await;
    app.wait_for_element("answers-silent").await;
    app.invoke("receiver_start", json!({ "site": SITE })).await;
    app.wait_until_gone("answers-silent").await;
    assert_eq!(post_to_plant(&app, "events", json!({ "event": "CanWorkOrderFinalize" })).await.0, 202);

    app.click("rule-add").await;
    app.click("rule-own").await;
    check_form_and_cel(&app).await;
    fill_input(&app, "rule-when", "order.ProducedQuantity >").await;
    wait_for_text(&app, "rule-when-faults", "missing at the end").await;
    fill_input(&app, "rule-when", "order.ProducedGoodQuantity >= 0 && event.EmployeeBadge != \"E-100\"").await;
    app.window
        .wait_until("no fault", CHANGE_TIMEOUT, "return document.querySelector('#rule-when-faults').textContent === ''")
        .await;
    fill_input(&app, "rule-refuse", "Order {order.Code} waits for quality.").await;
    app.window.script("document.querySelector('[data-testid=\"rule-on-0\"]').click()", Vec::new()).await;
    let refused = "return document.querySelector('[data-testid=\"answers-save\"]').disabled";
    assert_eq!(app.window.script(refused, Vec::new()).await, true, "not before it was tried");
    app.click("trial-start").await;
    app.wait_for_element("trial").await;
    assert!(app.wait_for_number("trial-changed").await >= 1);
    let found = check_looks_in(&app, "answers", &LOOKS).await;
    assert!(found.is_empty(), "{found:#?}");
    app.click("answers-save").await;
    app.wait_until_gone("answers-restore").await;

    let order = running_order(&app).await;
    let (status, body) = end_order(&app, &order).await;
    assert_eq!((status, &body["errors"][0]), (412, &json!(format!("Order {order} waits for quality."))), "{body}");
    open_tab(&app, "list").await;
    let mark = "return [...document.querySelectorAll('[data-testid=\"grid-events\"] [col-id=\"marks\"]')]
        .some((cell) => cell.textContent.includes('refused'))";
    app.window.wait_until("the mark", CHANGE_TIMEOUT, mark).await;
    app.click_css("[data-testid=\"grid-events\"] [row-index=\"0\"] [col-id=\"kind\"]").await;
    wait_for_text(&app, "event-answer", &format!("Order {order} waits for quality.")).await;
    wait_for_text(&app, "event-answer", "refused").await;
    let found = check_looks_in(&app, "answered", &LOOKS).await;
    assert!(found.is_empty(), "{found:#?}");

    // The rule is deactivated again, so the plant's request is accepted.
    open_tab(&app, "answers").await;
    app.wait_for_element("rule-0").await;
    app.window.script("document.querySelector('[data-testid=\"rule-on-0\"]').click()", Vec::new()).await;
    app.click("answers-save").await;
    app.wait_until_gone("answers-restore").await;
    let (status, body) = end_order(&app, &order).await;
    assert_eq!(status, 200, "{body}");
    app.window.close().await;
}

#[tokio::test]
async fn examples_are_taken_moved_and_completed_by_keys() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-events").await;
    open_tab(&app, "answers").await;
    app.wait_for_element("rule-examples").await;
    let found = check_looks_in(&app, "answers-none", &LOOKS).await;
    assert!(found.is_empty(), "{found:#?}");
    app.click("take-outside-the-shift").await;
    app.wait_until_gone("rule-examples").await;
    app.click("rule-add").await;
    app.click("example-shift-lead").await;
    app.wait_for_element("rule-1").await;
    let names = "return [...document.querySelectorAll('[data-testid=\"rules\"] button[aria-current]')]
        .map((one) => one.textContent)";
    let before = app.window.script(names, Vec::new()).await;
    assert_eq!(before.as_array().map(Vec::len), Some(2), "{before}");
    app.window.send_keys("[data-testid=\"rule-1\"]", "\u{E00A}\u{E013}").await;
    let moved = format!(
        "const now = [...document.querySelectorAll('[data-testid=\"rules\"] button[aria-current]')];
        return now[0]?.textContent === {} && now[0].getAttribute('aria-current') === 'true'",
        before[1]
    );
    app.window.wait_until("the move", CHANGE_TIMEOUT, &moved).await;
    // The word must be inserted at the caret.
    app.click_css("[data-testid=\"condition-way\"] input[value=\"cel\"] + label").await;
    app.click_css("[data-testid=\"rule-when\"]").await;
    app.click_css("[data-testid=\"rule-words\"] button[title=\"order.Code\"]").await;
    let put = "return document.querySelector('textarea[data-testid=\"rule-when\"]').value.includes('order.Code')";
    app.window.wait_until("the word", CHANGE_TIMEOUT, put).await;
    // An unsaved rule must remain when the user opens another tab.
    open_tab(&app, "list").await;
    open_tab(&app, "answers").await;
    app.wait_for_element("rule-1").await;
    app.click("answers-restore").await;
    app.wait_until_gone("rule-0").await;
    app.window.close().await;
}

/// Builds a condition in the form, and checks that its CEL text and the form match. Leaves the text view open.
async fn check_form_and_cel(app: &TestApp) {
    let values = "return [...document.querySelectorAll('[role=\"option\"]')].filter((one) => one.checkVisibility()).map((one) => one.textContent)";
    app.click_css("input[data-testid=\"condition-value-0\"], [data-testid=\"condition-value-0\"] input").await;
    app.window
        .wait_until("values", CHANGE_TIMEOUT, "return document.querySelector('[role=\"option\"]') !== null")
        .await;
    let named = app.window.script(values, Vec::new()).await;
    assert!(named.as_array().is_some_and(|names| names.len() > 10), "{named}");
    pick_option(app, "Good quantity").await;
    choose_option(app, "condition-comparison-0", "is at least").await;
    app.type_text("condition-typed-0", "12,5").await;
    app.click("condition-add").await;
    choose_option(app, "condition-value-1", "Employee badge").await;
    choose_option(app, "condition-comparison-1", "is not").await;
    app.type_text("condition-typed-1", "E-100").await;
    let way = |way: &str| format!("[data-testid=\"condition-way\"] input[value=\"{way}\"] + label");
    app.click_css(&way("cel")).await;
    let text = "return document.querySelector('textarea[data-testid=\"rule-when\"]')?.value ?? null";
    let written = app.window.wait_until("the text", CHANGE_TIMEOUT, text).await;
    assert_eq!(written, "order.ProducedGoodQuantity >= 12.5 && event.EmployeeBadge != \"E-100\"");
    app.click_css(&way("form")).await;
    let typed = "return document.querySelector('input[data-testid=\"condition-typed-0\"], [data-testid=\"condition-typed-0\"] input')?.value ?? null";
    assert_eq!(app.window.wait_until("the form", CHANGE_TIMEOUT, typed).await, "12.5");
    let found = check_looks_in(app, "answers-form", &LOOKS).await;
    assert!(found.is_empty(), "{found:#?}");
    app.click_css(&way("cel")).await;
    // A condition that the form can't represent remains a text.
    fill_input(app, "rule-when", "size(order.Code) > 3").await;
    app.wait_for_element("condition-cel-only").await;
}

async fn fill_input(app: &TestApp, id: &str, text: &str) {
    app.window.replace_text(&format!("textarea[data-testid=\"{id}\"]"), text).await;
}

/// Waits until an element contains a text.
async fn wait_for_text(app: &TestApp, id: &str, text: &str) {
    let code = format!(
        "const found = document.querySelector('#{id}, [data-testid=\"{id}\"]'); return found !== null && found.textContent.includes({})",
        json!(text)
    );
    app.window.wait_until(text, CHANGE_TIMEOUT, &code).await;
}

/// Returns the code of an order that is in execution.
async fn running_order(app: &TestApp) -> String {
    let orders = app.control("state/work-orders").await;
    let orders = orders.as_array().cloned().or_else(|| orders["data"].as_array().cloned()).unwrap();
    let of = |state: &str| orders.iter().find(|order| order["statusDescription"] == state).cloned();
    of("In execution").unwrap()["code"].as_str().unwrap().to_owned()
}

/// Ends an order on the plant, and returns the response's status and body.
async fn end_order(app: &TestApp, order: &str) -> (u16, Value) {
    post_to_plant(app, &format!("work-orders/{order}/end"), json!({})).await
}

async fn post_to_plant(app: &TestApp, path: &str, body: Value) -> (u16, Value) {
    let plant = app.invoke("practice_plant", json!({})).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/{path}", plant["controlUrl"].as_str().unwrap());
    let request = client.post(&address).json(&body).bearer_auth(plant["controlKey"].as_str().unwrap());
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}
