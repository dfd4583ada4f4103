//! The GraphQL page: the site's schema, a query with the plant's values, its table, and saved queries. The page must
//! never contain the access token.

use std::collections::BTreeMap;

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{ANY_PORT, Engine, Keychain, Person, Plant, SOON, Takt, TestApp, as_text, results};

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
const ALL: &str = "const content = document.querySelector(`[data-testid=\"${arguments[0]}\"] .cm-content`);
    content.focus();
    const control = { key: 'a', code: 'KeyA', keyCode: 65, ctrlKey: true, bubbles: true, cancelable: true };
    content.dispatchEvent(new KeyboardEvent('keydown', control));";

/// Defines a function that returns an editor's whole text, by selecting and copying it. The document contains only
/// visible lines.
const COPIED: &str = "const copied = (content) => {
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
    shot(&app, "first").await;

    fill(&app, "graphql-query", ORDERS).await;
    fill(&app, "graphql-variables", "{ \"limit\": 40 }").await;
    // The query is run by keyboard.
    app.window.send_keys(QUERY, &format!("{}{}", Key::Control, Key::Enter)).await;
    let answer = holds(&app, "graphql-answer", "operationCode").await;
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
    shot(&app, "answer").await;
    table(&app, items).await;
    // An editor's text can only be copied while the editor is shown.
    app.press("[data-testid=\"graphql-look\"] input[value=\"json\"] + label").await;
    holds(&app, "graphql-answer", "operationCode").await;
    let token = tap.token();
    assert!(token.len() > 20);
    assert!(!page_holds(&app, &token).await, "the token is in the web view");
    assert!(page_holds(&app, "workOrders").await, "the search finds what is there");

    app.click("graphql-save").await;
    app.replaces("graphql-name", "Forty orders").await;
    app.click("graphql-save-name").await;
    app.gone("graphql-save-name").await;
    // The open query is saved with a delay, so the test waits for it.
    let patience = std::time::Instant::now() + SOON;
    while !app.invoke("graphql_state", json!({})).await["editor"].to_string().contains("requestedQuantity") {
        assert!(std::time::Instant::now() < patience, "the open query isn't saved");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let takt = app.kill();

    let app = TestApp::open_at(Engine::Chromium, takt, keychain.address()).await;
    open_graphql(&app).await;
    ready(&app).await;
    holds(&app, "graphql-query", "requestedQuantity").await;
    app.click("graphql-kept").await;
    let kept = "return document.querySelector('[data-testid=\"graphql-saved\"]')?.textContent.includes('Forty orders')
        && document.querySelector('[data-testid=\"graphql-history\"]')?.textContent.includes('query Orders')";
    app.window.until("saved query and history", SOON, kept).await;
    shot(&app, "kept").await;
    app.window.close().await;
}

