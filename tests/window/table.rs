//! A list as a table: order, filters, search, columns, views, selected rows, a row's detail, and a note with hostile
//! markup.

use fantoccini::key::Key;
use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::{contract::pick_option, fix::press_keys, fix_all::open_text};

const ORDERS: &str = "work-orders.details";

#[tokio::test]
async fn a_table_is_arranged_as_a_planner_wants_it() {
    let app = open_list(Engine::Chromium, ORDERS).await;
    let held = app.control("state/work-orders").await["data"].take();
    let held = held.as_array().unwrap();
    let all = held.len();
    wait_for_count(&app, &format!("{all} rows")).await;

    open_column_menu(&app, "code", "sort-down").await;
    let last = held.iter().map(|row| row["code"].as_str().unwrap()).max().unwrap();
    wait_for_cell(&app, 0, "code", last).await;
    app.click("column-operationCode").await;
    app.type_text("filter-text", "020").await;
    app.click("filter-apply").await;
    let second = |row: &&Value| row["operationCode"] == "020";
    let count = held.iter().filter(second).count();
    wait_for_count(&app, &format!("{count} of {all} rows shown")).await;
    let material = held.iter().find(second).unwrap()["materialCode"].as_str().unwrap();
    app.type_text("table-find", material).await;
    let found = held.iter().filter(second).filter(|row| row["materialCode"] == material).count();
    wait_for_count(&app, &format!("{found} of {all} rows shown")).await;
    save_screenshot(&app, "table-arranged").await;

    app.click("columns").await;
    app.click("show-materialCode").await;
    app.click_css("[data-testid=\"spans\"] label:has(input[value=\"clock\"]), [data-testid=\"spans\"] input[value=\"clock\"] + label").await;
    app.wait_for_element("columns-list").await;
    save_screenshot(&app, "table-columns").await;
    press_keys(&app, &[], &Key::Escape.to_string()).await;
    let shown = column_paths(&app).await;
    assert!(!shown.contains(&"materialCode".to_owned()), "{shown:?}");
    app.click("views").await;
    app.type_text("view-name", "Second step").await;
    app.click("view-save").await;
    app.wait_for_element("view-Second step").await;
    save_screenshot(&app, "table-views").await;
    app.click("view-delivered").await;
    app.replace_text("table-find", &Key::Delete.to_string()).await;
    wait_for_count(&app, &format!("{all} rows")).await;
    wait_for_cell(&app, 0, "code", held[0]["code"].as_str().unwrap()).await;

    app.click("views").await;
    app.click("view-Second step").await;
    wait_for_count(&app, &format!("{count} of {all} rows shown")).await;
    wait_for_cell(&app, 0, "operationCode", "020").await;
    assert!(!column_paths(&app).await.contains(&"materialCode".to_owned()));

    // The list and its arrangement must be restored when the page is opened again.
    app.click("nav-import").await;
    app.click("nav-browse").await;
    app.wait_for_element("chip-operationCode").await;
    wait_for_cell(&app, 0, "operationCode", "020").await;
    assert!(!column_paths(&app).await.contains(&"materialCode".to_owned()));
    assert_eq!(violations(&app).await, [""; 0]);
    app.window.close().await;
}

/// Denies the page access to the clipboard, like in a background window.
const REFUSED: &str = "const refuse = () => Promise.reject(new DOMException('refused', 'NotAllowedError'));
    Object.defineProperty(navigator, 'clipboard', { value: { write: refuse, writeText: refuse }, configurable: true });";

/// Waits for the message about copying, and closes it.
async fn close_copy_message(app: &TestApp) {
    app.window.wait_until("copied", CHANGE_TIMEOUT, "return document.body.innerText.includes('2 rows copied')").await;
    app.window
        .script(
            "document.querySelectorAll('.mantine-Notification-closeButton').forEach((one) => one.click())",
            Vec::new(),
        )
        .await;
    app.window.wait_until("read", CHANGE_TIMEOUT, "return !document.body.innerText.includes('2 rows copied')").await;
}

/// Pastes the clipboard into the search, and checks that the text contains these codes and the header row.
async fn paste_into_search(app: &TestApp, codes: &[String]) {
    app.click("table-find").await;
    app.type_text("table-find", &(Key::Control + "v")).await;
    let pasted = app
        .window
        .wait_until(
            "what was pasted",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"table-find\"]').value",
        )
        .await;
    let pasted = pasted.as_str().unwrap();
    assert!(codes.iter().all(|code| pasted.contains(code.as_str())) && pasted.contains("Description"), "{pasted}");
    // The search deselects rows that it hides.
    app.wait_until_gone("table-ticked").await;
    app.replace_text("table-find", &Key::Delete.to_string()).await;
    rows(app).await;
}

