//! The client against the practice plant over loopback, and against answers that the plant can't be told to make.
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
