//! Runs one submission: decides when rows are sent, and the next step after each response.
//!
//! Several requests may be in flight. Each is stored before it is sent and settled after its response (`dispatch`). All
//! decisions are made here by one task. However a run ends, it first waits for the requests in flight.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use takt_browse::read_back::{ReadBackResult, ServiceItem};
use takt_client::{RequestPermit, RequestPurpose};
use takt_core::{Code, Problem, RowResult, blocking::run_blocking};
use takt_journal::{
    Change, ItemDetail, ItemSnapshot, JournalError, Run, SubmissionRecord, SubmissionState as State, Takeover,
    item::StoredItem,
};
use takt_sites::SiteConnection;
use tokio::{sync::watch, task::JoinSet};

use super::{
    backoff::Backoff,
    batch_size::BatchSize,
    change_operation::ChangeOperation,
    concurrency::Concurrency,
    dispatch::{CompletedRequest, DispatchContext, PersistingCount, Stopwatch, dispatch},
    keys_in_flight::{KeyHashes, KeysInFlight},
    progress::ProgressReporter,
    queue::ItemQueue,
    read_back::{ReadBackCounts, SubmissionReadBack, read_back_delay},
    response_classification::NextAction,
    submissions_state::{RunCommand, SubmissionsState, UnsavedEnd},
    throughput::Throughput,
    view::LiveState,
};

/// Shorter waits for the rate limit aren't reported.
const MIN_REPORTED_WAIT: Duration = Duration::from_millis(500);
/// Limits the rounds of reading back and sending again. One last read-back follows.
const MAX_READ_BACK_ROUNDS: u32 = 3;
/// The source of a contract version that was proven by a row.
const PROVEN_BY_ROW: &str = "trial";

/// The time at which a run reads back unconfirmed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadBackTiming {
    /// Never, at the user's request.
    Never,
    /// Once nothing is left to send.
    AtEnd,
    /// Before anything is sent, and at the end.
    First,
    /// Without sending anything. Afterwards the submission has the same state as before.
    Only(State),
}

/// The state of reading back in a run.
pub(super) struct ReadBackSchedule {
    timing: ReadBackTiming,
    /// Absent if the operation can't be read back.
    reader: Option<SubmissionReadBack>,
    rounds: u32,
    /// The problem of the last read-back, if it failed.
    failure: Option<Problem>,
    /// The problem that last left rows unconfirmed.
    cause: Option<Problem>,
}

impl ReadBackSchedule {
    pub(super) fn new(timing: ReadBackTiming, reader: Option<SubmissionReadBack>) -> Self {
        Self { timing, reader, rounds: 0, failure: None, cause: None }
    }
}

/// The final state of a run, and the problem that ended it.
struct RunEnd {
    state: State,
    problem: Option<Problem>,
}

impl RunEnd {
    fn new(state: State) -> Self {
        Self { state, problem: None }
    }

    fn interrupted(problem: Problem) -> Self {
        Self { state: State::Interrupted, problem: Some(problem) }
    }
}

