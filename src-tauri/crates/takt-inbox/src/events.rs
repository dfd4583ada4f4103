//! Events as they are kept and shown: the file of what came, who writes it, what an event says, and what was answered to it.
//!
//! Owns opening the file (`store`), the one thread that writes (`keeper`), reading an event's bytes (`read`), and an event as
//! both faces see it (`view`, `answer`, `fault`). Leaves receiving them to `inbox`, and what is answered to `answers`.

mod answer;
mod fault;
mod keeper;
pub mod read;
mod store;
mod view;

pub use answer::{AnsweredBy, EventAnswer, RuleFailure, Spoke};
pub(crate) use fault::Fault;
pub use fault::{FaultCode, RuleFault, RulePart};
pub(crate) use keeper::{Keeper, raise};
pub use read::{READER, read};
pub use store::EventStore;
pub use view::{EventDetail, EventGap, EventLine, EventList, EventQuery, EventState, Signed};
pub use view::{MOST_GAPS, detail, gap, line, short};
