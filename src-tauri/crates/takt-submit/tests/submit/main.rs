//! Tests of previews, submissions and deleting links on the practice plant over loopback, and on services made for a
//! test.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod cleanup;
mod deleted_links;
mod preview;
mod submission;
