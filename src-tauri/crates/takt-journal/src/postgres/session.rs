//! A session with a team's database, driven by its own thread.
//!
//! Statements run in the order of the calls. Locks belong to the session and end with it, after all its writes. So no
//! fencing token is needed (see [`SessionLock`]). Event forwarders have a token anyway, because a suspended process
//! keeps its session while another desk takes over its target.

use std::collections::HashMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt;
use futures_util::future::{join_all, try_join_all};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::{Client, Statement};

use crate::bulk_insert::{copy_statement, multi_row_insert};
use crate::postgres::availability::Liveness;
use crate::postgres::connect::{ConnectionCallbacks, connect};
use crate::postgres::sql::translate;
use crate::postgres::{PostgresError, Server, StoredValue, StoredValues, TeamAddress};

/// A lock of a session: the right to run a submission, to forward events to a target, or to read events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LockKey {
    Submission(u32),
    /// The number that the sender got for its target.
    Sender(u32),
    Reader,
}

impl LockKey {
    /// The class of submission locks, the first half of a key: `TAKT`.
    const SUBMISSION: i32 = 0x5441_4B54;
    /// The class of locks of event forwarders: `TAKF`.
    const SENDER: i32 = 0x5441_4B46;
    /// The class of the lock for reading events: `TAKI`.
    const READER: i32 = 0x5441_4B49;

    fn class_and_number(self) -> (i32, u32) {
        match self {
            Self::Submission(number) => (Self::SUBMISSION, number),
            Self::Sender(number) => (Self::SENDER, number),
            Self::Reader => (Self::READER, 0),
        }
    }

    fn arguments(self) -> String {
        let (class, number) = self.class_and_number();
        format!("{class}, {}", number.cast_signed())
    }

    /// Returns the condition on `pg_locks` for locks of running submissions, whose numbers are in `objid`.
    pub(crate) fn held_submissions() -> String {
        Self::lock_condition(Self::SUBMISSION)
    }

    /// Returns the condition on `pg_locks` for locks of event forwarders, whose numbers are in `objid`.
    pub(crate) fn held_senders() -> String {
        Self::lock_condition(Self::SENDER)
    }

