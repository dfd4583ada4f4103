//! The journal's tests on a team's database, and tests only for teams: lost sessions, and a database that is
//! unavailable.
//!
//! The tests of the parent module are compiled here again, with `team::store` in place of `store`.
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
