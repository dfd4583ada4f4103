//! The GraphQL page: the site's schema, a query with the plant's values, its table, and saved queries. The page must
//! never contain the access token.

use std::collections::BTreeMap;

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{ANY_PORT, CHANGE_TIMEOUT, Engine, Keychain, Person, Plant, Takt, TestApp, as_text, results_folder};

use crate::tap::Tap;

const ORDERS: &str = "query Orders($limit: Int!) {
  workOrders(limit: $limit) {
    total
    items { code operationCode requestedQuantity workStationCode }
  }
}";

const QUERY: &str = "[data-testid=\"graphql-query\"] .cm-content";

/// Returns true if the query's editor is ready for typing.
pub(crate) const READY: &str = "return document.querySelector('[data-testid=\"graphql-query\"] .cm-line') !== null";

/// Selects the whole text of the editor whose test id is the first argument.
const SELECT_ALL: &str = "const content = document.querySelector(`[data-testid=\"${arguments[0]}\"] .cm-content`);
    content.focus();
    const control = { key: 'a', code: 'KeyA', keyCode: 65, ctrlKey: true, bubbles: true, cancelable: true };
    content.dispatchEvent(new KeyboardEvent('keydown', control));";

/// Defines a function that returns an editor's whole text, by selecting and copying it. The document contains only
/// visible lines.
const COPY_FUNCTION: &str = "const copied = (content) => {
        const before = document.activeElement;
        content.focus();
        const control = { key: 'a', code: 'KeyA', keyCode: 65, ctrlKey: true, bubbles: true, cancelable: true };
        const data = new DataTransfer();
        content.dispatchEvent(new KeyboardEvent('keydown', control));
        content.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }));
        before?.focus();
        return data.getData('text/plain');
    };";

#[tokio::test]
async fn a_query_shows_what_the_plant_holds_and_is_kept() {
    // The tap records the traffic with the plant, so that the test knows the token.
    let plant = Plant::start(&[]);
    let tap = Tap::start(&plant.address()).await;
    let keychain = Keychain::start();
    let takt = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    let mut site = vec!["site", "add", "works", "--base-url", &tap.address, "--auth-url", plant.member("auth_url")];
    site.extend(["--client-id", plant.member("client_id"), "--kind", "test", "--client-secret-stdin"]);
    site.extend(["--redirect-uri", ANY_PORT]);
    assert_eq!(takt.run_with(&site, &format!("{}\n", plant.member("client_secret"))).code, Some(0));
    let signed_in = takt.sign_in("works", Person::Planner).await;
    assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);

    let app = TestApp::open_at(Engine::Chromium, takt, keychain.address()).await;
    app.invoke("site_choose", json!({ "name": "works" })).await;
    open_page(&app).await;
    save_screenshot(&app, "first").await;

    replace_editor_text(&app, "graphql-query", ORDERS).await;
    replace_editor_text(&app, "graphql-variables", "{ \"limit\": 40 }").await;
    // The query is run by keyboard.
    app.window.send_keys(QUERY, &format!("{}{}", Key::Control, Key::Enter)).await;
    let answer = wait_for_editor_text(&app, "graphql-answer", "operationCode").await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let items = answer["data"]["workOrders"]["items"].as_array().unwrap();
    let state = plant.state("work-orders").await;
    let held: BTreeMap<_, _> =
        state.iter().map(|order| ((as_text(&order["code"]), as_text(&order["operationCode"])), order)).collect();
    assert_eq!(items.len(), 40);
    assert_eq!(answer["data"]["workOrders"]["total"], state.len());
    for item in items {
        let order = held[&(as_text(&item["code"]), as_text(&item["operationCode"]))];
        assert_eq!(item["requestedQuantity"].as_f64(), order["requestedQuantity"].as_f64(), "{item}");
        assert_eq!(item["workStationCode"], order["workStationCode"], "{item}");
    }
    save_screenshot(&app, "answer").await;
    check_table(&app, items).await;
    // An editor's text can only be copied while the editor is shown.
    app.click_css("[data-testid=\"graphql-look\"] input[value=\"json\"] + label").await;
    wait_for_editor_text(&app, "graphql-answer", "operationCode").await;
    let token = tap.token();
    assert!(token.len() > 20);
    assert!(!page_contains(&app, &token).await, "the token is in the web view");
    assert!(page_contains(&app, "workOrders").await, "the search finds what is there");

    app.click("graphql-save").await;
    app.replace_text("graphql-name", "Forty orders").await;
    app.click("graphql-save-name").await;
    app.wait_until_gone("graphql-save-name").await;
    // The open query is saved with a delay, so the test waits for it.
    let patience = std::time::Instant::now() + CHANGE_TIMEOUT;
    while !app.invoke("graphql_state", json!({})).await["editor"].to_string().contains("requestedQuantity") {
        assert!(std::time::Instant::now() < patience, "the open query isn't saved");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let takt = app.kill();

    let app = TestApp::open_at(Engine::Chromium, takt, keychain.address()).await;
    open_graphql(&app).await;
    wait_until_ready(&app).await;
    wait_for_editor_text(&app, "graphql-query", "requestedQuantity").await;
    app.click("graphql-kept").await;
    let kept = "return document.querySelector('[data-testid=\"graphql-saved\"]')?.textContent.includes('Forty orders')
        && document.querySelector('[data-testid=\"graphql-history\"]')?.textContent.includes('query Orders')";
    app.window.wait_until("saved query and history", CHANGE_TIMEOUT, kept).await;
    save_screenshot(&app, "kept").await;
    app.window.close().await;
}

