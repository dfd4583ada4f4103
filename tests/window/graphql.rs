//! The page GraphQL: the site's schema, a query whose values are the plant's, its table, what is kept, and no token.

use std::collections::BTreeMap;

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{Engine, Keychain, Person, Plant, SOON, Takt, TestApp, as_text, results};

use crate::tap::Tap;

const ORDERS: &str = "query Orders($limit: Int!) {
  workOrders(limit: $limit) {
    total
    items { code operationCode requestedQuantity workStationCode }
  }
}";

#[tokio::test]
async fn a_query_shows_what_the_plant_holds_and_is_kept() {
    // The way to the plant is listened to, so that the token is known.
    let plant = Plant::start(&[]);
    let tap = Tap::start(&plant.address()).await;
    let keychain = Keychain::start();
    let takt = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    let mut site = vec!["site", "add", "works", "--base-url", &tap.address, "--auth-url", plant.member("auth_url")];
    site.extend(["--client-id", plant.member("client_id"), "--kind", "test", "--client-secret-stdin"]);
    plant.redirect_addresses().for_each(|address| site.extend(["--redirect-uri", address]));
    assert_eq!(takt.run_with(&site, &format!("{}\n", plant.member("client_secret"))).code, Some(0));
    let signed_in = takt.sign_in("works", Person::Planner).await;
    assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);

    let app = TestApp::open_at(Engine::Chromium, takt, keychain.address()).await;
    app.ask("site_choose", json!({ "name": "works" })).await;
    open_page(&app).await;
    shot(&app, "first").await;

    fill(&app, "operation.graphql", ORDERS).await;
    fill(&app, "variables.json", "{ \"limit\": 40 }").await;
    // By the keys, as who types does.
    app.window.send_keys("[data-testid=\"graphql-query\"] textarea", &format!("{}{}", Key::Control, Key::Enter)).await;
    let code =
        "const model = globalThis.__MONACO.editor.getModels().find((one) => one.uri.path.endsWith('response.json'));
        return model.getValue().includes('operationCode') ? model.getValue() : null";
    let answer = app.window.until("an answer", SOON, code).await;
    let answer: Value = serde_json::from_str(answer.as_str().unwrap()).unwrap();
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
    let token = tap.token();
    assert!(token.len() > 20);
    assert!(!page_holds(&app, &token).await, "the token is in the web view");
    assert!(page_holds(&app, "workOrders").await, "the search finds what is there");

    app.click("graphql-save").await;
    app.replaces("graphql-name", "Forty orders").await;
    app.click("graphql-save-name").await;
    app.gone("graphql-save-name").await;
    // What is open is saved a while after it was changed.
    let patience = std::time::Instant::now() + SOON;
    while !app.ask("graphql_state", json!({})).await["editor"].to_string().contains("requestedQuantity") {
        assert!(std::time::Instant::now() < patience, "the open query isn't saved");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let takt = app.kill();

    let app = TestApp::open_at(Engine::Chromium, takt, keychain.address()).await;
    open_graphql(&app).await;
    ready(&app).await;
    let again = "const model = globalThis.__MONACO.editor.getModels().find((one) => one.uri.path.endsWith('operation.graphql'));
        return model?.getValue().includes('requestedQuantity')";
    app.window.until("the query that was open", SOON, again).await;
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
    fill(&app, "operation.graphql", "mutation { deleteAll }").await;
    app.click("graphql-run").await;
    let problem = "return document.querySelector('[data-testid=\"problem\"]')?.textContent ?? null";
    let said = app.window.until("why not", SOON, problem).await;
    assert!(said.as_str().unwrap().contains("mutation"), "{said}");
    fill(&app, "operation.graphql", "{ workOrders { nope } }").await;
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
        // As the settings do, without leaving the page.
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
        // Monaco's own inner elements are another project's.
        let ours = found
            .iter()
            .filter(|one| one.targets.iter().any(|at| !at.contains("monaco") && !at.contains("graphiql-editor")));
        let ours: Vec<_> = ours.collect();
        assert!(ours.is_empty(), "{look}: {ours:#?}");
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
    let code =
        "return document.querySelector('[data-testid=\"graphql-main\"][data-ready=\"true\"] .view-lines') !== null";
    app.window.until("the editor", SOON, code).await;
}

/// Puts text into one of the editors, as pasting does.
async fn fill(app: &TestApp, model: &str, text: &str) {
    let code =
        "const model = globalThis.__MONACO.editor.getModels().find((one) => one.uri.path.endsWith(arguments[0]));
        model.setValue(arguments[1])";
    app.window.script(code, vec![json!(model), json!(text)]).await;
    // The editor tells its page after a tenth of a second what stands there.
    app.window.rest().await;
}

/// The table says the same as the JSON, and can be taken along.
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

/// Whether a text is anywhere in the page: what is drawn, what the browser keeps, what the editor and scripts hold.
async fn page_holds(app: &TestApp, text: &str) -> bool {
    let code = "const seen = [document.documentElement.outerHTML, document.cookie];
        for (const storage of [localStorage, sessionStorage]) for (const name of Object.keys(storage)) seen.push(name, storage.getItem(name));
        for (const model of globalThis.__MONACO?.editor.getModels() ?? []) seen.push(model.getValue());
        for (const name of Object.keys(globalThis)) { try { seen.push(JSON.stringify(globalThis[name]) ?? '') } catch {} }
        return seen.some((one) => one.includes(arguments[0]))";
    app.window.script(code, vec![json!(text)]).await == true
}

async fn shot(app: &TestApp, name: &str) {
    app.window.screenshot(&results("window").join(format!("graphql-{name}.png"))).await;
}

/// Opens the editor, from the rail.
pub(crate) async fn open_graphql(app: &TestApp) {
    app.click("nav-integrations").await;
    app.press("[data-testid=\"integration-tabs\"] input[value=\"graphql\"] + label").await;
}
