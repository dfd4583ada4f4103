//! A site's own contract in the window. Its document is previewed, corrected, adopted and reverted.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, SecondPlant, TestApp, results_folder};

use crate::own_site::signed_in;

const LIST: &str = "materials.list";
const SITE: &str = "works";
const CORRECTED_OPERATION: &str = "work-orders.sync";
/// The document's operation that the user chooses for [`CORRECTED_OPERATION`].
const CHOSEN_OPERATION: &str = "PUT /mes/v2/production-orders";

#[tokio::test]
async fn a_sites_document_is_corrected_taken_and_taken_back() {
    let document = SecondPlant::document();
    let app = TestApp::open_with(Engine::Chromium, &[("TAKT_OPEN_DOCUMENT", &document.to_string_lossy())]).await;
    add_site(&app).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    wait_for_words(&app, "contract-current", "Built in").await;
    app.click("contract-load").await;
    app.wait_for_element("contract-preview").await;
    app.window.screenshot(&results_folder("window").join("contract-preview.png")).await;
    // The user's choice must override the automatic match.
    choose_operation(&app, "None: not in the document").await;
    wait_for_words(&app, &format!("match-{CORRECTED_OPERATION}"), "Not in the document").await;
    choose_operation(&app, CHOSEN_OPERATION).await;
    wait_for_words(&app, &format!("match-{CORRECTED_OPERATION}"), "Chosen by you").await;
    app.click(&format!("changes-{CORRECTED_OPERATION}")).await;
    app.wait_for_element(&format!("differences-{CORRECTED_OPERATION}")).await;
    app.window.screenshot(&results_folder("window").join("contract-differences.png")).await;
    app.click("contract-take").await;
    wait_for_words(&app, "contract-current", "Version 1 from second_plant.openapi.yaml").await;
    wait_for_level(&app, "site").await;
    app.window.screenshot(&results_folder("window").join("contract-taken.png")).await;
    app.click("contract-builtin").await;
    wait_for_words(&app, "contract-current", "Version 2: the built-in interface description").await;
    wait_for_level(&app, "assumed").await;
    app.click("contract-restore-1").await;
    wait_for_words(&app, "contract-current", "Version 3 from second_plant.openapi.yaml").await;
    wait_for_level(&app, "site").await;
    app.click("contract-compare-1").await;
    wait_for_words(&app, "contract-version-1", "No differences").await;
    app.click("contract-compare-2").await;
    wait_for_words(&app, "contract-comparison-2", "/mes/v2/production-orders").await;
    app.window.screenshot(&results_folder("window").join("contract-compared.png")).await;
    app.window.close().await;
}