#[tokio::test]
async fn ticked_rows_are_counted_and_copied() {
    // The fallback is the system's clipboard, which needs a display.
    let app = open_list(Engine::WebView, "materials.list").await;
    let tick = |row: u32| format!("[data-testid=\"grid-browse\"] [row-index=\"{row}\"] .ag-selection-checkbox");
    app.click_css(&tick(0)).await;
    assert_eq!(app.wait_for_number("table-ticked").await, 1);
    app.click_css(&tick(2)).await;
    let two = "return document.querySelector('[data-testid=\"table-ticked\"]').textContent.startsWith('2 ')";
    app.window.wait_until("two ticked rows", CHANGE_TIMEOUT, two).await;
    let codes = [cell_text(&app, 0, "code").await, cell_text(&app, 2, "code").await];
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"1\"] [col-id=\"code\"]").await;
    press_keys(&app, &[Key::Control], "c").await;
    close_copy_message(&app).await;
    paste_into_search(&app, &codes).await;
    // The page is denied access, so the system's clipboard is used.
    app.window.script(REFUSED, Vec::new()).await;
    app.click_css(&tick(0)).await;
    app.click_css(&tick(2)).await;
    app.window.wait_until("two ticked rows once more", CHANGE_TIMEOUT, two).await;
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"1\"] [col-id=\"code\"]").await;
    press_keys(&app, &[Key::Control], "c").await;
    close_copy_message(&app).await;
    paste_into_search(&app, &codes).await;
    app.click_css(&tick(0)).await;
    let all = app.control("state/materials").await["data"].as_array().unwrap().len();
    app.click("tick-all").await;
    let everyone = format!(
        "return document.querySelector('[data-testid=\"table-ticked\"]').textContent.replace(/[^0-9]/g, '') === '{all}'"
    );
    app.window.wait_until("every row ticked", CHANGE_TIMEOUT, &everyone).await;
    app.click("tick-none").await;
    app.wait_until_gone("table-ticked").await;
    // The selection extends from the first row to the last, including rows that were never drawn.
    app.click_css(&tick(0)).await;
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"code\"]").await;
    press_keys(&app, &[Key::Control], &Key::End.to_string()).await;
    let last = tick(u32::try_from(all - 1).unwrap());
    app.window
        .wait_until("the last row", CHANGE_TIMEOUT, &format!("return document.querySelector('{last}') !== null"))
        .await;
    let shift = "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))";
    app.window.script(shift, vec![json!(last)]).await;
    app.window.wait_until("every row between", CHANGE_TIMEOUT, &everyone).await;
    press_keys(&app, &[Key::Control], &Key::Home.to_string()).await;
    let drawn = format!("return document.querySelector('{}')?.checked === true", tick(5));
    app.window.wait_until("a row between, ticked", CHANGE_TIMEOUT, &drawn).await;
    app.window.close().await;
}

