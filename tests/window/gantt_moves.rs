//! Bars of the Gantt chart with the mouse. A click opens the row, and a moved bar becomes an import. Results are
//! compared with the plant's data.

use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use jiff::{SignedDuration, civil::DateTime};
use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::fix::press_keys;

const RIGHT_ARROW: char = '\u{e014}';
const ENTER: &str = "\u{e007}";
/// The format in which the window shows date-times.
const DATE_TIME_FORMAT: &str = "%b %-d, %Y %H:%M";
/// The time in minutes to which moved bars snap.
const SNAP_MINUTES: f64 = 5.0;
const MAX_TRIES: usize = 400;
const ORDERS: &str = "work-orders.list";
/// The address of a session bus that doesn't exist, so that no keychain is found.
const NO_KEYCHAIN: &str = "unix:path=/nonexistent";

/// A bar's position and size in the window, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarRect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl BarRect {
    /// Returns the center of the planned part, which is the upper part of a bar.
    pub(crate) fn planned_center(self) -> (f64, f64) {
        ((self.left + self.width / 2.0).round(), (self.top + self.height * 0.35).round())
    }
}

/// The bar of a planned order that hasn't started.
pub(crate) struct Bar {
    pub(crate) order: Value,
    pub(crate) rect: BarRect,
}

impl Bar {
    pub(crate) fn times(&self) -> (DateTime, DateTime) {
        (parse_time(&self.order["beginPlanned"]), parse_time(&self.order["endPlanned"]))
    }
}

#[tokio::test]
async fn a_bar_opens_its_row() {
    let app = TestApp::open(Engine::Chromium).await;
    let bar = select_planned_bar(&app).await;
    let (x, y) = bar.rect.planned_center();
    drag(&app, (x, y), &[]).await;
    wait_for_order(&app, &bar.order).await;
    app.window.screenshot(&results_folder("window").join("pictures-open.png")).await;

    // Another order is opened by keyboard.
    app.window.script("document.querySelector('[data-testid=\"picture-gantt\"]').focus()", vec![]).await;
    let other =
        select_next_bar(&app, &app.control("state/work-orders").await, |order| order["code"] != bar.order["code"])
            .await;
    press_keys(&app, &[], ENTER).await;
    wait_for_order(&app, &other.order).await;
    app.window.close().await;
}

