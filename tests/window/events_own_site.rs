//! A receiver for a site of one's own: begun when a person says so, at the same address at every start, and what is in its way is said.

use std::net::TcpListener;

use serde_json::{Value, json};
use takt_tests::{Keychain, Plant, Takt};

use crate::{
    desk::{Desk, SOON},
    events::{has, receiver_is},
};

#[tokio::test]
async fn it_starts_with_takt_when_that_is_wanted_and_says_what_is_in_its_way() {
    let plant = Plant::start(&[]);
    let keychain = Keychain::start();
    let takt = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    assert_eq!(takt.add_site("works", &plant).code, Some(0));
    let desk = at_works(takt, &keychain).await;
    desk.window.until("a receiver that is off", SOON, &receiver_is("off")).await;
    desk.window.until("what is to be done", SOON, &has("events-empty", "Start the receiver")).await;
    desk.click("receiver-start").await;
    desk.window.until("a receiver that runs", SOON, &receiver_is("on")).await;
    desk.window.until("what to do with it", SOON, &has("events-empty", "registered at your service")).await;
    let (url, wish) = stands(&desk).await;
    desk.click("receiver-settings").await;
    desk.press("[data-testid=\"receiver-with-takt\"]").await;
    let kept = "return document.querySelector('[data-testid=\"receiver-with-takt\"]')?.checked === true";
    desk.window.until("that it is wanted", SOON, kept).await;
    let takt = desk.kill();

    let desk = at_works(takt, &keychain).await;
    desk.window.until("a receiver that runs by itself", SOON, &receiver_is("on")).await;
    assert_eq!(stands(&desk).await.0, url, "the address stays the same");

    // Another program's port is said, and nothing else is taken instead: the address is registered somewhere.
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let mut elsewhere = wish.clone();
    elsewhere["port"] = json!(taken.local_addr().unwrap().port());
    let refused = desk.ask("receiver_change", json!({ "site": "works", "settings": elsewhere })).await;
    assert_eq!(refused["problem"]["code"], "listen-failed", "{refused}");
    desk.window.until("that it can't", SOON, &receiver_is("failed")).await;
    desk.window.until("why it can't", SOON, &has("receiver", "Close the program that uses this port")).await;
    drop(taken);
    desk.click("receiver-start").await;
    desk.window.until("a receiver that runs after all", SOON, &receiver_is("on")).await;
    desk.window.close().await;
}

async fn at_works(takt: Takt, keychain: &Keychain) -> Desk {
    let desk = Desk::open_at(takt, keychain.address()).await;
    desk.ask("site_choose", json!({ "name": "works" })).await;
    desk.click("nav-events").await;
    desk
}

/// Its address, and what is wanted of it.
async fn stands(desk: &Desk) -> (Value, Value) {
    let view = desk.ask("receiver_view", json!({ "site": "works" })).await;
    (view["urls"][0].clone(), view["settings"].clone())
}