#[tokio::test]
async fn a_column_is_filtered_by_what_it_holds() {
    let app = open_list(Engine::Chromium, "materials.list").await;
    let held = app.control("state/materials").await["data"].take();
    let held = held.as_array().unwrap();
    let all = held.len();
    app.click("column-isActive").await;
    app.click("filter-apply").await;
    let active = |row: &&Value| row["isActive"] == true;
    let count = held.iter().filter(active).count();
    wait_for_count(&app, &count_text(count, all)).await;
    app.click("column-family").await;
    app.click("filter-mode").await;
    pick_option(&app, "is one of").await;
    let value = "[data-testid=\"column-menu\"] [role=\"group\"] label";
    let first = format!("return document.querySelector('{value}')?.textContent");
    let first = app.window.wait_until("values", CHANGE_TIMEOUT, &first).await;
    let family = first.as_str().unwrap().trim_end_matches(|letter: char| letter.is_ascii_digit()).trim();
    app.click_css(value).await;
    save_screenshot(&app, "table-values").await;
    assert_eq!(violations(&app).await, [""; 0]);
    app.click("filter-apply").await;
    let both = held.iter().filter(active).filter(|row| row["family"] == family).count();
    assert!(both > 0, "{first}");
    wait_for_count(&app, &count_text(both, all)).await;
    // A column is moved and its menu is opened, by keyboard only.
    let head = "document.querySelector('[data-testid=\"grid-browse\"] .ag-header-cell[col-id=\"uoM\"]').focus()";
    app.window.script(head, Vec::new()).await;
    press_keys(&app, &[Key::Shift], &Key::Right.to_string()).await;
    let moved = "const left = (name) => document.querySelector(`[data-testid=\"grid-browse\"] .ag-header-cell[col-id=\"${name}\"]`).getBoundingClientRect().left;
        return left('family') < left('uoM')";
    app.window.wait_until("the column that was moved", CHANGE_TIMEOUT, moved).await;
    press_keys(&app, &[Key::Alt], &Key::Down.to_string()).await;
    app.wait_for_element("column-menu").await;
    press_keys(&app, &[], &Key::Escape.to_string()).await;
    app.wait_until_gone("column-menu").await;
    app.click("browse-export").await;
    app.wait_for_element("export-json").await;
    save_screenshot(&app, "table-export").await;
    app.window.close().await;
}

fn count_text(count: usize, all: usize) -> String {
    if count == all { format!("{all} rows") } else { format!("{count} of {all} rows shown") }
}

/// Markup that tries to run scripts, load, send data, cover the window, or navigate.
const HOSTILE: [&str; 9] = [
    "<img src=x onerror=\"window.harm='img'\">",
    "<script>window.harm='script'</script>",
    "<svg onload=\"window.harm='svg'\"><a xlink:href=\"javascript:window.harm='link'\"><text>t</text></a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=\"window.harm='mutation'\"></style></mglyph></table></mtext></math>",
    "<style>* { display: none !important }</style>",
    "<iframe src=\"http://127.0.0.1:9/\" srcdoc=\"<script>parent.harm='frame'</script>\"></iframe>",
    "<form action=\"http://127.0.0.1:9/\"><input name=a autofocus onfocus=\"window.harm='focus'\"><button>Go</button></form>",
    "<a href=\"javascript:window.harm='href'\" id=\"root\" style=\"position:fixed;inset:0\">Click here</a>",
    "<meta http-equiv=refresh content=\"0;url=http://127.0.0.1:9/\"><base href=\"http://127.0.0.1:9/\"><link rel=stylesheet href=\"http://127.0.0.1:9/x.css\">",
];

