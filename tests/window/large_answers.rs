//! Responses that are much larger than a page. The window must keep drawing while they are read, shown and searched.

mod source;

use std::env;

use fantoccini::key::Key;
use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Plant, TestApp, results_folder};

use crate::{fix::press_keys, own_site::signed_in};
use source::{LONG_NOTE, Source};

/// The size of the list in megabytes, unless `TAKT_LARGE_ANSWER` sets another one.
const MEGABYTES: usize = 60;
/// The minimum number of frames during reading. A blocked window draws only one or two.
const MIN_FRAMES: u64 = 5;

/// Starts counting frames, and records the longest time between two of them.
const COUNT_FRAMES: &str = "window.framesWatched = { longest: 0, frames: 0 };
    let last;
    const step = (now) => {
        if (last !== undefined) framesWatched.longest = Math.max(framesWatched.longest, now - last);
        framesWatched.frames += 1;
        last = now;
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);";

#[tokio::test]
#[ignore = "long: large answers"]
async fn a_large_answer_leaves_the_window_free() {
    let megabytes = env::var("TAKT_LARGE_ANSWER").ok().map_or(MEGABYTES, |text| text.parse().unwrap());
    let plant = Plant::start(&[]);
    let source = Source::start(megabytes).await;
    let app = signed_in(takt_tests::Engine::Chromium, "Much", &plant, source.address()).await;
    app.window.script(COUNT_FRAMES, Vec::new()).await;
    app.click("browse-materials.list").await;
    source.wait_until_nearly_sent().await;
    println!("{}", check_frames_drawn(&app, "while it comes").await);

    // Another list can be read and shown while the large response is being received.
    app.click("browse-work-stations.list").await;
    wait_for_cell(&app, 0, "code", "WS-1").await;
    source.allow_end();
    app.click("browse-materials.list").await;
    let start = std::time::Instant::now();
    let rows = source.rows();
    let until = format!(
        "return document.querySelector('[data-testid=\"browse-total\"]')?.textContent.replace(/[^0-9]/g, '') === '{rows}'"
    );
    app.window.wait_until("all of the large answer", CHANGE_TIMEOUT * 4, &until).await;
    wait_for_cell(&app, 0, "code", "M-0").await;
    println!("{megabytes} MB, {rows} rows: shown after {:.1} s", start.elapsed().as_secs_f64());
    println!("{}", check_frames_drawn(&app, "until it is shown").await);

    println!("{}", scroll(&app, rows).await);
    println!("{}", find_rows(&app, rows).await);
    app.window.screenshot(&results_folder("window").join("large-answer.png")).await;
    app.window.close().await;
}

#[tokio::test]
async fn a_large_object_opens_in_bounds() {
    let plant = Plant::start(&[]);
    let source = Source::start(1).await;
    let app = signed_in(takt_tests::Engine::Chromium, "Much", &plant, source.address()).await;
    app.window.script(COUNT_FRAMES, Vec::new()).await;
    app.click("browse-work-stations.list").await;
    wait_for_cell(&app, 2, "code", "WS-3").await;
    println!("{}", frames_drawn(&app, "until it is in the table").await.summary);
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"1\"] [col-id=\"code\"]").await;
    app.wait_for_element("text-more").await;
    println!("{}", frames_drawn(&app, "until its detail is open").await.summary);
    let shown = "return document.querySelector('[data-testid=\"detail\"]')?.textContent.length";
    let length = |text: &serde_json::Value| usize::try_from(text.as_u64().unwrap()).unwrap();
    let first = length(&app.window.wait_until("the detail", CHANGE_TIMEOUT, shown).await);
    assert!(first > 50_000 && first < LONG_NOTE / 10, "{first}");
    app.window.screenshot(&results_folder("window").join("large-object.png")).await;
    app.click("text-more").await;
    let more = format!(
        "const length = document.querySelector('[data-testid=\"detail\"]')?.textContent.length; return length > {} && length",
        first + 50_000
    );
    let second = length(&app.window.wait_until("a piece more", CHANGE_TIMEOUT, &more).await);
    assert!(second < LONG_NOTE / 5, "{second}");
    println!("{}", frames_drawn(&app, "until a piece more is there").await.summary);
    app.window.close().await;
}

/// Scrolls to the last row and back. Returns a summary of the frames.
async fn scroll(app: &TestApp, rows: usize) -> String {
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"code\"]").await;
    press_keys(app, &[Key::Control], &Key::End.to_string()).await;
    wait_for_cell(app, rows - 1, "code", &format!("M-{}", rows - 1)).await;
    let there = frames_drawn(app, "to the last row").await.summary;
    let steps = "const view = document.querySelector('[data-testid=\"grid-browse\"] .ag-grid-viewport');
        const step = () => { view.scrollTop -= 2000; if (view.scrollTop > 0 && framesWatched.frames < 200) requestAnimationFrame(step); };
        framesWatched.frames = 0; step();";
    app.window.script(steps, Vec::new()).await;
    app.window.wait_until("a while of scrolling", CHANGE_TIMEOUT, "return framesWatched.frames > 60").await;
    format!("{there}\n{}", frames_drawn(app, "while it is scrolled").await.summary)
}

/// Searches for a single row. Returns a summary of the frames.
async fn find_rows(app: &TestApp, rows: usize) -> String {
    let code = format!("M-{}", rows / 2);
    app.type_text("table-find", &format!("needle {} plan", rows / 2)).await;
    let counted = "return document.querySelector('[data-testid=\"table-count\"]')?.textContent.replace(/[^0-9 ]/g, '').startsWith('1 ')";
    app.window.wait_until("one row found", CHANGE_TIMEOUT * 2, counted).await;
    wait_for_cell(app, 0, "code", &code).await;
    frames_drawn(app, "while it is searched").await.summary
}

async fn wait_for_cell(app: &TestApp, row: usize, column: &str, text: &str) {
    let css = format!("[data-testid=\"grid-browse\"] [row-index=\"{row}\"] [col-id=\"{column}\"]");
    let code = format!("return document.querySelector({})?.textContent === '{text}'", json!(css));
    app.window.wait_until(&format!("{text} in {column}"), CHANGE_TIMEOUT, &code).await;
}

async fn check_frames_drawn(app: &TestApp, when: &str) -> String {
    let frames = frames_drawn(app, when).await;
    assert!(frames.count >= MIN_FRAMES, "{}", frames.summary);
    frames.summary
}

/// The number of frames since the last call, and a summary.
struct Frames {
    count: u64,
    /// Contains the longest time between two frames. It is only printed, since it depends on the computer.
    summary: String,
}

async fn frames_drawn(app: &TestApp, when: &str) -> Frames {
    let read = "const read = { ...framesWatched }; framesWatched.longest = 0; framesWatched.frames = 0; return read";
    let read = app.window.script(read, Vec::new()).await;
    let (longest, count) = (read["longest"].as_f64().unwrap(), read["frames"].as_u64().unwrap());
    Frames { count, summary: format!("{when}: {count} frames, the longest wait for one {longest:.0} ms") }
}
