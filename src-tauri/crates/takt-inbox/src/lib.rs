//! What sites tell: events are received, kept, read, answered, found again, replayed and sent on.
//!
//! | module | owns |
//! |---|---|
//! | [`inbox`] | [`EventInbox`]: the receiver, signatures, lists, exports and replays; [`ForwardTargets`] |
//! | [`events`] | [`events::EventStore`]: where what came is kept, who writes it, and what can be read out of an event |
//! | [`answers`] | [`AnswerRules`]: the rules by which events that ask are answered |
//!
//! Leaves to others: what was sent before, and the floor as it is shown.

pub mod answers;
pub mod events;
pub mod inbox;

pub use answers::AnswerRules;
pub use inbox::{EventInbox, ForwardTargets};
