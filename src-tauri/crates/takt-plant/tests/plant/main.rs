//! Tests of the plant over HTTP on loopback: responses, stored rows and documentation.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod batches;
mod contract_check;
mod control;
mod documentation;
mod errors;
mod event_receiver;
mod events;
mod faults;
mod fixture;
mod floor;
mod fuzz;
mod graphql;
mod hostile_requests;
mod links;
mod log;
mod oauth_features;
mod operations;
mod pages;
mod persistence;
mod references;
mod request_limits;
mod seed;
mod sign_in;
mod simulated_day;
mod site_rows;
mod snapshots;
