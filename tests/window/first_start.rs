//! The first start: the tour, and from the welcome to the first sent sample with a limited number of clicks.

use std::path::PathBuf;

use takt_tests::{Engine, SOON, TestApp, results};

use crate::fix::press;

const MAX_CLICKS: usize = 5;

fn picture(name: &str) -> PathBuf {
    results("window").join(format!("{name}.png"))
}

#[tokio::test]
async fn the_first_sample_is_sent_in_a_few_clicks() {
    let app = TestApp::open_first(Engine::Chromium).await;
    app.window.screenshot(&picture("welcome")).await;
    assert_eq!(app.window.axe().await, []);
    let clicks = ["welcome-practice", "sample-materials.sync", "step-preview", "go-on", "send"];
    for (at, id) in clicks.iter().enumerate() {
        if at == 1 {
            app.sees("import-open").await;
            app.window.screenshot(&picture("home-first")).await;
            assert_eq!(app.window.axe().await, []);
        }
        if *id == "go-on" {
            app.sees("preview").await;
        }
        app.click(id).await;
    }
    app.submission_ends().await;
    assert!(app.number("result-accepted").await > 0);
    println!("from the first start to the first sample sent: {} clicks", clicks.len());
    assert!(clicks.len() <= MAX_CLICKS);

    // After a restart, the welcome must not be shown again. The file is listed with its result.
    app.click("new-import").await;
    app.sees("recent-file").await;
    app.window.screenshot(&picture("home-sent")).await;
    let takt = app.kill();
    let app = TestApp::open_at(Engine::Chromium, takt, "unix:path=/nonexistent").await;
    app.gone("welcome").await;
    app.window.close().await;
}

#[tokio::test]
async fn the_tour_can_be_left_and_found_again() {
    let app = TestApp::open_first(Engine::Chromium).await;
    app.click("welcome-tour").await;
    for stop in 1..=5 {
        let said =
            format!("return document.querySelector('[data-testid=\"tour\"]')?.textContent.includes('{stop} of 5')");
        app.window.until("the stop", SOON, &said).await;
        app.window.screenshot(&picture(&format!("tour-{stop}"))).await;
        app.click("tour-next").await;
    }
    app.gone("tour").await;
    app.click("palette-open").await;
    app.window.until("the search", SOON, "return document.activeElement?.tagName === 'INPUT'").await;
    press(&app, &[], "Take the tour\u{e007}").await;
    app.sees("tour").await;
    press(&app, &[], "\u{e00c}").await;
    app.gone("tour").await;
    app.click("nav-settings").await;
    app.sees("site-add").await;
    app.window.close().await;
}
