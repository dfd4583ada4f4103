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
mod responder;
mod sense;
mod sites;
mod stage;
mod update;
mod words;
