//! The check for updates: a channel file is set, found on the next start by the daily check, and asked by hand.

use std::fs;

use serde_json::json;
use takt_tests::results;

use crate::test_app::{SOON, TestApp};

fn channel(version: &str) -> String {
    let notes = json!({ "en": "Lists load twice as fast.\nThe floor shows paused stations." });
    json!({ "version": version, "date": "2026-12-01", "notes": notes, "download": "https://updates.example/takt" })
        .to_string()
}

async fn reads(app: &TestApp, id: &str, part: &str) {
    let code =
        format!("return document.querySelector('[data-testid=\"{id}\"]')?.textContent.includes({})", json!(part));
    app.window.until(&format!("{id}: {part}"), SOON, &code).await;
}

#[tokio::test]
async fn a_newer_version_is_noticed_once_and_named_in_the_settings() {
    let app = TestApp::open().await;
    let file = app.takt.write("takt-channel.json", channel("99.1.0"));
    app.click("nav-settings").await;
    reads(&app, "update-state", "No update channel is set").await;
    app.types("update-channel", &file.display().to_string()).await;
    app.press("[data-testid=\"update-daily\"]").await;
    app.click("update-save").await;
    reads(&app, "update-state", "Not checked yet").await;

    // The daily check begins with the window, and holds nothing up.
    let app = TestApp::open_at(app.kill(), "unix:path=/nonexistent").await;
    reads(&app, "update-notice", "Version 99.1.0").await;
    app.window.screenshot(&results("window").join("update-notice.png")).await;
    assert_eq!(app.window.axe().await, []);
    app.click("update-notice-look").await;
    reads(&app, "update-newer", "Version 99.1.0").await;
    reads(&app, "update-notes", "paused stations").await;
    app.sees("storage-sizes").await;
    let in_view = "const place = document.querySelector('[data-testid=\"update-newer\"]')?.getBoundingClientRect();
        return place !== undefined && place.top >= 0 && place.bottom <= window.innerHeight";
    app.window.until("About in view", SOON, in_view).await;
    app.window.screenshot(&results("window").join("update-available.png")).await;
    assert_eq!(app.window.axe().await, []);
    app.click("update-download").await;
    assert_eq!(app.browser.opened().await, "https://updates.example/takt");

    // Seen is seen.
    app.click("nav-import").await;
    app.sees("import-open").await;
    app.gone("update-notice").await;

    app.click("nav-settings").await;
    fs::write(&file, channel("0.0.1")).unwrap();
    app.click("update-check").await;
    reads(&app, "update-state", "is up to date").await;
    fs::write(&file, "<html></html>").unwrap();
    app.click("update-check").await;
    reads(&app, "problem", "isn't an update channel").await;
    app.window.script("document.getElementById('about').scrollIntoView()", Vec::new()).await;
    app.window.screenshot(&results("window").join("update-failed.png")).await;
    app.window.close().await;
}