#[tokio::test]
async fn a_moved_bar_becomes_an_import_of_its_new_dates() {
    let app = TestApp::open(Engine::Chromium).await;
    let bar = select_planned_bar(&app).await;
    let (begin, end) = bar.times();
    app.click("picture-move").await;
    let from = bar.rect.planned_center();
    drag(&app, from, &[(30.0, 0.0), (80.0, 0.0)]).await;
    app.wait_for_element("picture-moves").await;
    let first = announced_times(&app).await;
    let minutes = bar_minutes(&bar) / (bar.rect.width - 4.0) * 80.0;
    assert_eq!(first.1.duration_since(first.0), end.duration_since(begin), "it lasts as long as before");
    let by = first.0.duration_since(begin).as_secs_f64() / 60.0;
    assert!((by - minutes).abs() <= SNAP_MINUTES, "moved by {by} instead of {minutes} minutes");
    app.window.screenshot(&results_folder("window").join("pictures-moved.png")).await;

    // Undoing the second move must restore the first one.
    let again = bar_rect(&app).await.unwrap();
    assert!((again.left - bar.rect.left - 80.0).abs() < 8.0, "{again:?} after {:?}", bar.rect);
    drag(&app, again.planned_center(), &[(20.0, 0.0), (60.0, 0.0)]).await;
    let later =
        format!("return {ANNOUNCEMENT}.includes('Moved') && !{ANNOUNCEMENT}.includes('{}')", moment_text(first.0));
    app.window.wait_until("the second move", CHANGE_TIMEOUT, &later).await;
    app.click("picture-undo").await;
    let back = format!("return {ANNOUNCEMENT}.includes('{}')", moment_text(first.0));
    app.window.wait_until("the first move", CHANGE_TIMEOUT, &back).await;
    assert_eq!(announced_times(&app).await, first);
    app.click("picture-undo").await;
    app.wait_until_gone("picture-moves").await;
    let still = bar_rect(&app).await.unwrap();
    assert!((still.left - bar.rect.left).abs() < 1.0, "{still:?} instead of {:?}", bar.rect);

    // The bar is moved again, for continuing with the preview.
    drag(&app, from, &[(30.0, 0.0), (80.0, 0.0)]).await;
    app.wait_for_element("picture-moves").await;
    assert_eq!(announced_times(&app).await, first);

    // The move must remain when the user leaves the page or reloads the rows.
    app.click("nav-import").await;
    app.wait_for_element("import-open").await;
    app.click("nav-browse").await;
    app.wait_for_element("picture-moves").await;
    app.click("browse-all").await;
    app.wait_for_element("browse-pages").await;
    let again = "return document.querySelector('[data-testid=\"picture-preview\"]')?.disabled === false";
    app.window.wait_until("the moved bar among all rows", CHANGE_TIMEOUT, again).await;
    app.window.screenshot(&results_folder("window").join("pictures-kept.png")).await;
    app.click("picture-preview").await;
    app.click("step-check").await;
    app.wait_for_element("grid-check").await;
    assert_eq!(app.wait_for_number("counts-rows").await, 1);
    let mut shown = Vec::new();
    for column in [0, 1, 3, 4] {
        let css = format!("[data-testid=\"grid-check\"] [row-index=\"0\"] [col-id=\"{column}\"]");
        let code = format!("return document.querySelector('{css}')?.textContent.trim() || null");
        shown.push(app.window.wait_until(&css, CHANGE_TIMEOUT, &code).await.as_str().unwrap().replace(' ', "T"));
    }
    app.window.screenshot(&results_folder("window").join("pictures-check.png")).await;
    assert_eq!((json!(shown[0]), json!(shown[1])), (bar.order["code"].clone(), bar.order["operationCode"].clone()));
    for (text, expected) in [(&shown[2], first.0), (&shown[3], first.1)] {
        assert!(expected.to_string().starts_with(&text[..16]), "{text} instead of {expected}");
    }

    // Moving has sent nothing, so the plant's order is unchanged until the import is sent.
    assert_eq!(order_in_plant(&app, &bar.order).await, bar.order);
    app.click("step-preview").await;
    assert_eq!(app.wait_for_number("preview-changed").await, 1);
    // Changes without findings are sent from their preview.
    app.click("send-now").await;
    app.wait_for_submission_end().await;
    let now = order_in_plant(&app, &bar.order).await;
    assert_eq!((parse_time(&now["beginPlanned"]), parse_time(&now["endPlanned"])), first);
    assert_eq!(now["workStationCode"], bar.order["workStationCode"]);
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: pictures"]
async fn moved_bars_are_there_after_takt_was_closed() {
    let app = TestApp::open(Engine::Chromium).await;
    let bar = select_planned_bar(&app).await;
    app.click("picture-move").await;
    drag(&app, bar.rect.planned_center(), &[(30.0, 0.0), (80.0, 0.0)]).await;
    app.wait_for_element("picture-moves").await;
    let (begin, end) = announced_times(&app).await;
    let label = format!("{} · {}", text_field(&bar.order, "code"), text_field(&bar.order, "operationCode"));
    let stored = stored_bars(&app, 1).await;
    assert_eq!(stored[0]["label"], json!(label));
    let takt = app.kill();

    // The practice plant has started again, so the order may have other planned times.
    let app = TestApp::open_at(Engine::Chromium, takt, NO_KEYCHAIN).await;
    app.post_to_plant("clock", json!({ "idle": true })).await;
    select_planned_bar(&app).await;
    app.wait_for_element("picture-moves").await;
    assert_eq!(stored_bars(&app, 1).await, stored);
    let order = order_in_plant(&app, &bar.order).await;
    let has_changed =
        ["beginPlanned", "endPlanned", "workStationCode"].iter().any(|name| order[name] != bar.order[name]);
    let words = moves_text(&app).await;
    assert!(words.starts_with("1 order moved, not sent yet."), "{words}");
    assert_eq!(words.contains("The site has changed"), has_changed, "{words}");
    app.window.screenshot(&results_folder("window").join("pictures-reopened.png")).await;
    assert_eq!(app.window.find_violations().await, []);

    // Adds a move of an order that the site doesn't have, and changes the original times of the other move.
    let mut bars = stored.clone();
    bars.as_array_mut().unwrap().push(stored[0].clone());
    bars[0]["from"]["begin"] = json!(0);
    bars[1]["label"] = json!("WO-0 · 010");
    let stored = json!({ "site": "practice", "operation": ORDERS, "bars": bars });
    app.invoke("store_moved_bars", stored).await;
    let takt = app.kill();
    let app = TestApp::open_at(Engine::Chromium, takt, NO_KEYCHAIN).await;
    app.post_to_plant("clock", json!({ "idle": true })).await;
    select_planned_bar(&app).await;
    app.wait_for_element("picture-moves").await;
    let words = moves_text(&app).await;
    for said in ["1 moved order isn't among these rows.", &format!("The site has changed {label}")] {
        assert!(words.contains(said), "{said:?} isn't in {words:?}");
    }
    app.click("picture-preview").await;
    app.click("step-check").await;
    app.wait_for_element("grid-check").await;
    let css = |column: u32| format!("[data-testid=\"grid-check\"] [row-index=\"0\"] [col-id=\"{column}\"]");
    for (column, expected) in [(3, begin), (4, end)] {
        let code = format!("return document.querySelector('{}')?.textContent.trim() || null", css(column));
        let shown = app.window.wait_until("a moved date", CHANGE_TIMEOUT, &code).await;
        let shown = shown.as_str().unwrap().replace(' ', "T");
        assert!(expected.to_string().starts_with(&shown[..16]), "{shown} instead of {expected}");
    }
    app.click("nav-browse").await;
    app.click("picture-discard").await;
    app.wait_until_gone("picture-moves").await;
    stored_bars(&app, 0).await;
    app.window.close().await;
}

/// Waits until this many moves are stored, and returns them.
async fn stored_bars(app: &TestApp, count: usize) -> Value {
    let begin = std::time::Instant::now();
    loop {
        let bars = app.invoke("moved_bars", json!({ "site": "practice", "operation": ORDERS })).await;
        if bars.as_array().is_some_and(|bars| bars.len() == count) {
            return bars;
        }
        assert!(begin.elapsed() < CHANGE_TIMEOUT, "{bars} instead of {count}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

async fn moves_text(app: &TestApp) -> String {
    let code = "return document.querySelector('[data-testid=\"picture-moves\"] [role=\"status\"]').textContent";
    app.window.script(code, vec![]).await.as_str().unwrap().to_owned()
}

pub(crate) const ANNOUNCEMENT: &str = "document.querySelector('[data-testid=\"picture-said\"]').textContent";

/// Opens the Gantt chart of all orders, and selects a bar that can be moved.
pub(crate) async fn select_planned_bar(app: &TestApp) -> Bar {
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sign_in().await;
    // The chart is shown again if it was open when the window was closed.
    app.click("browse-all").await;
    app.wait_for_element("browse-pages").await;
    app.click("picture-switch").await;
    app.wait_for_element("picture-gantt").await;
    let drawn = "return document.querySelector('[data-testid=\"picture-gantt\"]').dataset.rows !== undefined";
    app.window.wait_until("the plan", CHANGE_TIMEOUT, drawn).await;
    let orders = app.control("state/work-orders").await;
    let items = app
        .window
        .script("return document.querySelector('[data-testid=\"picture-gantt\"]').dataset.seen", vec![])
        .await;
    assert_eq!(items, json!(orders["data"].as_array().unwrap().len().to_string()));
    app.window.script("document.querySelector('[data-testid=\"picture-gantt\"]').focus()", vec![]).await;
    select_next_bar(app, &orders, |_| true).await
}

/// Selects further bars until one hasn't started, can be dragged, and is `wanted`.
async fn select_next_bar(app: &TestApp, orders: &Value, wanted: impl Fn(&Value) -> bool) -> Bar {
    let orders = orders["data"].as_array().unwrap();
    for _ in 0..MAX_TRIES {
        press_keys(app, &[], &RIGHT_ARROW.to_string()).await;
        let said = app.window.script(&format!("return {ANNOUNCEMENT}"), vec![]).await;
        let label = said.as_str().unwrap().split(", ").next().unwrap().to_owned();
        let found = orders
            .iter()
            .find(|order| label == format!("{} · {}", text_field(order, "code"), text_field(order, "operationCode")));
        let order = found.unwrap_or_else(|| panic!("{label:?} is no order"));
        if text_field(order, "beginPlanned").is_empty() || !text_field(order, "beginReal").is_empty() || !wanted(order)
        {
            continue;
        }
        app.window.wait_until_still().await;
        if let Some(rect) = bar_rect(app).await.filter(|rect| rect.width > 30.0 && rect.width < 400.0) {
            return Bar { order: order.clone(), rect };
        }
    }
    panic!("no bar in {MAX_TRIES} steps");
}

pub(crate) async fn bar_rect(app: &TestApp) -> Option<BarRect> {
    let code = "const found = document.querySelector('[data-testid=\"picture-focus\"]');
        const { left, top, width, height } = found.getBoundingClientRect();
        return found.hidden ? null : [left, top, width, height];";
    let found = app.window.script(code, vec![]).await;
    let [left, top, width, height] = serde_json::from_value::<Option<[f64; 4]>>(found).unwrap()?;
    Some(BarRect { left, top, width, height })
}

/// Drags the mouse from the given position along the steps. Without steps, it is a click.
pub(crate) async fn drag(app: &TestApp, (x, y): (f64, f64), along: &[(f64, f64)]) {
    let duration = Some(std::time::Duration::from_millis(60));
    let mut mouse = MouseActions::new("hand".to_owned())
        .then(PointerAction::MoveTo { duration, x, y })
        .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT });
    for (right, down) in along {
        mouse = mouse.then(PointerAction::MoveTo { duration, x: x + right, y: y + down });
    }
    mouse = mouse.then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
    app.window.client.perform_actions(mouse).await.unwrap();
}

/// Returns the begin and end of the moved bar, as announced to screen readers.
pub(crate) async fn announced_times(app: &TestApp) -> (DateTime, DateTime) {
    let code = format!("return {ANNOUNCEMENT}.match(/Moved: (.*?) – (.*? ..:..)/)?.slice(1)");
    let found = app.window.wait_until("the moved times", CHANGE_TIMEOUT, &code).await;
    let [begin, end] = serde_json::from_value::<[String; 2]>(found).unwrap();
    (DateTime::strptime(DATE_TIME_FORMAT, &begin).unwrap(), DateTime::strptime(DATE_TIME_FORMAT, &end).unwrap())
}

/// Waits until the row's panel shows the order, and compares it with the plant's data.
async fn wait_for_order(app: &TestApp, order: &Value) {
    app.wait_for_element("detail-form").await;
    let code = "const found = document.querySelector('[data-testid=\"detail-json\"]')?.textContent;
        if (found) return found;
        [...document.querySelectorAll('[data-testid=\"detail-form\"] label')].find((one) => one.textContent === 'JSON')?.click();
        return null;";
    app.window.wait_until("the row", CHANGE_TIMEOUT, code).await;
    let same = format!(
        "const found = JSON.parse(document.querySelector('[data-testid=\"detail-json\"]')?.textContent ?? '{{}}');
        return found.code === '{}' && found.operationCode === '{}' ? found : null",
        text_field(order, "code"),
        text_field(order, "operationCode")
    );
    let shown = app.window.wait_until("the order's row", CHANGE_TIMEOUT, &same).await;
    for field in ["beginPlanned", "endPlanned", "materialCode", "workStationCode"] {
        assert_eq!(shown[field], order[field], "{field} of {order}");
    }
}

pub(crate) async fn order_in_plant(app: &TestApp, order: &Value) -> Value {
    let orders = app.control("state/work-orders").await;
    let mut all = orders["data"].as_array().unwrap().iter();
    all.find(|one| one["code"] == order["code"] && one["operationCode"] == order["operationCode"]).unwrap().clone()
}

fn bar_minutes(bar: &Bar) -> f64 {
    let (begin, end) = bar.times();
    end.duration_since(begin).max(SignedDuration::from_mins(1)).as_secs_f64() / 60.0
}

pub(crate) fn text_field<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_default()
}

pub(crate) fn parse_time(value: &Value) -> DateTime {
    value.as_str().unwrap().parse().unwrap()
}

fn moment_text(moment: DateTime) -> String {
    format!("Moved: {}", moment.strftime(DATE_TIME_FORMAT))
}