#[tokio::test]
async fn a_note_that_means_harm_does_none() {
    let app = TestApp::open(Engine::Chromium).await;
    let orders = app.control("state/work-orders").await["data"].take();
    let note = format!("<p>Please <b>hurry</b></p>{}<ul><li>first</li></ul>", HOSTILE.concat());
    let order = orders.as_array().unwrap().iter().find(|row| row["beginReal"].is_null()).unwrap();
    let [code, step, material] = ["code", "operationCode", "materialCode"].map(|name| order[name].as_str().unwrap());
    let quoted = note.replace('"', "\"\"");
    open_text(
        &app,
        &format!(
            "code;operationCode;materialCode;requestedQuantity;note\n{code};{step};{material};{};\"{quoted}\"",
            order["requestedQuantity"]
        ),
    )
    .await;
    app.click("step-send").await;
    app.sign_in().await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    assert_eq!(app.wait_for_number("result-accepted").await, 1);
    let now = app.control("state/work-orders").await["data"].take();
    let held = now.as_array().unwrap().iter().find(|row| row["code"] == code && row["operationCode"] == step).unwrap();
    assert_eq!(held["note"], note.as_str(), "the note stands there as it was sent");

    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    rows(&app).await;
    app.click("browse-all").await;
    app.type_text("table-find", "hurry").await;
    let only = "return document.querySelector('[data-testid=\"table-count\"]')?.textContent.startsWith('1 of ')";
    app.window.wait_until("the one row", CHANGE_TIMEOUT, only).await;
    wait_for_cell(&app, 0, "operationCode", step).await;
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    app.wait_for_element("markup").await;
    let drawn = "const drawn = document.querySelector('[data-testid=\"markup\"]');
        const all = [...drawn.querySelectorAll('*')];
        return { bold: drawn.querySelector('b')?.textContent, first: drawn.querySelector('li')?.textContent,
            tags: [...new Set(all.map((one) => one.localName))].sort(), attributes: all.flatMap((one) => [...one.attributes].map(({ name }) => name)),
            harm: window.harm ?? null, shown: getComputedStyle(drawn).display, base: document.baseURI === location.href }";
    let drawn = app.window.script(drawn, Vec::new()).await;
    assert_eq!((&drawn["bold"], &drawn["first"]), (&json!("hurry"), &json!("first")), "{drawn}");
    assert_eq!((&drawn["attributes"], &drawn["harm"]), (&json!([]), &Value::Null), "{drawn}");
    assert_eq!((&drawn["shown"], &drawn["base"]), (&json!("block"), &json!(true)), "{drawn}");
    let tags: Vec<&str> = drawn["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap()).collect();
    let harmless = ["a", "b", "li", "p", "table", "ul"];
    assert!(tags.iter().all(|tag| harmless.contains(tag)), "{tags:?}");
    let link = "document.querySelector('[data-testid=\"markup\"] a').click(); return location.href";
    let before = app.window.script("return location.href", Vec::new()).await;
    assert_eq!(app.window.script(link, Vec::new()).await, before, "a link isn't followed");
    let there = "document.querySelector('[data-testid=\"markup\"]').scrollIntoView({ block: 'center' })";
    app.window.script(there, Vec::new()).await;
    save_screenshot(&app, "table-hostile").await;
    assert_eq!(violations(&app).await, [""; 0]);

    app.click("markup-switch").await;
    let raw = app
        .window
        .wait_until(
            "the text itself",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"markup-raw\"]')?.textContent",
        )
        .await;
    assert_eq!(raw, note.as_str());
    app.click_css("[data-testid=\"detail-form\"] label:has(+ input[value=\"json\"]), [data-testid=\"detail-form\"] input[value=\"json\"] + label").await;
    let json = app
        .window
        .wait_until(
            "the row as JSON",
            CHANGE_TIMEOUT,
            "return document.querySelector('[data-testid=\"detail-json\"]')?.textContent",
        )
        .await;
    let row: Value = serde_json::from_str(json.as_str().unwrap()).unwrap();
    assert_eq!((&row["note"], &row["code"]), (&json!(note), &json!(code)));
    app.window.wait_until_still().await;
    assert_eq!(app.window.script("return window.harm ?? null", Vec::new()).await, Value::Null);
    app.window.close().await;
}

#[tokio::test]
async fn a_detail_leads_to_what_its_codes_name() {
    let app = open_list(Engine::Chromium, "work-orders.list").await;
    let held = app.control("state/work-orders").await["data"].take();
    let properties = |row: &Value| row["properties"].as_array().cloned().unwrap_or_default();
    let locked = |row: &Value| properties(row).iter().filter(|property| property["isLocked"] == true).count();
    let guarded = held.as_array().unwrap().iter().find(|row| locked(row) > 0).unwrap();
    app.type_text("table-find", guarded["code"].as_str().unwrap()).await;
    // The row may also be the first one before the search. A click on a row that is replaced at that moment is lost.
    let searched = "return document.querySelector('[data-testid=\"table-count\"]')?.textContent.includes(' of ')";
    app.window.wait_until("the search to end", CHANGE_TIMEOUT, searched).await;
    wait_for_cell(&app, 0, "code", guarded["code"].as_str().unwrap()).await;
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    let marks = "return document.querySelectorAll('[data-testid=\"property-locked\"]').length";
    app.window.wait_until("a lock", CHANGE_TIMEOUT, &format!("{marks} > 0")).await;
    assert_eq!(app.window.script(marks, Vec::new()).await, json!(locked(guarded)));
    let within = "return [...document.querySelectorAll('[data-testid=\"detail\"] [data-part=\"/rawMaterials\"] [data-testid=\"code-link\"]')]
        .map((link) => link.textContent)";
    let parts = guarded["rawMaterials"].as_array().unwrap().iter().map(|part| part["code"].clone());
    let parts: Vec<Value> = parts.collect();
    assert_eq!(app.window.script(within, Vec::new()).await, json!(parts), "each leads to its material");
    if !parts.is_empty() {
        app.click_css("[data-testid=\"detail\"] [data-part=\"/rawMaterials\"] [data-testid=\"code-link\"]").await;
        let found = format!("return {} === '{}'", cell_selector(0, "code"), parts[0].as_str().unwrap());
        app.window.wait_until("the material", CHANGE_TIMEOUT, &found).await;
        app.click("browse-work-orders.list").await;
        rows(&app).await;
    }
    app.replace_text("table-find", &Key::Delete.to_string()).await;
    wait_for_cell(&app, 0, "code", held[0]["code"].as_str().unwrap()).await;
    let code = cell_text(&app, 0, "code").await;
    for (look, size) in [("light", (1440, 900)), ("dark", (1440, 900)), ("dark", (1024, 700))] {
        app.window.resize(size.0, size.1).await;
        app.click("nav-settings").await;
        app.wait_for_element("look").await;
        let choose = "document.querySelector(`[data-testid=\"look\"] input[value=\"${arguments[0]}\"]`).click()";
        app.window.script(choose, vec![json!(look)]).await;
        app.click("nav-browse").await;
        rows(&app).await;
        app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
        let links = "return document.querySelector('[data-testid=\"detail\"] [data-testid=\"code-link\"]') !== null";
        app.window.wait_until("links", CHANGE_TIMEOUT, links).await;
        save_screenshot(&app, &format!("table-detail-{look}-{}", size.0)).await;
        assert_eq!(violations(&app).await, [""; 0], "{look}");
    }
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"code\"] button").await;
    let there = format!("return document.querySelector('h1')?.textContent.includes('{code}')");
    app.window.wait_until("the order's page", CHANGE_TIMEOUT, &there).await;
    app.window.close().await;
}

