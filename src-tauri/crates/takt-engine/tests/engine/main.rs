//! Tests of the engine's API: on the practice plant over loopback, on services made for a test, and on workbooks.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod frame;
mod import;
mod inbox;
mod large;
#[cfg(unix)]
#[expect(dead_code, unreachable_pub, clippy::expect_used, reason = "a test kit, of which others take the rest")]
#[path = "../../../../../tests/testkit/postgres.rs"]
mod postgres;
mod preview;
mod process;
mod setup;
mod submission;
