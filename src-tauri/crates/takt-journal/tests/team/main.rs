//! The journal's own tests on a team's database, and what only a team has: desks that lose their session, a database that is away.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod approval;
mod carry_over;
#[path = "../journal/concurrency.rs"]
mod concurrency;
#[path = "../journal/crash.rs"]
mod crash;
#[path = "../journal/decisions.rs"]
mod decisions;
mod desks;
mod events;
#[path = "../journal/floor.rs"]
mod floor;
#[path = "../journal/forward.rs"]
mod forward;
#[path = "../journal/history.rs"]
mod history;
#[path = "../journal/inbox.rs"]
mod inbox;
mod parts;
#[expect(dead_code, unreachable_pub, clippy::expect_used, reason = "a test kit, of which others take the rest")]
#[path = "../../../../../tests/testkit/postgres.rs"]
mod postgres;
#[path = "../journal/preparation.rs"]
mod preparation;
#[path = "../journal/purge.rs"]
mod purge;
mod sending;
mod shared;
#[path = "../journal/states.rs"]
mod states;
mod store;
#[path = "../journal/support.rs"]
mod support;
