//! A team's database as a store: one session reads, one writes and holds the locks, and changes that come while another is being
//! written go together.
//!
//! Sessions are opened with the first question, and anew where one was lost; so a desk whose server is away can be opened, and says so
//! with each question. Changes of all desks go one after the other, as a file's do: each takes one lock first, so that what a change
//! reads is what holds until its commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;
use tokio_rustls::rustls::ClientConfig;

use crate::JournalError;
use crate::approval_rule::{self, ApprovalRule};
use crate::database::{Connection, DatabaseError, Transaction};
use crate::group::Group;
use crate::postgres::{
    Availability, HeldLocks, LockKey, PasswordSource, Pipeline, PipelineMark, PostgresError, Probe, Server, Session,
    SessionLock, Step, TeamAddress,
};

/// The schema's versions, oldest first. Never change one that was released: add the next.
const STEPS: &[&str] = &[
    include_str!("schema/postgres-1.sql"),
    include_str!("schema/postgres-2.sql"),
    include_str!("schema/postgres-3.sql"),
    include_str!("schema/postgres-4.sql"),
    include_str!("schema/postgres-5.sql"),
    include_str!("schema/postgres-6.sql"),
    include_str!("schema/postgres-7.sql"),
    include_str!("schema/postgres-8.sql"),
    include_str!("schema/postgres-9.sql"),
    include_str!("schema/postgres-10.sql"),
    include_str!("schema/postgres-11.sql"),
    include_str!("schema/postgres-12.sql"),
];

/// The lock that each change takes at its beginning: `TAKT`, 1.
const BEGIN: &str = "BEGIN; SELECT pg_advisory_xact_lock(6071216596821475329)";

/// What desks are told by: something of a submission has changed.
const CHANNEL: &str = "takt_changed";
/// Between two notices of results to the team. Results come in hundreds a second.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(200);

/// What a team's database says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamCheck {
    /// PostgreSQL's own version.
    pub server: String,
    /// The schema's version there, and the one that this Takt writes.
    pub schema: (u32, u32),
    /// One question and its answer.
    pub latency: Duration,
    /// Milliseconds by which the server's clock is ahead of this computer's.
    pub clock: i64,
    /// Bytes of the database.
    pub bytes: u64,
    /// Submissions that are being sent, at any desk.
    pub running: Vec<LockHolder>,
    /// What waits for a second person, by service.
    pub approval_rules: Vec<ApprovalRule>,
}

/// Who holds the right to run a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    pub submission: u32,
    /// The name by which the desk signed in.
    pub desk: String,
}

/// A database that several desks share.
pub(crate) struct TeamStore {
    server: Arc<Server>,
    /// Started with the first question.
    probe: Mutex<Option<Probe>>,
    /// Who works at this desk, as the team's history names them.
    person: String,
    opened: AtomicU64,
    reader: Mutex<Option<Session>>,
    /// The session that writes and holds locks.
    writer: Mutex<Option<Arc<Session>>>,
    /// Held by the writer.
    writing: Mutex<()>,
    group: Group,
    held: HeldLocks,
    /// Counts what other desks told of.
    told: Arc<watch::Sender<u64>>,
    /// When this desk told the others.
    last_told: Mutex<Option<Instant>>,
}

impl std::fmt::Debug for TeamStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TeamStore").field("server", &self.server).finish_non_exhaustive()
    }
}

impl TeamStore {
    /// Nothing is asked yet.
    pub(crate) fn new(address: (TeamAddress, PasswordSource), tls: ClientConfig) -> Self {
        Self {
            server: Arc::new(Server::new(address, tls)),
            probe: Mutex::default(),
            person: String::new(),
            opened: AtomicU64::new(1),
            reader: Mutex::default(),
            writer: Mutex::default(),
            writing: Mutex::default(),
            group: Group::default(),
            held: HeldLocks::default(),
            told: Arc::new(watch::Sender::new(0)),
            last_told: Mutex::default(),
        }
    }

    pub(crate) fn set_person(&mut self, person: String) {
        self.person = person;
    }

    pub(crate) fn person(&self) -> &str {
        &self.person
    }

