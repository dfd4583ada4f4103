//! A site's own contract in the window. Its document is previewed, corrected, adopted and reverted.

use serde_json::{Value, json};
use takt_tests::{Engine, SOON, SecondPlant, TestApp, results};

use crate::own_site::signed_in;

const LIST: &str = "materials.list";
const SITE: &str = "works";
const PICKED: &str = "work-orders.sync";
/// The document's operation that the user chooses for [`PICKED`].
const CALL: &str = "PUT /mes/v2/production-orders";

#[tokio::test]
async fn a_sites_document_is_corrected_taken_and_taken_back() {
    let document = SecondPlant::document();
    let app = TestApp::open_with(Engine::Chromium, &[("TAKT_OPEN_DOCUMENT", &document.to_string_lossy())]).await;
    add_site(&app).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    says(&app, "contract-current", "Built in").await;
    app.click("contract-load").await;
    app.sees("contract-preview").await;
    app.window.screenshot(&results("window").join("contract-preview.png")).await;
    // The user's choice must override the automatic match.
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
    says(&app, "contract-current", "Version 2: the built-in interface description").await;
    has_level(&app, "assumed").await;
    app.click("contract-restore-1").await;
    says(&app, "contract-current", "Version 3 from second_plant.openapi.yaml").await;
    has_level(&app, "site").await;
    app.click("contract-compare-1").await;
    says(&app, "contract-version-1", "Both say the same").await;
    app.click("contract-compare-2").await;
    says(&app, "contract-comparison-2", "/mes/v2/production-orders").await;
    app.window.screenshot(&results("window").join("contract-compared.png")).await;
    app.window.close().await;
}

async fn add_site(app: &TestApp) {
    let mut site = app.invoke("app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!(SITE);
    site["kind"] = json!("test");
    let saved = app.invoke("site_save", json!({ "site": site, "secrets": {} })).await;
    assert_eq!(saved["problem"], Value::Null, "{saved}");
}

/// Waits until an element's text contains these words.
pub(crate) async fn says(app: &TestApp, id: &str, words: &str) {
    let (css, words) = (json!(format!("[data-testid=\"{id}\"]")), json!(words));
    let code = format!("return document.querySelector({css})?.textContent.includes({words}) === true");
    app.window.until(&format!("{words} in {id}"), SOON, &code).await;
}

/// Chooses one of the document's operations by its label.
async fn choose(app: &TestApp, text: &str) {
    choose_option(app, &format!("target-{PICKED}"), text).await;
}

/// Opens a select, and chooses an option by its label.
pub(crate) async fn choose_option(app: &TestApp, id: &str, text: &str) {
    app.click(id).await;
    pick(app, text).await;
}

/// Chooses an option of the open select by its label.
pub(crate) async fn pick(app: &TestApp, text: &str) {
    let option = format!(
        "[...document.querySelectorAll('[role=\"option\"]')].find((one) => one.offsetParent !== null && one.textContent === {})",
        json!(text)
    );
    app.window.until(text, SOON, &format!("const found = {option}; found?.click(); return found !== undefined")).await;
}

/// Waits until the operation has this provenance level in the list.
async fn has_level(app: &TestApp, level: &str) {
    let shown = format!("document.querySelector('[data-testid=\"contract-operation-{PICKED}\"]')?.dataset.level");
    app.window.until(level, SOON, &format!("return {shown} === '{level}'")).await;
}

#[tokio::test]
async fn an_operation_is_set_by_hand_tried_with_one_request_and_browsed() {
    let plant = SecondPlant::start_without_document(&[]);
    let app = signed_in(takt_tests::Engine::Chromium, SITE, &plant, plant.member("base_url")).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    app.click(&format!("contract-edit-{LIST}")).await;
    app.sees("contract-edit").await;
    app.click("edit-ask").await;
    app.sees("edit-answer").await;
    replace(&app, "edit-path", "/mes/v2/articles").await;
    replace(&app, "edit-list", "Data.Items").await;
    replace(&app, "edit-wire-answer-code", "ArticleNumber").await;
    app.click("edit-ask").await;
    says(&app, "edit-first-row", "\"code\": \"MAT-").await;
    says(&app, "edit-body", "\"PageIndex\": 0").await;
    app.window.screenshot(&results("window").join("contract-edit.png")).await;
    app.click("edit-save").await;
    says(&app, "contract-current", "Version 1, edited by").await;
    app.click("nav-browse").await;
    app.click(&format!("browse-{LIST}")).await;
    says(&app, "grid-browse", "MAT-").await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    app.click("contract-builtin").await;
    says(&app, "contract-current", "Version 2: the built-in interface description").await;
    app.window.close().await;
}

#[tokio::test]
async fn what_answers_show_is_looked_at_taken_and_held_against_later_ones() {
    let plant = SecondPlant::start_without_document(&[]);
    let app = signed_in(takt_tests::Engine::Chromium, SITE, &plant, plant.member("base_url")).await;
    let edit = json!({ "operation": LIST, "path": "/mes/v2/articles" });
    let version = app.invoke("contract_edit", json!({ "site": SITE, "edits": [edit] })).await;
    assert_eq!(version, 1, "{version}");
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    app.click("contract-learn").await;
    app.sees("contract-learned").await;
    app.click(&format!("changes-{LIST}")).await;
    says(&app, &format!("evidence-{LIST}"), "Material code is called “ArticleNumber” in 25 of 25 rows").await;
    says(&app, &format!("evidence-{LIST}"), "25 rows per page").await;
    app.window.screenshot(&results("window").join("contract-learned.png")).await;
    app.click("contract-take").await;
    says(&app, "contract-current", "Version 2, learned from the service's answers").await;
    app.gone("contract-drift").await;
    // The edit renames a field, so that responses differ from the contract as if the service had renamed it.
    let field = json!({ "place": "answer", "path": "code", "wire": "ArticleNo" });
    let edit = json!({ "operation": LIST, "fields": [field] });
    assert_eq!(app.invoke("contract_edit", json!({ "site": SITE, "edits": [edit] })).await, 3);
    app.click("nav-browse").await;
    app.click(&format!("browse-{LIST}")).await;
    says(&app, "grid-browse", "MAT-").await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    says(&app, &format!("drift-{LIST}-ArticleNumber"), "New: text aaa-9999").await;
    says(&app, &format!("drift-{LIST}-ArticleNo"), "No longer there: text").await;
    app.window.screenshot(&results("window").join("contract-drift.png")).await;
    app.click("contract-drift-learn").await;
    app.sees("contract-learned").await;
    app.click("contract-take").await;
    says(&app, "contract-current", "Version 4, learned from the service's answers").await;
    app.gone("contract-drift").await;
    app.window.close().await;
}

pub(crate) async fn replace(app: &TestApp, id: &str, text: &str) {
    app.replaces(id, text).await;
}
