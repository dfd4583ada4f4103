//! One session with a team's database, driven by a thread of its own.
//!
//! Statements are run in the order in which they are asked for. Locks that a session takes are the server's: they end with the
//! session, however that ends, and what was written down in a session that has ended was written down before its locks ended. So no
//! number beside the lock is needed to fence off whoever lost it (see [`SessionLock`]).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use futures_util::future::try_join_all;
use futures_util::stream::{StreamExt, poll_fn};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio_postgres::{AsyncMessage, Client, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::ClientConfig;

use super::sql::{of_many_rows, translate};
use super::{PostgresError, StoredValue, StoredValues, TeamAddress};

/// How long a statement may take, waits for locks included.
const PATIENCE: Duration = Duration::from_secs(30);
/// Prepared statements that a session keeps.
const STATEMENTS: usize = 256;
/// Statements that are on their way at once.
const TOGETHER: usize = 256;

/// What the server is told of every session: it notices within some ten seconds that whoever had it is gone.
const SETTINGS: &str = "SET search_path = takt, pg_temp; SET statement_timeout = '25s'; SET lock_timeout = '20s';
    SET idle_in_transaction_session_timeout = '5s'; SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 2;
    SET tcp_keepalives_count = 3; SET tcp_user_timeout = '10s'; SET client_min_messages = 'warning'";

/// What a session may have for itself alone: the right to run a submission, to send events on to a target, or to read events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LockKey {
    Submission(u32),
    /// By the number that it got with its target.
    Sender(u32),
    Reader,
}

impl LockKey {
    /// The first half of a lock's key. `TAKT`: of submissions.
    const SUBMISSION: i32 = 0x5441_4B54;
    /// `TAKF`: of those who forward events.
    const SENDER: i32 = 0x5441_4B46;
    /// `TAKI`: of the inbox.
    const INBOX: i32 = 0x5441_4B49;

    fn parts(self) -> (i32, u32) {
        match self {
            Self::Submission(number) => (Self::SUBMISSION, number),
            Self::Sender(number) => (Self::SENDER, number),
            Self::Reader => (Self::INBOX, 0),
        }
    }

    fn arguments(self) -> String {
        let (class, number) = self.parts();
        format!("{class}, {}", number.cast_signed())
    }

    /// The condition on `pg_locks` under which a row is a submission that somebody runs; `objid` is its number.
    pub(crate) fn held_submissions() -> String {
        Self::held(Self::SUBMISSION)
    }

    /// The condition on `pg_locks` under which a row is somebody who forwards events; `objid` is the number.
    pub(crate) fn held_senders() -> String {
        Self::held(Self::SENDER)
    }

