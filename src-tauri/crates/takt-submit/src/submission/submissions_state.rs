//! The shared state of submissions: handles, the runs of this process with the user's commands, and subscribers.

use std::{
    collections::HashMap,
    fmt,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use parking_lot::Mutex;
use takt_client::Failpoints;
use takt_contract::OperationKind;
use takt_core::{Clock, Code, Problem, Words, blocking::run_blocking, words::CurrentWords};
use takt_journal::{Journal, JournalError, PlanId, SubmissionId, SubmissionState, Takeover};
use takt_sites::Sites;
use tokio::sync::{broadcast, watch};

use super::view::{self, LiveState, SubmissionView};
use crate::{preview::Previews, result_reason};

/// All submissions: sent, resumed, resolved and undone, with the results of their rows.
#[derive(Debug, Clone)]
pub struct Submissions {
    pub(super) shared: Arc<SubmissionsState>,
}

impl Submissions {
    /// Runs `work` on a thread that may block.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let submissions = self.clone();
        run_blocking(move || work(&submissions)).await
    }
}

/// The end of a run that couldn't be stored.
#[derive(Debug, Clone)]
pub(super) struct UnsavedEnd {
    pub(super) problem: Problem,
    /// The desk that had resumed the submission when the run began.
    pub(super) previous_takeover: Option<Takeover>,
}

/// A run of a submission in this process.
pub(super) struct RunningSubmission {
    pub(super) command: watch::Sender<RunCommand>,
    /// Closed once the run has ended.
    pub(super) live: watch::Receiver<LiveState>,
}

/// The user's command to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunCommand {
    Continue,
    Pause,
    Stop,
}

/// A plan whose later steps are started by this process.
#[derive(Debug)]
pub(super) struct PlanRun {
    pub(super) stop: Arc<AtomicBool>,
    /// Closed once the last step has started, or none will.
    pub(super) ended: watch::Receiver<()>,
}

/// The state that all clones of [`Submissions`] and their runs share.
pub(super) struct SubmissionsState {
    pub(super) journal: Arc<Journal>,
    pub(super) clock: Clock,
    /// The name of the sending person.
    pub(super) person: String,
    pub(super) sites: Arc<Sites>,
    pub(super) previews: Arc<Previews>,
    /// The folder with the workbooks of deleted rows.
    pub(super) deleted: PathBuf,
    pub(super) current_words: CurrentWords,
    pub(super) views: broadcast::Sender<SubmissionView>,
    pub(super) running: Mutex<HashMap<SubmissionId, RunningSubmission>>,
    pub(super) plans: Mutex<HashMap<PlanId, PlanRun>>,
    /// The ends of runs that couldn't be stored. Views show them instead of the stored state.
    pub(super) unsaved_ends: Mutex<HashMap<SubmissionId, UnsavedEnd>>,
    pub(super) failpoints: Failpoints,
}

impl SubmissionsState {
    pub(super) fn words(&self) -> Arc<Words> {
        self.current_words.words()
    }

    /// Sends a command to a run. Returns false if the submission isn't running here.
    pub(super) fn send_command(&self, id: SubmissionId, command: RunCommand) -> bool {
        self.running.lock().get(&id).is_some_and(|running| running.command.send(command).is_ok())
    }

    /// Returns whether the submission runs here. An aborted run leaves its entry, but its channel is closed.
    pub(super) fn runs_here(&self, id: SubmissionId) -> bool {
        self.running.lock().get(&id).is_some_and(|running| running.live.has_changed().is_ok())
    }

    pub(super) fn remove_run(&self, id: SubmissionId) {
        self.running.lock().remove(&id);
    }

    /// Returns the view of a submission. An end that couldn't be stored is included.
    pub(super) fn view(&self, id: SubmissionId, live: Option<&LiveState>) -> Result<SubmissionView, JournalError> {
        let mut view = view::read_view(&self.sites, &self.journal, id, live, &self.person)?;
        view.not_linked = self.count_not_linked(&view)?;
        // Rows that were being sent are already shown as unconfirmed, since no desk runs the submission.
        let unsaved_end = self.unsaved_ends.lock().get(&id).cloned().filter(|_| live.is_none());
        let Some(unsaved_end) = unsaved_end else { return Ok(view) };
        if let Some(problem) = self.takeover_problem(id, unsaved_end.previous_takeover.as_ref())? {
            view.problem = Some(problem);
            return Ok(view);
        }
        view.problem = Some(unsaved_end.problem);
        view.state = SubmissionState::Interrupted;
        Ok(view)
    }

    /// Counts the skipped rows of a delete that didn't exist.
    pub(super) fn count_not_linked(&self, view: &SubmissionView) -> Result<u32, JournalError> {
        if view.counts.skipped == 0 || !self.is_delete(&view.site, &view.operation) {
            return Ok(0);
        }
        self.journal.rows().count_skipped(view.id, result_reason::NOT_LINKED)
    }

    /// Returns whether an operation deletes, by the built-in contract if the site is unknown.
    fn is_delete(&self, site: &str, operation: &str) -> bool {
        let contract = self.sites.contract(site).unwrap_or_else(|_| Arc::clone(self.sites.builtin_contract()));
        contract.operation(operation).is_some_and(|operation| operation.kind == OperationKind::Delete)
    }

    /// Returns the problem that another desk has resumed the submission, or `None` if none has.
    fn takeover_problem(&self, id: SubmissionId, before: Option<&Takeover>) -> Result<Option<Problem>, JournalError> {
        let taken = self.journal.plans().last_takeover(id)?.filter(|taken| Some(taken) != before);
        Ok(taken.map(|taken| {
            let problem = Problem::new(Code::TakenOver).parameter("person", taken.person);
            problem.parameter("since", taken.at.to_string())
        }))
    }

    pub(super) fn publish(&self, id: SubmissionId, live: Option<&LiveState>) {
        match self.view(id, live) {
            // Without a subscriber the message is dropped.
            Ok(view) => drop(self.views.send(view)),
            Err(error) => tracing::error!(submission = %id, %error, "how a submission stands couldn't be read"),
        }
    }
}

impl fmt::Debug for SubmissionsState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("journal", &self.journal).finish_non_exhaustive()
    }
}
