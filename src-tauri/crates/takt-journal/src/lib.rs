//! What must survive a kill: sites, settings, mappings, remembered templates, and every submission with its items,
//! rows and attempts, in one SQLite file; and every event that came, in another.
//!
//! Owns the file, its schema and every state change, each guarded by the old state. A request that changes something
//! may only be sent with an [`Attempt`] in hand, and only [`Journal::begin_attempt`] makes one, after its commit.
//! Leaves to others: the meaning of an answer, the words for people, the clock. Nothing secret is ever kept here.
//!
//! | part | what it does |
//! |---|---|
//! | [`Journal`] | the file of submissions, and the way to all parts of it |
//! | [`Run`], [`Attempt`] | the right to run a submission, and to send one request |
//! | [`Rows`], [`Requests`], [`Plans`] | rows, requests and plans of submissions |
//! | [`Mappings`], [`Templates`], [`References`], [`Settings`], [`SiteRecords`] | what else is stored |
//! | [`Inbox`] | the file of events, with their readings, answers and targets |
//! | [`JournalError`] | what failed |

mod abandoned;
mod attempt;
mod backup;
mod change;
mod connection;
mod decision;
mod error;
mod group;
mod history;
mod id;
mod inbox;
mod item;
mod journal;
mod look;
mod mapping;
mod plan;
mod preparation;
mod presence;
mod private;
mod purge;
mod recovery;
mod reference;
mod result;
mod row;
mod run;
mod salvage;
mod schema;
mod sending;
mod setting;
mod site;
mod soundness;
mod step;
mod store;
mod submission;
mod submission_record;
mod template;
mod wait;
mod writer;

pub use abandoned::ENDED_WHILE_SENDING;
pub use attempt::{AttemptEnd, AttemptRecord, OutcomeClass, Requests};
pub use backup::{BEFORE_UPDATES_KEPT, DAILY_KEPT, StoredBackup};
pub use change::{Change, Follows, Relation};
pub use decision::ItemDetail;
pub use error::{JournalError, Trouble};
pub use history::{Follower, HistoryFilter, HistoryPage};
pub use id::{PlanId, SubmissionId};
pub use inbox::{
    AnswerRecord, Backlog, EventCopy, EventFilter, EventPage, EventRow, EventState, Fault, FloorAlert, FloorChange,
    FloorKnown, FloorOrder, FloorState, FloorStation, FloorTable, ForwardRow, ForwardState, Gap, GapCause, Halt, Inbox,
    NamedOrder, NamingEvent, NewEvent, NewTarget, OrderEventQuery, RawEvent, Reading, RuleEdits, RulesRecord, Sent,
    Signed, Start, StoreOutcome, Target, TargetKeys, Targets,
};
pub use item::{NewItem, StoredItem};
pub use journal::Journal;
pub use look::Look;
pub use mapping::{MappingRecord, Mappings};
pub use plan::Plans;
pub use private::{create_private_folder, open_private_file};
pub use purge::Purged;
pub use recovery::Recovered;
pub use reference::{ReferenceRecord, References};
pub use result::{Outcome, Reason, ResultCounts, RowResult};
pub use row::{RowPage, Rows, StoredRow};
pub use run::Run;
pub use salvage::{RESTORED, Salvage};
pub use sending::Attempt;
pub use setting::Settings;
pub use site::{SiteRecord, SiteRecords};
pub use soundness::Soundness;
pub use step::{NewPlan, NewStep, NewWait};
pub use submission_record::{NewSubmission, SiteAddress, SubmissionRecord, SubmissionState};
pub use template::Templates;
pub use wait::WAITS_FOR;
