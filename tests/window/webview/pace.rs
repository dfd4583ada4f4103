//! Measures how fast the window shows a service's data, compared with reference pages in the same WebKit. `cargo xtask
//! bench browse` runs it with a window that contains the reference pages. Each test prints one line of JSON.
//!
//! The measurements alternate, so that disturbances affect all of them. The benchmark owns the goals.

mod floor;
mod frames;
mod start;

use std::{
    env,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use floor::Floor;
use frames::{Frames, pan, scroll};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

const ROUNDS: usize = 5;
const PAGES: usize = 12;
/// The minimum time for which a user looks at a page.
const READING_TIME: Duration = Duration::from_millis(500);
/// The latency of a typical network in milliseconds.
const NETWORK_LATENCY_MS: u32 = 100;
const TABLE: &str = "[data-testid=\"grid-browse\"] .ag-grid-viewport";

/// Returns the number in this environment variable, or the default.
fn number_from_env(name: &str, usual: u32) -> u32 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[tokio::test]
#[ignore = "a measurement: cargo xtask bench browse"]
async fn first_rows_are_there_as_soon_as_the_page() {
    let floor = Floor::with_orders(u32::try_from(PAGES).unwrap() * 100 + 100).await;
    let app = floor.app().await;
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.wait_for_element("page-next").await;
    let mut measured = json!({});
    for (network, faults) in [("here", vec![]), ("network", vec![format!("latency={NETWORK_LATENCY_MS}")])] {
        floor.plant.set_faults(&faults.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let (mut plain, mut asked, mut ours, mut rested) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for page in 2..=PAGES {
            let start = Instant::now();
            let first = floor.first_of_page(page).await;
            plain.push(start.elapsed().as_secs_f64() * 1000.0);
            asked.push(time_page(&app, page).await);
            // A user would read the page. Turning pages faster would wait for the previous request.
            tokio::time::sleep(READING_TIME).await;
            ours.push(time_next_page(&app, &first).await);
        }
        first_page(&app).await;
        app.window.move_mouse_to("[data-testid=\"page-next\"]").await;
        for page in 2..=PAGES {
            let first = floor.first_of_page(page).await;
            tokio::time::sleep(READING_TIME).await;
            rested.push(time_next_page(&app, &first).await);
        }
        measured[network] = json!({ "plain": plain, "asked": asked, "ours": ours, "rested": rested });
        first_page(&app).await;
    }
    println!("\n{}", json!({ "pace": "first", "measured": measured }));
    app.window.close().await;
}

#[tokio::test]
#[ignore = "a measurement: cargo xtask bench browse"]
async fn a_table_of_many_rows_scrolls_as_the_library_alone() {
    let rows = number_from_env("TAKT_PACE_ROWS", 100_000);
    let floor = Floor::with_orders(rows).await;
    let app = floor.app().await;
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.wait_for_element("page-next").await;
    let start = Instant::now();
    read_all_pages(&app, rows).await;
    let reading = start.elapsed().as_secs_f64();
    let [width, height] = element_size(&app, "[data-testid=\"grid-browse\"]").await;
    let yardstick = open_reference_page(&format!("grid.html?width={width}&height={height}")).await;
    let (mut ours, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(scroll(&app.window, TABLE).await);
        alone.push(scroll(&yardstick.window, "#grid .ag-grid-viewport").await);
    }
    println!(
        "\n{}",
        json!({ "pace": "scroll", "measured": json!({ "rows": rows, "seconds": reading, "ours": frames_json(&ours), "alone": frames_json(&alone) }) })
    );
    app.window.close().await;
    yardstick.window.close().await;
}

#[tokio::test]
#[ignore = "a measurement: cargo xtask bench browse"]
async fn a_gantt_of_many_orders_pans_as_the_library_alone() {
    let orders = number_from_env("TAKT_PACE_ORDERS", 10_000);
    let floor = Floor::with_orders(orders).await;
    let app = floor.app().await;
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.wait_for_element("page-next").await;
    read_all_pages(&app, orders).await;
    app.click("picture-switch").await;
    app.wait_for_element("picture-gantt").await;
    // The reference page also shows a tenth of its time span.
    app.click("picture-all").await;
    for _ in 0..6 {
        app.click("picture-zoomIn").await;
    }
    let yardstick = open_reference_page("gantt.html").await;
    let (mut ours, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(pan(&app.window, "[data-testid=\"picture-gantt\"] canvas", 12).await);
        alone.push(pan(&yardstick.window, "#gantt canvas", 390).await);
    }
    assert!(ours.iter().all(|one| one.position_count() > 20), "the picture stood still: {ours:?}");
    println!(
        "\n{}",
        json!({ "pace": "pan", "measured": json!({ "orders": orders, "ours": frames_json(&ours), "alone": frames_json(&alone) }) })
    );
    app.window.close().await;
    yardstick.window.close().await;
}

/// Turns back to the first page. The mouse pointer must leave the buttons, since hovering requests the next page.
async fn first_page(app: &TestApp) {
    app.click("page-typed").await;
    app.replace_text("page-typed", "1\u{E007}").await;
    let first = "return document.querySelector('[data-testid=\"page-previous\"]')?.disabled === true
        && document.querySelector('[data-testid=\"page-next\"]')?.disabled === false";
    app.window.wait_until("the first page", CHANGE_TIMEOUT, first).await;
}

/// Reads all pages, and waits until all rows are shown.
async fn read_all_pages(app: &TestApp, rows: u32) {
    app.click("browse-all").await;
    let all = format!(
        "return Number(document.querySelector('[data-testid=\"browse-total\"]')?.textContent.replace(/[^0-9]/g, '')) >= {rows}
            && !document.querySelector('[data-testid=\"browse-stop\"]')"
    );
    app.window.wait_until("all rows", CHANGE_TIMEOUT * 20, &all).await;
}

/// Returns the width and the height of an element in pixels.
async fn element_size(app: &TestApp, css: &str) -> [u64; 2] {
    let code = "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.width, box.height].map(Math.round)";
    let measured_size = app.window.client.execute(code, vec![json!(css)]).await.unwrap();
    [0, 1].map(|side| measured_size[side].as_u64().unwrap())
}

/// Opens a reference page, which uses the library without Takt's own code, in a separate window.
async fn open_reference_page(page: &str) -> TestApp {
    let app = TestApp::open(Engine::WebView).await;
    app.window.client.goto(&format!("tauri://localhost/yardsticks/{page}")).await.unwrap();
    app.window.wait_until("a yardstick", CHANGE_TIMEOUT, "return !!document.querySelector('[data-testid=\"yardstick\"] canvas, [data-testid=\"yardstick\"] .ag-cell')").await;
    app
}

/// Returns the time in milliseconds until the page has received its rows.
async fn time_page(app: &TestApp, page: usize) -> f64 {
    let script = "const done = arguments[arguments.length - 1];
        const start = performance.now();
        const query = { operation: 'work-orders.list', parameters: {} };
        const channel = `__CHANNEL__:${window.__TAURI_INTERNALS__.transformCallback(() => {})}`;
        window.__TAURI_INTERNALS__.invoke('browse_page', { query, page: arguments[0], limit: 100, ticket: 0, channel })
            .then(() => done(performance.now() - start), () => done(null));";
    app.window.client.execute_async(script, vec![json!(page)]).await.unwrap().as_f64().unwrap()
}

/// Turns to the next page. Returns the time in milliseconds until its first row, the order with this code, is drawn.
async fn time_next_page(app: &TestApp, code: &str) -> f64 {
    let script = "const done = arguments[arguments.length - 1];
        const code = arguments[0];
        const start = performance.now();
        const look = () => {
            const row = document.querySelector('[data-testid=\"grid-browse\"] .ag-row[row-index=\"0\"]');
            if (row?.textContent.includes(code)) requestAnimationFrame(() => {
                const painted = new MessageChannel();
                painted.port1.onmessage = () => done(performance.now() - start);
                painted.port2.postMessage(null);
            });
            else if (performance.now() - start > 20000) done(null);
            else setTimeout(look, 1);
        };
        document.querySelector('[data-testid=\"page-next\"]').click();
        look();";
    let taken = app.window.client.execute_async(script, vec![json!(code)]).await.unwrap();
    taken.as_f64().unwrap()
}

fn frames_json(all: &[Frames]) -> Value {
    Value::Array(all.iter().map(Frames::to_json).collect())
}
