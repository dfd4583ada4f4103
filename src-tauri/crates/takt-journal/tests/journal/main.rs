//! Tests of the journal on real files: persistence, refusals, and counters. `team` runs them on a team's database.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod address;
mod concurrency;
mod crash;
mod damage;
mod decisions;
mod file;
mod floor;
mod forward;
mod history;
mod inbox;
mod persistence;
#[cfg(unix)]
#[expect(dead_code, unreachable_pub, clippy::expect_used, reason = "a test kit, of which others take the rest")]
#[path = "../../../../../tests/testkit/postgres.rs"]
mod postgres;
mod preparation;
mod process;
mod purge;
mod size;
mod states;
mod store;
mod support;
#[cfg(unix)]
mod team;
mod volume;