    fn lock_condition(class: i32) -> String {
        format!(
            "locktype = 'advisory' AND granted AND classid = {class} AND objsubid = 2
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
    }
}

/// A session with the server. Dropping it ends the session and releases its locks.
pub(crate) struct Session {
    number: u64,
    requests: Option<UnboundedSender<Request>>,
    is_lost: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Session").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.requests.take());
        // Waits until the server has ended the session.
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Session {
    /// Signs in. `number` identifies the session within the store. `notifications` counts the notifications from the
    /// server.
    pub(crate) fn open(
        server: &Arc<Server>,
        number: u64,
        notifications: Arc<watch::Sender<u64>>,
    ) -> Result<Self, PostgresError> {
        server.liveness.ensure_responding()?;
        let (requests, received) = unbounded_channel();
        let (ready, is_ready) = sync_channel(1);
        let is_lost = Arc::new(AtomicBool::new(false));
        let (shared, address, lost) = (Arc::clone(server), server.address_with_password(), Arc::clone(&is_lost));
        let drive = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(PostgresError::Unavailable(error.to_string())))),
            };
            runtime.block_on(async {
                match connect_driver(&shared, &address, &lost, notifications).await {
                    Ok(driver) => {
                        drop(ready.send(Ok(())));
                        driver.serve(received, &shared, &lost).await;
                    }
                    Err(error) => drop(ready.send(Err(error))),
                }
                lost.store(true, Ordering::Release);
            });
            // A name lookup may still block.
            runtime.shutdown_background();
        };
        let away = |cause: &dyn std::fmt::Display| PostgresError::Unavailable(cause.to_string());
        let thread = std::thread::Builder::new().name("team-session".to_owned()).spawn(drive);
        let thread = thread.map_err(|error| away(&error))?;
        server.record_sign_in(is_ready.recv().map_err(|error| away(&error))?)?;
        Ok(Self { number, requests: Some(requests), is_lost, thread: Some(thread) })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns whether the session has ended.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    /// Runs the steps without waiting between them, and returns a result for each. Fails with the first error.
    pub(crate) fn run(&self, steps: Vec<Step>) -> Result<Vec<StepResult>, PostgresError> {
        match self.call(Command::Steps(steps))? {
            Reply::Steps(answers) => Ok(answers),
            _ => Ok(Vec::new()),
        }
    }

    pub(crate) fn query(&self, sql: &Arc<str>, values: Vec<StoredValue>) -> Result<Vec<StoredValues>, PostgresError> {
        let answers = self.run(vec![Step::Query(Arc::clone(sql), values)])?;
        Ok(answers.into_iter().next().map(StepResult::into_rows).unwrap_or_default())
    }

    pub(super) fn execute_each(&self, sql: &Arc<str>, sets: Vec<Vec<StoredValue>>) -> Result<(), PostgresError> {
        self.call(Command::ExecuteEach(Arc::clone(sql), sets)).map(drop)
    }

    pub(crate) fn execute_batch(&self, sql: &str) -> Result<(), PostgresError> {
        self.run(vec![Step::Batch(sql.into())]).map(drop)
    }

    fn call(&self, command: Command) -> Result<Reply, PostgresError> {
        self.send(command)?.recv().map_err(|_| Self::ended_error())?
    }

    /// Sends a request and returns the receiver of its result. Requests are served in order.
    fn send(&self, command: Command) -> Result<Receiver<Result<Reply, PostgresError>>, PostgresError> {
        let (sender, reply) = sync_channel(1);
        let requests = self.requests.as_ref().ok_or_else(Self::ended_error)?;
        requests.send((command, sender)).map_err(|_| Self::ended_error())?;
        Ok(reply)
    }

    fn ended_error() -> PostgresError {
        PostgresError::Unavailable("the session has ended".to_owned())
    }
}

/// A lock of a session, which is released when it is dropped. The server grants a lock to the same session again, so
/// `held_locks` prevents that this process takes it twice.
#[derive(Debug)]
pub(crate) struct SessionLock {
    session: Arc<Session>,
    key: LockKey,
    held_locks: HeldLocks,
}

/// The locks that this process holds.
pub(crate) type HeldLocks = Arc<Mutex<std::collections::HashSet<LockKey>>>;

impl SessionLock {
    /// Takes a lock, or returns none if this or another desk holds it.
    pub(crate) fn acquire(
        session: &Arc<Session>,
        key: LockKey,
        held_locks: &HeldLocks,
    ) -> Result<Option<Self>, PostgresError> {
        if !held_locks.lock().insert(key) {
            return Ok(None);
        }
        let acquired = session.call(Command::Lock(key));
        if matches!(acquired, Ok(Reply::Locked(true))) {
            return Ok(Some(Self { session: Arc::clone(session), key, held_locks: Arc::clone(held_locks) }));
        }
        held_locks.lock().remove(&key);
        acquired.map(|_| None)
    }

    /// Queries the server and returns whether the lock is still held.
    pub(crate) fn is_held(&self) -> bool {
        !self.session.is_lost() && self.session.execute_batch("SELECT 1").is_ok()
    }

    /// Returns whether the lock is known to be lost, without a query.
    pub(crate) fn is_lost(&self) -> bool {
        self.session.is_lost()
    }

    /// Returns the number of the session that holds the lock. Its holder may only write in that session.
    pub(crate) fn session(&self) -> u64 {
        self.session.number()
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // An error means that the session has ended, and the lock with it.
        if let Ok(unlocked) = self.session.send(Command::Unlock(self.key))
            && Handle::try_current().is_err()
        {
            // Waits, so that the lock can be taken again at once. Asynchronous tasks don't wait, because that would
            // block their thread.
            drop(unlocked.recv());
        }
        self.held_locks.lock().remove(&self.key);
    }
}

