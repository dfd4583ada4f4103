//! A plan's submissions, one after the other. What waits for a row that wasn't accepted stays pending, and the rest goes on.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use takt_journal::{NewStep, NewSubmission, NewWait, SiteAddress};
use tokio::sync::watch;

use super::{
    Shared, Submissions, draft,
    draft::Target,
    guard::{self, SendPermit},
    held, report,
    resume::Purpose,
    view::{PlanView, SubmissionState, SubmissionView},
};
use crate::{Item, Original, PlanItems, Problem, SavedCopy};
use takt_core::blocking::run_blocking;

/// The steps of a workbook, to be sent in their order.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    pub site: String,
    pub steps: Vec<PlanItems>,
    /// True where the person chose to leave blocked items out; else one blocked item refuses the whole.
    pub skip_blocked: bool,
    /// Items per request; the site's, else the contract's number where absent.
    pub batch_size: Option<u32>,
    /// The site's name as a person typed it: a production site asks for it.
    pub confirmed: Option<String>,
    /// True where rows in doubt aren't read back when nothing is left to send.
    pub leave_doubt: bool,
}

/// A plan that runs in this process.
#[derive(Debug)]
pub(super) struct PlanRun {
    stop: Arc<AtomicBool>,
    /// Closed when it has ended.
    ended: watch::Receiver<()>,
}

pub(super) type PlanRuns = HashMap<u32, PlanRun>;

impl Submissions {
    /// Writes every step down, then sends one after the other in the background.
    pub async fn submit_plan(&self, request: PlanRequest) -> Result<PlanView, Problem> {
        let shared = Arc::clone(&self.shared);
        request.check()?;
        let permit = guard::permit(&shared.journal, &request.site, request.confirmed.as_deref())?;
        shared.sites.client(&request.site)?;
        let site_size = shared.batch_size_of(&request.site)?;
        let leave_doubt = request.leave_doubt;
        let steps = request.into_steps(&shared, site_size, permit.address())?;
        let ids = run_blocking(move || Ok(shared.journal.plans().create(steps)?)).await?;
        let plan = ids.first().copied().ok_or_else(|| Problem::in_the_way_of("nothing-to-send", &[]))?;
        self.shared.waypoints.pass("submission-written");
        let purpose = if leave_doubt { Purpose::GoOnBlindly } else { Purpose::GoOn };
        self.run_plan(plan, purpose, permit);
        self.plan(plan)
    }

    /// Where a step of a plan was taken up by itself, the others go on after it.
    pub(super) fn and_the_plan(
        &self,
        view: SubmissionView,
        confirmed: Option<&str>,
    ) -> Result<SubmissionView, Problem> {
        if let Some(plan) = view.plan.filter(|&plan| !self.runs_plan(plan)) {
            self.run_plan(plan, Purpose::GoOn, self.permit_of(view.id, confirmed)?);
        }
        Ok(view)
    }

    /// Goes on with what is pending, in the plan's order.
    pub async fn resume_plan(&self, plan: u32, confirmed: Option<&str>) -> Result<PlanView, Problem> {
        if self.runs_plan(plan) {
            return Err(Problem::in_the_way_of("is-running", &[]));
        }
        let submissions = self.plan(plan)?.submissions;
        let open = submissions.iter().find(|view| view.counts.pending + view.counts.in_doubt > 0);
        let open = open.ok_or_else(|| Problem::in_the_way_of("nothing-pending", &[]))?;
        // All steps go to one site.
        self.run_plan(plan, Purpose::GoOn, self.permit_of(open.id, confirmed)?);
        self.plan(plan)
    }

    /// After the request that is under way. What is pending stays pending.
    pub async fn stop_plan(&self, plan: u32) -> Result<PlanView, Problem> {
        if let Some(run) = held(&self.shared.plans).get(&plan) {
            run.stop.store(true, Ordering::SeqCst);
        }
        for id in self.shared.journal.plans().steps(plan)? {
            if self.shared.runs_here(id) {
                self.stop(id).await?;
            }
        }
        self.plan(plan)
    }

    /// Until it no longer runs in this process.
    pub async fn wait_plan(&self, plan: u32) -> Result<PlanView, Problem> {
        let ended = held(&self.shared.plans).get(&plan).map(|run| run.ended.clone());
        if let Some(mut ended) = ended {
            while ended.changed().await.is_ok() {}
        }
        self.plan(plan)
    }

    pub fn plan(&self, plan: u32) -> Result<PlanView, Problem> {
        let ids = self.shared.journal.plans().steps(plan)?;
        let submissions: Vec<SubmissionView> = ids.into_iter().map(|id| self.view(id)).collect::<Result<_, _>>()?;
        if submissions.is_empty() {
            return Err(Problem::new(crate::Code::Unknown).parameter("what", plan.to_string()));
        }
        Ok(PlanView { id: plan, running: self.runs_plan(plan), submissions })
    }

