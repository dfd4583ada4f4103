//! A site behind a proxy with a password. The user types it in the settings. It is stored for that proxy and user, and
//! never shown.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use takt_tests::{ANY_PORT, CHANGE_TIMEOUT, Engine, NetworkServer, Plant, TestApp, results_folder};

use crate::{contract::wait_for_words, fix_all::choose_value};

const SITE: &str = "works";
const PASSWORD: &str = "p@ss/word 77";

#[tokio::test]
#[ignore = "long: the network"]
async fn a_proxys_password_is_kept_for_it_and_never_shown() {
    let plant = Plant::start(&[]);
    let proxy = NetworkServer::proxy("anna", PASSWORD, 1);
    let address = format!("http://anna@127.0.0.1:{}", proxy.port());
    let app = TestApp::open(Engine::Chromium).await;
    add_site(&app, &plant).await;
    edit_proxy(&app).await;
    choose_value(&app, "site-proxyUse", "own").await;
    app.type_text("site-proxy", &address).await;
    app.type_text("site-proxyPassword", PASSWORD).await;
    app.type_text("site-secret", plant.member("client_secret")).await;
    app.window.screenshot(&results_folder("window").join("proxy-password.png")).await;
    let violations = app.window.find_violations().await;
    assert!(violations.is_empty(), "{violations:#?}");
    let hidden = "return document.querySelector('[data-testid=\"site-proxyPassword\"]').type === 'password'";
    assert_eq!(app.window.script(hidden, vec![]).await, true);
    app.click("site-save").await;
    app.wait_until_gone("site-form").await;
    app.click("nav-browse").await;
    app.sign_in().await;
    app.click("browse-materials.list").await;
    wait_for_words(&app, "grid-browse", "MAT-").await;
    let requests = proxy.requests();
    assert!(
        requests
            .iter()
            .any(|(method, target, allowed)| *allowed && method == "POST" && target.ends_with("/connect/token"))
    );
    assert!(requests.iter().any(|(method, target, allowed)| *allowed && method == "GET" && target.contains("/api/")));
    assert!(requests.iter().all(|(.., allowed)| *allowed), "{requests:?}");
    assert_eq!(site(&app).await["hasProxyPassword"], true);
    check_password_is_hidden(&app).await;

    // The password is stored but never shown. For another user, it must be typed again.
    edit_proxy(&app).await;
    let kept = "const input = document.querySelector('[data-testid=\"site-proxyPassword\"]');
        return input !== null && input.value === '' && input.placeholder !== ''";
    app.window.wait_until("that it is kept", CHANGE_TIMEOUT, kept).await;
    app.replace_text("site-proxy", &address.replace("anna", "bert")).await;
    let again =
        "return document.querySelector('[data-testid=\"site-form\"]').textContent.includes('enter the password again')";
    app.window.wait_until("that it is needed again", CHANGE_TIMEOUT, again).await;
    app.window.screenshot(&results_folder("window").join("proxy-password-again.png")).await;
    app.click("site-save").await;
    app.wait_until_gone("site-form").await;
    assert_eq!(site(&app).await["hasProxyPassword"], false);
    app.window.close().await;
}

/// Adds a site that signs in at the plant. It has no proxy yet.
async fn add_site(app: &TestApp, plant: &Plant) {
    let mut site = app.invoke("app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!(SITE);
    site["kind"] = json!("test");
    site["baseUrl"] = json!(plant.member("base_url"));
    site["authUrl"] = json!(plant.member("auth_url"));
    site["clientId"] = json!(plant.member("client_id"));
    site["redirectUris"] = json!([ANY_PORT]);
    let saved = app.invoke("site_save", json!({ "site": site, "secrets": {} })).await;
    assert_eq!(saved["problem"], Value::Null, "{saved}");
    assert_eq!(app.invoke("site_choose", json!({ "name": SITE })).await, Value::Null);
}

async fn edit_proxy(app: &TestApp) {
    app.click("nav-settings").await;
    app.click(&format!("edit-{SITE}")).await;
    app.click_css("[data-testid=\"site-form\"] details > summary").await;
    app.wait_for_element("site-proxyUse").await;
}

async fn site(app: &TestApp) -> Value {
    let state = app.invoke("app_state", json!({})).await;
    state["sites"].as_array().unwrap().iter().find(|view| view["site"]["name"] == SITE).unwrap().clone()
}

/// Checks that the window, its data and the home's files don't contain the password, neither plain nor percent-encoded.
async fn check_password_is_hidden(app: &TestApp) {
    let shown = app.window.script("return document.documentElement.outerHTML", vec![]).await.to_string();
    let state = app.invoke("app_state", json!({})).await.to_string();
    let mut files = Vec::new();
    collect_files(app.takt.home(), &mut files);
    assert!(files.len() > 1, "{files:?}");
    for secret in [PASSWORD, "p%40ss%2Fword%2077"] {
        assert!(!shown.contains(secret) && !state.contains(secret), "{secret}");
        for file in &files {
            let Ok(bytes) = std::fs::read(file) else { continue };
            assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{secret} in {}", file.display());
        }
    }
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect_files(&entry.path(), files);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
}
