//! Resumes plans and their steps: sends pending rows, resolves unconfirmed rows, and applies the user's decisions.
//!
//! The steps of a plan run one after another. Rows that wait for a row that wasn't accepted stay pending.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_journal::{
    ClaimChoice, Journal, JournalError, Outcome, PlanId, RowResult, Run, SubmissionId, SubmissionState,
};
use tokio::sync::watch;

use super::{
    approval,
    change_operation::ChangeOperation,
    guard::SendPermit,
    read_back::{format_time, read_back_delay},
    runner::ReadBackTiming,
    submissions_state::{PlanRun, RunCommand, Submissions, SubmissionsState, UnsavedEnd},
    view::{PlanView, SubmissionView},
};
use crate::result_reason::coded_reason;
use takt_browse::read_back::ReadBack;
use takt_core::{Problem, RowId};

const PAGE_SIZE: u32 = 5_000;
/// If a read-back is only reliable after a longer wait, other rows are sent first.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The user's decision about unconfirmed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The rows arrived: they are accepted and marked as the user's decision.
    Arrived,
    SendAgain,
}

/// The purpose of resuming a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The next step of a new plan, which may be a trial run. `skips_read_back` if unconfirmed rows aren't read back.
    Begin { skips_read_back: bool },
    /// Sending all pending rows, including those after a trial run. With `is_user_decision`, items that the service
    /// doesn't have may be sent once more, however many of their attempts were lost.
    Resume { is_user_decision: bool },
    /// Sending rows again by the user's decision.
    SendAgain,
    /// Reading back unconfirmed rows.
    ReadBack,
}

