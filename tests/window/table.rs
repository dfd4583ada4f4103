//! A list as a table: order, filters, search, columns, views, ticked rows; a row's detail; and a note that means harm.

use fantoccini::{Locator, key::Key};
use serde_json::{Value, json};
use takt_tests::results;

use crate::{
    desk::{Desk, SOON},
    mend::press,
    mend_all::open,
};

const ORDERS: &str = "work-orders.details";

#[tokio::test]
async fn a_table_is_arranged_as_a_planner_wants_it() {
    let desk = whole(ORDERS).await;
    let held = desk.control("state/work-orders").await["data"].take();
    let held = held.as_array().unwrap();
    let all = held.len();
    counted(&desk, &format!("{all} rows")).await;

    menu(&desk, "code", "sort-down").await;
    let last = held.iter().map(|row| row["code"].as_str().unwrap()).max().unwrap();
    cell_says(&desk, 0, "code", last).await;
    desk.click("column-operationCode").await;
    desk.types("filter-text", "020").await;
    desk.click("filter-apply").await;
    let second = |row: &&Value| row["operationCode"] == "020";
    let count = held.iter().filter(second).count();
    counted(&desk, &format!("{count} of {all} rows shown")).await;
    let material = held.iter().find(second).unwrap()["materialCode"].as_str().unwrap();
    desk.types("table-find", material).await;
    let found = held.iter().filter(second).filter(|row| row["materialCode"] == material).count();
    counted(&desk, &format!("{found} of {all} rows shown")).await;
    picture(&desk, "table-arranged").await;

    desk.click("columns").await;
    desk.click("show-materialCode").await;
    desk.press("[data-testid=\"spans\"] label:has(input[value=\"clock\"]), [data-testid=\"spans\"] input[value=\"clock\"] + label").await;
    desk.sees("columns-list").await;
    picture(&desk, "table-columns").await;
    press(&desk, &[], &Key::Escape.to_string()).await;
    let shown = heads(&desk).await;
    assert!(!shown.contains(&"materialCode".to_owned()), "{shown:?}");
    desk.click("views").await;
    desk.types("view-name", "Second step").await;
    desk.click("view-save").await;
    desk.sees("view-Second step").await;
    picture(&desk, "table-views").await;
    desk.click("view-delivered").await;
    desk.window.clear("[data-testid=\"table-find\"]").await;
    desk.types("table-find", &Key::Delete.to_string()).await;
    counted(&desk, &format!("{all} rows")).await;
    cell_says(&desk, 0, "code", held[0]["code"].as_str().unwrap()).await;

    desk.click("views").await;
    desk.click("view-Second step").await;
    counted(&desk, &format!("{count} of {all} rows shown")).await;
    cell_says(&desk, 0, "operationCode", "020").await;
    assert!(!heads(&desk).await.contains(&"materialCode".to_owned()));

    // Whoever comes back finds the list, and the table as it was left.
    desk.click("nav-import").await;
    desk.click("nav-browse").await;
    desk.sees("chip-operationCode").await;
    cell_says(&desk, 0, "operationCode", "020").await;
    assert!(!heads(&desk).await.contains(&"materialCode".to_owned()));
    assert_eq!(axe(&desk).await, [""; 0]);
    desk.window.close().await;
}

/// A page to which the clipboard is refused, as to one whose window isn't in front.
const REFUSED: &str = "const refuse = () => Promise.reject(new DOMException('refused', 'NotAllowedError'));
    Object.defineProperty(navigator, 'clipboard', { value: { write: refuse, writeText: refuse }, configurable: true });";

/// Says that it copied, and the sentence is gone again.
async fn copied(desk: &Desk) {
    desk.window.until("copied", SOON, "return document.body.innerText.includes('2 rows copied')").await;
    desk.window
        .script(
            "document.querySelectorAll('.mantine-Notification-closeButton').forEach((one) => one.click())",
            Vec::new(),
        )
        .await;
    desk.window.until("read", SOON, "return !document.body.innerText.includes('2 rows copied')").await;
}

