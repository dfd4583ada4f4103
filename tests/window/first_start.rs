//! The first start: the tour, and from the welcome to the first sent sample with a limited number of clicks.

use std::path::PathBuf;

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::fix::press_keys;

const MAX_CLICKS: usize = 5;

fn screenshot_path(name: &str) -> PathBuf {
    results_folder("window").join(format!("{name}.png"))
}

#[tokio::test]
async fn the_first_sample_is_sent_in_a_few_clicks() {
    let app = TestApp::open_first(Engine::Chromium).await;
    app.window.screenshot(&screenshot_path("welcome")).await;
    assert_eq!(app.window.find_violations().await, []);
    let clicks = ["welcome-practice", "sample-materials.sync", "step-preview", "go-on", "send"];
    for (at, id) in clicks.iter().enumerate() {
        if at == 1 {
            app.wait_for_element("import-open").await;
            app.window.screenshot(&screenshot_path("home-first")).await;
            assert_eq!(app.window.find_violations().await, []);
        }
        if *id == "go-on" {
            app.wait_for_element("preview").await;
        }
        app.click(id).await;
    }
    app.wait_for_submission_end().await;
    assert!(app.wait_for_number("result-accepted").await > 0);
    println!("from the first start to the first sample sent: {} clicks", clicks.len());
    assert!(clicks.len() <= MAX_CLICKS);

    // After a restart, the welcome must not be shown again. The file is listed with its result.
    app.click("new-import").await;
    app.wait_for_element("recent-file").await;
    app.window.screenshot(&screenshot_path("home-sent")).await;
    let takt = app.kill();
    let app = TestApp::open_at(Engine::Chromium, takt, "unix:path=/nonexistent").await;
    app.wait_until_gone("welcome").await;
    app.window.close().await;
}

#[tokio::test]
async fn the_tour_can_be_left_and_found_again() {
    let app = TestApp::open_first(Engine::Chromium).await;
    app.click("welcome-tour").await;
    for stop in 1..=5 {
        let said =
            format!("return document.querySelector('[data-testid=\"tour\"]')?.textContent.includes('{stop} of 5')");
        app.window.wait_until("the stop", CHANGE_TIMEOUT, &said).await;
        app.window.screenshot(&screenshot_path(&format!("tour-{stop}"))).await;
        // A click beside the card must not open anything.
        let covered = "const at = document.querySelector('[data-testid=\"nav-settings\"]').getBoundingClientRect();
            return document.elementFromPoint(at.x + 5, at.y + 5).dataset.testid === 'tour-backdrop'";
        app.window.wait_until("the backdrop", CHANGE_TIMEOUT, covered).await;
        if stop == 2 {
            // Enter still goes on after a click beside the card.
            app.click_css("[data-testid=\"tour-backdrop\"]").await;
            press_keys(&app, &[], "\u{e007}").await;
        } else {
            app.click("tour-next").await;
        }
    }
    app.wait_until_gone("tour").await;
    app.click("palette-open").await;
    app.window.wait_until("the search", CHANGE_TIMEOUT, "return document.activeElement?.tagName === 'INPUT'").await;
    press_keys(&app, &[], "Take the tour\u{e007}").await;
    app.wait_for_element("tour").await;
    press_keys(&app, &[], "\u{e00c}").await;
    app.wait_until_gone("tour").await;
    app.click("nav-settings").await;
    app.wait_for_element("site-add").await;
    app.window.close().await;
}
