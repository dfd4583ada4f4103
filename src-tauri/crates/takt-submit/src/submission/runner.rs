//! One run of one submission: what is sent when, and what comes next.
//!
//! Several requests may be on their way at once; each is written down before it leaves and settled when it is back
//! (`dispatch`). Everything that is decided about the run is decided here, by one task. Whatever ends a run, what is on its
//! way is waited for first. What follows from what is back is in `completion`, how a run ends in `finish`.

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
use super::dispatch::{Completed, PersistingCount, Route, Stopwatch, dispatch};
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

/// What a person wants of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunCommand {
    Continue,
    Pause,
    Stop,
}

/// Why a run ends.
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

/// What to do now.
enum NextStep {
    Send(RequestPermit, Vec<StoredItem>, KeyHashes),
    /// Until then, for this reason where people should know, or until something comes back.
    Wait(Instant, Option<Problem>),
    /// Until something comes back.
    AwaitCompletion,
    /// Nothing can be sent, and nothing is on its way.
    NothingPending,
}

pub(super) struct Runner {
    pub(super) route: Route,
    pub(super) site: String,
    pub(super) command: watch::Receiver<RunCommand>,
    pub(super) progress: ProgressReporter,
    pub(super) read_backs: ReadBackSchedule,
    /// Who had taken it up when it began; in a team.
    taken_up: Option<TakenUp>,
    queue: ItemQueue,
    in_flight: JoinSet<Result<(Completed, KeyHashes), Problem>>,
    keys: KeysInFlight,
    backoff: Backoff,
    throughput: Throughput,
    concurrency: Concurrency,
    size: BatchSize,
    /// Nothing leaves before that, and why where people should know.
    hold: Option<(Instant, Option<Problem>)>,
    /// A person is asked about this once nothing is on its way.
    question: Option<Problem>,
}

