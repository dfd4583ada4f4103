//! The events of sites: received, stored, read, answered, listed, replayed and forwarded.
//!
//! | types | what they do |
//! |---|---|
//! | [`EventInbox`], [`Receiver`] | receive events of a site, list, export and replay them |
//! | [`ForwardTargets`] | the targets to which events are forwarded |
//! | [`InboxJoin`] | copies the events of a desk that joins a team |
//! | [`events`] | the stores of events, their writer, and the extraction of content |
//! | [`answers`] | the rules by which events that wait for a reply are answered |
//!
//! An event is on disk before it is answered, and its bytes never change. The window and the command line decide when a
//! receiver runs. The journal of submissions and the view of the floor are in other crates.
//!
//! `inbox` is the [`EventInbox`] of an open `takt_engine::Engine` with the site `Works`.
//!
//! ```
//! use takt_inbox::{ReceiverOptions, events::EventQuery};
//! use takt_test_support::event_sender::post;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let fixture = takt_test_support::inbox_fixture::Fixture::new();
//! # let inbox = fixture.engine.inbox();
//! let receiver = inbox.receive("Works", ReceiverOptions::default()).await?;
//!
//! // The site posts its events to the receiver's address.
//! let event = r#"{"Id": 2, "WorkStationCode": "WS-1", "WorkStation": "Saw"}"#;
//! let (status, _) = post(&receiver.url(), &[], event.as_bytes()).await;
//! assert_eq!(status, 200);
//!
//! let received = inbox.list(&EventQuery::default(), 0, 10).await?;
//! assert_eq!(received.rows[0].station.as_deref(), Some("WS-1"));
//! receiver.stop().await;
//! # Ok(())
//! # }
//! ```

pub mod answers;
mod body;
mod carry_over;
mod connections;
mod content_coding;
mod delivery_format;
mod delivery_headers;
mod event_inbox;
mod event_reader;
pub mod events;
mod export;
mod floor;
mod forward;
mod health;
mod heartbeat;
mod receiver;
mod replay;
mod server;
mod signature;

pub use answers::AnswerRules;
pub use carry_over::{InboxJoin, InboxJoinCounts};
pub use event_inbox::{EventInbox, ReceiverOptions, ReceiverSettings};
pub use event_reader::{BackgroundReader, CATCH_UP_TIMEOUT, EventReader};
pub use forward::{
    Fault, ForwardStop, ForwardTarget, ForwardTargets, ForwardTiming, ForwardedEvent, IdleReason, TargetMiss,
    TargetSettings, TargetStart, TargetState, TestSent, forward_fault_text,
};
pub use receiver::{Receiver, RefusedCounts};
pub use replay::{Destination, Replay, ReplayPlan, ReplayResult};
