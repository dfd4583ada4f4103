//! From items to results: every change goes this one way, whatever its operation.
//!
//! Owns the run of a submission: what is sent when, what an answer means for each row, pausing, going on, and the report.
//! Leaves to others: what may be sent (import), the wire (takt-client), keeping (takt-journal).

mod approval;
mod backoff;
mod concurrency;
mod deleted_workbook;
mod dispatch;
mod draft;
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
mod shared;
mod snapshot;
mod team_watch;
mod throughput;
mod totals;
mod undo;
mod view;

pub use approval::{ApprovalPage, ApprovalView};
pub use deleted_workbook::DeletedWorkbook;
pub use draft::SubmissionRequest;
pub(crate) use request_history::view as request_view;
pub use request_view::{RequestBody, RequestClass, RequestPage, SentRequest};
pub use resume::Decision;
pub(crate) use retry::is_its_file;
pub(crate) use snapshot::row as result_row;
pub use undo::{UndoRow, UndoView};
pub use view::*;

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::{Mutex, MutexGuard};

use crate::{deleted_rows, preview::PreviewedItems, result_reason};
use takt_client::Failpoints;
use takt_core::{Clock, Item, Problem, RowResult, blocking::run_blocking, words::CurrentWords};
use takt_import::import::{Original, SavedCopy};
use takt_journal::{
    FileFault, Journal, RecoveredSubmission, Run, SubmissionId, SubmissionRecord, SubmissionState, row::RowPage,
    step::NewPlan,
};
use takt_sites::Sites;
use tokio::sync::{broadcast, watch};

use self::{
    draft::{ItemTally, Target},
    guard::SendPermit,
    read_back_schedule::{ReadBackSchedule, ReadBackTiming},
    resolve::SubmissionReadBack,
    resume::Purpose,
    runner::{RunCommand, Runner, RunnerParts},
    shared::Shared,
    snapshot::LiveState,
};

/// Views that a slow listener may lag behind before it misses some.
const UNHEARD: usize = 256;
/// The failpoint `submission-being-written` is passed once per so many items.
const FAILPOINT_INTERVAL: usize = 5_000;
/// Submissions in a list.
const MAX_LISTED: u32 = 1_000;

/// All submissions: sent, taken up again, resolved, taken back, and what became of their rows.
#[derive(Debug)]
pub struct Submissions {
    shared: Arc<Shared>,
}

/// What submissions are made with.
pub struct SubmissionsConfig {
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub spoken: CurrentWords,
    /// Who sends.
    pub person: String,
    pub failpoints: Failpoints,
    /// Where the workbooks are that are kept of deletes.
    pub deleted: PathBuf,
}

takt_core::opaque_debug!(SubmissionsConfig);

/// A run of this process.
struct RunningSubmission {
    command: watch::Sender<RunCommand>,
    /// Closed when the run has ended.
    live: watch::Receiver<LiveState>,
}