/// What a runner sends, how much at once, and where to.
pub(super) struct RunnerParts {
    pub(super) target: Target,
    /// Items per request now.
    pub(super) batch_size: u32,
    /// Items per request as asked.
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
        (command, live): (watch::Receiver<RunCommand>, watch::Sender<LiveState>),
    ) -> Self {
        let RunnerParts { target, batch_size, asked_size, site, client, read_backs, taken_up } = parts;
        let id = run.submission();
        // Of what can't be read back no more than one request is ever unconfirmed at a time.
        let concurrency = Concurrency::new(target.deletes || !target.readable);
        let progress = ProgressReporter::new(Arc::clone(&shared), id, live);
        let queue = ItemQueue::new(Arc::clone(&shared), id);
        let (target, watch, persisting) = (Arc::new(target), Stopwatch::start(), PersistingCount::default());
        let route = Route { shared, run, target, client, watch, persisting };
        Self {
            route,
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
            size: BatchSize::new(batch_size, asked_size),
            hold: None,
            question: None,
        }
    }

    /// Runs until nothing is pending, a person wants otherwise, or a problem is in the way.
    pub(super) async fn run(mut self) {
        let id = self.route.run.submission();
        self.progress.publish(true);
        let end = match self.execute().await {
            Ok(end) => end,
            Err(problem) => End::interrupted(problem),
        };
        // After an error something may still be on its way.
        while let Some(completed) = self.in_flight.join_next().await {
            if let Ok(Err(problem)) = completed {
                tracing::error!(submission = %id, %problem, "a request's outcome couldn't be written down");
            }
        }
        let end = self.final_read_back(end).await;
        self.prove_operation().await;
        self.route.shared.failpoints.pass("end-before-written");
        self.write_end(end).await;
        if let Err(problem) = self.store_deleted().await {
            tracing::warn!(submission = %id, %problem, "the workbook of what was deleted is completed later");
        }
        let Self { route: Route { shared, run, .. }, progress, .. } = self;
        // The lock goes first and the sign of life last: whoever waits for the end may take the submission up again at once.
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
        // What can't be kept isn't deleted.
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
                    // Where nothing is left to send there is nothing to pause.
                    return if self.queue.again().await? { Ok(end) } else { self.last_end().await };
                }
                self.wait(None).await?;
                continue;
            }
            match self.next().await? {
                NextStep::Send(permit, items, keys) => self.dispatch(permit, items, keys),
                NextStep::AwaitCompletion => self.wait(None).await?,
                NextStep::Wait(until, problem) => {
                    self.progress.waiting(until, problem);
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

    /// Where a person wants the run to end.
    fn requested_end(&self) -> Option<End> {
        match *self.command.borrow() {
            RunCommand::Pause => Some(End::of(State::Paused)),
            RunCommand::Stop => Some(End::of(State::Stopped)),
            RunCommand::Continue => None,
        }
    }

    async fn next(&mut self) -> Result<NextStep, Problem> {
        let on_their_way = self.in_flight.len();
        if on_their_way == 0
            && let Some(problem) = self.question.take()
        {
            // Where nothing is left to send there is nothing to ask.
            return if self.queue.again().await? { Err(problem) } else { Ok(NextStep::NothingPending) };
        }
        if self.question.is_some() {
            return Ok(NextStep::AwaitCompletion);
        }
        if !self.concurrency.has_room(on_their_way, self.route.persisting.count()) {
            return Ok(NextStep::AwaitCompletion);
        }
        self.hold.take_if(|(until, _)| *until <= Instant::now());
        if let Some((until, problem)) = &self.hold {
            return Ok(NextStep::Wait(*until, problem.clone()));
        }
        let items = self.queue.take(self.size.get()).await?;
        if items.is_empty() {
            return Ok(if on_their_way == 0 { NextStep::NothingPending } else { NextStep::AwaitCompletion });
        }
        let keys = self.keys.hashes_of(&items);
        if self.keys.hold_any(&keys) {
            self.queue.put_back(items);
            return Ok(NextStep::AwaitCompletion);
        }
        if !self.snapshot_before_delete(&items).await? {
            self.queue.put_back(items);
            return Ok(NextStep::AwaitCompletion);
        }
        match self.route.client.admit(RequestPurpose::Submission) {
            Ok(permit) => Ok(NextStep::Send(permit, items, keys)),
            Err(until) => {
                self.queue.put_back(items);
                let worth_telling = until.saturating_duration_since(Instant::now()) >= MIN_REPORTED_WAIT;
                let limited = || Problem::new(Code::RateLimited).parameter("site", &self.site);
                Ok(NextStep::Wait(until, worth_telling.then(limited)))
            }
        }
    }

    fn dispatch(&mut self, permit: RequestPermit, items: Vec<StoredItem>, keys: KeyHashes) {
        self.progress.resumed();
        self.keys.add(&keys);
        let sent = dispatch(self.route.clone(), permit, items);
        self.in_flight.spawn(async { Ok((sent.await?, keys)) });
        self.progress.publish(false);
    }

    /// Lets time pass until something is back, a person wants otherwise, or the time has come.
    async fn wait(&mut self, until: Option<Instant>) -> Result<(), Problem> {
        let free = *self.command.borrow() == RunCommand::Continue;
        let (command, persisting) = (&mut self.command, self.route.persisting.clone());
        let is_empty = self.in_flight.is_empty();
        let other = async {
            let heard = command.wait_for(|command| *command != RunCommand::Continue).await.is_ok();
            if !heard {
                // All senders are gone, so no command can come.
                std::future::pending::<()>().await;
            }
        };
        let completed = tokio::select! {
            Some(completed) = self.in_flight.join_next() => completed,
            () = persisting.begun(), if !is_empty => return Ok(()),
            () = other, if free => return Ok(()),
            () = tokio::time::sleep_until(until.unwrap_or_else(Instant::now).into()), if until.is_some() => return Ok(()),
            else => return Ok(()),
        };
        let (completed, keys) = completed.map_err(|error| Problem::new(Code::Bug).details(error))??;
        self.keys.remove(&keys);
        self.complete(completed).await
    }
}