/// Opens a list, and reads all its pages.
async fn open_list(engine: Engine, operation: &str) -> TestApp {
    let app = TestApp::open(engine).await;
    app.click("nav-browse").await;
    app.click(&format!("browse-{operation}")).await;
    app.sign_in().await;
    rows(&app).await;
    app.click("browse-all").await;
    // Waits for the last page, since reading further rows ends the selection.
    app.wait_for_element("browse-pages").await;
    let read = "return /^[0-9,]+ rows?$/.test(document.querySelector('[data-testid=\"table-count\"]')?.textContent)";
    app.window.wait_until("all rows", CHANGE_TIMEOUT, read).await;
    app
}

async fn rows(app: &TestApp) {
    let there = "return document.querySelector('[data-testid=\"grid-browse\"] .ag-row[row-index=\"0\"] [col-id=\"code\"]')?.textContent";
    app.window.wait_until("rows", CHANGE_TIMEOUT, there).await;
}

async fn open_column_menu(app: &TestApp, column: &str, button: &str) {
    app.click(&format!("column-{column}")).await;
    app.click(button).await;
    app.wait_until_gone("column-menu").await;
}

fn cell_selector(row: u32, column: &str) -> String {
    format!(
        "document.querySelector('[data-testid=\"grid-browse\"] .ag-row[row-index=\"{row}\"] [col-id=\"{column}\"]')?.textContent"
    )
}

async fn wait_for_cell(app: &TestApp, row: u32, column: &str, text: &str) {
    app.window
        .wait_until(
            &format!("{text} in {column}"),
            CHANGE_TIMEOUT,
            &format!("return {} === '{text}'", cell_selector(row, column)),
        )
        .await;
}

async fn cell_text(app: &TestApp, row: u32, column: &str) -> String {
    let code = format!("return {}", cell_selector(row, column));
    app.window.wait_until(column, CHANGE_TIMEOUT, &code).await.as_str().unwrap().to_owned()
}

async fn wait_for_count(app: &TestApp, text: &str) {
    let code = format!("return document.querySelector('[data-testid=\"table-count\"]')?.textContent === '{text}'");
    app.window.wait_until(text, CHANGE_TIMEOUT, &code).await;
}

/// Returns the paths of the columns that are drawn.
async fn column_paths(app: &TestApp) -> Vec<String> {
    let code = "return [...document.querySelectorAll('[data-testid=\"grid-browse\"] .ag-header-cell[col-id]')]
        .map((head) => head.getAttribute('col-id'))";
    let found = app.window.script(code, Vec::new()).await;
    found.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

async fn save_screenshot(app: &TestApp, name: &str) {
    app.window.screenshot(&results_folder("window").join(format!("{name}.png"))).await;
}

async fn violations(app: &TestApp) -> Vec<String> {
    let found = app.window.find_violations().await;
    found.iter().map(|violation| format!("{} {} at {:?}", violation.rule, violation.help, violation.targets)).collect()
}