#[tokio::test]
async fn what_goes_wrong_is_said_and_nothing_is_changed() {
    let app = TestApp::open(Engine::Chromium).await;
    open_graphql(&app).await;
    app.sign_in().await;
    wait_until_ready(&app).await;
    replace_editor_text(&app, "graphql-query", "mutation { deleteAll }").await;
    app.click("graphql-run").await;
    let problem = "return document.querySelector('[data-testid=\"problem\"]')?.textContent ?? null";
    let said = app.window.wait_until("why not", CHANGE_TIMEOUT, problem).await;
    assert!(said.as_str().unwrap().contains("mutation"), "{said}");
    replace_editor_text(&app, "graphql-query", "{ workOrders { nope } }").await;
    app.click("graphql-run").await;
    app.wait_for_element("graphql-errors").await;
    let asked = app.control("log").await;
    assert!(!asked.to_string().contains("deleteAll"), "a mutation left");
    save_screenshot(&app, "errors").await;
    let frozen =
        "try { Object.prototype.toString = null } catch { return Object.isFrozen(Object.prototype) } return false";
    assert_eq!(app.window.script(frozen, Vec::new()).await, true);
    app.window.close().await;
}

#[tokio::test]
async fn the_editor_suggests_checks_lays_out_and_leads_to_the_schema() {
    let app = TestApp::open(Engine::Chromium).await;
    open_graphql(&app).await;
    app.sign_in().await;
    open_page(&app).await;

    replace_editor_text(&app, "graphql-query", "{ workOrders { totl } }").await;
    let marked = "return document.querySelector('.cm-lintRange-error')?.textContent === 'totl'";
    app.window.wait_until("the field that isn't there", CHANGE_TIMEOUT, marked).await;
    app.window.send_keys(QUERY, &char::from(Key::F8).to_string()).await;
    let listed = "return document.querySelector('.cm-panel-lint')?.textContent.includes('totl')";
    app.window.wait_until("the list of errors", CHANGE_TIMEOUT, listed).await;
    save_screenshot(&app, "checked").await;
    app.window.send_keys_to_focus(&char::from(Key::Escape).to_string()).await;
    app.window.wait_until("no list", CHANGE_TIMEOUT, "return document.querySelector('.cm-panel-lint') === null").await;

    replace_editor_text(&app, "graphql-query", "{ workOr").await;
    app.window.send_keys(QUERY, &format!("{}{} ", Key::End, Key::Control)).await;
    let suggested = "return document.querySelector('.cm-tooltip-autocomplete')?.textContent.includes('workOrders')";
    app.window.wait_until("a suggestion", CHANGE_TIMEOUT, suggested).await;
    save_screenshot(&app, "suggested").await;
    // A suggestion accepts keys only a moment after it appears, so the test waits.
    app.window.wait_until_still().await;
    app.window.send_keys_to_focus(&char::from(Key::Enter).to_string()).await;
    wait_for_editor_text(&app, "graphql-query", "{ workOrder").await;

    replace_editor_text(&app, "graphql-query", "query Q($limit: Int!) { workOrders(limit: $limit) { total ...Page } } fragment Page on WorkOrderPage { items { code } }").await;
    app.click("graphql-prettify").await;
    let text =
        wait_for_editor_text(&app, "graphql-query", "workOrders(limit: $limit) {\n    total\n    ...Page\n").await;
    assert!(text.starts_with("query Q($limit: Int!) {\n"), "{text}");
    app.click("graphql-more").await;
    app.click("graphql-merge").await;
    let merged = wait_for_editor_text(&app, "graphql-query", "total\n    items {\n      code\n").await;
    assert!(!merged.contains("fragment"), "{merged}");

    replace_editor_text(&app, "graphql-variables", "{ \"limit\": \"many\" }").await;
    let marked = "return document.querySelector('[data-testid=\"graphql-variables\"] .cm-lintRange-error')?.textContent === '\"many\"'";
    app.window.wait_until("the value that doesn't fit", CHANGE_TIMEOUT, marked).await;

    replace_editor_text(&app, "graphql-query", "{ workOrders").await;
    app.window.send_keys(QUERY, &char::from(Key::F12).to_string()).await;
    let title = "return document.querySelector('[data-testid=\"graphql-docs-title\"]')?.textContent === 'workOrders'";
    app.window.wait_until("the field in the schema", CHANGE_TIMEOUT, title).await;
    save_screenshot(&app, "docs").await;
    app.window.close().await;
}

