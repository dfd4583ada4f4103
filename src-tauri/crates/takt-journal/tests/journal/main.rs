//! The journal on real files: what survives, what is refused, and what always adds up.
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
mod keeping;
mod preparation;
mod purge;
mod size;
mod states;
mod store;
mod support;
mod volume;