impl Submissions {
    /// Settles what a dead Takt left behind before anything else happens.
    ///
    /// # Errors
    ///
    /// [`Code::JournalDamaged`](takt_core::Code::JournalDamaged): what an earlier run left can't be read. Any other failure
    /// of it is put off to the next start.
    pub fn open(handles: SubmissionsConfig) -> Result<Self, Problem> {
        let SubmissionsConfig { journal, sites, clock, spoken, person, failpoints, deleted } = handles;
        recover(&journal, &clock)?;
        let (views, _) = broadcast::channel(UNHEARD);
        let shared = Shared {
            journal,
            sites,
            clock,
            person,
            deleted,
            spoken,
            views,
            running: Mutex::default(),
            plans: Mutex::default(),
            unkept: Mutex::default(),
            failpoints,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Every change of every submission; the newest is never missed.
    pub fn subscribe(&self) -> broadcast::Receiver<SubmissionView> {
        self.shared.views.subscribe()
    }

    /// Writes every step down, then sends one after the other in the background. Where a second person has to approve that first,
    /// all are paused, and nothing is sent.
    ///
    /// # Errors
    ///
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and `confirmed`
    ///   isn't its name.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): what is followed went to another address than the site
    ///   has now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): there are no rows (`nothing-to-send`), rows have errors and
    ///   aren't to be skipped (`rows-with-errors`), or an operation changes nothing (`not-a-change`).
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract has no such operation, or what is followed doesn't
    ///   exist.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [journal code](takt_core::problem#journal-codes): the rows can't be written down; nothing was sent.
    pub async fn submit(&self, request: SubmissionRequest) -> Result<PlanView, Problem> {
        request.check()?;
        self.submit_from(request, std::iter::empty()).await
    }

    /// The same with what [`Previews::prepare`](crate::preview::Previews::prepare) gave of an import. An import that is changed while its
    /// items are written down isn't sent.
    ///
    /// # Errors
    ///
    /// As [`Self::submit`], and [`Code::Precondition`](takt_core::Code::Precondition) (`import-changed`): the import was changed
    /// meanwhile; nothing was sent.
    pub async fn submit_prepared(
        &self,
        request: SubmissionRequest,
        further: Option<PreviewedItems>,
    ) -> Result<PlanView, Problem> {
        match further {
            Some(items) => {
                let source = items.source();
                self.write_and_begin(request, items, move || source.check_unchanged()).await
            }
            None => self.submit(request).await,
        }
    }

    /// The same with further items of the last step, which are made while they are written down. A trial run counts only those
    /// of the request.
    ///
    /// # Errors
    ///
    /// As [`Self::submit`].
    pub async fn submit_from(
        &self,
        request: SubmissionRequest,
        further: impl Iterator<Item = Item> + Send + 'static,
    ) -> Result<PlanView, Problem> {
        self.write_and_begin(request, further, || Ok(())).await
    }

    /// `check` has the last word once everything is written down.
    async fn write_and_begin(
        &self,
        request: SubmissionRequest,
        further: impl Iterator<Item = Item> + Send + 'static,
        check: impl Fn() -> Result<(), Problem> + Send + 'static,
    ) -> Result<PlanView, Problem> {
        let shared = Arc::clone(&self.shared);
        for step in &request.steps {
            Target::find(&*shared.sites.contract(&request.site)?, &step.set.operation)?;
        }
        let permit = guard::permit(&shared.journal, &request.site, request.confirmed.as_deref())?;
        shared.sites.client(&request.site)?;
        shared.check_followed(request.follows)?;
        let find_out = if request.leave_unconfirmed { ReadBackTiming::Never } else { ReadBackTiming::AtEnd };
        let (beside, skip_blocked) = (request.beside.clone(), request.skip_blocked);
        let drafts = request.into_drafts(&shared, permit.address())?;
        let (plan, seen) = run_blocking(move || {
            let seen = RefCell::new(ItemTally::default());
            let steps = shared.new_steps(drafts, further, &seen);
            let checked = RefCell::new(Ok(()));
            let plan = shared.journal.plans().create(steps, || {
                let found = check().and_then(|()| seen.borrow().check(skip_blocked));
                *checked.borrow_mut() = found;
                checked.borrow().is_ok()
            })?;
            if let (Some(plan), Some(beside)) = (&plan, beside) {
                shared.store_beside(plan.run.submission(), &beside)?;
            }
            Ok((plan, checked.into_inner().and_then(|()| seen.take().check(skip_blocked))))
        })
        .await?;
        seen?;
        let plan = plan.ok_or_else(|| Problem::in_the_way_of("nothing-to-send", &[]))?;
        self.begin(plan, find_out, permit)
    }

    /// Runs what was just written down.
    fn begin(&self, plan: NewPlan, find_out: ReadBackTiming, permit: SendPermit) -> Result<PlanView, Problem> {
        self.shared.failpoints.pass("submission-written");
        let first = plan.run.submission();
        if plan.needs_approval {
            drop(plan.run);
            plan.steps.iter().for_each(|step| self.shared.publish(*step, None));
            return self.plan(first);
        }
        self.start(plan.run, find_out, &permit)?;
        let blind = find_out == ReadBackTiming::Never;
        self.go_on_after(first, &plan.steps, (Purpose::Begin { blind }, permit));
        self.plan(first)
    }

    /// After the request that is under way.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it isn't running (`not-running`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn pause(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        if !self.shared.command(id, RunCommand::Pause) {
            self.view(id)?;
            return Err(Problem::in_the_way_of("not-running", &[]));
        }
        self.view(id)
    }

