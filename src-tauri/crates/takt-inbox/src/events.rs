//! Events as they are kept and shown: the file of what came, who writes it, what an event says, and what was answered to it.
//!
//! Owns opening the file (`store`), the one thread that writes (`writer`), reading an event's bytes (`read`), whether they are as the contract has them (`conformance`), and an event as
//! both faces see it (`view`, `answer`, `fault`). Leaves receiving them to `inbox`, and what is answered to `answers`.

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
pub use read::{READER, floor_data, read};
pub use store::EventStore;
pub use view::{EventDetail, EventGap, EventLine, EventList, EventQuery, EventState, SignatureState};
pub use view::{MAX_GAPS, detail, gap, line, short};
pub(crate) use writer::{EventWriter, raise};