    /// A person decided: what waits for others isn't sent.
    pub async fn skip_waiting(&self, id: u32) -> Result<SubmissionView, Problem> {
        if self.shared.runs_here(id) {
            return Err(Problem::in_the_way_of("is-running", &[]));
        }
        let shared = Arc::clone(&self.shared);
        run_blocking(move || {
            let run = shared.journal.claim(id)?;
            shared.journal.recover_run(&run, (shared.clock)())?;
            Ok(shared.journal.plans().skip_waiting(&run)?)
        })
        .await?;
        self.shared.publish(id, None);
        self.view(id)
    }

    /// Every row's fate of all steps, as a copy of the planner's own workbook where `original` is the file that was sent.
    pub fn export_plan(&self, plan: u32, original: Option<&Original>, path: &Path) -> Result<SavedCopy, Problem> {
        let shared = &self.shared;
        let records: Vec<_> = shared
            .journal
            .plans()
            .steps(plan)?
            .into_iter()
            .map(|id| shared.journal.submission(id))
            .collect::<Result<_, _>>()?;
        let targets: Vec<(u32, Target)> = records
            .iter()
            .map(|record| Ok((record.id, Target::find(&shared.contract, &record.operation)?)))
            .collect::<Result<_, Problem>>()?;
        let targets: Vec<(u32, &Target)> = targets.iter().map(|(id, target)| (*id, target)).collect();
        match original.filter(|original| records.iter().all(|record| record.hash == original.hash())) {
            Some(original) => report::write_into(&shared.journal, &shared.words(), &targets, original, path),
            None => {
                report::write(&shared.journal, &shared.words(), &targets, path)?;
                Ok(SavedCopy { path: path.display().to_string(), whole: false })
            }
        }
    }

    /// What broke off has left its entry behind, but its channel is closed.
    fn runs_plan(&self, plan: u32) -> bool {
        held(&self.shared.plans).get(&plan).is_some_and(|run| run.ended.has_changed().is_ok())
    }

    fn run_plan(&self, plan: u32, purpose: Purpose, permit: SendPermit) {
        let stop = Arc::new(AtomicBool::new(false));
        let (end, ended) = watch::channel(());
        held(&self.shared.plans).insert(plan, PlanRun { stop: Arc::clone(&stop), ended });
        let own = Self { shared: Arc::clone(&self.shared) };
        tokio::spawn(async move {
            if let Err(problem) = own.go_through(plan, &stop, (purpose, &permit)).await {
                tracing::error!(plan, %problem, "a plan broke off");
            }
            drop(end);
        });
    }

    /// Step by step, until one doesn't come to its end.
    async fn go_through(
        &self,
        plan: u32,
        stop: &AtomicBool,
        (purpose, permit): (Purpose, &SendPermit),
    ) -> Result<(), Problem> {
        for id in self.shared.journal.plans().steps(plan)? {
            if stop.load(Ordering::SeqCst) {
                break;
            }
            if !self.shared.runs_here(id) {
                let counts = self.view(id)?.counts;
                if counts.pending + counts.in_doubt == 0 {
                    continue;
                }
                match self.take_up(id, purpose, permit).await {
                    Ok(_) => {}
                    // The next step may have something that waits for nothing.
                    Err(problem) if is_in_the_way(&problem, &["all-wait", "nothing-pending"]) => continue,
                    Err(problem) => return Err(problem),
                }
            }
            if self.wait(id).await?.state != SubmissionState::Finished {
                break;
            }
        }
        Ok(())
    }
}

fn is_in_the_way(problem: &Problem, obstacles: &[&str]) -> bool {
    problem.parameters.get("obstacle").is_some_and(|found| obstacles.contains(&found.as_str()))
}

impl PlanRequest {
    /// Refuses what mustn't be sent, before anything is written down.
    fn check(&self) -> Result<(), Problem> {
        let items = || self.steps.iter().flat_map(|step| &step.set.items);
        draft::check(items(), self.skip_blocked)
    }

    /// Steps of which no row goes are written down, too: every row has a fate.
    fn into_steps(
        self,
        shared: &Shared,
        site_size: Option<u32>,
        address: &SiteAddress,
    ) -> Result<Vec<NewStep>, Problem> {
        let at = (shared.clock)();
        let (site, asked) = (self.site, self.batch_size);
        let made = self.steps.into_iter().map(|step| {
            let target = Target::find(&shared.contract, &step.set.operation)?;
            let submission = NewSubmission {
                operation: step.set.operation,
                site: site.clone(),
                address: address.clone(),
                file: step.set.file,
                hash: step.set.hash,
                sheet: step.set.sheet,
                batch_size: draft::batch_size(asked, site_size, &target),
                at,
                person: shared.person.clone(),
                mapping: step.set.mapping,
                ..NewSubmission::default()
            };
            let number = |place: usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
            let waits = step.waits.iter().map(|wait| NewWait {
                item: number(wait.item),
                reference: wait.reference,
                step: wait.step,
                other: number(wait.other),
            });
            let waits = waits.collect();
            Ok(NewStep {
                submission,
                items: step.set.items.into_iter().map(|item: Item| draft::new_item(item)).collect(),
                waits,
            })
        });
        made.collect()
    }
}
