//! Tests of the engine: the policy, the shop floor, shared views and updates.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod policy;
#[cfg(unix)]
mod shared_views;
mod shop_floor;
mod update;
