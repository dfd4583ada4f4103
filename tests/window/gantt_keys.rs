//! Bars of the Gantt chart are moved by keyboard, dragged to other stations, and released with Escape.

use fantoccini::{
    actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction},
    key::Key,
};
use jiff::{ToSpan, civil::DateTime};
use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::{
    fix::press_keys,
    gantt_moves::{
        ANNOUNCEMENT, Bar, announced_times, bar_rect, drag, order_in_plant, parse_time, select_planned_bar, text_field,
    },
};

const LATER_KEY: Key = Key::Right;
const EARLIER_KEY: Key = Key::Left;
/// The step in minutes by which an arrow key moves a bar.
const STEP_MINUTES: i64 = 15;

#[tokio::test]
async fn keys_move_a_bar_in_time_and_to_another_station() {
    let app = TestApp::open(Engine::Chromium).await;
    let bar = select_planned_bar(&app).await;
    let times = bar.times();
    let by = |span: jiff::Span| (times.0 + span, times.1 + span);
    app.click("picture-move").await;
    app.window.script("document.querySelector('[data-testid=\"picture-gantt\"]').focus()", vec![]).await;

    press_and_wait(&app, &[Key::Alt], LATER_KEY, by(STEP_MINUTES.minutes())).await;
    press_and_wait(&app, &[Key::Alt], LATER_KEY, by((2 * STEP_MINUTES).minutes())).await;
    press_and_wait(&app, &[Key::Alt], EARLIER_KEY, by(STEP_MINUTES.minutes())).await;
    press_and_wait(&app, &[Key::Alt, Key::Shift], LATER_KEY, by(1.day().minutes(STEP_MINUTES))).await;
    press_and_wait(&app, &[Key::Alt, Key::Shift], EARLIER_KEY, by(STEP_MINUTES.minutes())).await;

    // The bar is moved to another station and back. Only its last station must be sent.
    let here = selected_station(&app).await;
    assert_eq!(here, text_field(&bar.order, "workStationCode"));
    let (first, second) =
        if has_station_below(&app, &here).await { (Key::Down, Key::Up) } else { (Key::Up, Key::Down) };
    let there = move_to_other_station(&app, first, &here).await;
    assert_eq!(move_to_other_station(&app, second, &there).await, here);
    assert_eq!(move_to_other_station(&app, first, &here).await, there);
    assert_eq!(announced_times(&app).await, by(STEP_MINUTES.minutes()), "another station at the same time");
    app.window.screenshot(&results_folder("window").join("pictures-keys.png")).await;
    assert_eq!(order_in_plant(&app, &bar.order).await, bar.order, "nothing is sent by moving");
    send(&app).await;
    let now = order_in_plant(&app, &bar.order).await;
    assert_eq!((parse_time(&now["beginPlanned"]), parse_time(&now["endPlanned"])), by(STEP_MINUTES.minutes()));
    assert_eq!(now["workStationCode"], json!(there));
    app.window.close().await;
}

#[tokio::test]
async fn a_bar_is_carried_to_another_station() {
    let app = TestApp::open(Engine::Chromium).await;
    let bar = select_planned_bar(&app).await;
    app.click("picture-move").await;
    let here = selected_station(&app).await;
    let (_, top, _, bottom) = chart_edges(&app).await;
    let (x, y) = bar.rect.planned_center();
    let mut there = here.clone();
    for step in 1..40 {
        // Tries positions below and above in turn, until the row of another station is reached.
        let rows = f64::from(step / 2 + 1) * if step % 2 == 0 { -1.0 } else { 1.0 };
        let down = (rows * bar.rect.height).round();
        if y + down < top + 30.0 || y + down > bottom - 40.0 {
            continue;
        }
        drag(&app, (x, y), &[(20.0, down / 2.0), (60.0, down)]).await;
        app.wait_for_element("picture-moves").await;
        announced_times(&app).await;
        there = selected_station(&app).await;
        if there != here {
            break;
        }
        app.click("picture-undo").await;
        app.wait_until_gone("picture-moves").await;
    }
    assert_ne!(there, here, "no other station in sight");
    let times = announced_times(&app).await;
    let (begin, end) = bar.times();
    assert!(times.0 > begin && times.1.duration_since(times.0) == end.duration_since(begin), "{times:?}");
    let carried = bar_rect(&app).await.unwrap();
    assert!((carried.left - bar.rect.left - 60.0).abs() < 8.0 && (carried.top - bar.rect.top).abs() > 10.0);
    app.window.screenshot(&results_folder("window").join("pictures-station.png")).await;
    send(&app).await;
    let now = order_in_plant(&app, &bar.order).await;
    assert_eq!((parse_time(&now["beginPlanned"]), parse_time(&now["endPlanned"])), times);
    assert_eq!(now["workStationCode"], json!(there));
    app.window.close().await;
}