    fn held(class: i32) -> String {
        format!(
            "locktype = 'advisory' AND granted AND classid = {class} AND objsubid = 2
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
    }
}

enum Question {
    Query(Arc<str>, Vec<StoredValue>),
    Execute(Arc<str>, Vec<StoredValue>),
    ExecuteEach(Arc<str>, Vec<Vec<StoredValue>>),
    Batch(String),
    Lock(LockKey),
    Unlock(LockKey),
}

enum Answer {
    Rows(Vec<StoredValues>),
    Count(u64),
    Locked(bool),
    Done,
}

type Request = (Question, SyncSender<Result<Answer, PostgresError>>);

/// A session with the server. Dropping it ends it, and with it its locks.
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
        // The server hears of the end before whoever drops the session goes on.
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Session {
    /// Signs in. The number tells it from the store's other sessions. `told` counts what the server tells whoever listens.
    pub(crate) fn open(
        address: &TeamAddress,
        tls: &ClientConfig,
        (number, told): (u64, Arc<watch::Sender<u64>>),
    ) -> Result<Self, PostgresError> {
        let (requests, received) = unbounded_channel();
        let (ready, is_ready) = sync_channel(1);
        let is_lost = Arc::new(AtomicBool::new(false));
        let (config, tls, lost) = (address.config().clone(), tls.clone(), Arc::clone(&is_lost));
        let body = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(PostgresError::Away(error.to_string())))),
            };
            runtime.block_on(async {
                match connected(&config, tls, (&lost, told)).await {
                    Ok(driver) => {
                        drop(ready.send(Ok(())));
                        driver.serve(received).await;
                    }
                    Err(error) => drop(ready.send(Err(error))),
                }
                lost.store(true, Ordering::Release);
            });
        };
        let away = |cause: &dyn std::fmt::Display| PostgresError::Away(cause.to_string());
        let thread = std::thread::Builder::new().name("team-session".to_owned()).spawn(body);
        let thread = thread.map_err(|error| away(&error))?;
        is_ready.recv().map_err(|error| away(&error))??;
        Ok(Self { number, requests: Some(requests), is_lost, thread: Some(thread) })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Nothing can be asked of it any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    pub(crate) fn query(&self, sql: &Arc<str>, values: Vec<StoredValue>) -> Result<Vec<StoredValues>, PostgresError> {
        match self.ask(Question::Query(Arc::clone(sql), values))? {
            Answer::Rows(rows) => Ok(rows),
            _ => Ok(Vec::new()),
        }
    }

    pub(crate) fn execute(&self, sql: &Arc<str>, values: Vec<StoredValue>) -> Result<usize, PostgresError> {
        match self.ask(Question::Execute(Arc::clone(sql), values))? {
            Answer::Count(count) => Ok(usize::try_from(count).unwrap_or(usize::MAX)),
            _ => Ok(0),
        }
    }

    pub(crate) fn execute_each(&self, sql: &Arc<str>, sets: Vec<Vec<StoredValue>>) -> Result<(), PostgresError> {
        if sets.is_empty() { Ok(()) } else { self.ask(Question::ExecuteEach(Arc::clone(sql), sets)).map(drop) }
    }

    pub(crate) fn execute_batch(&self, sql: &str) -> Result<(), PostgresError> {
        self.ask(Question::Batch(sql.to_owned())).map(drop)
    }

    fn ask(&self, question: Question) -> Result<Answer, PostgresError> {
        let ended = || PostgresError::Away("the session has ended".to_owned());
        let (sender, answer) = sync_channel(1);
        self.requests.as_ref().ok_or_else(ended)?.send((question, sender)).map_err(|_| ended())?;
        answer.recv().map_err(|_| ended())?
    }
}

/// A lock of a session, until dropped. A session may take a lock twice, so those of this process are known to each other by `held`.
#[derive(Debug)]
pub(crate) struct SessionLock {
    session: Arc<Session>,
    key: LockKey,
    held: HeldLocks,
}

/// Locks that this process holds.
pub(crate) type HeldLocks = Arc<Mutex<std::collections::HashSet<LockKey>>>;

impl SessionLock {
    /// Absent where somebody holds it, here or at another desk.
    pub(crate) fn take(session: &Arc<Session>, key: LockKey, held: &HeldLocks) -> Result<Option<Self>, PostgresError> {
        if !held.lock().unwrap_or_else(PoisonError::into_inner).insert(key) {
            return Ok(None);
        }
        let taken = session.ask(Question::Lock(key));
        if matches!(taken, Ok(Answer::Locked(true))) {
            return Ok(Some(Self { session: Arc::clone(session), key, held: Arc::clone(held) }));
        }
        held.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        taken.map(|_| None)
    }

    /// Whether the server says so at this moment.
    pub(crate) fn is_held(&self) -> bool {
        !self.session.is_lost() && self.session.execute_batch("SELECT 1").is_ok()
    }

    /// Whether it is known to be lost, without asking.
    pub(crate) fn is_lost(&self) -> bool {
        self.session.is_lost()
    }