/// The outcome of claiming a submission.
enum ResumeOutcome {
    Claimed(Run, ReadBackTiming),
    NothingPending,
    NothingUnconfirmed,
    /// All pending rows wait for rows that weren't accepted.
    AllWait,
}

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
        self.resume_plan(id, confirmed, Purpose::Resume { is_user_decision: true }).await
    }

    /// Like [`Self::resume`], but skips rows that other desks of the team are sending. If they send all pending rows,
    /// nothing is resumed.
    ///
    /// # Errors
    ///
    /// Like [`Self::resume`].
    pub async fn resume_skipping_claimed(
        &self,
        id: SubmissionId,
        confirmed: Option<&str>,
    ) -> Result<PlanView, Problem> {
        match self.resume(id, confirmed).await {
            // Other obstacles are reported first, so that no row is skipped while they exist.
            Err(problem) if problem.is_obstacle("keys-claimed") => {}
            resumed => return resumed,
        }
        self.skip_claimed(id).await?;
        match self.resume(id, confirmed).await {
            Err(problem) if problem.is_obstacle("nothing-pending") => {
                self.run_blocking(move |submissions| submissions.plan(id)).await
            }
            resumed => resumed,
        }
    }

    /// Like [`Self::resume`], but without a user's decision: rows whose attempts were lost twice stay unconfirmed.
    ///
    /// # Errors
    ///
    /// Like [`Self::resume`].
    pub async fn resume_unattended(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<PlanView, Problem> {
        self.resume_plan(id, confirmed, Purpose::Resume { is_user_decision: false }).await
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
            true => Purpose::Begin { skips_read_back: false },
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

    /// Reads back unconfirmed rows.
    ///
    /// Rows that didn't arrive are sent if no other rows are pending. Otherwise they become pending, too. Rows that
    /// another desk of a team is sending stay unconfirmed.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and
    ///   `confirmed` isn't its name.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): the submission went to another address than the
    ///   site has now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no list shows what its operation wrote
    ///   (`no-read-side`), no rows are unconfirmed (`nothing-unconfirmed`), or it is running here or in another process
    ///   (`is-running`, `running-elsewhere`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub async fn read_back_unconfirmed(
        &self,
        id: SubmissionId,
        confirmed: Option<&str>,
    ) -> Result<SubmissionView, Problem> {
        let confirmed = confirmed.map(str::to_owned);
        self.run_blocking(move |submissions| {
            let record = submissions.shared.journal.submission(id)?;
            let contract = submissions.shared.sites.contract(&record.site)?;
            if ReadBack::for_operation(&contract, &record.operation).is_none() {
                return Err(Problem::obstacle_with("no-read-side", &[("operation", &record.operation)]));
            }
            let permit = submissions.request_permit(id, confirmed.as_deref())?;
            submissions.resume_step(id, Purpose::ReadBack, &permit)
        })
        .await
    }

    /// Applies the user's decision about unconfirmed rows: to `rows`, or to all if `rows` is empty.
    ///
    /// `claimed` decides about rows to send, including pending ones, that other desks of a team are sending. Such rows
    /// may be skipped.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and
    ///   `confirmed` isn't its name.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): the submission went to another address than the
    ///   site has now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it is running here or in another process (`is-running`,
    ///   `running-elsewhere`), it has no such row (`no-such-row`), the rows have another result by now
    ///   (`nothing-unconfirmed`, `not-unconfirmed`), or other desks are sending some of the rows (`keys-claimed`). Then
    ///   no decision is stored.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub async fn decide(
        &self,
        id: SubmissionId,
        rows: &[RowId],
        decision: Decision,
        confirmed: Option<&str>,
        claimed: ClaimChoice,
    ) -> Result<SubmissionView, Problem> {
        let (rows, confirmed) = (rows.to_vec(), confirmed.map(str::to_owned));
        self.run_blocking(move |submissions| {
            if submissions.shared.runs_here(id) {
                return Err(Problem::obstacle("is-running"));
            }
            let permit = submissions.request_permit(id, confirmed.as_deref())?;
            let chosen_items = submissions.find_item_numbers(id, &rows)?;
            submissions.shared.store_decision(id, &chosen_items, decision, claimed)?;
            submissions.shared.publish(id, None);
            match decision {
                Decision::Arrived => submissions.view(id),
                Decision::SendAgain => submissions.resume_after_decision(id, permit, claimed),
            }
        })
        .await
    }

    /// Sends the rows that a decision left pending, and then the later steps.
    fn resume_after_decision(
        &self,
        id: SubmissionId,
        permit: SendPermit,
        claimed: ClaimChoice,
    ) -> Result<SubmissionView, Problem> {
        match self.resume_step(id, Purpose::SendAgain, &permit) {
            Ok(view) => {
                let steps = self.shared.journal.plans().steps(view.plan)?;
                self.start_later_steps(id, &steps, Purpose::Resume { is_user_decision: false }, permit);
                Ok(view)
            }
            // Other desks were sending all remaining rows.
            Err(problem) if claimed == ClaimChoice::LeaveOut && problem.is_obstacle("nothing-pending") => self.view(id),
            Err(problem) => Err(problem),
        }
    }

    /// Sends all unconfirmed rows again, by the user's decision.
    ///
    /// # Errors
    ///
    /// Like [`Submissions::decide`].
    pub async fn send_unconfirmed(
        &self,
        id: SubmissionId,
        confirmed: Option<&str>,
        claimed: ClaimChoice,
    ) -> Result<SubmissionView, Problem> {
        self.decide(id, &[], Decision::SendAgain, confirmed, claimed).await
    }

    fn find_item_numbers(&self, id: SubmissionId, rows: &[RowId]) -> Result<HashSet<u32>, Problem> {
        let item = |row: &RowId| {
            let item = self.shared.journal.rows().find_item(id, &row.sheet, row.row.get())?;
            item.ok_or_else(|| Problem::obstacle_with("no-such-row", &[("row", &format!("{}:{}", row.sheet, row.row))]))
        };
        rows.iter().map(item).collect()
    }

    /// Claims a step and starts its run in the background.
    pub(super) fn resume_step(
        &self,
        id: SubmissionId,
        purpose: Purpose,
        permit: &SendPermit,
    ) -> Result<SubmissionView, Problem> {
        let shared = &self.shared;
        if shared.runs_here(id) {
            return Err(Problem::obstacle("is-running"));
        }
        let record = shared.journal.submission(id)?;
        permit.check(&record)?;
        let connection = permit.open_connection(&shared.journal, &shared.sites)?;
        ChangeOperation::find(&connection.contract, &record.operation)?;
        let min_delay = connection.client.access().timeouts.long_retry_wait();
        let readable = ReadBack::for_operation(&connection.contract, &record.operation).is_some();
        match claim_run(&shared.journal, id, (shared.clock)(), purpose, readable, min_delay)? {
            ResumeOutcome::Claimed(run, timing) => self.start(run, timing, permit, &connection),
            ResumeOutcome::AllWait => {
                shared.publish(id, None);
                Err(Problem::obstacle("all-wait"))
            }
            ResumeOutcome::NothingUnconfirmed => Err(Problem::obstacle("nothing-unconfirmed")),
            ResumeOutcome::NothingPending => {
                shared.publish(id, None);
                Err(Problem::obstacle("nothing-pending"))
            }
        }
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
        let Some(plan) = steps.first().copied().map(PlanId::from_first).filter(|_| !later.is_empty()) else { return };
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
            let next = self.run_blocking(move |submissions| Ok(submissions.shared.journal.submission(id)?)).await?;
            // Another process may have stopped the next step.
            let is_stopped = stop.load(Ordering::SeqCst) || next.state == SubmissionState::Stopped;
            if ended.state != SubmissionState::Finished || is_stopped {
                break;
            }
            let step_permit = permit.clone();
            let resumed = self.run_blocking(move |submissions| submissions.resume_step(id, purpose, &step_permit));
            match resumed.await {
                Ok(_) => {
                    running = id;
                    // The user may have stopped the plan while the step was started.
                    if stop.load(Ordering::SeqCst) {
                        self.shared.send_command(id, RunCommand::Stop);
                    }
                }
                Err(problem) if ["all-wait", "nothing-pending"].iter().any(|why| problem.is_obstacle(why)) => {}
                Err(problem) => {
                    let stored = problem.clone();
                    self.run_blocking(move |submissions| {
                        submissions.shared.store_unstarted(id, stored);
                        Ok(())
                    })
                    .await?;
                    return Err(problem);
                }
            }
        }
        Ok(())
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
}

