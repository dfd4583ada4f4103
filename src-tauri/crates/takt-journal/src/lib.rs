//! Stores everything that must survive a crash, in SQLite files or in a team's PostgreSQL database: sites, settings,
//! mappings, templates, submissions with their items, rows and attempts, and events.
//!
//! The crate owns the schemas and every state change, each guarded by the old state. A request that changes something
//! may only be sent with an [`Attempt`], which only [`Journal::begin_attempt`] returns, after its commit. The crate
//! doesn't interpret responses, write texts for people, read the clock or store secrets.
//!
//! | part | what it does |
//! |---|---|
//! | [`Journal`] | the file of submissions, and the way to all other parts |
//! | [`Run`], [`Attempt`] | the right to run a submission, and to send one request |
//! | [`Plans`], [`PlanWriter`] | submissions that run one after the other, and how they are stored |
//! | [`item`], [`row`], [`attempt`], [`approval`] | items, rows, requests and approvals of submissions |
//! | [`history`] | search in earlier submissions |
//! | [`mapping`], [`recent_file`], [`mod@reference`], [`site`], [`contract_version`], [`Settings`], [`Templates`] | everything else that is stored |
//! | [`backup`], [`salvage`], [`private_file`] | backups, recovery of a damaged file, files that only one person can open |
//! | [`Inbox`], [`inbox`] | events in a file or in a team's database, with their readings, answers and targets |
//! | [`Team`], [`TeamAddress`], [`TeamCheck`], [`CarryOver`] | a team's database: its address, joining, set-up, state, and the import of a desk's own file |
//! | [`SharedViews`], [`SharedChanges`] | views that a team shares, and the record of changes with a way to restore |
//! | [`JournalError`] | every error |
//!
//! After a crash, the journal knows the rows whose request may have reached the service.
//!
//! ```
//! use jiff::Timestamp;
//! use takt_journal::{Journal, NewSubmission, item::NewItem};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let journal = Journal::open(&folder.path().join("journal.sqlite"))?;
//! let submission = NewSubmission { operation: "materials.sync".to_owned(), ..NewSubmission::default() };
//! let row = |number| NewItem { rows: vec![("Sheet1".to_owned(), number)], ..NewItem::default() };
//! let run = journal.create_submission(&submission, [row(2), row(3)])?;
//! let id = run.submission();
//!
//! // The attempt is on disk before its request is sent.
//! let attempt = journal.begin_attempt(&run, &[1], Timestamp::now(), "the hash of the body")?;
//! // The process dies before the response.
//! drop((attempt, run));
//!
//! journal.recover(Timestamp::now())?;
//! let counts = journal.submission(id)?.counts;
//! assert_eq!((counts.unconfirmed, counts.pending), (1, 1));
//! # Ok(())
//! # }
//! ```

mod abandoned;
pub mod approval;
mod approval_rule;
pub mod attempt;
pub mod backup;
mod bulk_insert;
mod carry_over;
mod claim;
mod connection;
pub mod contract_version;
mod database;
mod decision;
mod error;
mod file_lock;
mod group;
pub mod history;
mod id;
pub mod inbox;
mod integrity;
pub mod item;
mod item_body;
mod journal;
mod key_claim;
mod key_claim_check;
pub mod mapping;
mod own_change;
mod plan;
mod plan_writer;
mod postgres;
pub mod private_file;
mod purge;
pub mod recent_file;
mod recovery;
pub mod reference;
mod restore;
mod result;
pub mod row;
mod run;
pub mod salvage;
mod schema;
mod setting;
mod shared_change;
mod shared_view;
pub mod site;
#[cfg(test)]
#[cfg(unix)]
mod statements;
mod store;
mod stored_word;
mod submission;
mod submission_record;
mod team;
mod team_store;
mod template;

pub use abandoned::ENDED_WHILE_SENDING;
pub use approval_rule::ApprovalRule;
pub use attempt::Attempt;
pub use carry_over::CarryOver;
pub use decision::Decisions;
pub use error::{FileFault, JournalError};
pub use id::{PlanId, SubmissionId};
pub use inbox::Inbox;
pub use integrity::IntegrityReport;
pub use item::{Change, ItemSnapshot};
pub use journal::Journal;
pub use key_claim::{CLAIMED, CLAIMED_UNCONFIRMED, ClaimChoice, KeyClaim};
pub use plan::{NewWait, Plans};
pub use plan_writer::{NewPlan, PlanWriter};
pub use postgres::{
    Availability, DEFAULT_SILENCE_TIMEOUT, PasswordSource, PostgresError, TeamAddress, TeamAddressError,
};
pub use purge::{EventPurge, PurgeCounts};
pub use recovery::RecoveredSubmission;
pub use result::{Outcome, Reason, ResultCounts, RowResult};
pub use row::ItemDetail;
pub use run::{FileLock, Run};
pub use setting::Settings;
pub use shared_change::{SharedChange, SharedChanges, SharedKind};
pub use shared_view::{SharedView, SharedViews, ViewChange};
pub use stored_word::StoredWord;
pub use submission::Takeover;
pub use submission_record::{
    NewSubmission, Relation, SiteAddress, SubmissionOrigin, SubmissionRecord, SubmissionState,
};
pub use team::Team;
pub use team_store::{LockHolder, TeamCheck};
pub use template::Templates;
