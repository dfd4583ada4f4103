//! The inbox of a site's events: receives, lists, exports, replays and forwards them.
//!
//! [`EventInbox`] starts a [`Receiver`] and reads the stored events, [`ForwardTargets`] sends them on, and
//! [`InboxJoin`] copies them when a desk joins a team. An event is on disk before it is answered. Its bytes never
//! change. The window and the command line decide when a receiver runs.

mod background_reader;
mod body;
mod carry_over;
mod connections;
mod content_coding;
mod delivery;
mod delivery_format;
mod event_inbox;
mod event_reader;
mod export;
mod floor;
mod forward;
mod health;
mod heartbeat;
mod receiver;
mod receiver_settings;
mod replay;
mod secrets;
mod server;
mod signature;

pub use background_reader::BackgroundReader;
pub use carry_over::{CarriedInbox, InboxJoin};
pub use event_inbox::{EventInbox, Receiving};
pub use event_reader::{CATCH_UP_TIMEOUT, EventReader};
pub use forward::{
    Fault, ForwardStop, ForwardTarget, ForwardTargets, ForwardTiming, ForwardedEvent, IdleReason, TargetMiss,
    TargetSettings, TargetStart, TargetState, TestSent, forward_fault_text,
};
pub use receiver::{Receiver, RefusedCounts};
pub use receiver_settings::ReceiverSettings;
pub use replay::{Destination, Replay, ReplayPlan, ReplayResult};