impl SubmissionsState {
    /// Stores the problem that prevented a step's start, so that users see it and can resume the plan. If that fails,
    /// only this process shows the problem.
    fn store_unstarted(&self, id: SubmissionId, problem: Problem) {
        let stored = || -> Result<(), JournalError> {
            let (run, at) = (self.journal.claim(id)?, (self.clock)());
            let problem = serde_json::to_value(&problem)?;
            self.journal.change_state(
                &run,
                &[SubmissionState::Paused],
                SubmissionState::Interrupted,
                at,
                Some(&problem),
            )
        };
        if let Err(error) = stored() {
            tracing::error!(submission = %id, %error, "why a step didn't start couldn't be stored");
            self.unsaved_ends.lock().insert(id, UnsavedEnd { problem, previous_takeover: None });
        }
        self.publish(id, None);
    }

    fn skip_waiting(&self, id: SubmissionId) -> Result<(), Problem> {
        let (run, at) = (self.journal.claim(id)?, (self.clock)());
        self.journal.recover_run(&run, at)?;
        self.journal.plans().skip_waiting(&run)?;
        Ok(finish_settled(&self.journal, &run, at)?)
    }

    /// Stores the user's decision about these unconfirmed items, or about all if `chosen_items` is empty.
    fn store_decision(
        &self,
        id: SubmissionId,
        chosen_items: &HashSet<u32>,
        decision: Decision,
        claimed: ClaimChoice,
    ) -> Result<(), Problem> {
        let (run, at) = (self.journal.claim(id)?, (self.clock)());
        self.journal.recover_run(&run, at)?;
        let items = unconfirmed_items(&self.journal, id)?;
        if items.is_empty() {
            return Err(Problem::obstacle("nothing-unconfirmed"));
        }
        if !chosen_items.iter().all(|item| items.contains(item)) {
            return Err(Problem::obstacle("not-unconfirmed"));
        }
        let chosen = items.into_iter().filter(|item| chosen_items.is_empty() || chosen_items.contains(item));
        let (result, reasons) = match decision {
            Decision::Arrived => {
                let parameters = [("person", self.person.clone()), ("at", format_time(at))];
                (RowResult::Accepted, vec![coded_reason("decided-arrived", parameters)])
            }
            Decision::SendAgain => (RowResult::Pending, Vec::new()),
        };
        let outcomes: Vec<Outcome> = chosen.map(|item| Outcome { item, result, reasons: reasons.clone() }).collect();
        match decision {
            Decision::Arrived => self.journal.decisions().resolve(&run, &outcomes).map(drop)?,
            // The journal stores either all decisions or none.
            Decision::SendAgain => self.journal.decisions().decide_to_send(&run, &outcomes, claimed)?,
        }
        Ok(finish_settled(&self.journal, &run, at)?)
    }
}