async fn add_site(app: &TestApp) {
    let mut site = app.invoke("app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!(SITE);
    site["kind"] = json!("test");
    let saved = app.invoke("site_save", json!({ "site": site, "secrets": {} })).await;
    assert_eq!(saved["problem"], Value::Null, "{saved}");
    // The page may have read the sites before, and keeps them for some seconds.
    app.window.script("window.isBeforeReload = true; location.reload()", Vec::new()).await;
    let reloaded = "return !window.isBeforeReload && document.querySelector('[data-testid=\"nav-settings\"]') !== null";
    app.window.wait_until("the page again", CHANGE_TIMEOUT, reloaded).await;
}

/// Waits until an element's text contains these words.
pub(crate) async fn wait_for_words(app: &TestApp, id: &str, words: &str) {
    let (css, words) = (json!(format!("[data-testid=\"{id}\"]")), json!(words));
    let code = format!("return document.querySelector({css})?.textContent.includes({words}) === true");
    app.window.wait_until(&format!("{words} in {id}"), CHANGE_TIMEOUT, &code).await;
}

/// Chooses one of the document's operations by its label.
async fn choose_operation(app: &TestApp, text: &str) {
    choose_option(app, &format!("target-{CORRECTED_OPERATION}"), text).await;
}

/// Opens a select, and chooses an option by its label.
pub(crate) async fn choose_option(app: &TestApp, id: &str, text: &str) {
    app.click(id).await;
    pick_option(app, text).await;
}

/// Chooses an option of the open select by its label.
pub(crate) async fn pick_option(app: &TestApp, text: &str) {
    let option = format!(
        "[...document.querySelectorAll('[role=\"option\"]')].find((one) => one.offsetParent !== null && one.textContent === {})",
        json!(text)
    );
    app.window
        .wait_until(
            text,
            CHANGE_TIMEOUT,
            &format!("const found = {option}; found?.click(); return found !== undefined"),
        )
        .await;
}

/// Waits until the operation has this provenance level in the list.
async fn wait_for_level(app: &TestApp, level: &str) {
    let shown =
        format!("document.querySelector('[data-testid=\"contract-operation-{CORRECTED_OPERATION}\"]')?.dataset.level");
    app.window.wait_until(level, CHANGE_TIMEOUT, &format!("return {shown} === '{level}'")).await;
}

#[tokio::test]
async fn an_operation_is_set_by_hand_tried_with_one_request_and_browsed() {
    let plant = SecondPlant::start_without_document(&[]);
    let app = signed_in(takt_tests::Engine::Chromium, SITE, &plant, plant.member("base_url")).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    app.click(&format!("contract-edit-{LIST}")).await;
    app.wait_for_element("contract-edit").await;
    app.click("edit-ask").await;
    app.wait_for_element("edit-answer").await;
    replace_text(&app, "edit-path", "/mes/v2/articles").await;
    replace_text(&app, "edit-list", "Data.Items").await;
    replace_text(&app, "edit-wire-answer-code", "ArticleNumber").await;
    app.click("edit-ask").await;
    wait_for_words(&app, "edit-first-row", "\"code\": \"MAT-").await;
    wait_for_words(&app, "edit-body", "\"PageIndex\": 0").await;
    app.window.screenshot(&results_folder("window").join("contract-edit.png")).await;
    app.click("edit-save").await;
    wait_for_words(&app, "contract-current", "Version 1, edited by").await;
    app.click("nav-browse").await;
    app.click(&format!("browse-{LIST}")).await;
    wait_for_words(&app, "grid-browse", "MAT-").await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    app.click("contract-builtin").await;
    wait_for_words(&app, "contract-current", "Version 2: the built-in interface description").await;
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
    app.wait_for_element("contract-learned").await;
    app.click(&format!("changes-{LIST}")).await;
    wait_for_words(&app, &format!("evidence-{LIST}"), "Material code is called “ArticleNumber” in 25 of 25 rows").await;
    wait_for_words(&app, &format!("evidence-{LIST}"), "25 rows per page").await;
    app.window.screenshot(&results_folder("window").join("contract-learned.png")).await;
    app.click("contract-take").await;
    wait_for_words(&app, "contract-current", "Version 2, learned from the service's answers").await;
    app.wait_until_gone("contract-drift").await;
    // The edit renames a field, so that responses differ from the contract as if the service had renamed it.
    let field = json!({ "place": "answer", "path": "code", "wire": "ArticleNo" });
    let edit = json!({ "operation": LIST, "fields": [field] });
    assert_eq!(app.invoke("contract_edit", json!({ "site": SITE, "edits": [edit] })).await, 3);
    app.click("nav-browse").await;
    app.click(&format!("browse-{LIST}")).await;
    wait_for_words(&app, "grid-browse", "MAT-").await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    wait_for_words(&app, &format!("drift-{LIST}-ArticleNumber"), "New: text aaa-9999").await;
    wait_for_words(&app, &format!("drift-{LIST}-ArticleNo"), "No longer there: text").await;
    app.window.screenshot(&results_folder("window").join("contract-drift.png")).await;
    app.click("contract-drift-learn").await;
    app.wait_for_element("contract-learned").await;
    app.click("contract-take").await;
    wait_for_words(&app, "contract-current", "Version 4, learned from the service's answers").await;
    app.wait_until_gone("contract-drift").await;
    app.window.close().await;
}

pub(crate) async fn replace_text(app: &TestApp, id: &str, text: &str) {
    app.replace_text(id, text).await;
}
