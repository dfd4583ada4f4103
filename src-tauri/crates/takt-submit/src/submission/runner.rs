//! Runs one submission: decides which rows are sent at what time, and the next step after each response.
//!
//! Several requests may be in flight. Each is stored before it is sent and settled after its response (`dispatch`). All
//! decisions are made here by one task. However a run ends, it first waits for the requests in flight.

mod delete_check;
mod prove;
mod read_back;

use std::sync::Arc;
use std::time::{Duration, Instant};

use takt_client::{RequestPermit, RequestPurpose};
use takt_journal::{JournalError, Run, SubmissionRecord, SubmissionState as State, TakenUp, item::StoredItem};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::backoff::Backoff;
use super::dispatch::{Completed, DispatchContext, PersistingCount, Stopwatch, dispatch};
use super::keys_in_flight::{KeyHashes, KeysInFlight};
use super::progress::ProgressReporter;
use super::queue::ItemQueue;
use super::read_back_schedule::ReadBackSchedule;
use super::response_classification::NextAction;
use super::runs::{LiveState, RunCommand};
use super::shared::{Shared, UnsavedEnd};
use super::target::Target;
use super::throughput::Throughput;
use super::{batch_size::BatchSize, concurrency::Concurrency};
use takt_core::{Code, Problem, blocking::run_blocking};
use takt_sites::SiteConnection;

/// Shorter waits for the rate limit aren't reported.
const MIN_REPORTED_WAIT: Duration = Duration::from_millis(500);

/// The end of a run.
struct End {
    state: State,
    problem: Option<Problem>,
}

impl End {
    fn of(state: State) -> Self {
        Self { state, problem: None }
    }

    fn interrupted(problem: Problem) -> Self {
        Self { state: State::Interrupted, problem: Some(problem) }
    }
}

/// The next step of a run.
enum NextStep {
    Send(RequestPermit, Vec<StoredItem>, KeyHashes),
    /// Wait until then or until a request completes. Has the reason if it should be reported.
    Wait(Instant, Option<Problem>),
    /// Wait until a request completes.
    AwaitCompletion,
    /// Nothing can be sent, and nothing is in flight.
    NothingPending,
}

pub(super) struct Runner {
    ctx: DispatchContext,
    connection: SiteConnection,
    command: watch::Receiver<RunCommand>,
    progress: ProgressReporter,
    read_backs: ReadBackSchedule,
    /// The desk that had resumed the submission when the run began, in a team.
    taken_up: Option<TakenUp>,
    queue: ItemQueue,
    in_flight: JoinSet<Result<(Completed, KeyHashes), Problem>>,
    keys: KeysInFlight,
    backoff: Backoff,
    throughput: Throughput,
    concurrency: Concurrency,
    batch_size: BatchSize,
    /// The time before which nothing is sent, and the reason if it should be reported.
    not_before: Option<(Instant, Option<Problem>)>,
    /// The problem that the user is asked about once nothing is in flight.
    pending_prompt: Option<Problem>,
}

/// The parts of a runner.
pub(super) struct RunnerParts {
    pub(super) target: Target,
    /// The current number of items per request.
    pub(super) batch_size: u32,
    /// The requested number of items per request.
    pub(super) asked_size: u32,
    pub(super) connection: SiteConnection,
    pub(super) read_backs: ReadBackSchedule,
    pub(super) taken_up: Option<TakenUp>,
}

impl Runner {
    pub(super) fn new(
        shared: Arc<Shared>,
        run: Arc<Run>,
        parts: RunnerParts,
        command: watch::Receiver<RunCommand>,
        live: watch::Sender<LiveState>,
    ) -> Self {
        let RunnerParts { target, batch_size, asked_size, connection, read_backs, taken_up } = parts;
        let id = run.submission();
        // If rows can't be read back, at most one request may be unconfirmed at a time.
        let concurrency = Concurrency::new(target.deletes || !target.readable);
        let progress = ProgressReporter::new(Arc::clone(&shared), id, live);
        let queue = ItemQueue::new(Arc::clone(&shared), id);
        let (target, stopwatch, persisting) = (Arc::new(target), Stopwatch::start(), PersistingCount::default());
        let ctx = DispatchContext { shared, run, target, client: connection.client.clone(), stopwatch, persisting };
        Self {
            ctx,
            connection,
            command,
            progress,
            read_backs,
            taken_up,
            queue,
            in_flight: JoinSet::new(),
            keys: KeysInFlight::default(),
            backoff: Backoff::default(),
            throughput: Throughput::default(),
            concurrency,
            batch_size: BatchSize::new(batch_size, asked_size),
            not_before: None,
            pending_prompt: None,
        }
    }