fn claim_run(
    journal: &Journal,
    id: SubmissionId,
    at: Timestamp,
    purpose: Purpose,
    readable: bool,
    min_delay: Duration,
) -> Result<ResumeOutcome, JournalError> {
    let run = journal.claim(id)?;
    journal.recover_run(&run, at)?;
    if let Purpose::Resume { is_user_decision } = purpose {
        journal.decisions().end_trial_run(&run)?;
        if is_user_decision {
            journal.decisions().allow_another_attempt(&run)?;
        }
    }
    journal.plans().release_waits(&run)?;
    let record = journal.submission(id)?;
    let reads_back =
        matches!(purpose, Purpose::Resume { .. } | Purpose::ReadBack) && readable && record.counts.unconfirmed > 0;
    if purpose == Purpose::ReadBack && !reads_back {
        return Ok(ResumeOutcome::NothingUnconfirmed);
    }
    if record.counts.pending == 0 && !reads_back {
        finish_settled(journal, &run, at)?;
        return Ok(ResumeOutcome::NothingPending);
    }
    if !reads_back && journal.next_items(id, 1)?.is_empty() {
        return Ok(ResumeOutcome::AllWait);
    }
    let timing = match purpose {
        Purpose::ReadBack if record.counts.pending > 0 => ReadBackTiming::Only(record.state),
        // Rows that wait for a reliable read-back don't delay the others.
        Purpose::Resume { .. }
            if read_back_delay(journal, id, at, min_delay)? > MAX_WAIT && !journal.next_items(id, 1)?.is_empty() =>
        {
            ReadBackTiming::AtEnd
        }
        Purpose::Resume { .. } | Purpose::ReadBack => ReadBackTiming::First,
        Purpose::SendAgain | Purpose::Begin { skips_read_back: false } => ReadBackTiming::AtEnd,
        Purpose::Begin { skips_read_back: true } => ReadBackTiming::Never,
    };
    let resumable_states =
        [SubmissionState::Paused, SubmissionState::Stopped, SubmissionState::Interrupted, SubmissionState::Finished];
    if let ReadBackTiming::Only(_) = timing {
        journal.begin_reading_back(&run, &resumable_states, at)?;
    } else {
        journal.change_state(&run, &resumable_states, SubmissionState::Running, at, None)?;
    }
    Ok(ResumeOutcome::Claimed(run, timing))
}

/// Marks a submission as finished once every row has a result, even if its last run ended early.
pub(super) fn finish_settled(journal: &Journal, run: &Run, at: Timestamp) -> Result<(), JournalError> {
    let record = journal.submission(run.submission())?;
    let ended = [SubmissionState::Paused, SubmissionState::Stopped, SubmissionState::Interrupted];
    if record.counts.open() == 0 && ended.contains(&record.state) {
        journal.change_state(run, &[record.state], SubmissionState::Finished, at, None)?;
    }
    Ok(())
}

/// Returns the numbers of all unconfirmed items.
fn unconfirmed_items(journal: &Journal, id: SubmissionId) -> Result<Vec<u32>, JournalError> {
    let mut numbers = Vec::new();
    loop {
        let items =
            journal.rows().item_details(id, RowResult::Unconfirmed, numbers.last().copied().unwrap_or(0), PAGE_SIZE)?;
        if items.is_empty() {
            return Ok(numbers);
        }
        numbers.extend(items.iter().map(|item| item.number));
    }
}
