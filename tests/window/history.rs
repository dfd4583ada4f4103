//! The history in the window. A submission is found by a row's key, and shows its sender, requests and mapping.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

#[tokio::test]
async fn a_planner_finds_again_what_was_sent() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-materials.sync").await;
    app.click("step-send").await;
    app.wait_for_element("sign-in-panel").await;
    app.sign_in().await;
    app.wait_for_element("errors-stay").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    let rows = json!({ "id": 1, "result": "accepted", "offset": 0, "limit": 1 });
    let key = app.invoke("submission_rows", rows).await["rows"][0]["key"].as_str().unwrap().to_owned();

    app.click("nav-history").await;
    app.wait_for_element("open-1").await;
    app.window.screenshot(&results_folder("window").join("history.png")).await;
    app.type_text("history-find", "no such key").await;
    wait_for_count(&app, "No matching submissions.").await;
    app.click("history-clear").await;
    app.wait_for_element("open-1").await;
    app.type_text("history-find", "no such key").await;
    wait_for_count(&app, "No matching submissions.").await;
    app.replace_text("history-find", &key.to_lowercase()).await;
    wait_for_count(&app, "1 submission").await;
    app.click("open-1").await;

    app.type_text("find-row", &key).await;
    let one = "return document.querySelectorAll('[data-testid=\"grid-results\"] [role=\"row\"] .mono').length === 1";
    app.window.wait_until("one row", CHANGE_TIMEOUT, one).await;
    app.window.screenshot(&results_folder("window").join("history-rows.png")).await;

    open_tab(&app, "requests").await;
    app.wait_for_element("grid-requests").await;
    let cell = "return document.querySelector('[data-testid=\"grid-requests\"] [row-index=\"0\"] [role=\"gridcell\"]') !== null";
    app.window.wait_until("a request", CHANGE_TIMEOUT, cell).await;
    let css = "[data-testid=\"grid-requests\"] [row-index=\"0\"] [role=\"gridcell\"]";
    app.click_css(css).await;
    app.wait_for_element("request-body").await;
    let text = "return document.querySelector('[data-testid=\"request-body\"]').textContent";
    let body = app.window.script(text, Vec::new()).await;
    let sent: Value = serde_json::from_str(body.as_str().unwrap()).unwrap();
    assert!(!sent["items"].as_array().unwrap().is_empty(), "{body}");
    app.window.screenshot(&results_folder("window").join("history-requests.png")).await;

    open_tab(&app, "about").await;
    app.wait_for_element("history-mapping").await;
    app.window.screenshot(&results_folder("window").join("history-about.png")).await;
    let violations = app.window.find_violations().await;
    assert!(violations.is_empty(), "{violations:#?}");
    let story = app.invoke("history_context", json!({ "id": 1 })).await;
    let mapping: Value = serde_json::from_str(story["mapping"].as_str().unwrap()).unwrap();
    assert_eq!(mapping["operation"], "materials.sync");
    app.window.close().await;
}

async fn wait_for_count(app: &TestApp, said: &str) {
    let code = format!("return document.querySelector('[data-testid=\"history-count\"]')?.textContent === '{said}'");
    app.window.wait_until(said, CHANGE_TIMEOUT, &code).await;
}

async fn open_tab(app: &TestApp, name: &str) {
    let code = "document.querySelector(`[data-testid=\"history-tabs\"] input[value=\"${arguments[0]}\"]`).click()";
    app.window.script(code, vec![name.into()]).await;
}
