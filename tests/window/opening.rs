//! A large file while it is being read. Its first rows are shown before its end is read, and reading can be stopped.

use std::{fmt::Write, fs};

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

const ROWS: u32 = 250_000;

#[tokio::test]
async fn a_large_file_shows_its_first_rows_before_it_is_checked() {
    let app = TestApp::open(Engine::Chromium).await;
    offer_large_file(&app);
    record_order_of_appearance(&app).await;
    app.click("sample-work-orders.sync").await;
    app.window
        .wait_until(
            "the file, read",
            CHANGE_TIMEOUT * 4,
            "return document.querySelector('[data-testid=\"step-check\"]') !== null",
        )
        .await;
    let seen = app.window.script("return window.seen", Vec::new()).await;
    let seen: Vec<&str> = seen.as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert_eq!(seen, ["opening", "opening-head", "step-check"], "what came first, and what after it");
    let head = app.window.script("return window.head", Vec::new()).await;
    let head = head.as_str().unwrap();
    assert!(head.contains("requestedQuantity") && head.contains("WO-98") && !head.contains("WO-99"), "{head}");
    app.click("step-check").await;
    assert_eq!(app.wait_for_number("counts-rows").await, u64::from(ROWS));
    app.window.close().await;
}

#[tokio::test]
async fn reading_is_stopped_and_the_next_file_opens() {
    let app = TestApp::open(Engine::Chromium).await;
    offer_large_file(&app);
    // The observer clicks the button as soon as it exists, so that fast machines don't finish reading first.
    let press = "new MutationObserver(() => {
            const stop = document.querySelector('[data-testid=\"opening-stop\"]');
            if (!stop || window.stopped) return;
            window.stopped = true;
            stop.click();
        }).observe(document.body, { childList: true, subtree: true });";
    app.window.script(press, Vec::new()).await;
    app.click("sample-work-orders.sync").await;
    app.window.wait_until("the way out", CHANGE_TIMEOUT, "return window.stopped").await;
    app.wait_for_element("import-open").await;
    app.click("sample-materials.sync").await;
    app.wait_for_element("step-check").await;
    let name = "return document.body.innerText.includes('materials.sync.xlsx')";
    app.window.wait_until("the small file's name", CHANGE_TIMEOUT, name).await;
    app.window.close().await;
}

/// Writes a large file in place of a sample. An existing sample file isn't replaced, and its content determines its
/// format.
fn offer_large_file(app: &TestApp) {
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity;note\n");
    for row in 0..ROWS {
        writeln!(text, "WO-{row};010;MAT-1001;{};a note on order {row}", row + 1).unwrap();
    }
    let samples = app.takt.home().join("samples");
    fs::create_dir_all(&samples).unwrap();
    fs::write(samples.join("work-orders.sync.xlsx"), text).unwrap();
}

/// Records the order in which these elements appear, without depending on the polling interval.
async fn record_order_of_appearance(app: &TestApp) {
    let code = "window.seen = []; window.head = '';
        new MutationObserver(() => {
            for (const name of ['opening', 'opening-head', 'step-check']) {
                const found = document.querySelector(`[data-testid=\"${name}\"]`);
                if (found && !window.seen.includes(name)) window.seen.push(name);
                if (found && name === 'opening-head') window.head = found.innerText;
            }
        }).observe(document.body, { childList: true, subtree: true });";
    app.window.script(code, Vec::new()).await;
}
