//! Submissions: every change of a site's data is sent, recorded and reported here, whatever its operation.
//!
//! [`Submissions`] stores a plan's steps in the journal, and a `runner` sends each one. It decides what a response
//! means for each row. Nothing is sent before it is stored, and a row is only accepted or rejected with proof.

mod approval;
mod backoff;
mod batch_size;
mod concurrency;
mod deleted_workbook;
mod dispatch;
mod evidence;
mod file_lock;
mod guard;
mod keys_in_flight;
mod members;
mod plan;
mod progress;
mod queue;
mod read_back_schedule;
mod report;
mod request_history;
mod request_view;
mod resolve;
mod response_classification;
mod result_matching;
mod resume;
mod retry;
mod runner;
mod runs;
mod send;
mod shared;
mod snapshot;
mod target;
mod team_watch;
mod throughput;
mod totals;
mod undo;
mod view;

pub use approval::ApprovalPage;
pub use deleted_workbook::DeletedWorkbook;
pub(crate) use request_history::sent_request;
pub use request_view::{RequestBody, RequestClass, RequestPage, SentRequest};
pub use resume::Decision;
pub(crate) use retry::is_renamed_text_sheet;
pub use send::{ImportToSend, SendOptions, SubmissionRequest};
pub use shared::Submissions;
pub(crate) use snapshot::result_row;
pub use undo::{UndoRow, UndoView};
pub use view::*;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;

use crate::preview::Previews;
use takt_client::Failpoints;
use takt_core::{Clock, Problem, RowResult, blocking::run_blocking, words::CurrentWords};
use takt_import::{Original, SavedCopy};
use takt_journal::{
    FileFault, Journal, RecoveredSubmission, Run, SubmissionId, SubmissionRecord, SubmissionState, row::RowPage,
};
use takt_sites::{SiteConnection, Sites};
use tokio::sync::{broadcast, watch};

use self::{
    guard::SendPermit,
    read_back_schedule::{ReadBackSchedule, ReadBackTiming},
    resolve::SubmissionReadBack,
    runner::{Runner, RunnerParts},
    runs::{LiveState, RunCommand, RunningSubmission},
    shared::Shared,
    target::Target,
};

/// The views that a slow subscriber may lag behind before it misses some.
const VIEW_CHANNEL_CAPACITY: usize = 256;
/// The most submissions of a list.
const MAX_LISTED: u32 = 1_000;

