//! Tests of the client with the practice plant over loopback, and with responses that the plant can't send.
#![expect(clippy::expect_used, reason = "a test stops where what it stands on isn't there")]

mod answers;
mod browser;
mod clocks;
#[cfg(target_os = "linux")]
mod earlier_entries;
mod origins;
mod pages;
mod provider;
mod responder;
mod ring;
mod secrets;
mod sign_in;
mod stage;
mod tokens;
mod update_channel;