/// What is in the clipboard, put into the search, holds these codes and the headings.
async fn paste(desk: &Desk, codes: &[String]) {
    let find = desk.window.client.find(Locator::Css("[data-testid=\"table-find\"]")).await.unwrap();
    find.click().await.unwrap();
    find.send_keys(&(Key::Control + "v")).await.unwrap();
    let pasted = desk
        .window
        .until("what was pasted", SOON, "return document.querySelector('[data-testid=\"table-find\"]').value")
        .await;
    let pasted = pasted.as_str().unwrap();
    assert!(codes.iter().all(|code| pasted.contains(code.as_str())) && pasted.contains("Description"), "{pasted}");
    desk.window.clear("[data-testid=\"table-find\"]").await;
    desk.types("table-find", &Key::Delete.to_string()).await;
}

#[tokio::test]
async fn ticked_rows_are_counted_and_copied() {
    let desk = whole("materials.list").await;
    let tick = |row: u32| format!("[data-testid=\"grid-browse\"] [row-index=\"{row}\"] .ag-selection-checkbox input");
    desk.press(&tick(0)).await;
    assert_eq!(desk.number("table-ticked").await, 1);
    desk.press(&tick(2)).await;
    let two = "return document.querySelector('[data-testid=\"table-ticked\"]').textContent.startsWith('2 ')";
    desk.window.until("two ticked rows", SOON, two).await;
    let codes = [text_at(&desk, 0, "code").await, text_at(&desk, 2, "code").await];
    desk.press("[data-testid=\"grid-browse\"] [row-index=\"1\"] [col-id=\"code\"]").await;
    press(&desk, &[Key::Control], "c").await;
    copied(&desk).await;
    paste(&desk, &codes).await;
    // Where the page may not write, the system is asked.
    desk.window.script(REFUSED, Vec::new()).await;
    desk.press("[data-testid=\"grid-browse\"] [row-index=\"1\"] [col-id=\"code\"]").await;
    press(&desk, &[Key::Control], "c").await;
    copied(&desk).await;
    paste(&desk, &codes).await;
    desk.press(&tick(0)).await;
    let all = desk.control("state/materials").await["data"].as_array().unwrap().len();
    desk.click("tick-all").await;
    let everyone = format!(
        "return document.querySelector('[data-testid=\"table-ticked\"]').textContent.replace(/[^0-9]/g, '') === '{all}'"
    );
    desk.window.until("every row ticked", SOON, &everyone).await;
    desk.click("tick-none").await;
    desk.gone("table-ticked").await;
    // From the first row to the last, over rows that nobody has seen.
    desk.press(&tick(0)).await;
    desk.press("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"code\"]").await;
    press(&desk, &[Key::Control], &Key::End.to_string()).await;
    let last = tick(u32::try_from(all - 1).unwrap());
    desk.window.until("the last row", SOON, &format!("return document.querySelector('{last}') !== null")).await;
    let shift = "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))";
    desk.window.script(shift, vec![json!(last)]).await;
    desk.window.until("every row between", SOON, &everyone).await;
    press(&desk, &[Key::Control], &Key::Home.to_string()).await;
    let drawn = format!("return document.querySelector('{}')?.checked === true", tick(5));
    desk.window.until("a row between, ticked", SOON, &drawn).await;
    desk.window.close().await;
}

