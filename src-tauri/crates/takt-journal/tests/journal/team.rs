//! The journal's own tests on a team's database, and what only a team has: desks that lose their session, a database that is away.
//!
//! The tests of the parent module are compiled here once more, on `team::store` instead of `store`.
#![expect(clippy::duplicate_mod, reason = "the same tests on another store")]

mod approval;
mod carry_over;
#[path = "concurrency.rs"]
mod concurrency;
#[path = "crash.rs"]
mod crash;
#[path = "decisions.rs"]
mod decisions;
mod desks;
mod events;
#[path = "floor.rs"]
mod floor;
#[path = "forward.rs"]
mod forward;
#[path = "history.rs"]
mod history;
#[path = "inbox.rs"]
mod inbox;
mod parts;
#[path = "preparation.rs"]
mod preparation;
#[path = "purge.rs"]
mod purge;
mod sending;
mod shared;
mod stall;
#[path = "states.rs"]
mod states;
mod store;
#[path = "support.rs"]
mod support;
