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
mod progress;
mod queue;
mod read_back;
mod request_history;
mod response_classification;
mod result_matching;
mod result_workbook;
mod resume;
mod retry;
mod runner;
mod send;
mod shared;
mod team_watch;
mod throughput;
mod unconfirmed_totals;
mod undo;
mod view;

pub use approval::ApprovalPage;
pub use deleted_workbook::{DeletedView, DeletedWorkbook};
pub(crate) use request_history::sent_request;
pub use request_history::{RequestBody, RequestClass, RequestPage, SentRequest};
pub use resume::Decision;
pub(crate) use retry::is_renamed_text_sheet;
pub use send::{ImportToSend, SendOptions, SubmissionRequest};
pub use shared::Submissions;
pub use unconfirmed_totals::{UnconfirmedTotal, UnconfirmedTotals};
pub use undo::{UndoRow, UndoView};
pub(crate) use view::result_row;
pub use view::{ApprovalView, BatchView, PlanView, ResultPage, ResultRow, SubmissionView};

use std::{path::PathBuf, sync::Arc};

use parking_lot::Mutex;
use takt_client::Failpoints;
use takt_core::{Clock, Problem, RowResult, blocking::run_blocking, words::CurrentWords};
use takt_journal::{
    FileFault, Journal, RecoveredSubmission, Run, SubmissionId, SubmissionRecord, SubmissionState, row::RowPage,
};
use takt_sites::{SiteConnection, Sites};
use tokio::sync::{broadcast, watch};

use self::{
    change_operation::ChangeOperation,
    guard::SendPermit,
    read_back::SubmissionReadBack,
    runner::{ReadBackSchedule, ReadBackTiming, Runner, RunnerParts},
    shared::{RunCommand, RunningSubmission, Shared},
    view::LiveState,
};
use crate::preview::Previews;

/// A subscriber that lags behind by more views misses the oldest ones.
const VIEW_CHANNEL_CAPACITY: usize = 256;
/// Limits [`Submissions::list`] to the newest submissions.
const MAX_LISTED: u32 = 1_000;