    /// Runs until nothing is pending, the user ends the run, or a problem occurs.
    pub(super) async fn run(mut self) {
        let id = self.ctx.run.submission();
        self.progress.publish(true);
        let end = match self.execute().await {
            Ok(end) => end,
            Err(problem) => End::interrupted(problem),
        };
        // After an error requests may still be in flight.
        while let Some(completed) = self.in_flight.join_next().await {
            if let Ok(Err(problem)) = completed {
                tracing::error!(submission = %id, %problem, "a request's outcome couldn't be written down");
            }
        }
        let end = self.final_read_back(end).await;
        self.prove_operation().await;
        self.ctx.shared.failpoints.pass("end-before-written");
        self.write_end(end).await;
        if let Err(problem) = self.store_deleted().await {
            tracing::warn!(submission = %id, %problem, "the workbook of what was deleted is completed later");
        }
        let Self { ctx: DispatchContext { shared, run, .. }, progress, .. } = self;
        // The lock is released before the run is reported as ended, so that waiting callers can resume the submission
        // at once.
        let ended = run_blocking(move || {
            drop(run);
            shared.forget(id);
            shared.publish(id, None);
            drop(progress);
            Ok(())
        });
        if let Err(problem) = ended.await {
            tracing::error!(submission = %id, %problem, "the end of a run couldn't be told");
        }
    }

    async fn execute(&mut self) -> Result<End, Problem> {
        // Nothing is deleted if the deleted rows can't be saved.
        self.store_deleted().await?;
        match self.before_sending().await? {
            Some(end) => Ok(end),
            None => self.send_all().await,
        }
    }

