//! The practice plant: the whole service on loopback, with an identity provider, invented data, limits and faults.
//!
//! Owns everything that a service would: who may sign in, what is stored, what is refused and why, and a log of what was
//! really applied. Knows the contract and nothing else of Takt, so that a misreading by the client isn't made twice.
//! Leaves to others: embedding it (takt-engine, the desktop), and its command line (takt-cli).

mod api;
mod change;
mod clock;
mod config;
mod connection;
mod control;
mod error;
mod event;
mod fault;
mod floor;
mod form;
mod graphql;
mod identity;
mod keep;
mod lock;
mod log;
mod overview;
mod page;
mod papers;
mod plant;
mod rate;
mod running;
mod secret;
mod seed;
mod serving;
mod sign_in;
mod snapshot;
mod store;
mod user;

pub use clock::Pace;
pub use config::{Clock, Patience, PlantConfig, RateLimit, Size};
pub use error::PlantError;
pub use event::{EventKind, Target};
pub use fault::{Fault, FaultKind};
pub use floor::{Move, MoveError, Moved, OrderName};
pub use identity::TokenPair;
pub use log::LogEntry;
pub use overview::{
    AlertView, DeliveryState, DeliveryView, Holding, OrderView, Overview, RequestView, StationView, SupplyView,
    TargetView,
};
pub use plant::Plant;
pub use running::RunningPlant;