/// The dependencies of [`Submissions`].
pub struct SubmissionsConfig {
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub previews: Arc<Previews>,
    pub clock: Clock,
    pub spoken: CurrentWords,
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
    /// are only logged, and the data are recovered at the next start.
    pub fn open(handles: SubmissionsConfig) -> Result<Self, Problem> {
        let SubmissionsConfig { journal, sites, previews, clock, spoken, person, failpoints, deleted } = handles;
        recover(&journal, &clock)?;
        let (views, _) = broadcast::channel(VIEW_CHANNEL_CAPACITY);
        let shared = Shared {
            journal,
            sites,
            previews,
            clock,
            person,
            deleted,
            spoken,
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

    /// Pauses a submission after the requests in flight.
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
            if stopped == 0 {
                shared.stop_idle(id)?;
                shared.publish(id, None);
            }
            submissions.view(id)
        })
        .await
    }

    /// Runs `work` on a thread that may block.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let submissions = self.clone();
        run_blocking(move || work(&submissions)).await
    }

    /// Checks that the user may write to a site now. For a production site, `confirmed` must be its name.
    ///
    /// # Errors
    ///
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and
    ///   `confirmed` isn't its name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn may_write(&self, site: &str, confirmed: Option<&str>) -> Result<(), Problem> {
        guard::grant_permit(&self.shared.journal, site, confirmed).map(drop)
    }

    fn request_permit(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<SendPermit, Problem> {
        let record = self.shared.journal.submission(id)?;
        let permit = guard::grant_permit(&self.shared.journal, &record.site, confirmed)?;
        guard::check_address(&self.shared.journal, &record)?;
        Ok(permit)
    }

    /// Starts a run in the background.
    fn start(
        &self,
        run: Run,
        timing: ReadBackTiming,
        permit: &SendPermit,
        connection: &SiteConnection,
    ) -> Result<SubmissionView, Problem> {
        let id = run.submission();
        let record = self.shared.journal.submission(id)?;
        permit.check(&record)?;
        let target = ChangeOperation::find(&connection.contract, &record.operation)?;
        self.shared.unsaved_ends.lock().remove(&id);
        let reader = SubmissionReadBack::for_operation(&self.shared, &record.operation, &target, connection);
        let read_backs = ReadBackSchedule::new(timing, reader);
        let (command, command_receiver) = watch::channel(RunCommand::Continue);
        let (live_sender, live_receiver) = watch::channel(LiveState::default());
        self.shared.running.lock().insert(id, RunningSubmission { command, live: live_receiver });
        let runner = Runner::new(
            Arc::clone(&self.shared),
            Arc::new(run),
            RunnerParts {
                target,
                batch_size: record.batch_size,
                asked_size: record.asked_size,
                connection: connection.clone(),
                read_backs,
                taken_up: self.shared.journal.plans().taken_up(id)?,
            },
            command_receiver,
            live_sender,
        );
        let view = self.view(id);
        tokio::spawn(runner.run());
        view
    }

    /// Waits until this step no longer runs in this process.
    async fn wait_for_step(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let live = self.shared.running.lock().get(&id).map(|running| running.live.clone());
        if let Some(mut live) = live {
            while live.changed().await.is_ok() {}
        }
        self.run_blocking(move |submissions| submissions.view(id)).await
    }

    /// Returns the state of a submission.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn view(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let live = self.shared.running.lock().get(&id).map(|running| running.live.borrow().clone());
        Ok(self.shared.view(id, live.as_ref())?)
    }

    /// Lists the submissions without their batches, the newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn list(&self) -> Result<Vec<SubmissionView>, Problem> {
        Ok(self.views(self.shared.journal.submissions(0, MAX_LISTED)?))
    }

    /// Returns the views without batches.
    pub(crate) fn views(&self, records: Vec<SubmissionRecord>) -> Vec<SubmissionView> {
        let approvals = self.shared.load_approvals(&records);
        let approvals = approvals
            .inspect_err(|error| tracing::warn!(%error, "who has to approve what can't be read"))
            .unwrap_or_default();
        let running = self.shared.running.lock();
        let live = |id| running.get(&id).map(|running| running.live.borrow().clone());
        let view = |record: SubmissionRecord| {
            let (live, approval) = (live(record.id), approvals.get(&record.plan).cloned());
            let view = SubmissionView { approval, ..view::submission_view(record, &[], live.as_ref()) };
            let not_linked = self.shared.count_not_linked(&view);
            let not_linked = not_linked
                .inspect_err(|error| tracing::warn!(%error, "rows that weren't there can't be counted"))
                .unwrap_or_default();
            SubmissionView { not_linked, ..view }
        };
        records.into_iter().map(view).collect()
    }

    /// Returns a page of a submission's rows with their results, optionally of one result only.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the rows can't be read.
    pub fn result_rows(
        &self,
        id: SubmissionId,
        result: Option<RowResult>,
        offset: u32,
        limit: u32,
    ) -> Result<ResultPage, Problem> {
        let page = self.shared.journal.rows().page(id, result, offset, limit)?;
        Ok(self.page(&page, offset))
    }

    fn page(&self, page: &RowPage, offset: u32) -> ResultPage {
        let words = self.shared.words();
        ResultPage { total: page.total, offset, rows: page.rows.iter().map(|row| result_row(&words, row)).collect() }
    }

    /// Searches rows by a part of their key or reasons, or by their number.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the rows can't be read.
    pub fn search_rows(
        &self,
        id: SubmissionId,
        result: Option<RowResult>,
        text: &str,
        offset: u32,
        limit: u32,
    ) -> Result<ResultPage, Problem> {
        let text = text.trim();
        if text.is_empty() {
            return self.result_rows(id, result, offset, limit);
        }
        let page = self.shared.journal.rows().search(id, result, text, offset, limit)?;
        Ok(self.page(&page, offset))
    }

    /// Returns the name of the sending person.
    pub fn person(&self) -> &str {
        &self.shared.person
    }
}

impl Shared {
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
