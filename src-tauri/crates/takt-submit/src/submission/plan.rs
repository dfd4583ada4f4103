//! The steps of a plan, one after the other. What waits for a row that wasn't accepted stays pending, and the rest goes on.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use takt_journal::SubmissionState;
use takt_journal::{PlanId, SubmissionId};

use tokio::sync::watch;

use super::{
    Shared, Submissions, approval,
    guard::SendPermit,
    lock,
    resume::{Purpose, finish_settled},
    view::{PlanView, SubmissionView},
};
use takt_core::Problem;
use takt_core::blocking::run_blocking;

/// A plan whose later steps are begun by this process.
#[derive(Debug)]
pub(super) struct PlanRun {
    stop: Arc<AtomicBool>,
    /// Closed when the last of them has begun, or none will.
    ended: watch::Receiver<()>,
}

pub(super) type PlanRuns = HashMap<PlanId, PlanRun>;

impl Submissions {
    /// Goes on with exactly the rows that are pending in any step of the plan, in its order, also after a restart. Unconfirmed rows
    /// are read back before. Any of the plan's submissions names it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and `confirmed`
    ///   isn't its name.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): it went to another address than the site has now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it is running here or in another Takt (`is-running`,
    ///   `running-elsewhere`), nothing is left to send (`nothing-pending`), all that is left waits for other rows (`all-wait`),
    ///   or a second person hasn't approved it (`needs-approval`, `approval-declined`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub async fn resume(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<PlanView, Problem> {
        self.go_on(id, confirmed, Purpose::GoOn { by_person: true }).await
    }

    /// As [`Self::resume`], without a person who decides: a row whose attempts were lost twice stays unconfirmed.
    ///
    /// # Errors
    ///
    /// As [`Self::resume`].
    pub async fn resume_unattended(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<PlanView, Problem> {
        self.go_on(id, confirmed, Purpose::GoOn { by_person: false }).await
    }

    async fn go_on(&self, id: SubmissionId, confirmed: Option<&str>, purpose: Purpose) -> Result<PlanView, Problem> {
        let permit = self.permit_of(id, confirmed)?;
        let plan = self.shared.journal.submission(id)?.plan;
        let steps = self.shared.journal.plans().steps(plan)?;
        if self.shared.runs_plan(plan) || steps.iter().any(|step| self.shared.runs_here(*step)) {
            return Err(Problem::in_the_way_of("is-running", &[]));
        }
        let purpose = match approval::is_first_start(&self.shared, &steps)? {
            true => Purpose::Begin { blind: false },
            false => purpose,
        };
        let mut refused = Problem::in_the_way_of("nothing-pending", &[]);
        for &step in &steps {
            match self.take_up(step, purpose, &permit).await {
                Ok(_) => {
                    self.go_on_after(step, &steps, (purpose, permit));
                    return self.plan_view(plan);
                }
                // The next step may have something that waits for nothing.
                Err(problem) if problem.is_obstacle("all-wait") => refused = problem,
                Err(problem) if problem.is_obstacle("nothing-pending") => {}
                Err(problem) => return Err(problem),
            }
        }
        Err(refused)
    }

    /// Until no step of the plan runs in this process. Any of its submissions names it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub async fn wait(&self, id: SubmissionId) -> Result<PlanView, Problem> {
        let plan = self.shared.journal.submission(id)?.plan;
        let ended = lock(&self.shared.plans).get(&plan).map(|run| run.ended.clone());
        if let Some(mut ended) = ended {
            while ended.changed().await.is_ok() {}
        }
        for step in self.shared.journal.plans().steps(plan)? {
            self.wait_for_step(step).await?;
        }
        self.plan_view(plan)
    }

    /// The plan that a submission is a step of.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn plan(&self, id: SubmissionId) -> Result<PlanView, Problem> {
        self.plan_view(self.shared.journal.submission(id)?.plan)
    }

    fn plan_view(&self, plan: PlanId) -> Result<PlanView, Problem> {
        let ids = self.shared.journal.plans().steps(plan)?;
        let running = self.shared.runs_plan(plan) || ids.iter().any(|step| self.shared.runs_here(*step));
        let submissions: Vec<SubmissionView> = ids.into_iter().map(|id| self.view(id)).collect::<Result<_, _>>()?;
        Ok(PlanView { id: plan, running, submissions })
    }

    /// A person decided: what waits for others isn't sent.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it is running here or in another Takt (`is-running`,
    ///   `running-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub async fn skip_waiting(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        if self.shared.runs_here(id) {
            return Err(Problem::in_the_way_of("is-running", &[]));
        }
        let shared = Arc::clone(&self.shared);
        run_blocking(move || {
            let (run, at) = (shared.journal.claim(id)?, (shared.clock)());
            shared.journal.recover_run(&run, at)?;
            shared.journal.plans().skip_waiting(&run)?;
            Ok(finish_settled(&shared.journal, &run, at)?)
        })
        .await?;
        self.shared.publish(id, None);
        self.view(id)
    }

    /// A person decided: pending rows whose keys other desks of the team are sending aren't sent, in no step of the plan.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it is running here or in another Takt (`is-running`,
    ///   `running-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub async fn skip_claimed(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let plan = self.shared.journal.submission(id)?.plan;
        let steps = self.shared.journal.plans().steps(plan)?;
        if self.shared.runs_plan(plan) || steps.iter().any(|step| self.shared.runs_here(*step)) {
            return Err(Problem::in_the_way_of("is-running", &[]));
        }
        let (shared, of) = (Arc::clone(&self.shared), steps.clone());
        run_blocking(move || {
            for step in of {
                let (run, at) = (shared.journal.claim(step)?, (shared.clock)());
                shared.journal.recover_run(&run, at)?;
                shared.journal.plans().skip_claimed(&run)?;
                finish_settled(&shared.journal, &run, at)?;
            }
            Ok(())
        })
        .await?;
        steps.iter().for_each(|step| self.shared.publish(*step, None));
        self.view(id)
    }

    /// Once a step has ended, the ones behind it are begun, one after the other, until one doesn't come to its end.
    pub(super) fn go_on_after(
        &self,
        step: SubmissionId,
        steps: &[SubmissionId],
        (purpose, permit): (Purpose, SendPermit),
    ) {
        let behind: Vec<SubmissionId> = steps.iter().copied().skip_while(|other| *other != step).skip(1).collect();
        let Some(plan) = steps.first().copied().map(PlanId::of_first).filter(|_| !behind.is_empty()) else { return };
        let stop = Arc::new(AtomicBool::new(false));
        let (end, ended) = watch::channel(());
        lock(&self.shared.plans).insert(plan, PlanRun { stop: Arc::clone(&stop), ended });
        let own = Self { shared: Arc::clone(&self.shared) };
        tokio::spawn(async move {
            if let Err(problem) = own.go_through((step, behind), &stop, (purpose, &permit)).await {
                tracing::error!(%plan, %problem, "a plan broke off");
            }
            drop(end);
        });
    }

    async fn go_through(
        &self,
        (mut running, behind): (SubmissionId, Vec<SubmissionId>),
        stop: &AtomicBool,
        (purpose, permit): (Purpose, &SendPermit),
    ) -> Result<(), Problem> {
        for id in behind {
            let ended = self.wait_for_step(running).await?;
            if ended.state != SubmissionState::Finished || stop.load(Ordering::SeqCst) {
                break;
            }
            match self.take_up(id, purpose, permit).await {
                Ok(_) => running = id,
                Err(problem) if ["all-wait", "nothing-pending"].iter().any(|why| problem.is_obstacle(why)) => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(())
    }
}

impl Shared {
    /// What broke off has left its entry behind, but its channel is closed.
    fn runs_plan(&self, plan: PlanId) -> bool {
        lock(&self.plans).get(&plan).is_some_and(|run| run.ended.has_changed().is_ok())
    }

    /// No further step begins.
    pub(super) fn end_plan(&self, plan: PlanId) {
        if let Some(run) = lock(&self.plans).get(&plan) {
            run.stop.store(true, Ordering::SeqCst);
        }
    }
}
