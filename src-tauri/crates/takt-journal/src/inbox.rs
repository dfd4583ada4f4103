//! The inbox: every received event, with its readings, answers and deliveries, in a file or in a team's database.
//!
//! A received event is never lost, duplicated or changed. It's committed before [`Inbox::store`] returns. This module
//! doesn't interpret events (see [`Reading`]), decide answers or run receivers.

mod answer;
mod arrival;
mod carry_over;
pub(crate) mod change_record;
mod deduplication;
mod desk_lock;
mod event;
mod floor;
mod forward;
mod gap;
mod list;
mod reading;
pub(crate) mod restore;
mod search_text;
mod store;
mod stored_time;
pub(crate) mod unverified;

pub use answer::{AnswerRecord, RuleVersions, RulesRecord};
pub use carry_over::{CarriedTarget, InboxCarryOver, TargetDestination};
pub use desk_lock::{ReaderLock, SenderLock, Senders};
pub use event::{EventCopy, NewEvent, RawEvent, SignatureState, StoreOutcome};
pub use floor::{FloorAlert, FloorChange, FloorOrder, FloorSnapshot, FloorState, FloorStation, FloorStore};
pub use forward::{
    Backlog, BlockedEvent, DueEvent, Fault, ForwardResult, ForwardRow, ForwardStart, ForwardState, NewTarget, Target,
    TargetKeys, Targets,
};
pub use gap::{Gap, GapCause, Heartbeats};
pub use list::{EventFilter, EventPage, EventRow, NamingEvent, OrderEventQuery};
pub use reading::{EventState, NamedOrder, Reading};
pub use store::{Inbox, MIN_FREE_SPACE_FOR_UNVERIFIED};
pub use unverified::{MAX_UNVERIFIED_BYTES, MAX_UNVERIFIED_PER_HOUR, UnverifiedEventCounts, UnverifiedEvents};
#[cfg(test)]
pub(crate) use {floor::built_statements, list::selections};
