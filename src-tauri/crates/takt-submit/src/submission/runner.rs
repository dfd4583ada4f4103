//! Runs one submission: decides what is sent when, and what happens next.
//!
//! Several requests may be in flight. Each is stored before it is sent and settled after its response (`dispatch`). All
//! decisions are made here by one task. However a run ends, it first waits for the requests in flight. `completion`
//! handles responses, and `finish` ends runs.

mod completion;
mod delete_check;
mod finish;
mod prove;

use std::sync::Arc;
use std::time::{Duration, Instant};

use takt_client::{Client, RequestPermit, RequestPurpose};
use takt_journal::{Run, SubmissionState as State, TakenUp, item::StoredItem};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Shared;
use super::backoff::Backoff;
use super::concurrency::{BatchSize, Concurrency};
use super::dispatch::{Completed, DispatchContext, PersistingCount, Stopwatch, dispatch};
use super::draft::Target;
use super::keys_in_flight::{KeyHashes, KeysInFlight};
use super::progress::ProgressReporter;
use super::queue::ItemQueue;
use super::read_back_schedule::ReadBackSchedule;
use super::snapshot::LiveState;
use super::throughput::Throughput;
use takt_core::{Code, Problem, blocking::run_blocking};

/// Shorter waits for the rate limit aren't reported.
const MIN_REPORTED_WAIT: Duration = Duration::from_millis(500);

/// The user's command to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunCommand {
    Continue,
    Pause,
    Stop,
}

/// The end of a run.
pub(super) struct End {
    pub(super) state: State,
    pub(super) problem: Option<Problem>,
}

impl End {
    pub(super) fn of(state: State) -> Self {
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
    pub(super) ctx: DispatchContext,
    pub(super) site: String,
    pub(super) command: watch::Receiver<RunCommand>,
    pub(super) progress: ProgressReporter,
    pub(super) read_backs: ReadBackSchedule,
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
    pub(super) site: String,
    pub(super) client: Client,
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
        let RunnerParts { target, batch_size, asked_size, site, client, read_backs, taken_up } = parts;
        let id = run.submission();
        // If rows can't be read back, at most one request may be unconfirmed at a time.
        let concurrency = Concurrency::new(target.deletes || !target.readable);
        let progress = ProgressReporter::new(Arc::clone(&shared), id, live);
        let queue = ItemQueue::new(Arc::clone(&shared), id);
        let (target, stopwatch, persisting) = (Arc::new(target), Stopwatch::start(), PersistingCount::default());
        let ctx = DispatchContext { shared, run, target, client, stopwatch, persisting };
        Self {
            ctx,
            site,
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
                let limited = || Problem::new(Code::RateLimited).parameter("site", &self.site);
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