    /// After the request that is under way; later steps don't begin. What is pending stays pending.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): another Takt is sending it (`running-elsewhere`), or it is
    ///   neither paused nor interrupted (`state-changed`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub async fn stop(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let plan = self.shared.journal.submission(id)?.plan;
        self.shared.end_plan(plan);
        let steps = self.shared.journal.plans().steps(plan)?;
        let stopped = steps.iter().filter(|step| self.shared.command(**step, RunCommand::Stop)).count();
        if stopped == 0 {
            let shared = Arc::clone(&self.shared);
            run_blocking(move || {
                if shared.withdraw(id)? {
                    return Ok(());
                }
                let (run, at) = (shared.journal.claim(id)?, (shared.clock)());
                shared.journal.recover_run(&run, at)?;
                Ok(shared.journal.change_state(
                    &run,
                    &[SubmissionState::Paused, SubmissionState::Interrupted],
                    SubmissionState::Stopped,
                    at,
                    None,
                )?)
            })
            .await?;
            self.shared.publish(id, None);
        }
        self.view(id)
    }

    /// Whether a person may write to a site now: of a production site its typed name is needed.
    ///
    /// # Errors
    ///
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and `confirmed`
    ///   isn't its name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn may_write(&self, site: &str, confirmed: Option<&str>) -> Result<(), Problem> {
        guard::permit(&self.shared.journal, site, confirmed).map(drop)
    }

    fn permit_of(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<SendPermit, Problem> {
        let record = self.shared.journal.submission(id)?;
        let permit = guard::permit(&self.shared.journal, &record.site, confirmed)?;
        guard::check_place(&self.shared.journal, &record)?;
        Ok(permit)
    }

    /// Begins the run in the background.
    fn start(&self, run: Run, find_out: ReadBackTiming, permit: &SendPermit) -> Result<SubmissionView, Problem> {
        let id = run.submission();
        let record = self.shared.journal.submission(id)?;
        permit.check(&record)?;
        let target = Target::find(&*self.shared.sites.contract(&record.site)?, &record.operation)?;
        let client = self.shared.sites.client(&record.site)?;
        lock(&self.shared.unkept).remove(&id);
        let reader = SubmissionReadBack::of(&self.shared, &record.operation, &target, &record.site, &client);
        let read_backs = ReadBackSchedule::new(find_out, reader);
        let (command, wished) = watch::channel(RunCommand::Continue);
        let (live, lived) = watch::channel(LiveState::default());
        lock(&self.shared.running).insert(id, RunningSubmission { command, live: lived });
        let runner = Runner::new(
            Arc::clone(&self.shared),
            Arc::new(run),
            RunnerParts {
                target,
                batch_size: record.batch_size,
                asked_size: record.asked_size,
                site: record.site,
                client,
                read_backs,
                taken_up: self.shared.journal.plans().taken_up(id)?,
            },
            (wished, live),
        );
        let view = self.view(id);
        tokio::spawn(runner.run());
        view
    }

    /// Until this one step no longer runs in this process.
    async fn wait_for_step(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let live = lock(&self.shared.running).get(&id).map(|running| running.live.clone());
        if let Some(mut live) = live {
            while live.changed().await.is_ok() {}
        }
        self.view(id)
    }

    /// How a submission stands.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn view(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let live = lock(&self.shared.running).get(&id).map(|running| running.live.borrow().clone());
        Ok(self.shared.view(id, live.as_ref())?)
    }

    /// Newest first, without their batches.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn list(&self) -> Result<Vec<SubmissionView>, Problem> {
        Ok(self.views(self.shared.journal.submissions(0, MAX_LISTED)?))
    }

    /// Every submission of an operation that deletes, newest first, with the workbook that is kept of it. One that isn't as it should
    /// be is written again.
    pub(crate) fn deletes(&self, operation: &str) -> Result<Vec<DeletedView>, Problem> {
        let target = Target::find(self.shared.sites.builtin_contract(), operation)?;
        let mut found = Vec::new();
        loop {
            let offset = u32::try_from(found.len()).unwrap_or(u32::MAX);
            let page = self.shared.journal.submissions(offset, MAX_LISTED)?;
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        let is_written = |record: &SubmissionRecord| record.state != SubmissionState::Preparing;
        let deletes = found.into_iter().filter(|record| record.operation == operation && is_written(record));
        Ok(deletes.map(|record| self.deleted(record, &target)).collect())
    }

    fn deleted(&self, record: SubmissionRecord, target: &Target) -> DeletedView {
        let (shared, id) = (&self.shared, record.id);
        let path = shared.workbook_path(&record);
        // A run that goes on here writes it itself, and what was purged can't be written any more.
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

    /// As they stand, without their batches.
    pub(crate) fn views(&self, records: Vec<SubmissionRecord>) -> Vec<SubmissionView> {
        let approvals = self.shared.approvals_of(&records);
        let approvals = approvals
            .inspect_err(|error| tracing::warn!(%error, "who has to approve what can't be read"))
            .unwrap_or_default();
        let running = lock(&self.shared.running);
        let live = |id| running.get(&id).map(|running| running.live.borrow().clone());
        let view = |record: SubmissionRecord| {
            let (live, approval) = (live(record.id), approvals.get(&record.plan).cloned());
            let view = SubmissionView { approval, ..snapshot::of(record, &[], live.as_ref()) };
            let not_linked = self.shared.not_linked(&view);
            let not_linked = not_linked
                .inspect_err(|error| tracing::warn!(%error, "rows that weren't there can't be counted"))
                .unwrap_or_default();
            SubmissionView { not_linked, ..view }
        };
        records.into_iter().map(view).collect()
    }

    /// Rows of a submission with what became of them, only those of one result where it is given.
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
        ResultPage { total: page.total, offset, rows: page.rows.iter().map(|row| snapshot::row(&words, row)).collect() }
    }

    /// Every row's result, for all steps of the plan that it belongs to; for a delete also what was deleted. As a copy of the
    /// planner's own workbook where `original` is the file that was sent, else as a workbook of its own.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract doesn't know its
    ///   operation any more.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): `path` is the planner's own file (`own-file`).
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
                Ok(SavedCopy { path: path.display().to_string(), whole: false })
            }
        }
    }
}

/// Where nothing can be written down, everything can be looked at all the same: it reads as recovery would leave it, and
/// nothing is sent before that is made up for.
fn recover(journal: &Journal, clock: &Clock) -> Result<(), Problem> {
    match journal.recover(clock()) {
        Ok(all) => {
            for left in all {
                let RecoveredSubmission { submission, unconfirmed, discarded } = left;
                tracing::info!(%submission, unconfirmed, discarded, "a run had ended without a word");
            }
            Ok(())
        }
        Err(error) if error.trouble() == Some(FileFault::Damaged) => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "what an earlier run left can't be settled now");
            Ok(())
        }
    }
}

fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock()
}
