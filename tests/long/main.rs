//! Tests that take long or need external programs. Takt is killed repeatedly, generated clients use a plant, and users
//! sign in to an external identity provider. `cargo xtask test --all` runs them.
#![expect(clippy::unwrap_used, reason = "a test fails if it can't go on")]

mod clients;
mod crash;
mod sign_in;