/// The time limit of a statement, including its waits for locks.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);
/// The number of cached prepared statements at which a session clears its cache.
const MAX_CACHED_STATEMENTS: usize = 256;
/// The maximum number of statements in flight, and of rows in one insert.
const MAX_IN_FLIGHT: usize = 256;
/// An insert of at least this number of rows becomes a `COPY`, which the server writes page by page and not row by row.
pub(crate) const COPY_MIN_ROWS: usize = 32;
/// The size of one message of copied rows, in bytes.
const COPY_CHUNK_BYTES: usize = 64 * 1024;

/// The settings of every session. The server notices within about ten seconds that a client is gone. With `read
/// committed`, a change sees everything that was committed before it got its lock.
const SESSION_SETTINGS: &str =
    "SET search_path = takt, pg_temp; SET statement_timeout = '25s'; SET lock_timeout = '20s';
    SET default_transaction_isolation = 'read committed'; SET idle_in_transaction_session_timeout = '5s';
    SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;
    SET tcp_user_timeout = '10s'; SET client_min_messages = 'warning'";

/// A statement of a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Several statements without values.
    Batch(Arc<str>),
    Execute(Arc<str>, Vec<StoredValue>),
    Query(Arc<str>, Vec<StoredValue>),
    /// Rows for a `COPY … FROM STDIN BINARY`.
    Copy(Arc<str>, Bytes),
}

pub(crate) enum StepResult {
    Done,
    Count(u64),
    Rows(Vec<StoredValues>),
}

impl StepResult {
    /// Returns the number of changed or returned rows.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Done => 0,
            Self::Count(count) => usize::try_from(*count).unwrap_or(usize::MAX),
            Self::Rows(rows) => rows.len(),
        }
    }

    pub(crate) fn into_rows(self) -> Vec<StoredValues> {
        if let Self::Rows(rows) = self { rows } else { Vec::new() }
    }
}

enum Command {
    Steps(Vec<Step>),
    ExecuteEach(Arc<str>, Vec<Vec<StoredValue>>),
    Lock(LockKey),
    Unlock(LockKey),
}

enum Reply {
    Steps(Vec<StepResult>),
    Locked(bool),
    Done,
}

type Request = (Command, SyncSender<Result<Reply, PostgresError>>);

/// The state of a session's thread.
struct Driver {
    client: Client,
    statements: HashMap<Arc<str>, Statement>,
    /// Locks that couldn't be released in an aborted transaction.
    pending_unlocks: Vec<LockKey>,
}

async fn connect_driver(
    server: &Server,
    address: &TeamAddress,
    lost: &Arc<AtomicBool>,
    notifications: Arc<watch::Sender<u64>>,
) -> Result<Driver, PostgresError> {
    let lost = Arc::clone(lost);
    let events = ConnectionCallbacks {
        on_notification: move || notifications.send_modify(|count| *count += 1),
        on_end: move || lost.store(true, Ordering::Release),
    };
    let connecting = async {
        let client = connect(address, server.tls.clone(), &server.liveness, events).await?;
        client.batch_execute(SESSION_SETTINGS).await.map_err(|error| PostgresError::from_driver(&error))?;
        Ok(Driver { client, statements: HashMap::new(), pending_unlocks: Vec::new() })
    };
    fail_if_silent(server, connecting).await
}

/// Waits for a result. Fails if the server is silent, or after the time limit of a statement.
async fn fail_if_silent<T>(
    server: &Server,
    operation: impl Future<Output = Result<T, PostgresError>>,
) -> Result<T, PostgresError> {
    tokio::select! {
        biased;
        result = tokio::time::timeout(STATEMENT_TIMEOUT, operation) => {
            result.unwrap_or_else(|_| Err(PostgresError::Unavailable("no answer came in time".to_owned())))
        }
        () = server.liveness.wait_until_silent() => Err(Liveness::silence_error()),
    }
}

