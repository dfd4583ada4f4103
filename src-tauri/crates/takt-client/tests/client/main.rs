//! Tests of the client with the practice plant over loopback, and with responses that the plant can't send.
#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

mod answers;
mod browser;
mod clocks;
#[cfg(target_os = "linux")]
mod earlier_entries;
mod fixture;
mod origins;
mod pages;
mod provider;
mod responder;
mod route;
mod secrets;
mod sign_in;
mod tokens;
mod update_channel;
mod vault;
