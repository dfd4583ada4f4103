//! Tests of the plant over real loopback HTTP: responses, stored rows and documentation.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod batches;
mod bounds;
mod control;
mod copies;
mod day;
mod documentation;
mod errors;
mod events;
mod faults;
mod floor;
mod fuzz;
mod graphql;
mod hostile;
mod links;
mod log;
mod oauth;
mod operations;
mod pages;
mod persistence;
mod receiver;
mod referee;
mod references;
mod seed;
mod sign_in;
mod snapshots;
mod stage;
