//! Stored events: their database, their content and their answers.
//!
//! `store` opens the database, `writer` writes to it on one thread, and `read` extracts an event's content.
//! `conformance` compares events with the contract. `view`, `answer` and `fault` are shown by the window and the
//! command line. The receiver receives events, and `answers` decides on answers.

mod answer;
mod conformance;
mod fault;
pub mod read;
mod store;
mod view;
mod writer;

pub use answer::{AnsweredBy, EventAnswer, MatchedRule, RuleFailure};
pub use conformance::EventChecks;
pub(crate) use fault::Fault;
pub use fault::{FaultCode, RuleFault, RulePart};
pub use read::{READER_VERSION, floor_data, read_event};
pub use store::EventStore;
pub use view::{EventDetail, EventGap, EventLine, EventList, EventQuery, EventState, SignatureState};
pub use view::{MAX_GAPS, event_detail, event_gap, event_line, short_id};
pub(crate) use writer::{EventWriter, raise_to};