#[tokio::test]
async fn a_column_is_filtered_by_what_it_holds() {
    let desk = whole("materials.list").await;
    let held = desk.control("state/materials").await["data"].take();
    let held = held.as_array().unwrap();
    let all = held.len();
    desk.click("column-isActive").await;
    desk.click("filter-apply").await;
    let active = |row: &&Value| row["isActive"] == true;
    let count = held.iter().filter(active).count();
    counted(&desk, &shown_of(count, all)).await;
    desk.click("column-family").await;
    desk.click("filter-mode").await;
    let option = "[...document.querySelectorAll('[role=\"option\"]')].find((one) => one.textContent === 'is one of')";
    desk.window.until("how to filter", SOON, &format!("return {option} !== undefined")).await;
    desk.window.script(&format!("{option}.click()"), Vec::new()).await;
    let value = "[data-testid=\"column-menu\"] [role=\"group\"] label";
    let first = format!("return document.querySelector('{value}')?.textContent");
    let first = desk.window.until("values", SOON, &first).await;
    let family = first.as_str().unwrap().trim_end_matches(|letter: char| letter.is_ascii_digit()).trim();
    desk.press(value).await;
    picture(&desk, "table-values").await;
    assert_eq!(axe(&desk).await, [""; 0]);
    desk.click("filter-apply").await;
    let both = held.iter().filter(active).filter(|row| row["family"] == family).count();
    assert!(both > 0, "{first}");
    counted(&desk, &shown_of(both, all)).await;
    // By keyboard: a column is moved, and its menu opened.
    let head = "document.querySelector('[data-testid=\"grid-browse\"] .ag-header-cell[col-id=\"uoM\"]').focus()";
    desk.window.script(head, Vec::new()).await;
    press(&desk, &[Key::Shift], &Key::Right.to_string()).await;
    let moved = "const left = (name) => document.querySelector(`[data-testid=\"grid-browse\"] .ag-header-cell[col-id=\"${name}\"]`).getBoundingClientRect().left;
        return left('family') < left('uoM')";
    desk.window.until("the column that was moved", SOON, moved).await;
    press(&desk, &[Key::Alt], &Key::Down.to_string()).await;
    desk.sees("column-menu").await;
    press(&desk, &[], &Key::Escape.to_string()).await;
    desk.gone("column-menu").await;
    desk.click("browse-export").await;
    desk.sees("export-json").await;
    picture(&desk, "table-export").await;
    desk.window.close().await;
}

fn shown_of(count: usize, all: usize) -> String {
    if count == all { format!("{all} rows") } else { format!("{count} of {all} rows shown") }
}

