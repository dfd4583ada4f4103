//! Tests of the inbox: events of the practice plant, and arbitrary bytes over loopback.

mod answering;
mod compressed;
mod conformance;
mod crowding;
mod failing;
mod floor;
mod floor_order;
mod floor_states;
mod forwarding;
mod forwarding_keys;
mod fuzz;
mod receiving;
mod replaying;
mod ruling;
mod secrets;
mod sender;
mod stage;
mod target;
mod unverified;
mod webhooks;