    /// Counts on with each time that a desk tells of a change, this one or another. While the database is away nothing is told.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.told.subscribe()
    }

    /// Makes the schema, or brings it up to date. The name that signs in owns it then; desks sign in by names that were granted
    /// `takt_desk`. Gives the version that was there before; 0 where none was.
    pub(crate) fn set_up(address: &TeamAddress, tls: &ClientConfig) -> Result<u32, PostgresError> {
        let server = Arc::new(Server::new((address.clone(), Arc::new(|| None)), tls.clone()));
        let _probe = Probe::start(&server).map_err(|error| PostgresError::Away(error.to_string()))?;
        let session = Session::open(&server, (0, Arc::new(watch::Sender::new(0))))?;
        session.execute_batch(&BEGIN.replace("BEGIN;", "BEGIN; CREATE SCHEMA IF NOT EXISTS takt;"))?;
        let found = match found_version(&session) {
            Ok(found) => found,
            // The transaction has failed with the question.
            Err(PostgresError::NotSetUp) => {
                session.execute_batch("ROLLBACK")?;
                session.execute_batch(&BEGIN.replace("BEGIN;", "BEGIN; CREATE SCHEMA IF NOT EXISTS takt;"))?;
                0
            }
            Err(error) => return Err(error),
        };
        if found > newest_version() {
            return Err(PostgresError::Newer { found, known: newest_version() });
        }
        for step in STEPS.iter().skip(found as usize) {
            session.execute_batch(step)?;
        }
        session.execute_batch(&format!("UPDATE version SET number = {}; COMMIT", newest_version()))?;
        Ok(found)
    }

    fn open(&self) -> Result<Session, PostgresError> {
        self.start_probe().map_err(|error| PostgresError::Away(error.to_string()))?;
        let (number, told) = (self.opened.fetch_add(1, Ordering::Relaxed), Arc::clone(&self.told));
        let session = Session::open(&self.server, (number, told))?;
        let (found, known) = (found_version(&session)?, newest_version());
        match found {
            found if found > known => Err(PostgresError::Newer { found, known }),
            found if found < known => Err(PostgresError::Older { found, needed: known }),
            _ => Ok(session),
        }
    }

    fn start_probe(&self) -> std::io::Result<()> {
        let mut probe = locked(&self.probe);
        if probe.is_none() {
            *probe = Some(Probe::start(&self.server)?);
        }
        Ok(())
    }

    /// Whether the database can be asked: watched as long as the receiver lives.
    pub(crate) fn availability(&self) -> watch::Receiver<Availability> {
        // Without a thread to spare the next question says so.
        drop(self.start_probe());
        self.server.availability()
    }

    /// The session that reads hears of changes, too.
    fn open_reader(&self) -> Result<Session, PostgresError> {
        let session = self.open()?;
        session.execute_batch(&format!("LISTEN {CHANNEL}"))?;
        // What changed before isn't told any more.
        self.told.send_modify(|count| *count += 1);
        Ok(session)
    }

    fn writer(&self) -> Result<Arc<Session>, PostgresError> {
        let mut writer = locked(&self.writer);
        if let Some(session) = writer.as_ref().filter(|session| !session.is_lost()) {
            return Ok(Arc::clone(session));
        }
        // The lost one goes when its last lock does.
        *writer = None;
        Ok(Arc::clone(writer.insert(Arc::new(self.open()?))))
    }

    pub(crate) fn read<T>(
        &self,
        question: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut reader = locked(&self.reader);
        if reader.as_ref().is_some_and(Session::is_lost) {
            *reader = None;
        }
        let session = match &mut *reader {
            Some(session) => session,
            none => none.insert(self.open_reader().map_err(DatabaseError::from)?),
        };
        question(&Connection::Postgres(&Pipeline::of(session)))
    }

    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.transaction(change)
    }

    pub(crate) fn write_together<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.group.write(&|changes| self.transaction(|transaction| changes(transaction)), change)
    }

    fn transaction<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let _writing = locked(&self.writing);
        let session = self.writer().map_err(DatabaseError::from)?;
        let pipeline = Pipeline::of(&session);
        let open = OpenTransaction { pipeline: &pipeline, begun: pipeline.mark() };
        pipeline.push(Step::Batch(BEGIN.into()));
        let transaction = Transaction::on(Connection::Postgres(&pipeline));
        let result = change(&transaction)?;
        let end =
            if self.is_to_be_told(&transaction) { format!("NOTIFY {CHANNEL}; COMMIT") } else { "COMMIT".to_owned() };
        // What was pushed and fails has failed the transaction on the server: there this is its end.
        pipeline.execute_batch(&end).map_err(DatabaseError::from)?;
        std::mem::forget(open);
        Ok(result)
    }

    /// What begins, ends or is decided is told at once, and what moves in between now and then.
    fn is_to_be_told(&self, transaction: &Transaction<'_>) -> bool {
        let mut last_told = locked(&self.last_told);
        let is_due = transaction.tells() || last_told.is_none_or(|told| told.elapsed() >= NOTIFY_INTERVAL);
        if is_due {
            *last_told = Some(Instant::now());
        }
        is_due
    }

    /// Absent where somebody holds it, here or at another desk.
    pub(crate) fn lock(&self, key: LockKey) -> Result<Option<SessionLock>, JournalError> {
        let session = self.writer().map_err(DatabaseError::from)?;
        Ok(SessionLock::take(&session, key, &self.held).map_err(DatabaseError::from)?)
    }

    /// The planner looks at the tables anew.
    pub(crate) fn refresh_statistics(&self) -> Result<(), JournalError> {
        self.read(|connection| Ok(connection.query_row("SELECT CAST(refresh_statistics() AS TEXT)", [], |_| Ok(()))?))
    }

    /// What the database says of itself.
    pub(crate) fn check(&self, now: impl Fn() -> Timestamp) -> Result<TeamCheck, JournalError> {
        self.read(|connection| {
            let begun = Instant::now();
            let clock: i64 = connection.query_row(
                "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
                [],
                |row| row.get(0),
            )?;
            let latency = begun.elapsed();
            let (server, bytes): (String, i64) = connection.query_row(
                "SELECT current_setting('server_version'), pg_database_size(current_database())",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            let found: u32 = connection.query_row("SELECT number FROM version", [], |row| row.get(0))?;
            Ok(TeamCheck {
                server,
                schema: (found, newest_version()),
                latency,
                clock: clock - now().as_millisecond(),
                bytes: bytes.unsigned_abs(),
                running: running(connection)?,
                approval_rules: approval_rule::rules(connection)?,
            })
        })
    }
}