/// What a note may try: to run, to load, to send, to cover the window, to lead elsewhere.
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
    let desk = Desk::open().await;
    let orders = desk.control("state/work-orders").await["data"].take();
    let note = format!("<p>Please <b>hurry</b></p>{}<ul><li>first</li></ul>", HOSTILE.concat());
    let order = orders.as_array().unwrap().iter().find(|row| row["beginReal"].is_null()).unwrap();
    let [code, step, material] = ["code", "operationCode", "materialCode"].map(|name| order[name].as_str().unwrap());
    let quoted = note.replace('"', "\"\"");
    open(
        &desk,
        &format!(
            "code;operationCode;materialCode;requestedQuantity;note\n{code};{step};{material};{};\"{quoted}\"",
            order["requestedQuantity"]
        ),
    )
    .await;
    desk.click("step-send").await;
    desk.sign_in().await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    assert_eq!(desk.number("fate-accepted").await, 1);
    let now = desk.control("state/work-orders").await["data"].take();
    let held = now.as_array().unwrap().iter().find(|row| row["code"] == code && row["operationCode"] == step).unwrap();
    assert_eq!(held["note"], note.as_str(), "the note stands there as it was sent");

    desk.click("nav-browse").await;
    desk.click("browse-work-orders.list").await;
    rows(&desk).await;
    desk.click("browse-all").await;
    desk.types("table-find", "hurry").await;
    let only = "return document.querySelector('[data-testid=\"table-count\"]')?.textContent.startsWith('1 of ')";
    desk.window.until("the one row", SOON, only).await;
    cell_says(&desk, 0, "operationCode", step).await;
    desk.press("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    desk.sees("markup").await;
    let drawn = "const drawn = document.querySelector('[data-testid=\"markup\"]');
        const all = [...drawn.querySelectorAll('*')];
        return { bold: drawn.querySelector('b')?.textContent, first: drawn.querySelector('li')?.textContent,
            tags: [...new Set(all.map((one) => one.localName))].sort(), attributes: all.flatMap((one) => [...one.attributes].map(({ name }) => name)),
            harm: window.harm ?? null, shown: getComputedStyle(drawn).display, base: document.baseURI === location.href }";
    let drawn = desk.window.script(drawn, Vec::new()).await;
    assert_eq!((&drawn["bold"], &drawn["first"]), (&json!("hurry"), &json!("first")), "{drawn}");
    assert_eq!((&drawn["attributes"], &drawn["harm"]), (&json!([]), &Value::Null), "{drawn}");
    assert_eq!((&drawn["shown"], &drawn["base"]), (&json!("block"), &json!(true)), "{drawn}");
    let tags: Vec<&str> = drawn["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap()).collect();
    let harmless = ["a", "b", "li", "p", "table", "ul"];
    assert!(tags.iter().all(|tag| harmless.contains(tag)), "{tags:?}");
    let link = "document.querySelector('[data-testid=\"markup\"] a').click(); return location.href";
    let before = desk.window.script("return location.href", Vec::new()).await;
    assert_eq!(desk.window.script(link, Vec::new()).await, before, "a link isn't followed");
    let there = "document.querySelector('[data-testid=\"markup\"]').scrollIntoView({ block: 'center' })";
    desk.window.script(there, Vec::new()).await;
    picture(&desk, "table-hostile").await;
    assert_eq!(axe(&desk).await, [""; 0]);

    desk.click("markup-switch").await;
    let raw = desk
        .window
        .until("the text itself", SOON, "return document.querySelector('[data-testid=\"markup-raw\"]')?.textContent")
        .await;
    assert_eq!(raw, note.as_str());
    desk.press("[data-testid=\"detail-form\"] label:has(+ input[value=\"json\"]), [data-testid=\"detail-form\"] input[value=\"json\"] + label").await;
    let json = desk
        .window
        .until("the row as JSON", SOON, "return document.querySelector('[data-testid=\"detail-json\"]')?.textContent")
        .await;
    let row: Value = serde_json::from_str(json.as_str().unwrap()).unwrap();
    assert_eq!((&row["note"], &row["code"]), (&json!(note), &json!(code)));
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!(desk.window.script("return window.harm ?? null", Vec::new()).await, Value::Null);
    desk.window.close().await;
}

#[tokio::test]
async fn a_detail_leads_to_what_its_codes_name() {
    let desk = whole("work-orders.list").await;
    let held = desk.control("state/work-orders").await["data"].take();
    let properties = |row: &Value| row["properties"].as_array().cloned().unwrap_or_default();
    let locked = |row: &Value| properties(row).iter().filter(|property| property["isLocked"] == true).count();
    let guarded = held.as_array().unwrap().iter().find(|row| locked(row) > 0).unwrap();
    desk.types("table-find", guarded["code"].as_str().unwrap()).await;
    cell_says(&desk, 0, "code", guarded["code"].as_str().unwrap()).await;
    desk.press("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    let marks = "return document.querySelectorAll('[data-testid=\"property-locked\"]').length";
    desk.window.until("a lock", SOON, &format!("{marks} > 0")).await;
    assert_eq!(desk.window.script(marks, Vec::new()).await, json!(locked(guarded)));
    let within = "return [...document.querySelectorAll('[data-testid=\"detail\"] [data-part=\"/rawMaterials\"] [data-testid=\"code-link\"]')]
        .map((link) => link.textContent)";
    let parts = guarded["rawMaterials"].as_array().unwrap().iter().map(|part| part["code"].clone());
    let parts: Vec<Value> = parts.collect();
    assert_eq!(desk.window.script(within, Vec::new()).await, json!(parts), "each leads to its material");
    if !parts.is_empty() {
        desk.press("[data-testid=\"detail\"] [data-part=\"/rawMaterials\"] [data-testid=\"code-link\"]").await;
        let found = format!("return {} === '{}'", cell(0, "code"), parts[0].as_str().unwrap());
        desk.window.until("the material", SOON, &found).await;
        desk.click("browse-work-orders.list").await;
        rows(&desk).await;
    }
    desk.window.clear("[data-testid=\"table-find\"]").await;
    desk.types("table-find", &Key::Delete.to_string()).await;
    cell_says(&desk, 0, "code", held[0]["code"].as_str().unwrap()).await;
    let code = text_at(&desk, 0, "code").await;
    for (look, size) in [("light", (1440, 900)), ("dark", (1440, 900)), ("dark", (1024, 700))] {
        desk.window.resize(size.0, size.1).await;
        desk.click("nav-settings").await;
        desk.sees("look").await;
        let choose = "document.querySelector(`[data-testid=\"look\"] input[value=\"${arguments[0]}\"]`).click()";
        desk.window.script(choose, vec![json!(look)]).await;
        desk.click("nav-browse").await;
        rows(&desk).await;
        desk.press("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
        let links = "return document.querySelector('[data-testid=\"detail\"] [data-testid=\"code-link\"]') !== null";
        desk.window.until("links", SOON, links).await;
        picture(&desk, &format!("table-detail-{look}-{}", size.0)).await;
        assert_eq!(axe(&desk).await, [""; 0], "{look}");
    }
    desk.press("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"code\"] button").await;
    let there = format!("return document.querySelector('h1')?.textContent.includes('{code}')");
    desk.window.until("the order's page", SOON, &there).await;
    desk.window.close().await;
}

/// A list that was read as a whole.
async fn whole(operation: &str) -> Desk {
    let desk = Desk::open().await;
    desk.click("nav-browse").await;
    desk.click(&format!("browse-{operation}")).await;
    desk.sign_in().await;
    rows(&desk).await;
    desk.click("browse-all").await;
    let read = "return /^[0-9,]+ rows?$/.test(document.querySelector('[data-testid=\"table-count\"]')?.textContent)";
    desk.window.until("all rows", SOON, read).await;
    desk
}

async fn rows(desk: &Desk) {
    let there = "return document.querySelector('[data-testid=\"grid-browse\"] .ag-row[row-index=\"0\"] [col-id=\"code\"]')?.textContent";
    desk.window.until("rows", SOON, there).await;
}

async fn menu(desk: &Desk, column: &str, button: &str) {
    desk.click(&format!("column-{column}")).await;
    desk.click(button).await;
    desk.gone("column-menu").await;
}

fn cell(row: u32, column: &str) -> String {
    format!(
        "document.querySelector('[data-testid=\"grid-browse\"] .ag-row[row-index=\"{row}\"] [col-id=\"{column}\"]')?.textContent"
    )
}

async fn cell_says(desk: &Desk, row: u32, column: &str, text: &str) {
    desk.window
        .until(&format!("{text} in {column}"), SOON, &format!("return {} === '{text}'", cell(row, column)))
        .await;
}

async fn text_at(desk: &Desk, row: u32, column: &str) -> String {
    let code = format!("return {}", cell(row, column));
    desk.window.until(column, SOON, &code).await.as_str().unwrap().to_owned()
}

async fn counted(desk: &Desk, text: &str) {
    let code = format!("return document.querySelector('[data-testid=\"table-count\"]')?.textContent === '{text}'");
    desk.window.until(text, SOON, &code).await;
}

/// The columns that stand on screen.
async fn heads(desk: &Desk) -> Vec<String> {
    let code = "return [...document.querySelectorAll('[data-testid=\"grid-browse\"] .ag-header-cell[col-id]')]
        .map((head) => head.getAttribute('col-id'))";
    let found = desk.window.script(code, Vec::new()).await;
    found.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

async fn picture(desk: &Desk, name: &str) {
    // Longer than the 120 ms in which things move.
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    desk.window.screenshot(&results("window").join(format!("{name}.png"))).await;
}

async fn axe(desk: &Desk) -> Vec<String> {
    let found = desk.window.axe().await;
    found.iter().map(|violation| format!("{} {} at {:?}", violation.rule, violation.help, violation.targets)).collect()
}
