//! Template cleanup. A range is read, links are collected and deleted after typed confirmation, and they are saved as a
//! workbook.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, Keychain, TestApp, Violation, as_text, results_folder};

/// Two processes have no predicted times. A filter finds their links, which are deleted.
#[tokio::test]
async fn what_a_filter_finds_is_deleted_and_kept() {
    let app = TestApp::open(Engine::Chromium).await;
    let held = links(&app).await;
    app.click("nav-templates").await;
    app.sign_in().await;
    let signed_in = "return document.querySelector('[data-testid=\"template-ids\"]')?.disabled === false";
    app.window.wait_until("signed in", CHANGE_TIMEOUT, signed_in).await;
    let (operation, codes) = remove_times(&app, &held).await;
    app.type_text("template-ids", "1-60, 305").await;
    app.click("template-read").await;
    let absent = "return document.querySelector('[data-testid=\"templates-absent\"]')?.textContent === 'Not found (37): 25-60, 305'";
    app.window.wait_until("all ids that there aren't", CHANGE_TIMEOUT, absent).await;
    app.wait_until_gone("templates-stop").await;
    let wanted: BTreeSet<(String, String)> = held
        .iter()
        .map(|link| (as_text(&link["templateId"]), as_text(&link["processCode"])))
        .filter(|(_, process)| codes.contains(process))
        .collect();
    assert_eq!(app.wait_for_number("facet-count-noTime").await, wanted.len() as u64);
    check_looks(&app, "templates-list").await;
    choose_value(&app, "templates-shape", "matrix").await;
    app.wait_for_element("grid-matrix").await;
    check_looks(&app, "templates-matrix").await;
    choose_value(&app, "matrix-cells", "labor").await;
    check_looks(&app, "templates-matrix-times").await;
    app.click("facet-noTime").await;
    app.type_text("operation-code", &operation).await;
    app.click("add-links").await;
    assert_eq!(app.wait_for_number("links-count").await, wanted.len() as u64);
    app.click("delete-links").await;
    app.wait_for_element("affected").await;
    let templates: BTreeSet<&String> = wanted.iter().map(|(template, _)| template).collect();
    let orders = app.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let made: Vec<_> = orders.iter().filter(|order| templates.contains(&as_text(&order["templateId"]))).collect();
    assert_eq!(app.wait_for_number("affected-count").await, made.len() as u64, "orders of the templates");
    let running = made.iter().filter(|order| order["beginReal"].is_string() && order["endReal"].is_null()).count();
    assert_eq!(app.wait_for_number("affected-running").await, running as u64);
    check_looks(&app, "templates-delete").await;
    app.type_text("confirm-count", &wanted.len().to_string()).await;
    app.click("confirm-delete").await;
    app.wait_for_submission_end().await;
    let there: BTreeSet<(String, String)> = held
        .iter()
        .filter(|link| as_text(&link["operationCode"]) == operation)
        .map(|link| (as_text(&link["templateId"]), as_text(&link["processCode"])))
        .filter(|link| wanted.contains(link))
        .collect();
    let all = format!(
        "return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '{}'",
        there.len()
    );
    app.window.wait_until("all deleted", CHANGE_TIMEOUT, &all).await;
    let log = app.plant_log("template-processes.delete", &["templateId", "processCode", "operationCode"]).await;
    let expected: BTreeMap<String, bool> =
        wanted.iter().map(|link| (format!("{} · {} · {operation}", link.0, link.1), there.contains(link))).collect();
    assert_eq!(log, expected);
    let left = links(&app).await;
    assert_eq!(left.len(), held.len() - there.len());
    let saved = "const note = document.querySelector('[data-testid=\"no-restore\"]');
        return note?.textContent.includes('no operation that restores') ? note.querySelector('code')?.textContent : null";
    let workbook = app.window.wait_until("the workbook of what was deleted", CHANGE_TIMEOUT, saved).await;
    assert!(std::path::Path::new(workbook.as_str().unwrap()).is_file(), "{workbook}");
    wait_for_links(&app, &wanted, &there).await;
    app.window.close().await;
}

/// Checks that the deleted links are listed with the results from the plant's log.
async fn wait_for_links(app: &TestApp, wanted: &BTreeSet<(String, String)>, there: &BTreeSet<(String, String)>) {
    app.click("deleted-before").await;
    app.wait_for_element("grid-deleted").await;
    app.click_css("[data-testid=\"grid-deleted\"] .ag-row .ag-cell").await;
    app.wait_for_element("deleted-path").await;
    check_looks(app, "templates-deleted").await;
    let listed = app.invoke("deleted_list", json!({})).await;
    assert_eq!((&listed[0]["site"], &listed[0]["counts"]["accepted"]), (&json!("practice"), &json!(there.len())));
    let table = app.invoke("deleted_table", json!({ "file": listed[0]["file"] })).await;
    let rows = table["rows"].as_array().unwrap();
    let column = |heading: &str| table["columns"].as_array().unwrap().iter().position(|one| one == heading).unwrap();
    let of = |row: &Value| (as_text(&row[column("templateId")]), as_text(&row[column("processCode")]));
    assert_eq!(rows.iter().map(of).collect::<BTreeSet<_>>(), *wanted);
    let accepted = rows.iter().filter(|row| row[column("Result")] == "accepted").map(of).collect::<BTreeSet<_>>();
    assert_eq!(accepted, *there);
}

