//! Looking back in the window: a submission is found by a row's key, and shows who sent it, its requests and the mapping.

use serde_json::{Value, json};
use takt_tests::results;

use crate::desk::{Desk, SOON};

#[tokio::test]
async fn a_planner_finds_again_what_was_sent() {
    let desk = Desk::open().await;
    desk.click("sample-materials.sync").await;
    desk.click("step-send").await;
    desk.sees("sign-in-panel").await;
    desk.sign_in().await;
    desk.sees("leave-out").await;
    desk.click("leave-out").await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    let rows = json!({ "id": 1, "fate": "accepted", "offset": 0, "limit": 1 });
    let key = desk.ask("submission_rows", rows).await["rows"][0]["key"].as_str().unwrap().to_owned();

    desk.click("nav-history").await;
    desk.sees("open-1").await;
    desk.window.screenshot(&results("window").join("history.png")).await;
    desk.types("history-find", "no such key").await;
    counts(&desk, "Nothing that was sent fits.").await;
    desk.click("history-clear").await;
    desk.sees("open-1").await;
    desk.types("history-find", &key.to_lowercase()).await;
    counts(&desk, "1 submission").await;
    desk.click("open-1").await;

    desk.types("find-row", &key).await;
    let one = "return document.querySelectorAll('[data-testid=\"grid-results\"] [role=\"row\"] .mono').length === 1";
    desk.window.until("one row", SOON, one).await;
    desk.window.screenshot(&results("window").join("history-rows.png")).await;

    tab(&desk, "requests").await;
    desk.sees("grid-requests").await;
    let cell = "return document.querySelector('[data-testid=\"grid-requests\"] [row-index=\"0\"] [role=\"gridcell\"]') !== null";
    desk.window.until("a request", SOON, cell).await;
    let css = "[data-testid=\"grid-requests\"] [row-index=\"0\"] [role=\"gridcell\"]";
    desk.press(css).await;
    desk.sees("request-body").await;
    let text = "return document.querySelector('[data-testid=\"request-body\"]').textContent";
    let body = desk.window.script(text, Vec::new()).await;
    let sent: Value = serde_json::from_str(body.as_str().unwrap()).unwrap();
    assert!(!sent["items"].as_array().unwrap().is_empty(), "{body}");
    desk.window.screenshot(&results("window").join("history-requests.png")).await;

    tab(&desk, "about").await;
    desk.sees("history-mapping").await;
    desk.window.screenshot(&results("window").join("history-about.png")).await;
    let violations = desk.window.axe().await;
    assert!(violations.is_empty(), "{violations:#?}");
    let story = desk.ask("history_story", json!({ "id": 1 })).await;
    let mapping: Value = serde_json::from_str(story["mapping"].as_str().unwrap()).unwrap();
    assert_eq!(mapping["operation"], "materials.sync");
    desk.window.close().await;
}

async fn counts(desk: &Desk, said: &str) {
    let code = format!("return document.querySelector('[data-testid=\"history-count\"]')?.textContent === '{said}'");
    desk.window.until(said, SOON, &code).await;
}

async fn tab(desk: &Desk, name: &str) {
    let code = "document.querySelector(`[data-testid=\"history-tabs\"] input[value=\"${arguments[0]}\"]`).click()";
    desk.window.script(code, vec![name.into()]).await;
}