/// The next step of a run.
enum NextStep {
    Send(RequestPermit, Vec<StoredItem>, KeyHashes),
    /// Wait until this time or until a request completes. The problem is set if the wait should be reported.
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
    previous_takeover: Option<Takeover>,
    queue: ItemQueue,
    in_flight: JoinSet<Result<(CompletedRequest, KeyHashes), Problem>>,
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

/// The parameters of [`Runner::new`].
pub(super) struct RunnerParts {
    pub(super) target: ChangeOperation,
    /// The current number of items per request.
    pub(super) batch_size: u32,
    /// The requested number of items per request.
    pub(super) requested_size: u32,
    pub(super) connection: SiteConnection,
    pub(super) read_backs: ReadBackSchedule,
    pub(super) previous_takeover: Option<Takeover>,
}

impl Runner {
    pub(super) fn new(
        shared: Arc<SubmissionsState>,
        run: Arc<Run>,
        parts: RunnerParts,
        command: watch::Receiver<RunCommand>,
        live: watch::Sender<LiveState>,
    ) -> Self {
        let RunnerParts { target, batch_size, requested_size, connection, read_backs, previous_takeover } = parts;
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
            previous_takeover,
            queue,
            in_flight: JoinSet::new(),
            keys: KeysInFlight::default(),
            backoff: Backoff::default(),
            throughput: Throughput::default(),
            concurrency,
            batch_size: BatchSize::new(batch_size, requested_size),
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
            Err(problem) => RunEnd::interrupted(problem),
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
            shared.remove_run(id);
            shared.publish(id, None);
            drop(progress);
            Ok(())
        });
        if let Err(problem) = ended.await {
            tracing::error!(submission = %id, %problem, "the end of a run couldn't be told");
        }
    }

    async fn execute(&mut self) -> Result<RunEnd, Problem> {
        // Nothing is deleted if the deleted rows can't be saved.
        self.store_deleted().await?;
        match self.read_back_before_sending().await? {
            Some(end) => Ok(end),
            None => self.send_all().await,
        }
    }

    async fn send_all(&mut self) -> Result<RunEnd, Problem> {
        loop {
            if let Some(end) = self.requested_end() {
                if self.in_flight.is_empty() {
                    // If nothing is left to send, there is nothing to pause.
                    return if self.queue.restart().await? { Ok(end) } else { self.final_end().await };
                }
                self.wait_for_event(None).await?;
                continue;
            }
            match self.next_step().await? {
                NextStep::Send(permit, items, keys) => self.dispatch(permit, items, keys),
                NextStep::AwaitCompletion => self.wait_for_event(None).await?,
                NextStep::Wait(until, problem) => {
                    self.progress.report_wait(until, problem);
                    self.wait_for_event(Some(until)).await?;
                }
                NextStep::NothingPending => {
                    if let Some(end) = self.end_or_read_back().await? {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Returns the end that the user requested, if any.
    fn requested_end(&self) -> Option<RunEnd> {
        match *self.command.borrow() {
            RunCommand::Pause => Some(RunEnd::new(State::Paused)),
            RunCommand::Stop => Some(RunEnd::new(State::Stopped)),
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
        let keys = self.keys.hash_keys(&items);
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
    async fn wait_for_event(&mut self, until: Option<Instant>) -> Result<(), Problem> {
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
        self.handle_completed(completed).await
    }
}

/// Handles completed requests: adjusts the rate and sizes, waits, or asks the user.
impl Runner {
    /// Handles a request whose outcome is stored.
    async fn handle_completed(&mut self, completed: CompletedRequest) -> Result<(), Problem> {
        let CompletedRequest { classification, items, rows, pending, started_at, duration } = completed;
        self.queue.put_back(pending);
        let problem = classification.error.map(|error| Problem::from_client_error(&self.connection.site, error));
        match classification.next_action {
            NextAction::Continue => {
                self.throughput.record(started_at, Instant::now(), rows);
                self.backoff.reset();
                self.concurrency.record_steady(started_at, duration);
                if self.batch_size.record_good(items) {
                    self.store_batch_size().await?;
                }
                self.progress.report_rate(self.throughput.rate(self.ctx.client.allowed_per_second()));
            }
            NextAction::RetryLater(stated) => {
                self.concurrency.decrease(started_at);
                let first = self.ctx.client.access().timeouts.long_retry_wait();
                match self.backoff.record_deferral(started_at, stated, first) {
                    Some(wait) => self.delay_sending(wait, problem),
                    None => self.prompt_for(problem),
                }
            }
            NextAction::Shrink => self.shrink_batch(items).await?,
            NextAction::Failed { shrink } => {
                self.concurrency.decrease(started_at);
                if shrink {
                    self.shrink_batch(items).await?;
                }
                self.read_backs.cause.clone_from(&problem);
                match self.backoff.record_failure(started_at) {
                    Some(wait) => self.delay_sending(wait, None),
                    None => self.prompt_for(problem),
                }
            }
            NextAction::Interrupt => self.prompt_for(problem),
        }
        Ok(())
    }

    /// Delays sending. The longest delay applies.
    fn delay_sending(&mut self, wait: Duration, problem: Option<Problem>) {
        let until = Instant::now() + wait;
        if self.not_before.as_ref().is_none_or(|(other, _)| *other < until) {
            self.not_before = Some((until, problem));
        }
    }

    /// Sets the problem to ask about. The first one is kept, because other requests in flight fail for the same reason.
    fn prompt_for(&mut self, problem: Option<Problem>) {
        self.pending_prompt.get_or_insert_with(|| problem.unwrap_or_else(|| Problem::new(Code::ServiceFailed)));
    }

    async fn shrink_batch(&mut self, sent: u32) -> Result<(), Problem> {
        if self.batch_size.shrink(sent) { self.store_batch_size().await } else { Ok(()) }
    }

    async fn store_batch_size(&self) -> Result<(), Problem> {
        let (shared, run, size) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run), self.batch_size.get());
        run_blocking(move || Ok(shared.journal.set_batch_size(&run, size)?)).await
    }
}

/// Items to delete are read first, because only then can their deletion be proven afterwards.
impl Runner {
    /// Reads and stores the current values of items to delete, unless they are stored already.
    ///
    /// Unreadable items aren't deleted: without the values the delete can't be undone, and nothing would prove that an
    /// item existed. Returns false if the user gave a command meanwhile.
    async fn snapshot_before_delete(&mut self, items: &[StoredItem]) -> Result<bool, Problem> {
        if !self.ctx.target.deletes {
            return Ok(true);
        }
        let Some(reader) = self.read_backs.reader.clone() else { return Ok(true) };
        let unread = self.items_without_snapshot(items).await?;
        if unread.is_empty() {
            return Ok(true);
        }
        let mut command = self.command.clone();
        let other_command = async {
            if command.wait_for(|command| *command != RunCommand::Continue).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let found = tokio::select! {
            found = reader.read_before_delete(&unread) => found?,
            () = other_command => return Ok(false),
        };
        let fault = found.iter().find_map(|found| match found.item {
            ServiceItem::Inconclusive(fault) => Some(fault),
            ServiceItem::Present(_) | ServiceItem::Absent | ServiceItem::ContainerMissing(_) => None,
        });
        self.store_snapshots(unread, found).await?;
        fault.map_or(Ok(true), |fault| Err(reader.fault_problem(fault)))
    }

    async fn items_without_snapshot(&self, items: &[StoredItem]) -> Result<Vec<ItemDetail>, Problem> {
        let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
        let (shared, id) = (Arc::clone(&self.ctx.shared), self.ctx.run.submission());
        let numbers_without = run_blocking(move || Ok(shared.journal.items_without_snapshot(id, &numbers)?)).await?;
        let unread = items.iter().filter(|item| numbers_without.contains(&item.number));
        Ok(unread.map(to_item_detail).collect())
    }

    async fn store_snapshots(&self, items: Vec<ItemDetail>, found: Vec<ReadBackResult>) -> Result<(), Problem> {
        let to_snapshot = |(item, found): (ItemDetail, ReadBackResult)| match found.item {
            ServiceItem::Present(_) => {
                let (before, neighbors) = (Some(item.body), found.neighbors);
                Some(ItemSnapshot { item: item.number, change: Change::Changed, before, neighbors })
            }
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => {
                Some(ItemSnapshot { item: item.number, change: Change::Same, before: None, neighbors: Vec::new() })
            }
            ServiceItem::Inconclusive(_) => None,
        };
        let snapshots: Vec<ItemSnapshot> = items.into_iter().zip(found).filter_map(to_snapshot).collect();
        let (shared, run) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run));
        run_blocking(move || Ok(shared.journal.store_snapshots(&run, &snapshots)?)).await
    }
}

fn to_item_detail(item: &StoredItem) -> ItemDetail {
    ItemDetail {
        number: item.number,
        key: item.key.clone(),
        body: serde_json::from_str(&item.body).unwrap_or_default(),
        before: None,
        neighbors: Vec::new(),
        change: None,
        reasons: Vec::new(),
        unknown_attempts: item.unknown_attempts,
        rows: Vec::new(),
    }
}

/// Unconfirmed rows are read back before sending, when nothing is left to send, and before the run gives up.
///
/// Rows that didn't arrive are sent again, up to [`MAX_READ_BACK_ROUNDS`] times. `read_back` decides what a read-back
/// proves.
impl Runner {
    /// Reads back before sending if required. Returns the end if nothing is to be sent.
    async fn read_back_before_sending(&mut self) -> Result<Option<RunEnd>, Problem> {
        match self.read_backs.timing {
            ReadBackTiming::Never | ReadBackTiming::AtEnd => Ok(None),
            ReadBackTiming::First => {
                self.read_back_once().await?;
                Ok(None)
            }
            ReadBackTiming::Only(state) => {
                self.read_back_once().await?;
                Ok(Some(RunEnd { state, problem: self.read_backs.failure.take() }))
            }
        }
    }

    /// Reads back once nothing is left to send. Returns true if rows must be sent again, or if the user gave a command.
    async fn read_back_again(&mut self) -> Result<bool, Problem> {
        while self.read_backs.rounds <= MAX_READ_BACK_ROUNDS && self.may_read_back().await? {
            self.read_backs.rounds += 1;
            let counts = self.read_back_once().await?;
            if self.has_command() {
                return Ok(true);
            }
            match counts {
                Some(counts) if counts.to_resend > 0 && self.read_backs.rounds > MAX_READ_BACK_ROUNDS => {
                    let cause = self.read_backs.cause.take();
                    return Err(cause.unwrap_or_else(|| Problem::new(Code::ServiceFailed)));
                }
                Some(counts) if counts.to_resend == 0 && counts.inconclusive > 0 => {
                    self.pause_for(self.ctx.client.access().timeouts.long_retry_wait()).await
                }
                Some(counts) => return Ok(counts.to_resend > 0),
                None => self.pause_for(self.ctx.client.access().timeouts.long_retry_wait()).await,
            }
        }
        Ok(false)
    }

    /// Reads back once more before the end is stored, if a problem ended the run and the service still responds.
    ///
    /// If nothing is left to send, the run is finished even if the user gave a command.
    async fn final_read_back(&mut self, end: RunEnd) -> RunEnd {
        let service_responds = |problem: &Problem| {
            matches!(problem.code, Code::ServiceFailed | Code::ConnectionLost | Code::AnswerNotUnderstood)
        };
        let should_read_back = end.state == State::Interrupted && end.problem.as_ref().is_some_and(service_responds);
        if should_read_back
            && self.read_backs.rounds <= MAX_READ_BACK_ROUNDS
            && self.may_read_back().await.unwrap_or(false)
            && let Err(problem) = self.read_back_once().await
        {
            tracing::warn!(%problem, "what was found out couldn't be written down");
        }
        match self.load_record().await.map(|record| record.counts) {
            Ok(counts) if end.state != State::Finished && counts.pending + counts.sending == 0 => {
                RunEnd { state: State::Finished, problem: end.problem.filter(|_| counts.unconfirmed > 0) }
            }
            _ => end,
        }
    }

    async fn may_read_back(&self) -> Result<bool, Problem> {
        if self.read_backs.reader.is_none() || self.read_backs.timing == ReadBackTiming::Never {
            return Ok(false);
        }
        let record = self.load_record().await?;
        Ok(record.counts.unconfirmed > 0 && !self.has_command())
    }

    fn has_command(&self) -> bool {
        *self.command.borrow() != RunCommand::Continue
    }

    /// Reads back once. Returns `None` if reading failed or the user gave a command meanwhile.
    async fn read_back_once(&mut self) -> Result<Option<ReadBackCounts>, Problem> {
        let Some(reader) = self.read_backs.reader.clone() else { return Ok(None) };
        let (shared, run) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run));
        self.progress.report_reading_back(true);
        let wait = run_blocking({
            let (shared, id) = (Arc::clone(&shared), run.submission());
            let min_delay = self.ctx.client.access().timeouts.long_retry_wait();
            move || Ok(read_back_delay(&shared.journal, id, (shared.clock)(), min_delay)?)
        })
        .await?;
        self.pause_for(wait).await;
        let mut command = self.command.clone();
        let other_command = async {
            if command.wait_for(|command| *command != RunCommand::Continue).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        // An interrupted read-back has only stored proven results.
        let counts = tokio::select! {
            counts = reader.resolve_unconfirmed(&shared, &run) => Some(counts),
            () = other_command => None,
        };
        self.progress.report_reading_back(false);
        match counts {
            None => Ok(None),
            Some(Ok(counts)) => {
                self.read_backs.failure = None;
                Ok(Some(counts))
            }
            Some(Err(problem)) if problem.code.is_journal_failure() => Err(problem),
            Some(Err(problem)) => {
                tracing::warn!(%problem, "unconfirmed rows couldn't be read back");
                self.read_backs.failure = Some(problem);
                Ok(None)
            }
        }
    }

    /// Waits, unless the user gives a command.
    async fn pause_for(&mut self, time: Duration) {
        let mut command = self.command.clone();
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            _ = command.wait_for(|command| *command != RunCommand::Continue) => {}
        }
    }
}

/// An untried operation is proven once an accepted row is read back as it was sent.
impl Runner {
    /// Marks the operation as proven if it was untried and an accepted row is on the service as sent.
    async fn prove_operation(&self) {
        if !self.ctx.target.untried {
            return;
        }
        let submission = self.ctx.run.submission();
        match self.has_proof().await {
            Ok(true) => {}
            Ok(false) => return tracing::info!(%submission, "no row proves yet how its operation is sent"),
            Err(problem) => return tracing::warn!(%submission, %problem, "whether it proves its operation isn't known"),
        }
        let (shared, site) = (Arc::clone(&self.ctx.shared), self.connection.site.clone());
        let stored = run_blocking(move || {
            let operation = shared.journal.submission(submission)?.operation;
            match shared.sites.overlay(&site)?.mark_tried(&operation) {
                Some(tried) => shared.sites.set_overlay(&site, &tried, PROVEN_BY_ROW, &shared.person).map(Some),
                None => Ok(None),
            }
        });
        if let Err(problem) = stored.await {
            tracing::warn!(%submission, %problem, "that its operation is proven couldn't be written down");
        }
    }

    async fn has_proof(&self) -> Result<bool, Problem> {
        let (shared, id) = (Arc::clone(&self.ctx.shared), self.ctx.run.submission());
        let (operation, accepted) = run_blocking(move || {
            let accepted = shared.journal.rows().item_details(id, RowResult::Accepted, 0, 1)?;
            Ok((shared.journal.submission(id)?.operation, accepted))
        })
        .await?;
        let Some(item) = accepted.first() else { return Ok(false) };
        let ctx = &self.ctx;
        let reader = SubmissionReadBack::for_operation(&ctx.shared, &operation, &ctx.target, &self.connection);
        // If no list shows the written data, the service's response is the only proof.
        let Some(reader) = reader else { return Ok(true) };
        let items = reader.read(&accepted).await?;
        let is_same = |existing: &serde_json::Value| reader.read_back.matches_stored(&item.body, existing);
        Ok(items.iter().any(|found| matches!(found, ServiceItem::Present(existing) if is_same(existing))))
    }
}

/// The end of a run: the last read-back, the final state, and the workbook of deleted rows.
impl Runner {
    /// Reads back unconfirmed rows once nothing can be sent and nothing is in flight. Returns the run's end, or `None`
    /// if rows can be sent again.
    async fn end_or_read_back(&mut self) -> Result<Option<RunEnd>, Problem> {
        if self.queue.restart().await? {
            return Ok(None);
        }
        if self.read_back_again().await? {
            self.queue.restart().await?;
            return Ok(None);
        }
        let problem = self.read_backs.failure.take();
        self.final_end().await.map(|end| Some(RunEnd { problem, ..end }))
    }

    /// Returns the end of a run that can't send anything more.
    async fn final_end(&self) -> Result<RunEnd, Problem> {
        let record = self.load_record().await?;
        let is_trial_over = record.trial.is_some_and(|last| last < record.items) && record.counts.pending > 0;
        Ok(RunEnd::new(if is_trial_over { State::Paused } else { State::Finished }))
    }

    async fn load_record(&self) -> Result<SubmissionRecord, Problem> {
        let (shared, id) = (Arc::clone(&self.ctx.shared), self.ctx.run.submission());
        run_blocking(move || Ok(shared.journal.submission(id)?)).await
    }

    /// Updates the workbook of deleted rows. Does nothing for operations that don't delete.
    async fn store_deleted(&self) -> Result<(), Problem> {
        let (shared, target) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.target));
        let id = self.ctx.run.submission();
        let stored = tokio::task::spawn_blocking(move || shared.store_deleted(id, &target));
        stored.await.map_err(|error| Problem::new(Code::Bug).details(error))?
    }

    async fn write_end(&mut self, end: RunEnd) {
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
            let unsaved_end = UnsavedEnd { problem: cause, previous_takeover: self.previous_takeover.take() };
            self.ctx.shared.unsaved_ends.lock().insert(submission, unsaved_end);
        }
    }
}
