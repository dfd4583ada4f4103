//! A site's own contract in the window: its document is looked at, corrected, taken, and taken back.

use serde_json::{Value, json};
use takt_tests::{SecondPlant, results};

use crate::test_app::{SOON, TestApp};

const SITE: &str = "works";
const PICKED: &str = "work-orders.sync";
/// What it is in the document.
const CALL: &str = "PUT /mes/v2/production-orders";

#[tokio::test]
async fn a_sites_document_is_corrected_taken_and_taken_back() {
    let document = SecondPlant::document();
    let app = TestApp::open_with(&[("TAKT_OPEN_DOCUMENT", &document.to_string_lossy())]).await;
    add_site(&app).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    says(&app, "contract-current", "Built in").await;
    app.click("contract-load").await;
    app.sees("contract-preview").await;
    app.window.screenshot(&results("window").join("contract-preview.png")).await;
    // Whatever was found, a person's word counts.
    choose(&app, "None: not in the document").await;
    says(&app, &format!("match-{PICKED}"), "Not in the document").await;
    choose(&app, CALL).await;
    says(&app, &format!("match-{PICKED}"), "Chosen by you").await;
    app.click(&format!("changes-{PICKED}")).await;
    app.sees(&format!("differences-{PICKED}")).await;
    app.window.screenshot(&results("window").join("contract-differences.png")).await;
    app.click("contract-take").await;
    says(&app, "contract-current", "Version 1 from second_plant.openapi.yaml").await;
    has_level(&app, "site").await;
    app.window.screenshot(&results("window").join("contract-taken.png")).await;
    app.click("contract-builtin").await;
    says(&app, "contract-current", "Version 2: the built-in contract").await;
    has_level(&app, "assumed").await;
    app.click("contract-restore-1").await;
    says(&app, "contract-current", "Version 3 from second_plant.openapi.yaml").await;
    has_level(&app, "site").await;
    app.click("contract-compare-1").await;
    says(&app, "contract-version-1", "Both say the same").await;
    app.click("contract-compare-2").await;
    says(&app, "contract-comparison-2", PICKED).await;
    app.window.screenshot(&results("window").join("contract-compared.png")).await;
    app.window.close().await;
}

async fn add_site(app: &TestApp) {
    let mut site = app.ask("app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!(SITE);
    site["kind"] = json!("test");
    let saved = app.ask("site_save", json!({ "site": site, "secrets": {} })).await;
    assert_eq!(saved["problem"], Value::Null, "{saved}");
}

/// Waits until an element's text holds these words.
async fn says(app: &TestApp, id: &str, words: &str) {
    let (css, words) = (json!(format!("[data-testid=\"{id}\"]")), json!(words));
    let code = format!("return document.querySelector({css})?.textContent.includes({words}) === true");
    app.window.until(&format!("{words} in {id}"), SOON, &code).await;
}

/// Chooses an operation of the document by its text.
async fn choose(app: &TestApp, text: &str) {
    app.click(&format!("target-{PICKED}")).await;
    let option = format!(
        "[...document.querySelectorAll('[role=\"option\"]')].find((one) => one.offsetParent !== null && one.textContent === {})",
        json!(text)
    );
    app.window.until(text, SOON, &format!("const found = {option}; found?.click(); return found !== undefined")).await;
}

/// Waits until the list says so of the operation.
async fn has_level(app: &TestApp, level: &str) {
    let shown = format!("document.querySelector('[data-testid=\"contract-operation-{PICKED}\"]')?.dataset.level");
    app.window.until(level, SOON, &format!("return {shown} === '{level}'")).await;
}