#[tokio::test]
async fn escape_lets_go_of_a_bar() {
    let app = TestApp::open(Engine::Chromium).await;
    let bar = select_planned_bar(&app).await;
    app.click("picture-move").await;
    let before = app.control("state/work-orders").await;
    let (x, y) = bar.rect.planned_center();
    perform_mouse_actions(&app, |mouse, step| {
        mouse
            .then(step(x, y))
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(step(x + 30.0, y))
            .then(step(x + 90.0, y))
    })
    .await;
    let ghost =
        |shown: &str| format!("return document.querySelector('[data-testid=\"picture-ghost\"]')?.hidden === {shown}");
    app.window.wait_until("a bar in the hand", CHANGE_TIMEOUT, &ghost("false")).await;
    press_keys(&app, &[], &char::from(Key::Escape).to_string()).await;
    app.window.wait_until("an empty hand", CHANGE_TIMEOUT, &ghost("true")).await;
    perform_mouse_actions(&app, |mouse, step| {
        mouse.then(step(x + 120.0, y)).then(PointerAction::Up { button: MOUSE_BUTTON_LEFT })
    })
    .await;
    check_unchanged(&app, &bar, &before).await;

    // A bar that returns to its position isn't a change.
    drag(&app, (x, y), &[(40.0, 0.0), (0.0, 0.0)]).await;
    check_unchanged(&app, &bar, &before).await;

    // After that, dragging must still work.
    drag(&app, (x, y), &[(30.0, 0.0), (80.0, 0.0)]).await;
    app.wait_for_element("picture-moves").await;
    app.window.close().await;
}

/// Checks that no move is pending, no panel is open, the bar is at its position, and the plant's data is unchanged.
async fn check_unchanged(app: &TestApp, bar: &Bar, before: &Value) {
    app.window.wait_until_still().await;
    let code =
        "return ['picture-moves', 'detail-form'].filter((id) => document.querySelector(`[data-testid=\"${id}\"]`))";
    assert_eq!(app.window.script(code, vec![]).await, json!([]));
    let said = app.window.script(&format!("return {ANNOUNCEMENT}"), vec![]).await;
    assert!(!said.as_str().unwrap().contains("Moved"), "{said}");
    let still = bar_rect(app).await.unwrap();
    assert!((still.left - bar.rect.left).abs() < 1.0 && (still.top - bar.rect.top).abs() < 1.0, "{still:?}");
    assert_eq!(app.control("state/work-orders").await, *before);
}

/// Presses keys on the selected bar and waits for its new times.
async fn press_and_wait(app: &TestApp, held: &[Key], key: Key, expected: (DateTime, DateTime)) {
    press_keys(app, held, &char::from(key).to_string()).await;
    for _ in 0..100 {
        if announced_times(app).await == expected {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(announced_times(app).await, expected);
}

/// Moves the bar to the station above or below, and returns that station's code.
async fn move_to_other_station(app: &TestApp, key: Key, before: &str) -> String {
    press_keys(app, &[Key::Alt], &char::from(key).to_string()).await;
    let other = format!("const now = {ANNOUNCEMENT}.split(', ')[1]; return now && now !== '{before}' ? now : null");
    app.window.wait_until("another station", CHANGE_TIMEOUT, &other).await.as_str().unwrap().to_owned()
}

/// Returns the code of the station of the selected bar.
async fn selected_station(app: &TestApp) -> String {
    app.window.script(&format!("return {ANNOUNCEMENT}.split(', ')[1]"), vec![]).await.as_str().unwrap().to_owned()
}

/// Returns whether any station with orders is below this one.
async fn has_station_below(app: &TestApp, station: &str) -> bool {
    let orders = app.control("state/work-orders").await;
    orders["data"].as_array().unwrap().iter().any(|order| text_field(order, "workStationCode") > station)
}

/// Returns the left, top, right and bottom edges of the chart in pixels.
async fn chart_edges(app: &TestApp) -> (f64, f64, f64, f64) {
    let code = "const { left, top, right, bottom } = document.querySelector('[data-testid=\"picture-gantt\"]').getBoundingClientRect();
        return [left, top, right, bottom];";
    serde_json::from_value(app.window.script(code, vec![]).await).unwrap()
}

type Step = fn(f64, f64) -> PointerAction;

/// Performs mouse actions. A button that they press stays pressed.
async fn perform_mouse_actions(app: &TestApp, doing: impl FnOnce(MouseActions, Step) -> MouseActions) {
    let step: Step =
        |x, y| PointerAction::MoveTo { duration: Some(std::time::Duration::from_millis(60)), x: x.round(), y };
    app.window.client.perform_actions(doing(MouseActions::new("hand".to_owned()), step)).await.unwrap();
}

/// Sends the moved bar as an import, after its preview.
async fn send(app: &TestApp) {
    // Moved bars without findings are previewed at once.
    app.click("picture-preview").await;
    assert_eq!(app.wait_for_number("preview-changed").await, 1);
    app.click("go-on").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
}