/// Ends a transaction that a change left by an error or a panic.
struct OpenTransaction<'a> {
    pipeline: &'a Pipeline<'a>,
    /// Before its beginning.
    begun: PipelineMark,
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        if !self.pipeline.forget_since(self.begun) {
            // Where the session is lost, the server ends it.
            drop(self.pipeline.execute_batch("ROLLBACK"));
        }
    }
}

fn running(connection: &Connection<'_>) -> Result<Vec<LockHolder>, DatabaseError> {
    let sql = format!(
        "SELECT CAST(objid AS BIGINT), usename FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
         WHERE {} ORDER BY objid",
        LockKey::held_submissions()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map([], |row| {
        Ok(LockHolder { submission: row.get(0)?, desk: row.get::<_, Option<String>>(1)?.unwrap_or_default() })
    })?;
    found.collect()
}

fn newest_version() -> u32 {
    u32::try_from(STEPS.len()).unwrap_or(u32::MAX)
}

fn found_version(session: &Session) -> Result<u32, PostgresError> {
    let rows = session.query(&"SELECT number FROM version".into(), Vec::new());
    let rows = rows.map_err(|error| {
        // No such schema, or no such table.
        if error.has_state("42P01") || error.has_state("3F000") { PostgresError::NotSetUp } else { error }
    })?;
    let number = rows.first().and_then(|row| row.value(0).ok());
    match number {
        Some(rusqlite::types::Value::Integer(number)) => Ok(u32::try_from(number).unwrap_or(u32::MAX)),
        _ => Err(PostgresError::NotSetUp),
    }
}

/// A panic elsewhere has rolled its transaction back.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock()
}
