//! What submissions and the runs of this process have in common: the handles, the runs that go on, and who is told of changes.

use std::{cell::RefCell, collections::HashMap, fmt, path::PathBuf, sync::Arc};

use parking_lot::Mutex;
use takt_client::Failpoints;
use takt_contract::OperationKind;
use takt_core::{Clock, Code, Item, Problem, Words, words::CurrentWords};
use takt_journal::{Journal, JournalError, Relation, SubmissionId, SubmissionOrigin, TakenUp, step::NewStep};
use takt_sites::{Site, Sites};
use tokio::sync::broadcast;

use super::{
    FAILPOINT_INTERVAL, RunningSubmission, SubmissionState, SubmissionView,
    draft::{self, ItemTally, StepDraft},
    guard, lock, plan, result_reason,
    runner::RunCommand,
    snapshot::{self, LiveState},
};

/// Why a run ended, where that couldn't be written down.
#[derive(Debug, Clone)]
pub(super) struct UnkeptEnd {
    pub(super) problem: Problem,
    /// Who had taken the submission up when the run began.
    pub(super) taken_up: Option<TakenUp>,
}

/// What submissions and their runs have in common.
pub(super) struct Shared {
    pub(super) journal: Arc<Journal>,
    pub(super) clock: Clock,
    /// Who sends.
    pub(super) person: String,
    pub(super) sites: Arc<Sites>,
    /// Where the workbooks are that are kept of deletes.
    pub(super) deleted: PathBuf,
    pub(super) spoken: CurrentWords,
    pub(super) views: broadcast::Sender<SubmissionView>,
    pub(super) running: Mutex<HashMap<SubmissionId, RunningSubmission>>,
    pub(super) plans: Mutex<plan::PlanRuns>,
    /// Why runs ended whose end couldn't be written down.
    pub(super) unkept: Mutex<HashMap<SubmissionId, UnkeptEnd>>,
    pub(super) failpoints: Failpoints,
}

