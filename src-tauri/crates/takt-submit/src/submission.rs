//! Submissions: every change of a site's data is sent, recorded and reported here, for all operations.
//!
//! [`Submissions`] stores a plan's steps in the journal, and a `runner` sends each step and determines the results of
//! its rows. Nothing is sent before it is stored, and a row is only accepted or rejected with proof.

mod approval;
mod backoff;
mod batch_size;
mod change_operation;
mod concurrency;
mod deleted_workbook;
mod dispatch;
mod evidence;
mod guard;
mod json_members;
mod keys_in_flight;
mod plan;
mod practice_plant;
mod progress;
mod queue;
mod read_back;
mod request;
mod request_history;
mod response_classification;
mod result_matching;
mod result_workbook;
mod results;
mod resume;
mod retry;
mod runner;
mod send;
mod sent_file;
mod start;
mod submissions_state;
mod team_watch;
mod throughput;
mod unconfirmed_totals;
mod undo;
mod view;

pub use approval::ApprovalPage;
pub(crate) use approval::StoredComparison;
pub use deleted_workbook::{DeletedView, DeletedWorkbook};
pub use request::{ImportToSend, SendOptions, SubmissionRequest};
pub(crate) use request_history::sent_request;
pub use request_history::{RequestBody, RequestClass, RequestPage, SentRequest};
pub use resume::Decision;
pub use sent_file::SentFiles;
pub(crate) use sent_file::is_renamed_text_sheet;
pub use submissions_state::Submissions;
pub use unconfirmed_totals::{UnconfirmedTotal, UnconfirmedTotals};
pub use undo::{UndoRow, UndoView};
pub(crate) use view::result_row;
pub use view::{ApprovalView, BatchView, PlanView, ResultPage, ResultRow, SubmissionView};

use std::{path::PathBuf, sync::Arc};

use parking_lot::Mutex;
use takt_client::Failpoints;
use takt_core::{Clock, Problem, words::CurrentWords};
use takt_journal::{FileFault, Journal, RecoveredSubmission, SubmissionId, SubmissionState};
use takt_sites::Sites;
use tokio::sync::broadcast;

use self::submissions_state::{RunCommand, SubmissionsState};
use crate::preview::Previews;

/// A subscriber that lags behind by more views misses the oldest ones.
const VIEW_CHANNEL_CAPACITY: usize = 256;

/// The dependencies of [`Submissions`].
pub struct SubmissionsConfig {
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub previews: Arc<Previews>,
    pub clock: Clock,
    pub current_words: CurrentWords,
    /// The name of the sending person.
    pub person: String,
    pub failpoints: Failpoints,
    /// The folder of the workbooks with deleted rows.
    pub deleted: PathBuf,
}

takt_core::opaque_debug!(SubmissionsConfig);

impl Submissions {
    /// Opens the submissions and recovers the runs of killed processes.
    ///
    /// # Errors
    ///
    /// [`Code::JournalDamaged`](takt_core::Code::JournalDamaged): the data of an earlier run are damaged. Other errors
    /// are only logged. A submission is then recovered when it is next claimed, or at the next start.
    pub fn open(handles: SubmissionsConfig) -> Result<Self, Problem> {
        let SubmissionsConfig { journal, sites, previews, clock, current_words, person, failpoints, deleted } = handles;
        recover(&journal, &clock)?;
        let (views, _) = broadcast::channel(VIEW_CHANNEL_CAPACITY);
        let shared = SubmissionsState {
            journal,
            sites,
            previews,
            clock,
            person,
            deleted,
            current_words,
            views,
            running: Mutex::default(),
            plans: Mutex::default(),
            unsaved_ends: Mutex::default(),
            failpoints,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Subscribes to the changes of all submissions. A slow subscriber may miss older changes but never the newest.
    pub fn subscribe(&self) -> broadcast::Receiver<SubmissionView> {
        self.shared.views.subscribe()
    }

    /// Pauses a submission after the requests in flight. Later steps of its plan don't start.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the submission isn't running (`not-running`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn pause(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        if !self.shared.send_command(id, RunCommand::Pause) {
            self.view(id)?;
            return Err(Problem::obstacle("not-running"));
        }
        // If the step's last requests are in flight, it finishes instead. Then the next step doesn't start.
        self.shared.end_plan(self.shared.journal.submission(id)?.plan);
        self.view(id)
    }

    /// Stops a submission after the requests in flight. Later steps don't start, and pending rows stay pending.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): another process is sending the submission
    ///   (`running-elsewhere`), or the submission is neither paused nor interrupted (`state-changed`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub async fn stop(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        self.run_blocking(move |submissions| {
            let shared = &submissions.shared;
            let plan = shared.journal.submission(id)?.plan;
            shared.end_plan(plan);
            let steps = shared.journal.plans().steps(plan)?;
            let stopped = steps.iter().filter(|step| shared.send_command(**step, RunCommand::Stop)).count();
            // Between two steps nothing runs for a moment. The plan then starts no other step.
            if stopped == 0 && !shared.runs_plan(plan) {
                shared.stop_idle(id)?;
                shared.publish(id, None);
            }
            submissions.view(id)
        })
        .await
    }
}

impl SubmissionsState {
    /// Stops a submission that no process is sending, or withdraws it if it waits for approval.
    fn stop_idle(&self, id: SubmissionId) -> Result<(), Problem> {
        if self.withdraw(id)? {
            return Ok(());
        }
        let (run, at) = (self.journal.claim(id)?, (self.clock)());
        self.journal.recover_run(&run, at)?;
        let idle = [SubmissionState::Paused, SubmissionState::Interrupted];
        Ok(self.journal.change_state(&run, &idle, SubmissionState::Stopped, at, None)?)
    }
}

/// Recovers runs that ended without a stored end. If the journal can't be written, submissions remain readable as
/// recovery would leave them, and nothing is sent before recovery succeeds.
fn recover(journal: &Journal, clock: &Clock) -> Result<(), Problem> {
    match journal.recover(clock()) {
        Ok(all) => {
            for recovered in all {
                let RecoveredSubmission { submission, unconfirmed, discarded } = recovered;
                tracing::info!(%submission, unconfirmed, discarded, "a run had ended without a word");
            }
            Ok(())
        }
        Err(error) if error.file_fault() == Some(FileFault::Damaged) => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "what an earlier run left can't be settled now");
            Ok(())
        }
    }
}
