//! A receiver for a user's site. The user starts it, its address is stable, and a message is shown if it can't start.

#[cfg(target_os = "linux")]
use std::fs;
use std::net::TcpListener;

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, Keychain, Plant, Takt, TestApp};

use crate::events::{contains_text_script, receiver_state_script};

#[tokio::test]
async fn it_starts_with_takt_when_that_is_wanted_and_says_what_is_in_its_way() {
    let plant = Plant::start(&[]);
    let keychain = Keychain::start();
    let takt = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    assert_eq!(takt.add_site("works", &plant).code, Some(0));
    let app = open_at_works(takt, &keychain).await;
    app.window.wait_until("a receiver that is off", CHANGE_TIMEOUT, &receiver_state_script("off")).await;
    app.window
        .wait_until("what is to be done", CHANGE_TIMEOUT, &contains_text_script("events-empty", "Start the receiver"))
        .await;
    app.click("receiver-start").await;
    app.window.wait_until("a receiver that runs", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    app.window
        .wait_until(
            "what to do with it",
            CHANGE_TIMEOUT,
            &contains_text_script("events-empty", "Register this address"),
        )
        .await;
    let (url, wish) = address_and_settings(&app).await;
    app.click("receiver-settings").await;
    app.click_css("[data-testid=\"receiver-with-takt\"]").await;
    let kept = "return document.querySelector('[data-testid=\"receiver-with-takt\"]')?.checked === true";
    app.window.wait_until("that it is wanted", CHANGE_TIMEOUT, kept).await;
    let takt = app.kill();

    let app = open_at_works(takt, &keychain).await;
    app.window.wait_until("a receiver that runs by itself", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    assert_eq!(address_and_settings(&app).await.0, url, "the address stays the same");

    // If another program uses the port, the receiver must fail. It must not choose another port, since its address is
    // registered at the service.
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let mut elsewhere = wish.clone();
    elsewhere["port"] = json!(taken.local_addr().unwrap().port());
    let refused = app.invoke("receiver_change", json!({ "site": "works", "settings": elsewhere })).await;
    assert_eq!(refused["problem"]["code"], "listen-failed", "{refused}");
    app.window.wait_until("that it can't", CHANGE_TIMEOUT, &receiver_state_script("failed")).await;
    app.window
        .wait_until(
            "why it can't",
            CHANGE_TIMEOUT,
            &contains_text_script("receiver", "Close the program that uses this port"),
        )
        .await;
    drop(taken);
    app.click("receiver-start").await;
    app.window.wait_until("a receiver that runs after all", CHANGE_TIMEOUT, &receiver_state_script("on")).await;
    app.window.close().await;
}

/// On Linux, autostart entries are in the user's home folder.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_system_starts_takt_where_a_person_wants_it() {
    let person = tempfile::tempdir().unwrap();
    let app = TestApp::open_with(Engine::Chromium, &[("HOME", person.path().to_str().unwrap())]).await;
    app.click("nav-events").await;
    app.click("receiver-settings").await;
    let is_checked =
        |state: bool| format!("return document.querySelector('[data-testid=\"autostart\"]')?.checked === {state}");
    app.window.wait_until("that nobody wants it yet", CHANGE_TIMEOUT, &is_checked(false)).await;
    app.click_css("[data-testid=\"autostart\"]").await;
    app.window.wait_until("that it is wanted", CHANGE_TIMEOUT, &is_checked(true)).await;
    let entry = person.path().join(".config/autostart/Takt.desktop");
    let text = fs::read_to_string(&entry).unwrap();
    assert!(text.contains("\nExec=") && text.contains(" --in-tray"), "{text}");
    app.click_css("[data-testid=\"autostart\"]").await;
    app.window.wait_until("that it isn't wanted any more", CHANGE_TIMEOUT, &is_checked(false)).await;
    assert!(!entry.exists());
    app.window.close().await;
}

async fn open_at_works(takt: Takt, keychain: &Keychain) -> TestApp {
    let app = TestApp::open_at(Engine::Chromium, takt, keychain.address()).await;
    app.invoke("site_choose", json!({ "name": "works" })).await;
    app.click("nav-events").await;
    app
}

/// Returns the receiver's address and settings.
async fn address_and_settings(app: &TestApp) -> (Value, Value) {
    let view = app.invoke("receiver_view", json!({ "site": "works" })).await;
    (view["urls"][0].clone(), view["settings"].clone())
}
