//! Tests of lists, charts and GraphQL on the practice plant over loopback, and on services made for a test.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod arrange;
mod graphql;
mod large;
mod lists;
mod picture_numbers;
mod pictures;
mod responder;
