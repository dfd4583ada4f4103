//! The practice plant simulates the whole service on loopback, with an identity provider, invented data, rate limits
//! and faults.
//!
//! It authenticates users, stores rows, rejects invalid requests with reasons, and logs the items that were applied. It
//! depends on the contract but on no other part of Takt, so that it doesn't repeat a client's mistakes. The desktop app
//! and takt-cli embed it. Its command line is in takt-cli.
//!
//! | part | purpose |
//! |---|---|
//! | [`Plant`], [`PlantConfig`] | the service and its configuration |
//! | [`PlantCopy`], [`CopyReport`] | a site's rows to start with, and a report on loading them |
//! | [`RunningPlant`] | a plant that listens on a port |
//! | [`Move`], [`MoveError`] | an action on the floor |
//! | [`EventKind`], [`Target`] | events and the receivers that they are sent to |
//! | [`Fault`] | a fault to inject |
//! | [`LogEntry`] | a request with its response status and its applied items |
//! | [`Overview`] | a summary of the plant's state |
//!
//! Any HTTP client can use the plant.
//!
//! ```
//! use takt_contract::Contract;
//! use takt_plant::{Plant, PlantConfig};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let plant = Plant::start(PlantConfig::default(), ([127, 0, 0, 1], 0).into()).await?;
//! let tokens = plant.issue_tokens("planner")?;
//! let contract = Contract::builtin()?;
//! let list = contract.operation("materials.list").ok_or("the contract has no such operation")?;
//!
//! let client = reqwest::Client::builder().no_proxy().build()?;
//! let request = client.get(format!("{}{}", plant.base_url, list.path)).bearer_auth(&tokens.access_token);
//! assert_eq!(request.send().await?.status(), 200);
//!
//! let entry = plant.log().pop().ok_or("the plant logs each request")?;
//! assert_eq!((entry.operation.as_deref(), entry.user.as_deref()), (Some("materials.list"), Some("planner")));
//! plant.stop().await;
//! # Ok(())
//! # }
//! ```

mod answer;
mod api;
mod clock;
mod config;
mod control;
mod copy;
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
mod html_page;
mod identity;
mod interface;
mod log;
mod log_entry;
mod overview;
mod paging;
mod persistence;
mod plant;
mod plant_urls;
mod rate_limit;
mod request_body;
mod router;
mod running;
mod sample_words;
mod secret;
mod seed;
mod server;
mod sign_in;
mod simulation;
mod site_contract;
mod snapshot;
mod store;
mod target;
mod time_window;
mod translation;
mod user;

pub use clock::Pace;
pub use config::{Clock, DeliveryTiming, PlantConfig, RateLimit, Size};
pub use copy::{CopiedCount, CopiedList, CopiedTemplate, CopyRemark, CopyRemarkKind, CopyReport, PlantCopy};
pub use domain_event::EventKind;
pub use error::PlantError;
pub use event::{DeliveryState, DeliveryView};
pub use fault::{Fault, FaultKind};
pub use floor::{Move, MoveError, MoveResult, OrderName};
pub use grants::TokenPair;
pub use interface::copied_lists;
pub use log_entry::LogEntry;
pub use overview::{AlertView, OrderView, Overview, RequestView, RowCount, StationView, SupplyView};
pub use plant::Plant;
pub use running::RunningPlant;
pub use target::{Target, TargetView};
