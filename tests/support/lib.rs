//! What the integration tests of several crates share: plants, engines, sites, senders of events, and other processes.
//!
//! | module | content |
//! |---|---|
//! | [`setup`] | plants on loopback, engines in a folder of their own, sites |
//! | [`plant_fixture`] | a plant, and an engine whose practice site it is |
//! | [`inbox_fixture`] | an engine with a clock that can be moved, and its events |
//! | [`event_sender`] | requests to a receiver, byte by byte |
//! | [`process`] | a test function in another process |
//! | [`postgres`] | a PostgreSQL server for one test program |
//!
//! Tests of the whole product, from outside, use `tests/testkit` instead.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on should say where")]

pub mod event_sender;
pub mod inbox_fixture;
pub mod plant_fixture;
#[cfg(unix)]
#[path = "../testkit/postgres.rs"]
pub mod postgres;
pub mod process;
pub mod setup;
