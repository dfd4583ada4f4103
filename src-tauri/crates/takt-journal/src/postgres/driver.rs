//! A session's side of the wire: what is asked goes out, statements without a wait between them.

use std::collections::HashMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt;
use futures_util::future::{join_all, try_join_all};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::{Client, Statement};

use super::connect::{Events, connect};
use super::liveness::Liveness;
use super::session::LockKey;
use super::sql::translate;
use super::{PostgresError, Server, StoredValue, StoredValues, TeamAddress};
use crate::many_rows::{copy_of, of_many_rows};

/// How long a statement may take, with its waits for locks.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);
/// Prepared statements that a session keeps.
const STATEMENTS: usize = 256;
/// Statements that are on their way at once.
const TOGETHER: usize = 256;
/// So many rows of an insert are copied: the server takes them page by page, and not one by one.
pub(crate) const COPIED: usize = 32;
/// Bytes of rows that go out as one message.
const COPIED_BYTES: usize = 64 * 1024;

/// What the server is told of every session: it notices within some ten seconds that whoever had it is gone. What a change reads behind the lock that
/// it takes first is what was committed before.
const SETTINGS: &str = "SET search_path = takt, pg_temp; SET statement_timeout = '25s'; SET lock_timeout = '20s';
    SET default_transaction_isolation = 'read committed'; SET idle_in_transaction_session_timeout = '5s';
    SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;
    SET tcp_user_timeout = '10s'; SET client_min_messages = 'warning'";

/// One of the statements that go together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Several statements without values.
    Batch(Arc<str>),
    Execute(Arc<str>, Vec<StoredValue>),
    Query(Arc<str>, Vec<StoredValue>),
    /// Rows that a `COPY … FROM STDIN BINARY` takes.
    Copy(Arc<str>, Bytes),
}

/// What a step was answered.
pub(crate) enum StepAnswer {
    Done,
    Count(u64),
    Rows(Vec<StoredValues>),
}

impl StepAnswer {
    /// How many rows it changed, or found.
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

pub(super) enum Question {
    Steps(Vec<Step>),
    ExecuteEach(Arc<str>, Vec<Vec<StoredValue>>),
    Lock(LockKey),
    Unlock(LockKey),
}

pub(super) enum Answer {
    Steps(Vec<StepAnswer>),
    Locked(bool),
    Done,
}

pub(super) type Request = (Question, SyncSender<Result<Answer, PostgresError>>);

/// The driver's side of a session.
pub(super) struct Driver {
    client: Client,
    statements: HashMap<Arc<str>, Statement>,
    /// Locks that couldn't be let go within a transaction that had failed.
    unlocks: Vec<LockKey>,
}

pub(super) async fn connected(
    server: &Server,
    address: &TeamAddress,
    (lost, told): (&Arc<AtomicBool>, Arc<watch::Sender<u64>>),
) -> Result<Driver, PostgresError> {
    let lost = Arc::clone(lost);
    let events = Events {
        notified: move || told.send_modify(|count| *count += 1),
        ended: move || lost.store(true, Ordering::Release),
    };
    let connecting = async {
        let client = connect(address, server.tls.clone(), (&server.liveness, events)).await?;
        client.batch_execute(SETTINGS).await.map_err(|error| PostgresError::of(&error))?;
        Ok(Driver { client, statements: HashMap::new(), unlocks: Vec::new() })
    };
    unless_silent(server, connecting).await
}

/// Waits end if the server is silent, or after the time that a statement may take.
async fn unless_silent<T>(
    server: &Server,
    answering: impl Future<Output = Result<T, PostgresError>>,
) -> Result<T, PostgresError> {
    tokio::select! {
        biased;
        answer = tokio::time::timeout(STATEMENT_TIMEOUT, answering) => {
            answer.unwrap_or_else(|_| Err(PostgresError::Away("no answer came in time".to_owned())))
        }
        () = server.liveness.until_silent() => Err(Liveness::silent()),
    }
}

impl Driver {
    /// Until nobody can ask any more, or the session is lost; it counts as lost before anybody hears of it, so that whoever asks next
    /// opens another.
    pub(super) async fn serve(
        mut self,
        mut requests: UnboundedReceiver<Request>,
        (server, lost): (&Server, &AtomicBool),
    ) {
        while let Some((question, answer)) = requests.recv().await {
            let result = match server.liveness.ensure_answers() {
                // Of a change that is open a part would be missing: the session ends, and with it the change.
                Err(silent) => Err(silent),
                Ok(()) => unless_silent(server, self.answer(question)).await,
            };
            let is_lost = matches!(result, Err(PostgresError::Away(_))) || self.client.is_closed();
            if is_lost {
                lost.store(true, Ordering::Release);
                return drop(answer.send(result));
            }
            drop(answer.send(result));
        }
    }

    async fn answer(&mut self, question: Question) -> Result<Answer, PostgresError> {
        match question {
            Question::Steps(steps) => {
                let ends = steps.iter().any(|step| matches!(step, Step::Batch(_)));
                let answers = self.together(steps).await;
                if ends {
                    self.unlock_later().await;
                }
                answers.map(Answer::Steps)
            }
            Question::ExecuteEach(sql, sets) => self.execute_each(sql, &sets).await,
            Question::Lock(key) => {
                let sql = format!("SELECT pg_try_advisory_lock({})", key.arguments());
                let locked = self.client.query_one(&sql, &[]).await.map_err(|error| PostgresError::of(&error))?;
                Ok(Answer::Locked(locked.get(0)))
            }
            Question::Unlock(key) => {
                if !self.unlock(key).await {
                    self.unlocks.push(key);
                }
                Ok(Answer::Done)
            }
        }
    }

