//! The window must show only its own pages, even if a script or a link leads to another address.

use std::time::Duration;

use serde_json::json;

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

#[tokio::test]
async fn no_address_leads_out_of_the_window() {
    let app = TestApp::open(Engine::WebView).await;
    // The plant responds at this address, so its page would open if the window didn't refuse it.
    let plant = app.invoke("practice_plant", json!({})).await["baseUrl"].as_str().unwrap().to_owned();
    app.window.script("location.href = arguments[0]", vec![plant.into()]).await;
    let refusal = async {
        let refused = "an address outside of Takt wasn't opened";
        while !app.invoke("log_tail", json!({})).await.as_str().unwrap().contains(refused) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(CHANGE_TIMEOUT, refusal).await.expect("the address is refused");
    app.wait_for_element("import-open").await;
    assert_eq!(app.window.script("return location.protocol", Vec::new()).await, "tauri:");
    app.window.close().await;
}

/// The first page uses the initial data. A reloaded page must request the current data.
#[tokio::test]
async fn a_page_begins_with_what_its_window_was_made_with_and_asks_anew_when_loaded_again() {
    let app = TestApp::open(Engine::WebView).await;
    let given = app.window.script("return window.taktStart", Vec::new()).await;
    assert_eq!(given["app"]["sites"][0]["site"]["kind"], "practice", "{given}");
    let mut preferences = given["preferences"].clone();
    assert_ne!(preferences["language"], "de");
    preferences["language"] = "de".into();
    app.invoke("preferences_save", json!({ "preferences": preferences })).await;
    app.window.client.refresh().await.unwrap();
    app.window.wait_until("the language", CHANGE_TIMEOUT, "return document.documentElement.lang === 'de'").await;
    app.wait_for_element("import-open").await;
    app.window.close().await;
}