impl Driver {
    /// Serves requests until the session is dropped or lost. A lost session is marked before the caller gets the error,
    /// so that the next caller opens a new one.
    async fn serve(mut self, mut requests: UnboundedReceiver<Request>, server: &Server, lost: &AtomicBool) {
        while let Some((command, reply)) = requests.recv().await {
            let result = match server.liveness.ensure_responding() {
                // An open transaction would be incomplete. Ending the session rolls it back.
                Err(silent) => Err(silent),
                Ok(()) => fail_if_silent(server, self.handle(command)).await,
            };
            let is_lost = matches!(result, Err(PostgresError::Unavailable(_))) || self.client.is_closed();
            if is_lost {
                lost.store(true, Ordering::Release);
                return drop(reply.send(result));
            }
            drop(reply.send(result));
        }
    }

    async fn handle(&mut self, command: Command) -> Result<Reply, PostgresError> {
        match command {
            Command::Steps(steps) => {
                let ends = steps.iter().any(|step| matches!(step, Step::Batch(_)));
                let answers = self.run_steps(steps).await;
                if ends {
                    self.retry_unlocks().await;
                }
                answers.map(Reply::Steps)
            }
            Command::ExecuteEach(sql, sets) => self.execute_each(sql, &sets).await,
            Command::Lock(key) => {
                let sql = format!("SELECT pg_try_advisory_lock({})", key.arguments());
                let locked =
                    self.client.query_one(&sql, &[]).await.map_err(|error| PostgresError::from_driver(&error))?;
                Ok(Reply::Locked(locked.get(0)))
            }
            Command::Unlock(key) => {
                if !self.unlock(key).await {
                    self.pending_unlocks.push(key);
                }
                Ok(Reply::Done)
            }
        }
    }

    /// Sends all steps before waiting for the first result. The server runs them in order. After a step that can't be
    /// sent, no other is sent.
    async fn run_steps(&mut self, steps: Vec<Step>) -> Result<Vec<StepResult>, PostgresError> {
        let mut prepared = Vec::with_capacity(steps.len());
        for step in steps {
            let statement = match &step {
                Step::Batch(_) => None,
                Step::Execute(sql, _) | Step::Query(sql, _) | Step::Copy(sql, _) => {
                    Some(self.prepare(Arc::clone(sql)).await?)
                }
            };
            prepared.push((step, statement));
        }
        let mut running: Vec<PendingResult<'_>> = Vec::with_capacity(prepared.len());
        let mut unsent = None;
        for (step, statement) in prepared {
            let mut pending: PendingResult<'_> = Box::pin(run_step(&self.client, step, statement));
            match futures_util::poll!(&mut pending) {
                Poll::Ready(Err(error)) => {
                    unsent = Some(error);
                    break;
                }
                Poll::Ready(Ok(early)) => running.push(Box::pin(std::future::ready(Ok(early)))),
                Poll::Pending => running.push(pending),
            }
        }
        let answers = join_all(running).await.into_iter().collect::<Result<Vec<_>, _>>();
        match (answers, unsent) {
            (Ok(answers), None) => Ok(answers),
            (Ok(_), Some(error)) | (Err(error), _) => Err(PostgresError::from_driver(&error)),
        }
    }

    /// Inserts rows in large statements or as a `COPY`. Sends many statements before waiting for their results.
    async fn execute_each(&mut self, sql: Arc<str>, sets: &[Vec<StoredValue>]) -> Result<Reply, PostgresError> {
        let columns = sets.first().map_or(0, Vec::len);
        let is_copied = sets.len() >= COPY_MIN_ROWS && sets.iter().all(|set| set.len() == columns);
        if let Some(copy) = copy_statement(&sql, columns).filter(|_| is_copied) {
            return self.copy(sql, copy.into(), sets).await;
        }
        let mut statements = Vec::new();
        for chunk in sets.chunks(MAX_IN_FLIGHT) {
            match multi_row_insert(&sql, columns, chunk.len()) {
                Some(many) => statements.push((self.prepare(many.into()).await?, chunk)),
                None => {
                    let statement = self.prepare(Arc::clone(&sql)).await?;
                    statements.extend(chunk.chunks(1).map(|set| (statement.clone(), set)));
                }
            }
        }
        let mut counts = 0;
        for chunk in statements.chunks(MAX_IN_FLIGHT) {
            let running = chunk
                .iter()
                .map(|(statement, sets)| self.client.execute_raw(statement, sets.iter().flatten().collect::<Vec<_>>()));
            counts +=
                try_join_all(running).await.map_err(|error| PostgresError::from_driver(&error))?.iter().sum::<u64>();
        }
        Ok(Reply::Steps(vec![StepResult::Count(counts)]))
    }

