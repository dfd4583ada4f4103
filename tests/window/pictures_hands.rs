//! Bars moved by keys alone, carried to another station, and let go of with Escape. Held against what the plant holds.

use fantoccini::{
    actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction},
    key::Key,
};
use jiff::{ToSpan, civil::DateTime};
use serde_json::{Value, json};
use takt_tests::results;

use crate::{
    desk::{Desk, SOON},
    mend::press,
    pictures_move::{Bar, SAID, drag, held, moved, place, text, time, waiting_bar},
};

const ON: Key = Key::Right;
const BACK: Key = Key::Left;
/// A step of the keys, in minutes.
const STEP: i64 = 15;

#[tokio::test]
async fn keys_move_a_bar_in_time_and_to_another_station() {
    let desk = Desk::open().await;
    let bar = waiting_bar(&desk).await;
    let times = bar.times();
    let by = |span: jiff::Span| (times.0 + span, times.1 + span);
    desk.click("picture-move").await;
    desk.window.script("document.querySelector('[data-testid=\"picture-gantt\"]').focus()", vec![]).await;

    shift(&desk, &[Key::Alt], ON, by(STEP.minutes())).await;
    shift(&desk, &[Key::Alt], ON, by((2 * STEP).minutes())).await;
    shift(&desk, &[Key::Alt], BACK, by(STEP.minutes())).await;
    shift(&desk, &[Key::Alt, Key::Shift], ON, by(1.day().minutes(STEP))).await;
    shift(&desk, &[Key::Alt, Key::Shift], BACK, by(STEP.minutes())).await;

    // To another station and back: what was pressed last counts.
    let here = station(&desk).await;
    assert_eq!(here, text(&bar.order, "workStationCode"));
    let (first, second) = if has_next(&desk, &here).await { (Key::Down, Key::Up) } else { (Key::Up, Key::Down) };
    let there = pressed(&desk, first, &here).await;
    assert_eq!(pressed(&desk, second, &there).await, here);
    assert_eq!(pressed(&desk, first, &here).await, there);
    assert_eq!(moved(&desk).await, by(STEP.minutes()), "another station at the same time");
    desk.window.screenshot(&results("window").join("pictures-keys.png")).await;
    assert_eq!(held(&desk, &bar.order).await, bar.order, "nothing is sent by moving");
    send(&desk).await;
    let now = held(&desk, &bar.order).await;
    assert_eq!((time(&now["beginPlanned"]), time(&now["endPlanned"])), by(STEP.minutes()));
    assert_eq!(now["workStationCode"], json!(there));
    desk.window.close().await;
}

#[tokio::test]
async fn a_bar_is_carried_to_another_station() {
    let desk = Desk::open().await;
    let bar = waiting_bar(&desk).await;
    desk.click("picture-move").await;
    let here = station(&desk).await;
    let (_, top, _, bottom) = surface(&desk).await;
    let (x, y) = bar.place.planned();
    let mut there = here.clone();
    for step in 1..40 {
        // Down first, then up: until another station's rows are below the hand.
        let rows = f64::from(step / 2 + 1) * if step % 2 == 0 { -1.0 } else { 1.0 };
        let down = (rows * bar.place.height).round();
        if y + down < top + 30.0 || y + down > bottom - 40.0 {
            continue;
        }
        drag(&desk, (x, y), &[(20.0, down / 2.0), (60.0, down)]).await;
        desk.sees("picture-moves").await;
        moved(&desk).await;
        there = station(&desk).await;
        if there != here {
            break;
        }
        desk.click("picture-undo").await;
        desk.gone("picture-moves").await;
    }
    assert_ne!(there, here, "no other station in sight");
    let times = moved(&desk).await;
    let (begin, end) = bar.times();
    assert!(times.0 > begin && times.1.duration_since(times.0) == end.duration_since(begin), "{times:?}");
    let carried = place(&desk).await.unwrap();
    assert!((carried.left - bar.place.left - 60.0).abs() < 8.0 && (carried.top - bar.place.top).abs() > 10.0);
    desk.window.screenshot(&results("window").join("pictures-station.png")).await;
    send(&desk).await;
    let now = held(&desk, &bar.order).await;
    assert_eq!((time(&now["beginPlanned"]), time(&now["endPlanned"])), times);
    assert_eq!(now["workStationCode"], json!(there));
    desk.window.close().await;
}

