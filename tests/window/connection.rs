//! Settings: checking a site's connection, and unlocking the vault file with a passphrase.

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, Person, Plant, Takt, TestApp};

const PASSPHRASE: &str = "correct horse battery";
/// The address of a session bus that doesn't exist, so that no keychain is found.
const NO_BUS: &str = "unix:path=/nonexistent";

#[tokio::test]
async fn a_connection_is_checked_step_by_step() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-settings").await;
    app.click("check-practice").await;
    app.wait_for_element("connection-check").await;
    let outcomes = "return [...document.querySelectorAll('[data-testid^=\"connection-\"][data-outcome]')]
        .map((step) => `${step.dataset.testid} ${step.dataset.outcome}`).join()";
    let found = app.window.wait_until("steps", CHANGE_TIMEOUT, outcomes).await;
    let found = found.as_str().unwrap();
    for part in ["connection-dns ok", "connection-tcp ok", "connection-authorize ok", "connection-token skipped"] {
        assert!(found.contains(part), "{part} in {found}");
    }
}

#[tokio::test]
async fn a_locked_file_with_secrets_is_opened_by_its_passphrase() {
    let plant = Plant::start(&[]);
    let takt = Takt::new();
    let file = takt.outside().join("passphrase");
    std::fs::write(&file, PASSPHRASE).unwrap();
    let takt = takt.with("TAKT_VAULT_PASSPHRASE_FILE", file.to_str().unwrap());
    assert_eq!(takt.run(&["vault", "create"]).code, Some(0));
    assert_eq!(takt.add_site("works", &plant).code, Some(0));
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(0));
    let takt = takt.with("TAKT_VAULT_PASSPHRASE_FILE", "");

    let app = TestApp::open_at(Engine::Chromium, takt, NO_BUS).await;
    app.wait_for_element("vault-unlock").await;
    assert_eq!(app.invoke("app_state", json!({})).await["vault"], "locked");
    app.type_text("vault-passphrase", "another").await;
    app.click("vault-unlock-confirm").await;
    app.window
        .wait_until(
            "a word on the wrong passphrase",
            CHANGE_TIMEOUT,
            "return document.body.textContent.includes('passphrase is wrong')",
        )
        .await;
    app.replace_text("vault-passphrase", PASSPHRASE).await;
    app.click("vault-unlock-confirm").await;
    app.wait_until_gone("vault-unlock").await;
    let state = app.invoke("app_state", json!({})).await;
    let works = state["sites"].as_array().unwrap().iter().find(|view| view["site"]["name"] == "works").unwrap();
    assert_eq!((&state["vault"], &works["signedIn"]), (&json!("passphrase"), &json!(true)), "{state}");
}
