//! Tests of the inbox: events of the practice plant, and arbitrary bytes over loopback.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod answering;
mod compressed;
mod conformance;
mod crowding;
mod failing_rules;
mod forwarding;
mod forwarding_keys;
mod fuzz;
mod reading;
mod receiving;
mod replaying;
mod rule_fuzz;
mod secrets;
mod target;
mod unverified;
mod webhooks;