#[tokio::test]
async fn the_keyboard_passes_enters_and_leaves_the_editors() {
    let app = TestApp::open(Engine::Chromium).await;
    open_graphql(&app).await;
    app.sign_in().await;
    open_page(&app).await;
    let frame = |editor: &str| format!("return document.activeElement?.dataset.testid === '{editor}'");
    app.window.script("document.querySelector('[data-testid=\"graphql-query\"]').focus()", Vec::new()).await;
    for (key, editor) in [(Key::Tab, "graphql-variables"), (Key::Tab, "graphql-look")] {
        app.window.send_keys_to_focus(&char::from(key).to_string()).await;
        let reached = format!("return document.activeElement?.closest('[data-testid=\"{editor}\"]') !== null");
        app.window.wait_until(editor, CHANGE_TIMEOUT, &reached).await;
    }
    replace_editor_text(&app, "graphql-query", "{ workOrders(limit: 3) { total items { code } } }").await;
    // Tab indents in the editor, so Escape must be able to leave the editor.
    app.window.send_keys(QUERY, &format!("{}{}", Key::Home, Key::Tab)).await;
    wait_for_editor_text(&app, "graphql-query", "  { workOrders").await;
    app.window.send_keys(QUERY, &format!("{}{}", Key::Escape, Key::Escape)).await;
    app.window.wait_until("the frame", CHANGE_TIMEOUT, &frame("graphql-query")).await;
    app.window.send_keys_to_focus(&char::from(Key::Enter).to_string()).await;
    let inside = "return document.activeElement?.classList.contains('cm-content')";
    app.window.wait_until("the query", CHANGE_TIMEOUT, inside).await;
    app.window.send_keys_to_focus(&format!("{}{}", Key::Control, Key::Enter)).await;
    wait_for_editor_text(&app, "graphql-answer", "items").await;

    // The response can be searched and folded.
    app.window.send_keys("[data-testid=\"graphql-answer\"] .cm-content", &format!("{}f", Key::Control)).await;
    let field = "return document.activeElement?.closest('.cm-search') !== null";
    app.window.wait_until("the search", CHANGE_TIMEOUT, field).await;
    app.window.send_keys_to_focus("code").await;
    let found = "return document.querySelectorAll('[data-testid=\"graphql-answer\"] .cm-searchMatch').length >= 3";
    app.window.wait_until("what was searched", CHANGE_TIMEOUT, found).await;
    save_screenshot(&app, "search").await;
    app.window.send_keys_to_focus(&char::from(Key::Escape).to_string()).await;
    app.window.wait_until("no search", CHANGE_TIMEOUT, "return document.querySelector('.cm-search') === null").await;
    app.click_css("[data-testid=\"graphql-answer\"] .cm-foldGutter [title=\"Fold\"]").await;
    let folded = "return document.querySelector('[data-testid=\"graphql-answer\"] .cm-foldPlaceholder') !== null";
    app.window.wait_until("a folded answer", CHANGE_TIMEOUT, folded).await;
    app.window.close().await;
}

