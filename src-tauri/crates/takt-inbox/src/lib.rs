//! The events of sites: received, stored, read, answered, listed, replayed and forwarded.
//!
//! | module | content |
//! |---|---|
//! | [`inbox`] | [`EventInbox`]: the receiver, signatures, lists, exports and replays; [`ForwardTargets`] |
//! | [`events`] | [`events::EventStore`]: the stores of events, their writer, and the extraction of content |
//! | [`answers`] | [`AnswerRules`]: the rules by which events that wait for a reply are answered |
//!
//! The journal of submissions and the view of the floor are in other crates.

pub mod answers;
pub mod events;
pub mod inbox;

pub use answers::AnswerRules;
pub use inbox::{EventInbox, ForwardTargets};
