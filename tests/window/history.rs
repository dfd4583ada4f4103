//! The history in the window. A submission is found by a row's key, and shows its sender, requests and mapping.

use serde_json::{Value, json};
use takt_tests::{Engine, SOON, TestApp, results};

#[tokio::test]
async fn a_planner_finds_again_what_was_sent() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-materials.sync").await;
    app.click("step-send").await;
    app.sees("sign-in-panel").await;
    app.sign_in().await;
    app.sees("errors-stay").await;
    app.click("send").await;
    app.submission_ends().await;
    let rows = json!({ "id": 1, "result": "accepted", "offset": 0, "limit": 1 });
    let key = app.invoke("submission_rows", rows).await["rows"][0]["key"].as_str().unwrap().to_owned();

    app.click("nav-history").await;
    app.sees("open-1").await;
    app.window.screenshot(&results("window").join("history.png")).await;
    app.types("history-find", "no such key").await;
    counts(&app, "No matching submissions.").await;
    app.click("history-clear").await;
    app.sees("open-1").await;
    app.types("history-find", "no such key").await;
    counts(&app, "No matching submissions.").await;
    app.replaces("history-find", &key.to_lowercase()).await;
    counts(&app, "1 submission").await;
    app.click("open-1").await;

    app.types("find-row", &key).await;
    let one = "return document.querySelectorAll('[data-testid=\"grid-results\"] [role=\"row\"] .mono').length === 1";
    app.window.until("one row", SOON, one).await;
    app.window.screenshot(&results("window").join("history-rows.png")).await;

    tab(&app, "requests").await;
    app.sees("grid-requests").await;
    let cell = "return document.querySelector('[data-testid=\"grid-requests\"] [row-index=\"0\"] [role=\"gridcell\"]') !== null";
    app.window.until("a request", SOON, cell).await;
    let css = "[data-testid=\"grid-requests\"] [row-index=\"0\"] [role=\"gridcell\"]";
    app.press(css).await;
    app.sees("request-body").await;
    let text = "return document.querySelector('[data-testid=\"request-body\"]').textContent";
    let body = app.window.script(text, Vec::new()).await;
    let sent: Value = serde_json::from_str(body.as_str().unwrap()).unwrap();
    assert!(!sent["items"].as_array().unwrap().is_empty(), "{body}");
    app.window.screenshot(&results("window").join("history-requests.png")).await;

    tab(&app, "about").await;
    app.sees("history-mapping").await;
    app.window.screenshot(&results("window").join("history-about.png")).await;
    let violations = app.window.axe().await;
    assert!(violations.is_empty(), "{violations:#?}");
    let story = app.invoke("history_context", json!({ "id": 1 })).await;
    let mapping: Value = serde_json::from_str(story["mapping"].as_str().unwrap()).unwrap();
    assert_eq!(mapping["operation"], "materials.sync");
    app.window.close().await;
}

async fn counts(app: &TestApp, said: &str) {
    let code = format!("return document.querySelector('[data-testid=\"history-count\"]')?.textContent === '{said}'");
    app.window.until(said, SOON, &code).await;
}

async fn tab(app: &TestApp, name: &str) {
    let code = "document.querySelector(`[data-testid=\"history-tabs\"] input[value=\"${arguments[0]}\"]`).click()";
    app.window.script(code, vec![name.into()]).await;
}