#[tokio::test]
async fn a_query_is_typed_and_answered_in_the_web_view() {
    let app = TestApp::open(Engine::WebView).await;
    open_graphql(&app).await;
    app.sign_in().await;
    open_page(&app).await;
    replace_editor_text(&app, "graphql-query", "{ workOrders(limit: 3) { total items { code").await;
    // The missing brackets are typed one by one, since the editor may insert closing ones.
    app.window.send_keys(QUERY, " } } }").await;
    let query = wait_for_editor_text(&app, "graphql-query", "code } } }").await;
    assert_eq!(query, "{ workOrders(limit: 3) { total items { code } } }");
    app.window.send_keys(QUERY, &format!("{}{}", Key::Control, Key::Enter)).await;
    let answer: Value = serde_json::from_str(&wait_for_editor_text(&app, "graphql-answer", "items").await).unwrap();
    assert_eq!(answer["data"]["workOrders"]["items"].as_array().unwrap().len(), 3);
    save_screenshot(&app, "web-view").await;
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn the_page_in_every_look_and_in_a_small_window() {
    let app = TestApp::open(Engine::Chromium).await;
    open_graphql(&app).await;
    app.sign_in().await;
    wait_until_ready(&app).await;
    app.click("graphql-run").await;
    app.wait_for_element("graphql-export").await;
    app.window.wait_until_still().await;
    let scrolls = "const page = document.querySelector('main header').parentElement; return page.scrollHeight - page.clientHeight";
    assert_eq!(app.window.script(scrolls, Vec::new()).await, 0, "a long answer stays in its place");
    for look in ["light", "dark", "contrast"] {
        // Changes the look in the same way as the settings, without leaving the page.
        let wear = "document.documentElement.dataset.look = arguments[0];
            document.documentElement.dataset.mantineColorScheme = arguments[0] === 'dark' ? 'dark' : 'light'";
        app.window.script(wear, vec![json!(look)]).await;
        app.window.wait_until_still().await;
        save_screenshot(&app, look).await;
        app.click_css("[data-testid=\"graphql-look\"] input[value=\"table\"] + label").await;
        app.wait_for_element("grid-graphql").await;
        app.window.wait_until_still().await;
        save_screenshot(&app, &format!("{look}-table")).await;
        let found = app.window.find_violations().await;
        assert!(found.is_empty(), "{look}: {found:#?}");
        app.click_css("[data-testid=\"graphql-look\"] input[value=\"json\"] + label").await;
    }
    app.window.script("document.documentElement.dataset.look = 'light'", Vec::new()).await;
    app.window.resize(1024, 700).await;
    app.window.wait_until_still().await;
    save_screenshot(&app, "small").await;
    app.window.close().await;
}

async fn open_page(app: &TestApp) {
    open_graphql(app).await;
    wait_until_ready(app).await;
    let docs =
        "return document.querySelector('[data-testid=\"graphql-explorer\"]')?.textContent.includes('WorkOrderPage')";
    app.window.wait_until("the schema's types", CHANGE_TIMEOUT, docs).await;
}

async fn wait_until_ready(app: &TestApp) {
    app.window.wait_until("the editor", CHANGE_TIMEOUT, READY).await;
}

/// Replaces an editor's text by selecting and pasting.
async fn replace_editor_text(app: &TestApp, editor: &str, text: &str) {
    let code = format!(
        "{SELECT_ALL} const data = new DataTransfer();
        data.setData('text/plain', arguments[1]);
        content.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}))"
    );
    app.window.script(&code, vec![json!(editor), json!(text)]).await;
    app.window.wait_until_still().await;
}

