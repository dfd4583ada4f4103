//! The engine's frame against the practice plant over loopback: sites, sign-in, reading, templates, words.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod arrange;
mod browse;
mod cleanup;
mod deleted;
mod graphql;
mod picture;
mod picture_numbers;
mod policy;
#[cfg(unix)]
#[expect(dead_code, unreachable_pub, clippy::expect_used, reason = "a test kit, of which others take the rest")]
#[path = "../../../../../tests/testkit/postgres.rs"]
mod postgres;
mod responder;
mod sense;
#[cfg(unix)]
mod shared_views;
mod sites;
mod stage;
mod update;
mod words;
