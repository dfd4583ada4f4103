//! Updates. A channel is set, and checked daily and by the user. A signed package replaces the installed program, but a
//! package with another signature doesn't.

use std::{fs, io::Cursor, path::Path, time::Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use minisign::KeyPair;
use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, FileServer, TestApp, results_folder};

fn channel_json(version: &str) -> String {
    let notes = json!({ "en": "Lists load twice as fast.\nThe floor shows paused stations." });
    json!({ "version": version, "date": "2026-12-01", "notes": notes, "download": "https://updates.example/takt" })
        .to_string()
}

async fn wait_for_text(app: &TestApp, id: &str, part: &str) {
    let code =
        format!("return document.querySelector('[data-testid=\"{id}\"]')?.textContent.includes({})", json!(part));
    app.window.wait_until(&format!("{id}: {part}"), CHANGE_TIMEOUT, &code).await;
}

#[tokio::test]
#[ignore = "long: the network"]
async fn a_newer_version_is_noticed_once_and_named_in_the_settings() {
    let app = TestApp::open(Engine::Chromium).await;
    let file = app.takt.write("takt-channel.json", channel_json("99.1.0"));
    app.click("nav-settings").await;
    wait_for_text(&app, "update-state", "No update channel is set").await;
    app.type_text("update-channel", &file.display().to_string()).await;
    app.click_css("[data-testid=\"update-daily\"]").await;
    app.click("update-save").await;
    wait_for_text(&app, "update-state", "Not checked yet").await;

    // The daily check runs at the window's start, and must not block it.
    let app = TestApp::open_at(Engine::Chromium, app.kill(), "unix:path=/nonexistent").await;
    wait_for_text(&app, "update-notice", "Version 99.1.0").await;
    app.window.screenshot(&results_folder("window").join("update-notice.png")).await;
    assert_eq!(app.window.find_violations().await, []);
    app.click("update-notice-look").await;
    wait_for_text(&app, "update-newer", "Version 99.1.0").await;
    wait_for_text(&app, "update-notes", "paused stations").await;
    app.wait_for_element("storage-sizes").await;
    let in_view = "const place = document.querySelector('[data-testid=\"update-newer\"]')?.getBoundingClientRect();
        return place !== undefined && place.top >= 0 && place.bottom <= window.innerHeight";
    app.window.wait_until("About in view", CHANGE_TIMEOUT, in_view).await;
    app.window.screenshot(&results_folder("window").join("update-available.png")).await;
    assert_eq!(app.window.find_violations().await, []);
    app.click("update-download").await;
    assert_eq!(app.browser.wait_for_any_address().await, "https://updates.example/takt");

    // A dismissed notice must not be shown again.
    app.click("nav-import").await;
    app.wait_for_element("import-open").await;
    app.wait_until_gone("update-notice").await;

    app.click("nav-settings").await;
    fs::write(&file, channel_json("0.0.1")).unwrap();
    app.click("update-check").await;
    wait_for_text(&app, "update-state", "is up to date").await;
    fs::write(&file, "<html></html>").unwrap();
    app.click("update-check").await;
    wait_for_text(&app, "problem", "isn't an update channel").await;
    app.window.script("document.getElementById('about').scrollIntoView()", Vec::new()).await;
    app.window.screenshot(&results_folder("window").join("update-failed.png")).await;
    app.window.close().await;
}

const INSTALLED_PROGRAM: &[u8] = b"\x7fELF this version";
/// The content of the package, at least as long as a program's header.
const NEWER_PROGRAM: &[u8] = b"\x7fELF the next version, with a head that is as long as that of a real program";

/// Publishes a package for this test's systems. Its signature is for the version `signed_for`.
fn put_package(server: &FileServer, key: &KeyPair, signed_for: &str) {
    let comment = format!("file:takt.AppImage\tversion:{signed_for}");
    let signature = minisign::sign(Some(&key.pk), &key.sk, Cursor::new(NEWER_PROGRAM), Some(&comment), None).unwrap();
    let package = json!({ "signature": STANDARD.encode(signature.to_string()), "url": server.url("takt.AppImage") });
    let platforms = json!({ "linux-x86_64": package, "linux-aarch64": package });
    let updater = json!({ "version": "99.1.0", "platforms": platforms });
    server.put("updater.json", updater.to_string());
    server.put("takt.AppImage", NEWER_PROGRAM);
}

async fn wait_until_installed(path: &Path, content: &[u8]) {
    let patience = Instant::now() + CHANGE_TIMEOUT;
    while fs::read(path).unwrap_or_default() != content {
        assert!(Instant::now() < patience, "the newer version isn't installed");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_package_is_installed_that_the_right_key_signed_for_that_version() {
    let (server, key, other) = (
        FileServer::start(),
        KeyPair::generate_unencrypted_keypair().unwrap(),
        KeyPair::generate_unencrypted_keypair().unwrap(),
    );
    let mut channel: serde_json::Value = serde_json::from_str(&channel_json("99.1.0")).unwrap();
    channel["updater"] = json!(server.url("updater.json"));
    server.put("takt.json", channel.to_string());
    let folder = tempfile::tempdir().unwrap();
    let (policy, installed) = (folder.path().join("policy.json"), folder.path().join("takt.AppImage"));
    let update = json!({ "channel": server.url("takt.json"), "daily": true, "publicKey": key.pk.to_base64() });
    fs::write(&policy, json!({ "update": update }).to_string()).unwrap();
    fs::write(&installed, INSTALLED_PROGRAM).unwrap();
    let (policy, path) = (policy.display().to_string(), installed.display().to_string());
    let app = TestApp::open_with(Engine::Chromium, &[("TAKT_POLICY", &policy), ("APPIMAGE", &path)]).await;
    wait_for_text(&app, "update-notice", "Version 99.1.0").await;
    app.click("update-notice-look").await;

    for (signed_by, signed_for) in [(&other, "99.1.0"), (&key, "0.0.1")] {
        put_package(&server, signed_by, signed_for);
        app.click("update-install").await;
        app.window
            .wait_until("refused", CHANGE_TIMEOUT, "return document.body.textContent.includes('signature is invalid')")
            .await;
        assert_eq!(fs::read(&installed).unwrap(), INSTALLED_PROGRAM);
        let close =
            "document.querySelectorAll('.mantine-Notification-closeButton').forEach((button) => button.click())";
        app.window.script(close, Vec::new()).await;
        app.window
            .wait_until("told", CHANGE_TIMEOUT, "return !document.body.textContent.includes('signature is invalid')")
            .await;
    }
    app.window.script("document.getElementById('about').scrollIntoView()", Vec::new()).await;
    app.window.screenshot(&results_folder("window").join("update-install.png")).await;

    put_package(&server, &key, "99.1.0");
    app.click("update-install").await;
    wait_until_installed(&installed, NEWER_PROGRAM).await;
}