/// The collected links and the named ID list must remain after a restart. A click in the matrix collects a link.
#[tokio::test]
async fn the_list_stays_over_a_restart_and_names_bring_ids_back() {
    let keychain = Keychain::start();
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-templates").await;
    app.sign_in().await;
    app.type_text("template-ids", "1-4").await;
    app.click("template-read").await;
    app.wait_for_element("grid-processes").await;
    app.click("id-menu").await;
    app.click("list-name").await;
    app.type_text("list-name-input", "night").await;
    app.click("list-keep").await;
    app.wait_until_gone("list-keep").await;
    choose_value(&app, "templates-shape", "matrix").await;
    app.wait_for_element("grid-matrix").await;
    let first = "const cell = [...document.querySelectorAll('[data-testid=\"grid-matrix\"] .ag-cell')]
            .find((cell) => cell.textContent === '●');
        return cell ? [cell.closest('[row-index]').getAttribute('row-index'), cell.getAttribute('col-id')] : null";
    let marked = app.window.wait_until("a mark", CHANGE_TIMEOUT, first).await;
    let (row, column) = (marked[0].as_str().unwrap(), marked[1].as_str().unwrap());
    app.click_css(&format!("[data-testid=\"grid-matrix\"] [row-index=\"{row}\"] [col-id=\"{column}\"]")).await;
    app.type_text("operation-code", "0815").await;
    app.click("add-links").await;
    assert_eq!(app.wait_for_number("links-count").await, 1);
    // The window shows the link before it is stored, so the test waits for that.
    let kept = "const done = arguments[arguments.length - 1];
        const ask = () => window.__TAURI_INTERNALS__.invoke('cleanup_links', {})
            .then((links) => (links.length === 1 ? done(links) : setTimeout(ask, 20)));
        void ask();";
    let before = app.window.client.execute_async(kept, Vec::new()).await.unwrap();
    let app = TestApp::open_at(Engine::Chromium, app.kill(), keychain.address()).await;
    assert_eq!(app.invoke("cleanup_links", json!({})).await, before);
    app.click("nav-templates").await;
    assert_eq!(app.wait_for_number("links-count").await, 1);
    app.sign_in().await;
    app.click("id-menu").await;
    app.click("ids-list").await;
    let ids = "return document.querySelector('[data-testid=\"template-ids\"]').value";
    assert_eq!(app.window.script(ids, Vec::new()).await, "1-4");
    app.click("id-menu").await;
    app.click("read-use").await;
    app.click("template-read").await;
    app.wait_for_element("facet-unused").await;
    let orders = app.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let used: BTreeSet<String> = orders.iter().map(|order| as_text(&order["templateId"])).collect();
    let unused = (1..=4).filter(|id: &i32| !used.contains(&id.to_string())).count();
    assert_eq!(app.wait_for_number("facet-count-unused").await, unused as u64);
    app.window.close().await;
}

#[tokio::test]
async fn links_from_a_workbook_are_confirmed_by_typing_too() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-template-processes.delete").await;
    app.click("step-send").await;
    app.sign_in().await;
    let checked = r#"return document.querySelector('[data-testid="against"][data-state="known"]') !== null"#;
    app.window.wait_until("the check with the site", CHANGE_TIMEOUT, checked).await;
    app.click("send").await;
    let view = app.invoke("import_view", json!({ "id": 1 })).await;
    let going = app.invoke("links_of_import", json!({ "importId": 1, "preview": null })).await;
    assert_eq!(going["links"], view["counts"]["readyRows"], "{going}");
    let templates: BTreeSet<String> = going["templates"].as_array().unwrap().iter().map(as_text).collect();
    app.wait_for_element("affected").await;
    let orders = app.control("state/work-orders").await["data"].as_array().unwrap().clone();
    let made = orders.iter().filter(|order| templates.contains(&as_text(&order["templateId"]))).count();
    assert_eq!(app.wait_for_number("affected-count").await, made as u64, "orders of the file's templates");
    check_looks(&app, "import-delete").await;
    app.type_text("confirm-count", "1").await;
    let disabled = "return document.querySelector('[data-testid=\"confirm-delete\"]').disabled";
    assert_eq!(app.window.script(disabled, Vec::new()).await, true, "a wrong number deletes nothing");
    let before = links(&app).await.len();
    let ready = view["counts"]["readyRows"].as_u64().unwrap().to_string();
    // The first digit has already been typed.
    app.type_text("confirm-count", ready.strip_prefix('1').unwrap()).await;
    app.click("confirm-delete").await;
    app.wait_for_submission_end().await;
    let accepted = app.wait_for_number("result-accepted").await;
    assert_eq!(before - links(&app).await.len(), usize::try_from(accepted).unwrap());
    assert!(accepted > 100, "{accepted}");
    app.window.close().await;
}

