//! Tests that take long, or need programs of others: Takt is killed again and again, generated clients use a plant, and people sign in to
//! a provider that isn't ours. `cargo xtask test --all` runs them.
#![expect(clippy::unwrap_used, reason = "a test fails if it can't go on")]

mod clients;
mod crash;
mod sign_in;