#[tokio::test]
async fn what_goes_wrong_is_said_and_nothing_is_changed() {
    let app = TestApp::open(Engine::Chromium).await;
    open_graphql(&app).await;
    app.sign_in().await;
    ready(&app).await;
    fill(&app, "graphql-query", "mutation { deleteAll }").await;
    app.click("graphql-run").await;
    let problem = "return document.querySelector('[data-testid=\"problem\"]')?.textContent ?? null";
    let said = app.window.until("why not", SOON, problem).await;
    assert!(said.as_str().unwrap().contains("mutation"), "{said}");
    fill(&app, "graphql-query", "{ workOrders { nope } }").await;
    app.click("graphql-run").await;
    app.sees("graphql-errors").await;
    let asked = app.control("log").await;
    assert!(!asked.to_string().contains("deleteAll"), "a mutation left");
    shot(&app, "errors").await;
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

    fill(&app, "graphql-query", "{ workOrders { totl } }").await;
    let marked = "return document.querySelector('.cm-lintRange-error')?.textContent === 'totl'";
    app.window.until("the field that isn't there", SOON, marked).await;
    app.window.send_keys(QUERY, &char::from(Key::F8).to_string()).await;
    let listed = "return document.querySelector('.cm-panel-lint')?.textContent.includes('totl')";
    app.window.until("the list of errors", SOON, listed).await;
    shot(&app, "checked").await;
    app.window.send_keys_to_focus(&char::from(Key::Escape).to_string()).await;
    app.window.until("no list", SOON, "return document.querySelector('.cm-panel-lint') === null").await;

    fill(&app, "graphql-query", "{ workOr").await;
    app.window.send_keys(QUERY, &format!("{}{} ", Key::End, Key::Control)).await;
    let suggested = "return document.querySelector('.cm-tooltip-autocomplete')?.textContent.includes('workOrders')";
    app.window.until("a suggestion", SOON, suggested).await;
    shot(&app, "suggested").await;
    // A suggestion accepts keys only a moment after it appears, so the test waits.
    app.window.rest().await;
    app.window.send_keys_to_focus(&char::from(Key::Enter).to_string()).await;
    holds(&app, "graphql-query", "{ workOrder").await;

    fill(&app, "graphql-query", "query Q($limit: Int!) { workOrders(limit: $limit) { total ...Page } } fragment Page on WorkOrderPage { items { code } }").await;
    app.click("graphql-prettify").await;
    let text = holds(&app, "graphql-query", "workOrders(limit: $limit) {\n    total\n    ...Page\n").await;
    assert!(text.starts_with("query Q($limit: Int!) {\n"), "{text}");
    app.click("graphql-more").await;
    app.click("graphql-merge").await;
    let merged = holds(&app, "graphql-query", "total\n    items {\n      code\n").await;
    assert!(!merged.contains("fragment"), "{merged}");

    fill(&app, "graphql-variables", "{ \"limit\": \"many\" }").await;
    let marked = "return document.querySelector('[data-testid=\"graphql-variables\"] .cm-lintRange-error')?.textContent === '\"many\"'";
    app.window.until("the value that doesn't fit", SOON, marked).await;

    fill(&app, "graphql-query", "{ workOrders").await;
    app.window.send_keys(QUERY, &char::from(Key::F12).to_string()).await;
    let title = "return document.querySelector('[data-testid=\"graphql-docs-title\"]')?.textContent === 'workOrders'";
    app.window.until("the field in the schema", SOON, title).await;
    shot(&app, "docs").await;
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
        app.window.until(editor, SOON, &reached).await;
    }
    fill(&app, "graphql-query", "{ workOrders(limit: 3) { total items { code } } }").await;
    // Tab indents in the editor, so Escape must be able to leave the editor.
    app.window.send_keys(QUERY, &format!("{}{}", Key::Home, Key::Tab)).await;
    holds(&app, "graphql-query", "  { workOrders").await;
    app.window.send_keys(QUERY, &format!("{}{}", Key::Escape, Key::Escape)).await;
    app.window.until("the frame", SOON, &frame("graphql-query")).await;
    app.window.send_keys_to_focus(&char::from(Key::Enter).to_string()).await;
    let inside = "return document.activeElement?.classList.contains('cm-content')";
    app.window.until("the query", SOON, inside).await;
    app.window.send_keys_to_focus(&format!("{}{}", Key::Control, Key::Enter)).await;
    holds(&app, "graphql-answer", "items").await;

    // The response can be searched and folded.
    app.window.send_keys("[data-testid=\"graphql-answer\"] .cm-content", &format!("{}f", Key::Control)).await;
    let field = "return document.activeElement?.closest('.cm-search') !== null";
    app.window.until("the search", SOON, field).await;
    app.window.send_keys_to_focus("code").await;
    let found = "return document.querySelectorAll('[data-testid=\"graphql-answer\"] .cm-searchMatch').length >= 3";
    app.window.until("what was searched", SOON, found).await;
    shot(&app, "search").await;
    app.window.send_keys_to_focus(&char::from(Key::Escape).to_string()).await;
    app.window.until("no search", SOON, "return document.querySelector('.cm-search') === null").await;
    app.press("[data-testid=\"graphql-answer\"] .cm-foldGutter [title=\"Fold\"]").await;
    let folded = "return document.querySelector('[data-testid=\"graphql-answer\"] .cm-foldPlaceholder') !== null";
    app.window.until("a folded answer", SOON, folded).await;
    app.window.close().await;
}