impl Shared {
    /// The steps as the journal takes them; what was seen of their items is told while they go by.
    pub(super) fn new_steps<'a>(
        &'a self,
        drafts: Vec<StepDraft>,
        further: impl Iterator<Item = Item> + 'a,
        seen: &'a RefCell<ItemTally>,
    ) -> Vec<NewStep<'a>> {
        let mut further: Box<dyn Iterator<Item = Item> + 'a> = Box::new(further);
        let mut steps: Vec<NewStep<'a>> = Vec::with_capacity(drafts.len());
        for StepDraft { submission, items, waits } in drafts.into_iter().rev() {
            let more = std::mem::replace(&mut further, Box::new(std::iter::empty()));
            let deletes = submission.deletes;
            let items = items.into_iter().chain(more).inspect(|item| seen.borrow_mut().see(item));
            let items = items.map(move |item| draft::new_item(item, deletes));
            steps.push(NewStep { submission, items: Box::new(self.passing(items)), waits });
        }
        steps.reverse();
        steps
    }

    /// What another submission had rejected is sent again where it was sent before, and nowhere else.
    pub(super) fn check_followed(&self, follows: Option<SubmissionOrigin>) -> Result<(), Problem> {
        match follows {
            Some(SubmissionOrigin { submission, relation: Relation::Retry | Relation::Undo }) => {
                guard::check_place(&self.journal, &self.journal.submission(submission)?)
            }
            Some(SubmissionOrigin { relation: Relation::Again, .. }) | None => Ok(()),
        }
    }

    /// Of the plan that is followed the step with the same operation, as many of which follow already; else the one that was named.
    pub(super) fn followed(
        &self,
        follows: SubmissionOrigin,
        before: &[StepDraft],
        operation: &str,
    ) -> Result<SubmissionOrigin, Problem> {
        let taken = before.iter().filter(|step| step.submission.operation == operation).count();
        let mut alike = Vec::new();
        for step in self.journal.plans().steps(self.journal.submission(follows.submission)?.plan)? {
            if self.journal.submission(step)?.operation == operation {
                alike.push(step);
            }
        }
        let submission = alike.get(taken).copied().unwrap_or(follows.submission);
        Ok(SubmissionOrigin { submission, ..follows })
    }

    pub(super) fn words(&self) -> Arc<Words> {
        self.spoken.words()
    }

    /// The same items; a failpoint is passed with the first of them and then again and again.
    pub(super) fn passing<T>(&self, items: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        items.enumerate().map(|(place, item)| {
            if place.is_multiple_of(FAILPOINT_INTERVAL) {
                self.failpoints.pass("submission-being-written");
            }
            item
        })
    }

    /// False where it doesn't run here.
    pub(super) fn command(&self, id: SubmissionId, command: RunCommand) -> bool {
        lock(&self.running).get(&id).is_some_and(|running| running.command.send(command).is_ok())
    }

    /// A run that broke off has left its entry behind, but its channel is closed.
    pub(super) fn runs_here(&self, id: SubmissionId) -> bool {
        lock(&self.running).get(&id).is_some_and(|running| running.live.has_changed().is_ok())
    }

    pub(super) fn forget(&self, id: SubmissionId) {
        lock(&self.running).remove(&id);
    }

    /// As it is written down; why it ended is told also where that couldn't be.
    pub(super) fn view(&self, id: SubmissionId, live: Option<&LiveState>) -> Result<SubmissionView, JournalError> {
        let mut view = snapshot::view(&self.journal, id, (live, &self.person))?;
        view.not_linked = self.not_linked(&view)?;
        // What was being sent reads as unconfirmed by itself: no desk runs it any more.
        let unkept = lock(&self.unkept).get(&id).cloned().filter(|_| live.is_none());
        let Some(unkept) = unkept else { return Ok(view) };
        if let Some(problem) = self.taken_over(id, unkept.taken_up.as_ref())? {
            view.problem = Some(problem);
            return Ok(view);
        }
        view.problem = Some(unkept.problem);
        view.state = SubmissionState::Interrupted;
        Ok(view)
    }

    /// Skipped rows of a delete that weren't there.
    pub(super) fn not_linked(&self, view: &SubmissionView) -> Result<u32, JournalError> {
        if view.counts.skipped == 0 || !self.deletes(&view.site, &view.operation) {
            return Ok(0);
        }
        self.journal.rows().skipped_because(view.id, result_reason::NOT_LINKED)
    }

    /// Whether an operation deletes; by the built-in contract if the site is unknown here.
    fn deletes(&self, site: &str, operation: &str) -> bool {
        let contract = self.sites.contract(site).unwrap_or_else(|_| Arc::clone(self.sites.builtin_contract()));
        contract.operation(operation).is_some_and(|operation| operation.kind == OperationKind::Delete)
    }

    /// Who took over what this desk lost. Absent if no desk did.
    fn taken_over(&self, id: SubmissionId, before: Option<&TakenUp>) -> Result<Option<Problem>, JournalError> {
        let taken = self.journal.plans().taken_up(id)?.filter(|taken| Some(taken) != before);
        Ok(taken.map(|taken| {
            let problem = Problem::new(Code::TakenOver).parameter("person", taken.person);
            problem.parameter("since", taken.at.to_string())
        }))
    }

    pub(super) fn publish(&self, id: SubmissionId, live: Option<&LiveState>) {
        match self.view(id, live) {
            // Without a listener, the message is dropped.
            Ok(view) => drop(self.views.send(view)),
            Err(error) => tracing::error!(submission = %id, %error, "how a submission stands couldn't be read"),
        }
    }

    pub(super) fn batch_size_of(&self, site: &str) -> Result<Option<u32>, Problem> {
        let sites = self.journal.sites().list()?;
        let site_record = sites.into_iter().find(|record| record.name == site);
        Ok(site_record
            .and_then(|record| serde_json::from_value::<Site>(record.body).ok())
            .and_then(|site| site.batch_size))
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("journal", &self.journal).finish_non_exhaustive()
    }
}
