//! Shared code of the integration tests of several crates. [`setup`] has plants on loopback, engines and sites.
//! [`plant_fixture`] has an engine with a plant as practice site, and [`inbox_fixture`] an engine with a movable clock.
//! [`event_sender`] sends requests to a receiver. [`process`] runs a test function in another process, and
//! [`postgres`] a PostgreSQL server for one test program.
//!
//! Tests of the whole product from outside must use `tests/testkit` instead.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on should say where")]

pub mod event_sender;
pub mod inbox_fixture;
pub mod plant_fixture;
#[cfg(unix)]
#[path = "../testkit/postgres.rs"]
pub mod postgres;
pub mod process;
pub mod setup;
