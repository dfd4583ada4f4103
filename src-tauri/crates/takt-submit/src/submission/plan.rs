//! Runs the steps of a plan one after another. Rows that wait for a row that wasn't accepted stay pending.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use takt_journal::SubmissionState;
use takt_journal::{PlanId, SubmissionId};

use tokio::sync::watch;

use super::{
    approval,
    guard::SendPermit,
    resume::{Purpose, finish_settled},
    shared::{PlanRun, Shared, Submissions},
    view::{PlanView, SubmissionView},
};
use takt_core::Problem;

impl Submissions {
    /// Resumes exactly the rows that are pending in the plan's steps, in order, also after a restart. Unconfirmed rows
    /// are read back first. `id` is any submission of the plan.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and
    ///   `confirmed` isn't its name.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): the plan went to another address than the site has
    ///   now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the plan is running here or in another process
    ///   (`is-running`, `running-elsewhere`), nothing is left to send (`nothing-pending`), all remaining rows wait for
    ///   others (`all-wait`), or a second person hasn't approved it (`needs-approval`, `approval-declined`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub async fn resume(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<PlanView, Problem> {
        self.resume_plan(id, confirmed, Purpose::Resume { by_person: true }).await
    }

    /// Like [`Self::resume`], but without a user's decision: rows whose attempts were lost twice stay unconfirmed.
    ///
    /// # Errors
    ///
    /// Like [`Self::resume`].
    pub async fn resume_unattended(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<PlanView, Problem> {
        self.resume_plan(id, confirmed, Purpose::Resume { by_person: false }).await
    }

    async fn resume_plan(
        &self,
        id: SubmissionId,
        confirmed: Option<&str>,
        purpose: Purpose,
    ) -> Result<PlanView, Problem> {
        let confirmed = confirmed.map(str::to_owned);
        self.run_blocking(move |submissions| submissions.resume_plan_blocking(id, confirmed.as_deref(), purpose)).await
    }

    fn resume_plan_blocking(
        &self,
        id: SubmissionId,
        confirmed: Option<&str>,
        purpose: Purpose,
    ) -> Result<PlanView, Problem> {
        let permit = self.request_permit(id, confirmed)?;
        let plan = self.shared.journal.submission(id)?.plan;
        let steps = self.shared.journal.plans().steps(plan)?;
        if self.shared.runs_plan(plan) || steps.iter().any(|step| self.shared.runs_here(*step)) {
            return Err(Problem::obstacle("is-running"));
        }
        let purpose = match approval::is_first_start(&self.shared, &steps)? {
            true => Purpose::Begin { blind: false },
            false => purpose,
        };
        let mut obstacle = Problem::obstacle("nothing-pending");
        for &step in &steps {
            match self.resume_step(step, purpose, &permit) {
                Ok(_) => {
                    self.start_later_steps(step, &steps, purpose, permit);
                    return self.plan_view(plan);
                }
                // Rows of the next step may not have to wait.
                Err(problem) if problem.is_obstacle("all-wait") => obstacle = problem,
                Err(problem) if problem.is_obstacle("nothing-pending") => {}
                Err(problem) => return Err(problem),
            }
        }
        Err(obstacle)
    }

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

    fn plan_view(&self, plan: PlanId) -> Result<PlanView, Problem> {
        let ids = self.shared.journal.plans().steps(plan)?;
        let running = self.shared.runs_plan(plan) || ids.iter().any(|step| self.shared.runs_here(*step));
        let submissions: Vec<SubmissionView> = ids.into_iter().map(|id| self.view(id)).collect::<Result<_, _>>()?;
        Ok(PlanView { id: plan, running, submissions })
    }

    /// Skips the rows that wait for others, by the user's decision.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it is running here or in another process (`is-running`,
    ///   `running-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub async fn skip_waiting(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        self.run_blocking(move |submissions| {
            let shared = &submissions.shared;
            if shared.runs_here(id) {
                return Err(Problem::obstacle("is-running"));
            }
            shared.skip_waiting(id)?;
            shared.publish(id, None);
            submissions.view(id)
        })
        .await
    }

    /// Skips the pending rows of all steps whose keys other desks of the team are sending, by the user's decision.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it is running here or in another process (`is-running`,
    ///   `running-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub async fn skip_claimed(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        self.run_blocking(move |submissions| {
            let shared = &submissions.shared;
            let plan = shared.journal.submission(id)?.plan;
            let steps = shared.journal.plans().steps(plan)?;
            if shared.runs_plan(plan) || steps.iter().any(|step| shared.runs_here(*step)) {
                return Err(Problem::obstacle("is-running"));
            }
            for step in &steps {
                let (run, at) = (shared.journal.claim(*step)?, (shared.clock)());
                shared.journal.recover_run(&run, at)?;
                shared.journal.plans().skip_claimed(&run)?;
                finish_settled(&shared.journal, &run, at)?;
            }
            steps.iter().for_each(|step| shared.publish(*step, None));
            submissions.view(id)
        })
        .await
    }

    /// Starts the later steps one after another once `step` has ended, until one doesn't finish.
    pub(super) fn start_later_steps(
        &self,
        step: SubmissionId,
        steps: &[SubmissionId],
        purpose: Purpose,
        permit: SendPermit,
    ) {
        let later: Vec<SubmissionId> = steps.iter().copied().skip_while(|other| *other != step).skip(1).collect();
        let Some(plan) = steps.first().copied().map(PlanId::of_first).filter(|_| !later.is_empty()) else { return };
        let stop = Arc::new(AtomicBool::new(false));
        let (end, ended) = watch::channel(());
        self.shared.plans.lock().insert(plan, PlanRun { stop: Arc::clone(&stop), ended });
        let submissions = self.clone();
        tokio::spawn(async move {
            if let Err(problem) = submissions.run_later_steps(step, later, &stop, purpose, permit).await {
                tracing::error!(%plan, %problem, "a plan broke off");
            }
            drop(end);
        });
    }

    async fn run_later_steps(
        &self,
        mut running: SubmissionId,
        later: Vec<SubmissionId>,
        stop: &AtomicBool,
        purpose: Purpose,
        permit: SendPermit,
    ) -> Result<(), Problem> {
        for id in later {
            let ended = self.wait_for_step(running).await?;
            if ended.state != SubmissionState::Finished || stop.load(Ordering::SeqCst) {
                break;
            }
            let step_permit = permit.clone();
            let resumed = self.run_blocking(move |submissions| submissions.resume_step(id, purpose, &step_permit));
            match resumed.await {
                Ok(_) => running = id,
                Err(problem) if ["all-wait", "nothing-pending"].iter().any(|why| problem.is_obstacle(why)) => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(())
    }
}

impl Shared {
    fn skip_waiting(&self, id: SubmissionId) -> Result<(), Problem> {
        let (run, at) = (self.journal.claim(id)?, (self.clock)());
        self.journal.recover_run(&run, at)?;
        self.journal.plans().skip_waiting(&run)?;
        Ok(finish_settled(&self.journal, &run, at)?)
    }

    /// Returns whether this process runs the plan. An aborted run leaves its entry, but its channel is closed.
    fn runs_plan(&self, plan: PlanId) -> bool {
        self.plans.lock().get(&plan).is_some_and(|run| run.ended.has_changed().is_ok())
    }

    /// Prevents further steps from starting.
    pub(super) fn end_plan(&self, plan: PlanId) {
        if let Some(run) = self.plans.lock().get(&plan) {
            run.stop.store(true, Ordering::SeqCst);
        }
    }
}
