//! The view of a plan with all its steps, waiting for its end, and whether this process runs it.

use std::sync::atomic::Ordering;

use takt_core::Problem;
use takt_journal::{PlanId, SubmissionId};

use super::{
    submissions_state::{Submissions, SubmissionsState},
    view::{PlanView, SubmissionView},
};

impl Submissions {
    /// Waits until no step of the plan runs in this process. `id` is any submission of the plan.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub async fn wait(&self, id: SubmissionId) -> Result<PlanView, Problem> {
        let (plan, steps) = self
            .run_blocking(move |submissions| {
                let journal = &submissions.shared.journal;
                let plan = journal.submission(id)?.plan;
                Ok((plan, journal.plans().steps(plan)?))
            })
            .await?;
        let ended = self.shared.plans.lock().get(&plan).map(|run| run.ended.clone());
        if let Some(mut ended) = ended {
            while ended.changed().await.is_ok() {}
        }
        for step in steps {
            self.wait_for_step(step).await?;
        }
        self.run_blocking(move |submissions| submissions.plan_view(plan)).await
    }

    /// Returns the plan that contains a submission, with all its steps.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn plan(&self, id: SubmissionId) -> Result<PlanView, Problem> {
        self.plan_view(self.shared.journal.submission(id)?.plan)
    }

    pub(super) fn plan_view(&self, plan: PlanId) -> Result<PlanView, Problem> {
        let ids = self.shared.journal.plans().steps(plan)?;
        let running = self.shared.runs_plan(plan) || ids.iter().any(|step| self.shared.runs_here(*step));
        let submissions: Vec<SubmissionView> = ids.into_iter().map(|id| self.view(id)).collect::<Result<_, _>>()?;
        Ok(PlanView { id: plan, running, submissions })
    }
}

impl SubmissionsState {
    /// Returns whether this process runs the plan. An aborted run leaves its entry, but its channel is closed.
    pub(super) fn runs_plan(&self, plan: PlanId) -> bool {
        self.plans.lock().get(&plan).is_some_and(|run| run.ended.has_changed().is_ok())
    }

    /// Prevents further steps from starting.
    pub(super) fn end_plan(&self, plan: PlanId) {
        if let Some(run) = self.plans.lock().get(&plan) {
            run.stop.store(true, Ordering::SeqCst);
        }
    }
}