#[tokio::test]
async fn a_link_that_is_not_there_has_a_kind_and_a_reason_of_its_own() {
    let app = TestApp::open(Engine::Chromium).await;
    let link = links(&app).await.swap_remove(0);
    let cells = ["templateId", "processCode", "operationCode"].map(|name| as_text(&link[name])).join(";");
    let csv = format!("templateId;processCode;operationCode\n{cells}\n1;IP-NONE;010\n");
    let file = app.takt.write("links.csv", csv);
    app.drop_file(&file).await;
    app.click("step-preview").await;
    app.sign_in().await;
    for (kind, expected) in [("changed", 1), ("same", 0), ("notLinked", 1)] {
        assert_eq!(app.wait_for_number(&format!("preview-{kind}")).await, expected, "{kind}");
    }
    check_looks(&app, "preview-not-linked").await;
    app.click("step-send").await;
    app.click("send").await;
    app.type_text("confirm-count", "1").await;
    app.click("confirm-delete").await;
    app.wait_for_submission_end().await;
    let said = "return document.querySelector('[data-testid=\"headline\"]')?.textContent.includes('1 skipped (1 not linked), 0 rejected.')";
    app.window.wait_until("the headline", CHANGE_TIMEOUT, said).await;
    app.click("filter-skipped").await;
    let reason = "return document.querySelector('[data-testid=\"grid-results\"]')?.textContent.includes('Not linked: there was nothing to delete.')";
    app.window.wait_until("the reason", CHANGE_TIMEOUT, reason).await;
    check_looks(&app, "results-not-linked").await;
    app.window.close().await;
}

async fn links(app: &TestApp) -> Vec<Value> {
    app.control("state/template-processes").await["data"].as_array().unwrap().clone()
}

/// Removes the predicted times of the two processes with the most links. Returns the most frequent operation of these
/// links, and the codes of the processes.
async fn remove_times(app: &TestApp, held: &[Value]) -> (String, BTreeSet<String>) {
    let mut often = by_frequency(held.iter().map(|link| as_text(&link["processCode"])));
    often.truncate(2);
    let of_them = held.iter().filter(|link| often.contains(&as_text(&link["processCode"])));
    let operation = by_frequency(of_them.map(|link| as_text(&link["operationCode"]))).remove(0);
    let mut text = "code;description;predictedLaborTime;predictedMachineTime".to_owned();
    often.iter().for_each(|code| text.push_str(&format!("\n{code};Process {code};00:00:00;00:00:00")));
    let file = app.takt.write("processes.csv", text);
    let import = app.invoke("import_open", json!({ "path": file, "ticket": 1, "channel": "__CHANNEL__:0" })).await;
    let import = import["id"].clone();
    app.invoke("import_operation", json!({ "id": import, "operation": "inspection-processes.sync" })).await;
    let skip = json!({ "errors": false, "claimed": false });
    let how = json!({ "trial": null, "like": null, "batchSize": null });
    let wish = json!({
        "importId": import, "site": "practice", "skip": skip, "confirmed": null, "preview": null, "how": how
    });
    let sent = app.invoke("submission_start", wish).await;
    assert_eq!(sent["submissions"][0]["total"], 2, "{sent}");
    while app.invoke("submission_get", json!({ "id": sent["id"] })).await["counts"]["accepted"] != 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (operation, often.into_iter().collect())
}

/// Returns the distinct texts, most frequent first.
fn by_frequency(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut often: BTreeMap<String, usize> = BTreeMap::new();
    texts.for_each(|text| *often.entry(text).or_default() += 1);
    let mut often: Vec<(String, usize)> = often.into_iter().collect();
    often.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    often.into_iter().map(|(text, _)| text).collect()
}

async fn choose_value(app: &TestApp, id: &str, value: &str) {
    app.click_css(&format!("[data-testid=\"{id}\"] label:has(> input[value=\"{value}\"]), [data-testid=\"{id}\"] input[value=\"{value}\"] + label")).await;
}

/// Takes a picture, and checks that axe-core finds no violations.
async fn check_looks(app: &TestApp, name: &str) {
    app.window.screenshot(&results_folder("window").join(format!("{name}.png"))).await;
    let violations: Vec<Violation> = app.window.find_violations().await;
    assert!(violations.is_empty(), "{name}: {violations:#?}");
}
