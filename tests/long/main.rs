//! Tests that take long or need foreign programs: Takt is killed repeatedly, generated clients use a plant, and users
//! sign in to a foreign identity provider. `cargo xtask test --all` runs them.
#![expect(clippy::unwrap_used, reason = "a test fails if it can't go on")]

mod clients;
mod crash;
mod sign_in;