    /// The session that holds it, and in which alone its holder may write.
    pub(crate) fn session(&self) -> u64 {
        self.session.number()
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // Where the session has ended, the lock has.
        drop(self.session.ask(Question::Unlock(self.key)));
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// The driver's side of a session.
struct Driver {
    client: Client,
    statements: HashMap<Arc<str>, Statement>,
    /// Locks that couldn't be let go within a transaction that had failed.
    unlocks: Vec<LockKey>,
}

async fn connected(
    config: &tokio_postgres::Config,
    tls: ClientConfig,
    (lost, told): (&Arc<AtomicBool>, Arc<watch::Sender<u64>>),
) -> Result<Driver, PostgresError> {
    let connecting = config.connect(MakeRustlsConnect::new(tls));
    let (client, mut connection) = match tokio::time::timeout(PATIENCE, connecting).await {
        Ok(connected) => connected.map_err(|error| PostgresError::of(&error))?,
        Err(_) => return Err(PostgresError::Away("it doesn't answer".to_owned())),
    };
    let lost = Arc::clone(lost);
    tokio::spawn(async move {
        let mut messages = poll_fn(move |context| connection.poll_message(context));
        // Whoever asks next is told why it ended.
        while let Some(Ok(message)) = messages.next().await {
            if matches!(message, AsyncMessage::Notification(_)) {
                told.send_modify(|count| *count += 1);
            }
        }
        lost.store(true, Ordering::Release);
    });
    client.batch_execute(SETTINGS).await.map_err(|error| PostgresError::of(&error))?;
    Ok(Driver { client, statements: HashMap::new(), unlocks: Vec::new() })
}

impl Driver {
    /// Until nobody can ask any more, or the session is lost.
    async fn serve(mut self, mut requests: UnboundedReceiver<Request>) {
        while let Some((question, answer)) = requests.recv().await {
            let result = match tokio::time::timeout(PATIENCE, self.answer(question)).await {
                Ok(result) => result,
                Err(_) => Err(PostgresError::Away("no answer came in time".to_owned())),
            };
            let is_lost = matches!(result, Err(PostgresError::Away(_))) || self.client.is_closed();
            drop(answer.send(result));
            if is_lost {
                return;
            }
        }
    }

    async fn answer(&mut self, question: Question) -> Result<Answer, PostgresError> {
        let answer = match question {
            Question::Query(sql, values) => {
                let statement = self.statement(sql).await?;
                let rows = self.client.query(&statement, &places(&values)).await;
                rows.map(|rows| Answer::Rows(rows.into_iter().map(StoredValues::from).collect()))
            }
            Question::Execute(sql, values) => {
                let statement = self.statement(sql).await?;
                self.client.execute(&statement, &places(&values)).await.map(Answer::Count)
            }
            Question::ExecuteEach(sql, sets) => return self.execute_each(sql, &sets).await,
            Question::Batch(sql) => {
                let done = self.client.batch_execute(&sql).await.map(|()| Answer::Done);
                self.unlock_later().await;
                done
            }
            Question::Lock(key) => {
                let sql = format!("SELECT pg_try_advisory_lock({})", key.arguments());
                self.client.query_one(&sql, &[]).await.map(|row| Answer::Locked(row.get(0)))
            }
            Question::Unlock(key) => {
                if !self.unlock(key).await {
                    self.unlocks.push(key);
                }
                Ok(Answer::Done)
            }
        };
        answer.map_err(|error| PostgresError::of(&error))
    }

    /// Rows of an insert go together; whatever else is run many times is on its way at once.
    async fn execute_each(&mut self, sql: Arc<str>, sets: &[Vec<StoredValue>]) -> Result<Answer, PostgresError> {
        let columns = sets.first().map_or(0, Vec::len);
        let mut count = 0;
        for together in sets.chunks(TOGETHER) {
            count += match of_many_rows(&sql, columns, together.len()) {
                Some(many) => {
                    let statement = self.statement(many.into()).await?;
                    let values: Vec<_> = together.iter().flatten().collect();
                    self.client.execute_raw(&statement, values).await.map_err(|error| PostgresError::of(&error))?
                }
                None => self.each_at_once(&sql, together).await?,
            };
        }
        Ok(Answer::Count(count))
    }

    async fn each_at_once(&mut self, sql: &Arc<str>, sets: &[Vec<StoredValue>]) -> Result<u64, PostgresError> {
        let statement = self.statement(Arc::clone(sql)).await?;
        let running = sets.iter().map(|values| self.client.execute_raw(&statement, values));
        let counts = try_join_all(running).await.map_err(|error| PostgresError::of(&error))?;
        Ok(counts.iter().sum())
    }

    /// False within a transaction that has failed: then nothing can be done but to end it.
    async fn unlock(&self, key: LockKey) -> bool {
        let sql = format!("SELECT pg_advisory_unlock({})", key.arguments());
        self.client.batch_execute(&sql).await.is_ok()
    }

    async fn unlock_later(&mut self) {
        let mut left = Vec::new();
        for key in std::mem::take(&mut self.unlocks) {
            if !self.unlock(key).await {
                left.push(key);
            }
        }
        self.unlocks = left;
    }

    async fn statement(&mut self, sql: Arc<str>) -> Result<Statement, PostgresError> {
        if let Some(found) = self.statements.get(&sql) {
            return Ok(found.clone());
        }
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        let prepared = self.client.prepare(&translate(&sql)).await;
        let prepared = prepared.map_err(|error| PostgresError::of(&error))?;
        self.statements.insert(sql, prepared.clone());
        Ok(prepared)
    }
}

fn places(values: &[StoredValue]) -> Vec<&(dyn tokio_postgres::types::ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn tokio_postgres::types::ToSql + Sync)).collect()
}
