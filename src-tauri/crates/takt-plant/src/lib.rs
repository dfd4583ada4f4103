//! The practice plant: the whole service on loopback, with an identity provider, invented data, limits and faults.
//!
//! Owns everything that a service would: who may sign in, what is stored, what is refused and why, and a log of what was
//! really applied. Knows the contract and nothing else of Takt, so that a misreading by the client isn't made twice.
//! Leaves to others: embedding it (the desktop, takt-cli), and its command line (takt-cli).
//!
//! | part | what it does |
//! |---|---|
//! | [`Plant`], [`PlantConfig`] | the whole service, and how it is to be |
//! | [`PlantCopy`], [`CopyReport`] | the rows of a site to begin with, and what became of them |
//! | [`RunningPlant`] | one that listens on a port |
//! | [`Move`], [`MoveError`] | what somebody does on the floor |
//! | [`EventKind`], [`Target`] | events, and who is told of them |
//! | [`Fault`] | what goes wrong on demand |
//! | [`LogEntry`] | what was asked, answered and applied |
//! | [`Overview`] | everything at a glance |

mod answer;
mod api;
mod change;
mod clock;
mod clock_control;
mod config;
mod connection;
mod control;
mod copy;
mod cut;
mod documentation;
mod domain_event;
mod error;
mod event;
mod event_dispatch;
mod fault;
mod floor;
mod form;
mod grants;
mod graphql;
mod http_refusal;
mod identity;
mod interface;
mod log;
mod log_entry;
mod overview;
mod page;
mod paging;
mod persistence;
mod plant;
mod rate;
mod request_body;
mod router;
mod running;
mod sample_words;
mod secret;
mod seed;
mod serving;
mod sign_in;
mod simulation;
mod site_contract;
mod snapshot;
mod snapshot_cache;
mod store;
mod target;
mod time_window;
mod translation;
mod user;
mod view;

pub use clock::Pace;
pub use config::{Clock, DeliveryTiming, PlantConfig, RateLimit, Size};
pub use copy::{CopiedCount, CopiedList, CopiedTemplate, CopyRemark, CopyRemarkKind, CopyReport, PlantCopy};
pub use domain_event::EventKind;
pub use error::PlantError;
pub use fault::{Fault, FaultKind};
pub use floor::{Move, MoveError, Moved, OrderName};
pub use grants::TokenPair;
pub use interface::copied_lists;
pub use log_entry::LogEntry;
pub use overview::{Holding, Overview};
pub use plant::Plant;
pub use running::RunningPlant;
pub use target::Target;
pub use view::{AlertView, DeliveryState, DeliveryView, OrderView, RequestView, StationView, SupplyView, TargetView};
