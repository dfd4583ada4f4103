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
pub use carry_over::{CarriedInbox, InboxJoin};
pub use event_inbox::{EventInbox, ReceiverSettings, Receiving};
pub use event_reader::{BackgroundReader, CATCH_UP_TIMEOUT, EventReader};
pub use forward::{
    Fault, ForwardStop, ForwardTarget, ForwardTargets, ForwardTiming, ForwardedEvent, IdleReason, TargetMiss,
    TargetSettings, TargetStart, TargetState, TestSent, forward_fault_text,
};
pub use receiver::{Receiver, RefusedCounts};
pub use replay::{Destination, Replay, ReplayPlan, ReplayResult};