/// The parts that submissions need.
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
    /// Opens the submissions and settles what a killed process left behind.
    ///
    /// # Errors
    ///
    /// [`Code::JournalDamaged`](takt_core::Code::JournalDamaged): the data of an earlier run are damaged. After other
    /// errors the data are settled at the next start.
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
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it isn't running (`not-running`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn pause(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        if !self.shared.command(id, RunCommand::Pause) {
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
    /// - [`Code::Precondition`](takt_core::Code::Precondition): another process is sending it (`running-elsewhere`), or
    ///   it is neither paused nor interrupted (`state-changed`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub async fn stop(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        self.run_blocking(move |submissions| {
            let shared = &submissions.shared;
            let plan = shared.journal.submission(id)?.plan;
            shared.end_plan(plan);
            let steps = shared.journal.plans().steps(plan)?;
            let stopped = steps.iter().filter(|step| shared.command(**step, RunCommand::Stop)).count();
            if stopped == 0 {
                shared.stop_idle(id)?;
                shared.publish(id, None);
            }
            submissions.view(id)
        })
        .await
    }

    /// Runs `work` on a thread that may wait for the journal.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let submissions = self.clone();
        run_blocking(move || work(&submissions)).await
    }

    /// Checks that the user may write to a site now. A production site needs its typed name.
    ///
    /// # Errors
    ///
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and
    ///   `confirmed` isn't its name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn may_write(&self, site: &str, confirmed: Option<&str>) -> Result<(), Problem> {
        guard::permit(&self.shared.journal, site, confirmed).map(drop)
    }

    fn permit_of(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<SendPermit, Problem> {
        let record = self.shared.journal.submission(id)?;
        let permit = guard::permit(&self.shared.journal, &record.site, confirmed)?;
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
        let target = Target::find(&connection.contract, &record.operation)?;
        self.shared.unsaved_ends.lock().remove(&id);
        let reader = SubmissionReadBack::of(&self.shared, &record.operation, &target, connection);
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
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn view(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let live = self.shared.running.lock().get(&id).map(|running| running.live.borrow().clone());
        Ok(self.shared.view(id, live.as_ref())?)
    }

    /// Lists the submissions without their batches, the newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn list(&self) -> Result<Vec<SubmissionView>, Problem> {
        Ok(self.views(self.shared.journal.submissions(0, MAX_LISTED)?))
    }

    /// Lists the submissions of a delete operation with their workbooks, the newest first. Outdated workbooks are
    /// written again.
    pub(crate) fn deletes(&self, operation: &str) -> Result<Vec<DeletedView>, Problem> {
        let target = Target::find(self.shared.sites.builtin_contract(), operation)?;
        let mut records = Vec::new();
        loop {
            let offset = u32::try_from(records.len()).unwrap_or(u32::MAX);
            let page = self.shared.journal.submissions(offset, MAX_LISTED)?;
            if page.is_empty() {
                break;
            }
            records.extend(page);
        }
        let is_written = |record: &SubmissionRecord| record.state != SubmissionState::Preparing;
        let deletes = records.into_iter().filter(|record| record.operation == operation && is_written(record));
        Ok(deletes.map(|record| self.deleted_view(record, &target)).collect())
    }

    fn deleted_view(&self, record: SubmissionRecord, target: &Target) -> DeletedView {
        let (shared, id) = (&self.shared, record.id);
        let path = shared.workbook_path(&record);
        // A run in this process writes the workbook, and purged rows can't be written.
        let problem =
            if shared.runs_here(id) || record.purged.is_some() { None } else { shared.store_deleted(id, target).err() };
        DeletedView {
            file: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            submission: Some(id),
            started: record.started.to_string(),
            counts: record.counts,
            state: record.state,
            site: record.site,
            person: record.person,
            total: record.total,
            problem,
        }
    }

    /// Returns the views without batches.
    pub(crate) fn views(&self, records: Vec<SubmissionRecord>) -> Vec<SubmissionView> {
        let approvals = self.shared.approvals_of(&records);
        let approvals = approvals
            .inspect_err(|error| tracing::warn!(%error, "who has to approve what can't be read"))
            .unwrap_or_default();
        let running = self.shared.running.lock();
        let live = |id| running.get(&id).map(|running| running.live.borrow().clone());
        let view = |record: SubmissionRecord| {
            let (live, approval) = (live(record.id), approvals.get(&record.plan).cloned());
            let view = SubmissionView { approval, ..snapshot::submission_view(record, &[], live.as_ref()) };
            let not_linked = self.shared.not_linked(&view);
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

    /// Exports the results of all rows, for all steps of the plan. For deletes the deleted rows are included.
    ///
    /// The results are written into a copy of the planner's workbook if `original` is the sent file, otherwise into a
    /// new workbook.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract no longer has its
    ///   operation.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): `path` is the planner's file (`own-file`).
    /// - A [file code](takt_core::problem#file-codes): the original can't be read again.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn export_results(
        &self,
        id: SubmissionId,
        original: Option<&Original>,
        path: &Path,
    ) -> Result<SavedCopy, Problem> {
        let shared = &self.shared;
        let steps = shared.journal.plans().steps(shared.journal.submission(id)?.plan)?;
        let records: Vec<SubmissionRecord> =
            steps.into_iter().map(|step| shared.journal.submission(step)).collect::<Result<_, _>>()?;
        let targets: Vec<(SubmissionId, Target)> = records
            .iter()
            .map(|record| Ok((record.id, Target::find(&*shared.sites.contract(&record.site)?, &record.operation)?)))
            .collect::<Result<_, Problem>>()?;
        match original.filter(|original| records.iter().all(|record| record.hash == original.hash())) {
            Some(original) => report::write_into(&shared.journal, &shared.words(), &targets, original, path),
            None => {
                report::write(&shared.journal, &shared.words(), &targets, path)?;
                Ok(SavedCopy { path: path.display().to_string(), keeps_original: false })
            }
        }
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

/// Settles what earlier runs left behind. If the journal can't be written, submissions remain readable as recovery
/// would leave them, and nothing is sent before recovery succeeds.
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