    /// Copies rows. Each set must have as many values as the insert has placeholders.
    async fn copy(
        &mut self,
        insert: Arc<str>,
        copy: Arc<str>,
        sets: &[Vec<StoredValue>],
    ) -> Result<Reply, PostgresError> {
        let types = self.prepare(insert).await?.params().to_vec();
        let copy = self.prepare(copy).await?;
        let operation = async {
            let mut rows = pin!(BinaryCopyInWriter::new(self.client.copy_in(&copy).await?, &types));
            for set in sets {
                rows.as_mut().write_raw(set).await?;
            }
            rows.finish().await
        };
        let count = operation.await.map_err(|error| PostgresError::from_driver(&error))?;
        Ok(Reply::Steps(vec![StepResult::Count(count)]))
    }

    /// Releases a lock. Returns false in an aborted transaction, which accepts no statement until it ends.
    async fn unlock(&self, key: LockKey) -> bool {
        let sql = format!("SELECT pg_advisory_unlock({})", key.arguments());
        self.client.batch_execute(&sql).await.is_ok()
    }

    async fn retry_unlocks(&mut self) {
        let mut locked = Vec::new();
        for key in std::mem::take(&mut self.pending_unlocks) {
            if !self.unlock(key).await {
                locked.push(key);
            }
        }
        self.pending_unlocks = locked;
    }

    async fn prepare(&mut self, sql: Arc<str>) -> Result<Statement, PostgresError> {
        if let Some(found) = self.statements.get(&sql) {
            return Ok(found.clone());
        }
        if self.statements.len() >= MAX_CACHED_STATEMENTS {
            self.statements.clear();
        }
        let prepared = self.client.prepare(&translate(&sql)).await;
        let prepared = prepared.map_err(|error| PostgresError::from_driver(&error))?;
        self.statements.insert(sql, prepared.clone());
        Ok(prepared)
    }
}

/// The future result of a step.
type PendingResult<'a> = Pin<Box<dyn Future<Output = Result<StepResult, tokio_postgres::Error>> + 'a>>;

/// Runs a step, which is sent when the future is first polled.
async fn run_step(
    client: &Client,
    step: Step,
    statement: Option<Statement>,
) -> Result<StepResult, tokio_postgres::Error> {
    match (step, statement) {
        (Step::Query(_, values), Some(statement)) => {
            let rows = client.query(&statement, &as_parameters(&values)).await?;
            Ok(StepResult::Rows(rows.into_iter().map(StoredValues::from).collect()))
        }
        (Step::Execute(_, values), Some(statement)) => {
            client.execute_raw(&statement, &values).await.map(StepResult::Count)
        }
        (Step::Copy(_, rows), Some(statement)) => copy_rows(client, &statement, rows).await.map(StepResult::Count),
        (Step::Batch(sql) | Step::Query(sql, _) | Step::Execute(sql, _) | Step::Copy(sql, _), _) => {
            client.batch_execute(&sql).await.map(|()| StepResult::Done)
        }
    }
}

/// Sends the rows in chunks, as soon as the server is ready for them.
async fn copy_rows(client: &Client, statement: &Statement, mut rows: Bytes) -> Result<u64, tokio_postgres::Error> {
    let mut sink = pin!(client.copy_in(statement).await?);
    while !rows.is_empty() {
        sink.as_mut().send(rows.split_to(rows.len().min(COPY_CHUNK_BYTES))).await?;
    }
    sink.finish().await
}

fn as_parameters(values: &[StoredValue]) -> Vec<&(dyn tokio_postgres::types::ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn tokio_postgres::types::ToSql + Sync)).collect()
}