/// Waits until an editor's text contains this part, and returns the whole text.
async fn wait_for_editor_text(app: &TestApp, editor: &str, part: &str) -> String {
    let code = format!(
        "{COPY_FUNCTION} const content = document.querySelector('[data-testid=\"{editor}\"] .cm-content');
        const text = content === null ? '' : copied(content);
        return text.includes({}) ? text : null",
        json!(part)
    );
    app.window.wait_until(part, CHANGE_TIMEOUT, &code).await.as_str().unwrap().to_owned()
}

/// Checks that the table contains the response's values, and that it can be exported.
async fn check_table(app: &TestApp, items: &[Value]) {
    app.click_css("[data-testid=\"graphql-look\"] input[value=\"table\"] + label").await;
    let first = as_text(&items[0]["code"]);
    let code = format!(
        "const row = document.querySelector('[data-testid=\"grid-graphql\"] .ag-row[row-index=\"0\"]');
         return row !== null && row.textContent.includes({})",
        json!(first)
    );
    app.window.wait_until("the first row", CHANGE_TIMEOUT, &code).await;
    let heads = "return [...document.querySelectorAll('[data-testid=\"grid-graphql\"] .ag-header-cell')].map((one) => one.getAttribute('col-id'))";
    let heads = app.window.script(heads, Vec::new()).await;
    assert_eq!(heads, json!(["code", "operationCode", "requestedQuantity", "workStationCode"]));
    save_screenshot(app, "table").await;
    app.click("graphql-export").await;
    let offered = "const item = document.querySelector('[data-testid=\"graphql-export-xlsx\"]'); return item !== null && !item.disabled";
    app.window.wait_until("export", CHANGE_TIMEOUT, offered).await;
    app.window.send_keys_to_focus(&char::from(Key::Escape).to_string()).await;
    let closed = "return document.querySelector('[data-testid=\"graphql-export-xlsx\"]') === null";
    app.window.wait_until("no menu", CHANGE_TIMEOUT, closed).await;
}

/// Returns whether the document, the browser's storage, an editor or a global variable contains this text.
async fn page_contains(app: &TestApp, text: &str) -> bool {
    let code = format!(
        "{COPY_FUNCTION} const seen = [document.documentElement.outerHTML, document.cookie];
        for (const storage of [localStorage, sessionStorage]) for (const name of Object.keys(storage)) seen.push(name, storage.getItem(name));
        for (const content of document.querySelectorAll('.cm-content')) seen.push(copied(content));
        for (const name of Object.keys(globalThis)) {{ try {{ seen.push(JSON.stringify(globalThis[name]) ?? '') }} catch {{}} }}
        return seen.some((one) => one.includes(arguments[0]))"
    );
    app.window.script(&code, vec![json!(text)]).await == true
}

async fn save_screenshot(app: &TestApp, name: &str) {
    app.window.screenshot(&results_folder("window").join(format!("graphql-{name}.png"))).await;
}

/// Opens the GraphQL page from the navigation.
pub(crate) async fn open_graphql(app: &TestApp) {
    app.click("nav-integrations").await;
    app.click_css("[data-testid=\"integration-tabs\"] input[value=\"graphql\"] + label").await;
}