#[tokio::test]
async fn a_query_is_typed_and_answered_in_the_web_view() {
    let app = TestApp::open(Engine::WebView).await;
    open_graphql(&app).await;
    app.sign_in().await;
    open_page(&app).await;
    fill(&app, "graphql-query", "{ workOrders(limit: 3) { total items { code").await;
    // The missing brackets are typed one by one, since the editor may insert closing ones itself.
    app.window.send_keys(QUERY, " } } }").await;
    let query = holds(&app, "graphql-query", "code } } }").await;
    assert_eq!(query, "{ workOrders(limit: 3) { total items { code } } }");
    app.window.send_keys(QUERY, &format!("{}{}", Key::Control, Key::Enter)).await;
    let answer: Value = serde_json::from_str(&holds(&app, "graphql-answer", "items").await).unwrap();
    assert_eq!(answer["data"]["workOrders"]["items"].as_array().unwrap().len(), 3);
    shot(&app, "web-view").await;
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn the_page_in_every_look_and_in_a_small_window() {
    let app = TestApp::open(Engine::Chromium).await;
    open_graphql(&app).await;
    app.sign_in().await;
    ready(&app).await;
    app.click("graphql-run").await;
    app.sees("graphql-export").await;
    app.window.rest().await;
    let scrolls = "const page = document.querySelector('main header').parentElement; return page.scrollHeight - page.clientHeight";
    assert_eq!(app.window.script(scrolls, Vec::new()).await, 0, "a long answer stays in its place");
    for look in ["light", "dark", "contrast"] {
        // Changes the look in the same way as the settings, without leaving the page.
        let wear = "document.documentElement.dataset.look = arguments[0];
            document.documentElement.dataset.mantineColorScheme = arguments[0] === 'dark' ? 'dark' : 'light'";
        app.window.script(wear, vec![json!(look)]).await;
        app.window.rest().await;
        shot(&app, look).await;
        app.press("[data-testid=\"graphql-look\"] input[value=\"table\"] + label").await;
        app.sees("grid-graphql").await;
        app.window.rest().await;
        shot(&app, &format!("{look}-table")).await;
        let found = app.window.axe().await;
        assert!(found.is_empty(), "{look}: {found:#?}");
        app.press("[data-testid=\"graphql-look\"] input[value=\"json\"] + label").await;
    }
    app.window.script("document.documentElement.dataset.look = 'light'", Vec::new()).await;
    app.window.resize(1024, 700).await;
    app.window.rest().await;
    shot(&app, "small").await;
    app.window.close().await;
}

async fn open_page(app: &TestApp) {
    open_graphql(app).await;
    ready(app).await;
    let docs =
        "return document.querySelector('[data-testid=\"graphql-explorer\"]')?.textContent.includes('WorkOrderPage')";
    app.window.until("the schema's types", SOON, docs).await;
}

async fn ready(app: &TestApp) {
    app.window.until("the editor", SOON, READY).await;
}

/// Replaces an editor's text by selecting and pasting.
async fn fill(app: &TestApp, editor: &str, text: &str) {
    let code = format!(
        "{ALL} const data = new DataTransfer();
        data.setData('text/plain', arguments[1]);
        content.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}))"
    );
    app.window.script(&code, vec![json!(editor), json!(text)]).await;
    app.window.rest().await;
}

/// Waits until an editor's text contains this part, and returns the whole text.
async fn holds(app: &TestApp, editor: &str, part: &str) -> String {
    let code = format!(
        "{COPIED} const content = document.querySelector('[data-testid=\"{editor}\"] .cm-content');
        const text = content === null ? '' : copied(content);
        return text.includes({}) ? text : null",
        json!(part)
    );
    app.window.until(part, SOON, &code).await.as_str().unwrap().to_owned()
}

/// Checks that the table contains the response's values, and that it can be exported.
async fn table(app: &TestApp, items: &[Value]) {
    app.press("[data-testid=\"graphql-look\"] input[value=\"table\"] + label").await;
    let first = as_text(&items[0]["code"]);
    let code = format!(
        "const row = document.querySelector('[data-testid=\"grid-graphql\"] .ag-row[row-index=\"0\"]');
         return row !== null && row.textContent.includes({})",
        json!(first)
    );
    app.window.until("the first row", SOON, &code).await;
    let heads = "return [...document.querySelectorAll('[data-testid=\"grid-graphql\"] .ag-header-cell')].map((one) => one.getAttribute('col-id'))";
    let heads = app.window.script(heads, Vec::new()).await;
    assert_eq!(heads, json!(["code", "operationCode", "requestedQuantity", "workStationCode"]));
    shot(app, "table").await;
    app.click("graphql-export").await;
    let offered = "const item = document.querySelector('[data-testid=\"graphql-export-xlsx\"]'); return item !== null && !item.disabled";
    app.window.until("export", SOON, offered).await;
    app.window.send_keys_to_focus(&char::from(Key::Escape).to_string()).await;
    let closed = "return document.querySelector('[data-testid=\"graphql-export-xlsx\"]') === null";
    app.window.until("no menu", SOON, closed).await;
}

/// Returns whether the document, the browser's storage, an editor or a global variable contains this text.
async fn page_holds(app: &TestApp, text: &str) -> bool {
    let code = format!(
        "{COPIED} const seen = [document.documentElement.outerHTML, document.cookie];
        for (const storage of [localStorage, sessionStorage]) for (const name of Object.keys(storage)) seen.push(name, storage.getItem(name));
        for (const content of document.querySelectorAll('.cm-content')) seen.push(copied(content));
        for (const name of Object.keys(globalThis)) {{ try {{ seen.push(JSON.stringify(globalThis[name]) ?? '') }} catch {{}} }}
        return seen.some((one) => one.includes(arguments[0]))"
    );
    app.window.script(&code, vec![json!(text)]).await == true
}

async fn shot(app: &TestApp, name: &str) {
    app.window.screenshot(&results("window").join(format!("graphql-{name}.png"))).await;
}

/// Opens the GraphQL page from the navigation.
pub(crate) async fn open_graphql(app: &TestApp) {
    app.click("nav-integrations").await;
    app.press("[data-testid=\"integration-tabs\"] input[value=\"graphql\"] + label").await;
}