    async fn send_all(&mut self) -> Result<End, Problem> {
        loop {
            if let Some(end) = self.requested_end() {
                if self.in_flight.is_empty() {
                    // If nothing is left to send, there is nothing to pause.
                    return if self.queue.restart().await? { Ok(end) } else { self.final_end().await };
                }
                self.wait(None).await?;
                continue;
            }
            match self.next_step().await? {
                NextStep::Send(permit, items, keys) => self.dispatch(permit, items, keys),
                NextStep::AwaitCompletion => self.wait(None).await?,
                NextStep::Wait(until, problem) => {
                    self.progress.report_wait(until, problem);
                    self.wait(Some(until)).await?;
                }
                NextStep::NothingPending => {
                    if let Some(end) = self.nothing_pending().await? {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Returns the end that the user commanded, if any.
    fn requested_end(&self) -> Option<End> {
        match *self.command.borrow() {
            RunCommand::Pause => Some(End::of(State::Paused)),
            RunCommand::Stop => Some(End::of(State::Stopped)),
            RunCommand::Continue => None,
        }
    }

    async fn next_step(&mut self) -> Result<NextStep, Problem> {
        let in_flight_count = self.in_flight.len();
        if in_flight_count == 0
            && let Some(problem) = self.pending_prompt.take()
        {
            // If nothing is left to send, there is nothing to ask.
            return if self.queue.restart().await? { Err(problem) } else { Ok(NextStep::NothingPending) };
        }
        if self.pending_prompt.is_some() {
            return Ok(NextStep::AwaitCompletion);
        }
        if !self.concurrency.can_send(in_flight_count, self.ctx.persisting.count()) {
            return Ok(NextStep::AwaitCompletion);
        }
        self.not_before.take_if(|(until, _)| *until <= Instant::now());
        if let Some((until, problem)) = &self.not_before {
            return Ok(NextStep::Wait(*until, problem.clone()));
        }
        let items = self.queue.next_items(self.batch_size.get()).await?;
        if items.is_empty() {
            return Ok(if in_flight_count == 0 { NextStep::NothingPending } else { NextStep::AwaitCompletion });
        }
        let keys = self.keys.hashes_of(&items);
        if self.keys.contains_any(&keys) {
            self.queue.put_back(items);
            return Ok(NextStep::AwaitCompletion);
        }
        if !self.snapshot_before_delete(&items).await? {
            self.queue.put_back(items);
            return Ok(NextStep::AwaitCompletion);
        }
        match self.ctx.client.admit(RequestPurpose::Submission) {
            Ok(permit) => Ok(NextStep::Send(permit, items, keys)),
            Err(until) => {
                self.queue.put_back(items);
                let is_reported = until.saturating_duration_since(Instant::now()) >= MIN_REPORTED_WAIT;
                let limited = || Problem::new(Code::RateLimited).parameter("site", &self.connection.site);
                Ok(NextStep::Wait(until, is_reported.then(limited)))
            }
        }
    }

    fn dispatch(&mut self, permit: RequestPermit, items: Vec<StoredItem>, keys: KeyHashes) {
        self.progress.clear_wait();
        self.keys.add(&keys);
        let request = dispatch(self.ctx.clone(), permit, items);
        self.in_flight.spawn(async { Ok((request.await?, keys)) });
        self.progress.publish(false);
    }

    /// Waits until a request completes, the user gives a command, or `until`.
    async fn wait(&mut self, until: Option<Instant>) -> Result<(), Problem> {
        let accepts_command = *self.command.borrow() == RunCommand::Continue;
        let (command, persisting) = (&mut self.command, self.ctx.persisting.clone());
        let is_empty = self.in_flight.is_empty();
        let other_command = async {
            let is_received = command.wait_for(|command| *command != RunCommand::Continue).await.is_ok();
            if !is_received {
                // All senders are gone, so no command can arrive.
                std::future::pending::<()>().await;
            }
        };
        let completed = tokio::select! {
            Some(completed) = self.in_flight.join_next() => completed,
            () = persisting.wait_for_start(), if !is_empty => return Ok(()),
            () = other_command, if accepts_command => return Ok(()),
            () = tokio::time::sleep_until(until.unwrap_or_else(Instant::now).into()), if until.is_some() => return Ok(()),
            else => return Ok(()),
        };
        let (completed, keys) = completed.map_err(|error| Problem::new(Code::Bug).details(error))??;
        self.keys.remove(&keys);
        self.complete(completed).await
    }
}

/// Completed requests: adjusting the rate and sizes, waiting, or asking the user.
impl Runner {
    /// Handles a request whose outcome is stored.
    async fn complete(&mut self, completed: Completed) -> Result<(), Problem> {
        let Completed { classification, items, rows, pending, began, took } = completed;
        self.queue.put_back(pending);
        let problem = classification.error.map(|error| Problem::of_client(&self.connection.site, error));
        match classification.next_action {
            NextAction::Continue => {
                self.throughput.record(began, Instant::now(), rows);
                self.backoff.reset();
                self.concurrency.record_steady(began, took);
                if self.batch_size.record_good(items) {
                    self.store_batch_size().await?;
                }
                self.progress.report_rate(self.throughput.rate(self.ctx.client.allowed_per_second()));
            }
            NextAction::RetryLater(stated) => {
                self.concurrency.decrease(began);
                let first = self.ctx.client.access().timeouts.long_retry_wait();
                match self.backoff.record_deferral(began, stated, first) {
                    Some(wait) => self.delay(wait, problem),
                    None => self.prompt_for(problem),
                }
            }
            NextAction::Shrink => self.shrink(items).await?,
            NextAction::Failed { shrink } => {
                self.concurrency.decrease(began);
                if shrink {
                    self.shrink(items).await?;
                }
                self.read_backs.cause.clone_from(&problem);
                match self.backoff.record_failure(began) {
                    Some(wait) => self.delay(wait, None),
                    None => self.prompt_for(problem),
                }
            }
            NextAction::Interrupt => self.prompt_for(problem),
        }
        Ok(())
    }

    /// Delays sending. The longest delay counts.
    fn delay(&mut self, wait: Duration, problem: Option<Problem>) {
        let until = Instant::now() + wait;
        if self.not_before.as_ref().is_none_or(|(other, _)| *other < until) {
            self.not_before = Some((until, problem));
        }
    }

    /// Sets the problem to ask about. The first one counts because others in flight fail for the same reason.
    fn prompt_for(&mut self, problem: Option<Problem>) {
        self.pending_prompt.get_or_insert_with(|| problem.unwrap_or_else(|| Problem::new(Code::ServiceFailed)));
    }

    async fn shrink(&mut self, sent: u32) -> Result<(), Problem> {
        if self.batch_size.shrink(sent) { self.store_batch_size().await } else { Ok(()) }
    }

    async fn store_batch_size(&self) -> Result<(), Problem> {
        let (shared, run, size) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run), self.batch_size.get());
        run_blocking(move || Ok(shared.journal.set_batch_size(&run, size)?)).await
    }
}

/// The end of the run.
impl Runner {
    /// Reads back unconfirmed rows once nothing can be sent and nothing is in flight. Returns the run's end, or `None`
    /// if rows can be sent again.
    async fn nothing_pending(&mut self) -> Result<Option<End>, Problem> {
        if self.queue.restart().await? {
            return Ok(None);
        }
        if self.read_back_again().await? {
            self.queue.restart().await?;
            return Ok(None);
        }
        let problem = self.take_read_back_failure();
        self.final_end().await.map(|end| Some(End { problem, ..end }))
    }

    /// Returns the end of a run that can't send anything more.
    async fn final_end(&self) -> Result<End, Problem> {
        let record = self.record().await?;
        let is_trial_over = record.trial.is_some_and(|last| last < record.items) && record.counts.pending > 0;
        Ok(End::of(if is_trial_over { State::Paused } else { State::Finished }))
    }

    /// Reads the submission's record from the journal.
    async fn record(&self) -> Result<SubmissionRecord, Problem> {
        let (shared, id) = (Arc::clone(&self.ctx.shared), self.ctx.run.submission());
        run_blocking(move || Ok(shared.journal.submission(id)?)).await
    }

    /// Writes the current workbook of deleted rows, for deletes.
    async fn store_deleted(&self) -> Result<(), Problem> {
        let (shared, target) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.target));
        let id = self.ctx.run.submission();
        let stored = tokio::task::spawn_blocking(move || shared.store_deleted(id, &target));
        stored.await.map_err(|error| Problem::new(Code::Bug).details(error))?
    }

    async fn write_end(&mut self, end: End) {
        let active = self.ctx.stopwatch.lap();
        let (shared, run) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run));
        let end_problem = end.problem.clone();
        let written = run_blocking(move || {
            let at = (shared.clock)();
            let problem = end.problem.as_ref().map(serde_json::to_value).transpose().map_err(JournalError::from)?;
            shared.journal.add_active_time(&run, active)?;
            shared.journal.change_state(&run, &[State::Running], end.state, at, problem.as_ref())?;
            // If the journal failed during a request, its rows are unconfirmed.
            Ok(shared.journal.recover_run(&run, at)?)
        })
        .await;
        if let Err(problem) = written {
            let submission = self.ctx.run.submission();
            tracing::error!(%submission, %problem, "the end of a run couldn't be written down");
            let cause = end_problem.unwrap_or(problem);
            // Only the connection is lost. It isn't known yet whether another desk has resumed the submission.
            let is_lost = self.ctx.run.is_lost() && cause.is_obstacle("running-elsewhere");
            let cause = if is_lost { Problem::new(Code::TeamAway) } else { cause };
            let unsaved_end = UnsavedEnd { problem: cause, taken_up: self.taken_up.take() };
            self.ctx.shared.unsaved_ends.lock().insert(submission, unsaved_end);
        }
    }
}