#[tokio::test]
async fn escape_lets_go_of_a_bar() {
    let desk = Desk::open().await;
    let bar = waiting_bar(&desk).await;
    desk.click("picture-move").await;
    let before = desk.control("state/work-orders").await;
    let (x, y) = bar.place.planned();
    hand(&desk, |hand, step| {
        hand.then(step(x, y))
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(step(x + 30.0, y))
            .then(step(x + 90.0, y))
    })
    .await;
    let ghost =
        |shown: &str| format!("return document.querySelector('[data-testid=\"picture-ghost\"]')?.hidden === {shown}");
    desk.window.until("a bar in the hand", SOON, &ghost("false")).await;
    press(&desk, &[], &char::from(Key::Escape).to_string()).await;
    desk.window.until("an empty hand", SOON, &ghost("true")).await;
    hand(&desk, |hand, step| hand.then(step(x + 120.0, y)).then(PointerAction::Up { button: MOUSE_BUTTON_LEFT })).await;
    untouched(&desk, &bar, &before).await;

    // What comes back to where it was is not moved either, and a key that leads nowhere moves nothing.
    drag(&desk, (x, y), &[(40.0, 0.0), (0.0, 0.0)]).await;
    untouched(&desk, &bar, &before).await;

    // The hand still works.
    drag(&desk, (x, y), &[(30.0, 0.0), (80.0, 0.0)]).await;
    desk.sees("picture-moves").await;
    desk.window.close().await;
}

/// Nothing waits to be sent, nothing was opened, the bar lies where it lay, and the plant holds what it held.
async fn untouched(desk: &Desk, bar: &Bar, before: &Value) {
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let code =
        "return ['picture-moves', 'detail-form'].filter((id) => document.querySelector(`[data-testid=\"${id}\"]`))";
    assert_eq!(desk.window.script(code, vec![]).await, json!([]));
    let said = desk.window.script(&format!("return {SAID}"), vec![]).await;
    assert!(!said.as_str().unwrap().contains("Moved"), "{said}");
    let still = place(desk).await.unwrap();
    assert!((still.left - bar.place.left).abs() < 1.0 && (still.top - bar.place.top).abs() < 1.0, "{still:?}");
    assert_eq!(desk.control("state/work-orders").await, *before);
}

/// Keys on the bar that is chosen: it is said to lie there now.
async fn shift(desk: &Desk, held: &[Key], key: Key, expected: (DateTime, DateTime)) {
    press(desk, held, &char::from(key).to_string()).await;
    for _ in 0..100 {
        if moved(desk).await == expected {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(moved(desk).await, expected);
}

/// To the station above or below: its code.
async fn pressed(desk: &Desk, key: Key, before: &str) -> String {
    press(desk, &[Key::Alt], &char::from(key).to_string()).await;
    let other = format!("const now = {SAID}.split(', ')[1]; return now && now !== '{before}' ? now : null");
    desk.window.until("another station", SOON, &other).await.as_str().unwrap().to_owned()
}

/// The station that the chosen bar lies at.
async fn station(desk: &Desk) -> String {
    desk.window.script(&format!("return {SAID}.split(', ')[1]"), vec![]).await.as_str().unwrap().to_owned()
}

/// Whether a station with orders stands below that one.
async fn has_next(desk: &Desk, station: &str) -> bool {
    let orders = desk.control("state/work-orders").await;
    orders["data"].as_array().unwrap().iter().any(|order| text(order, "workStationCode") > station)
}

/// Left, top, right and bottom of the picture.
async fn surface(desk: &Desk) -> (f64, f64, f64, f64) {
    let code = "const { left, top, right, bottom } = document.querySelector('[data-testid=\"picture-gantt\"]').getBoundingClientRect();
        return [left, top, right, bottom];";
    serde_json::from_value(desk.window.script(code, vec![]).await).unwrap()
}

type Step = fn(f64, f64) -> PointerAction;

/// What the hand does next; a button that is down stays down.
async fn hand(desk: &Desk, doing: impl FnOnce(MouseActions, Step) -> MouseActions) {
    let step: Step =
        |x, y| PointerAction::MoveTo { duration: Some(std::time::Duration::from_millis(60)), x: x.round(), y };
    desk.window.client.perform_actions(doing(MouseActions::new("hand".to_owned()), step)).await.unwrap();
}

/// Through the preview, on to the plant.
async fn send(desk: &Desk) {
    desk.click("picture-preview").await;
    desk.sees("grid-check").await;
    assert_eq!(desk.number("counts-rows").await, 1);
    desk.click("step-preview").await;
    assert_eq!(desk.number("preview-changed").await, 1);
    desk.click("go-on").await;
    desk.click("send").await;
    desk.sees("grid-results").await;
}