    /// Sends all of them before the first answer is there. The server takes them one after the other; nothing goes behind one that
    /// can't be sent.
    async fn together(&mut self, steps: Vec<Step>) -> Result<Vec<StepAnswer>, PostgresError> {
        let mut prepared = Vec::with_capacity(steps.len());
        for step in steps {
            let statement = match &step {
                Step::Batch(_) => None,
                Step::Execute(sql, _) | Step::Query(sql, _) | Step::Copy(sql, _) => {
                    Some(self.statement(Arc::clone(sql)).await?)
                }
            };
            prepared.push((step, statement));
        }
        let mut running: Vec<Running<'_>> = Vec::with_capacity(prepared.len());
        let mut unsent = None;
        for (step, statement) in prepared {
            let mut answer: Running<'_> = Box::pin(answered(&self.client, step, statement));
            match futures_util::poll!(&mut answer) {
                Poll::Ready(Err(error)) => {
                    unsent = Some(error);
                    break;
                }
                Poll::Ready(Ok(early)) => running.push(Box::pin(std::future::ready(Ok(early)))),
                Poll::Pending => running.push(answer),
            }
        }
        let answers = join_all(running).await.into_iter().collect::<Result<Vec<_>, _>>();
        match (answers, unsent) {
            (Ok(answers), None) => Ok(answers),
            (Ok(_), Some(error)) | (Err(error), _) => Err(PostgresError::of(&error)),
        }
    }

    /// Rows of an insert go together; and all of it is on its way at once.
    async fn execute_each(&mut self, sql: Arc<str>, sets: &[Vec<StoredValue>]) -> Result<Answer, PostgresError> {
        let columns = sets.first().map_or(0, Vec::len);
        let is_copied = sets.len() >= COPIED && sets.iter().all(|set| set.len() == columns);
        if let Some(copy) = copy_of(&sql, columns).filter(|_| is_copied) {
            return self.copy(sql, copy.into(), sets).await;
        }
        let mut statements = Vec::new();
        for together in sets.chunks(TOGETHER) {
            match of_many_rows(&sql, columns, together.len()) {
                Some(many) => statements.push((self.statement(many.into()).await?, together)),
                None => {
                    let statement = self.statement(Arc::clone(&sql)).await?;
                    statements.extend(together.chunks(1).map(|set| (statement.clone(), set)));
                }
            }
        }
        let mut counts = 0;
        for together in statements.chunks(TOGETHER) {
            let running = together
                .iter()
                .map(|(statement, sets)| self.client.execute_raw(statement, sets.iter().flatten().collect::<Vec<_>>()));
            counts += try_join_all(running).await.map_err(|error| PostgresError::of(&error))?.iter().sum::<u64>();
        }
        Ok(Answer::Steps(vec![StepAnswer::Count(counts)]))
    }

    /// As many values in each set as the insert has places.
    async fn copy(
        &mut self,
        insert: Arc<str>,
        copy: Arc<str>,
        sets: &[Vec<StoredValue>],
    ) -> Result<Answer, PostgresError> {
        let types = self.statement(insert).await?.params().to_vec();
        let copy = self.statement(copy).await?;
        let copied = async {
            let mut rows = pin!(BinaryCopyInWriter::new(self.client.copy_in(&copy).await?, &types));
            for set in sets {
                rows.as_mut().write_raw(set).await?;
            }
            rows.finish().await
        };
        let count = copied.await.map_err(|error| PostgresError::of(&error))?;
        Ok(Answer::Steps(vec![StepAnswer::Count(count)]))
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

/// An answer that is waited for.
type Running<'a> = Pin<Box<dyn Future<Output = Result<StepAnswer, tokio_postgres::Error>> + 'a>>;

/// It is on its way once this was polled.
async fn answered(
    client: &Client,
    step: Step,
    statement: Option<Statement>,
) -> Result<StepAnswer, tokio_postgres::Error> {
    match (step, statement) {
        (Step::Query(_, values), Some(statement)) => {
            let rows = client.query(&statement, &places(&values)).await?;
            Ok(StepAnswer::Rows(rows.into_iter().map(StoredValues::from).collect()))
        }
        (Step::Execute(_, values), Some(statement)) => {
            client.execute_raw(&statement, &values).await.map(StepAnswer::Count)
        }
        (Step::Copy(_, rows), Some(statement)) => copied(client, &statement, rows).await.map(StepAnswer::Count),
        (Step::Batch(sql) | Step::Query(sql, _) | Step::Execute(sql, _) | Step::Copy(sql, _), _) => {
            client.batch_execute(&sql).await.map(|()| StepAnswer::Done)
        }
    }
}

/// The rows go out in pieces once the server is ready for them.
async fn copied(client: &Client, statement: &Statement, mut rows: Bytes) -> Result<u64, tokio_postgres::Error> {
    let mut sink = pin!(client.copy_in(statement).await?);
    while !rows.is_empty() {
        sink.as_mut().send(rows.split_to(rows.len().min(COPIED_BYTES))).await?;
    }
    sink.finish().await
}

fn places(values: &[StoredValue]) -> Vec<&(dyn tokio_postgres::types::ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn tokio_postgres::types::ToSql + Sync)).collect()
}
