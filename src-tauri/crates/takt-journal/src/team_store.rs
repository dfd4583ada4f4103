//! A team's database as a store. One session reads, and another one writes and holds the locks. Changes that wait at
//! the same time share one transaction.
//!
//! The first query opens the sessions, and a later one reopens a lost session. So a desk can start while the server is
//! unavailable, and each query returns that error. Every change first takes a lock that serializes the changes of all
//! desks. So the data that a change reads stays valid until its commit.

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
    Availability, AvailabilityProbe, HeldLocks, LockKey, PasswordSource, Pipeline, PipelineMark, PostgresError, Server,
    Session, SessionLock, Step, TeamAddress,
};

/// The updates of the schema, oldest first. Never change a released update: add a new one.
const SCHEMA_UPDATES: &[&str] = &[
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

/// Begins a transaction and takes the lock that serializes all changes. Its key is `TAKT` in ASCII, followed by 1.
const BEGIN: &str = "BEGIN; SELECT pg_advisory_xact_lock(6071216596821475329)";

/// The channel on which desks are notified of changed submissions.
const CHANNEL: &str = "takt_changed";
/// The minimum time between two notifications of results. A desk may store hundreds of results per second.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(200);

/// The state of a team's database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamCheck {
    /// The version of PostgreSQL.
    pub server: String,
    /// The schema's version, and the version that this Takt needs.
    pub schema: (u32, u32),
    /// The duration of one query, including the network.
    pub latency: Duration,
    /// The server's clock minus this computer's, in milliseconds.
    pub clock_offset_milliseconds: i64,
    /// The size of the database in bytes.
    pub bytes: u64,
    /// The submissions that run at any desk.
    pub running: Vec<LockHolder>,
    /// The rules for approval by a second person, by service.
    pub approval_rules: Vec<ApprovalRule>,
}

/// A running submission, and the desk that holds its lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    pub submission: u32,
    /// The login of the desk.
    pub desk: String,
}

/// A database that several desks share.
pub(crate) struct TeamStore {
    server: Arc<Server>,
    /// Started with the first query or the first call of [`Self::availability`].
    probe: Mutex<Option<AvailabilityProbe>>,
    /// The account and the computer of this desk, as the team's history shows them.
    person: String,
    next_session: AtomicU64,
    reader: Mutex<Option<Session>>,
    /// The session that writes and holds the locks.
    writer: Mutex<Option<Arc<Session>>>,
    /// Locked while a thread writes.
    write_lock: Mutex<()>,
    group: Group,
    held_locks: HeldLocks,
    /// Counts the notifications of all desks, including this one.
    notifications: Arc<watch::Sender<u64>>,
    /// The time at which this desk last notified the team.
    last_notification: Mutex<Option<Instant>>,
}

impl std::fmt::Debug for TeamStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TeamStore").field("server", &self.server).finish_non_exhaustive()
    }
}

impl TeamStore {
    /// Creates the store without opening a session.
    pub(crate) fn new(address: TeamAddress, password: PasswordSource, tls: ClientConfig) -> Self {
        Self {
            server: Arc::new(Server::new(address, password, tls)),
            probe: Mutex::default(),
            person: String::new(),
            next_session: AtomicU64::new(1),
            reader: Mutex::default(),
            writer: Mutex::default(),
            write_lock: Mutex::default(),
            group: Group::default(),
            held_locks: HeldLocks::default(),
            notifications: Arc::new(watch::Sender::new(0)),
            last_notification: Mutex::default(),
        }
    }

    pub(crate) fn set_person(&mut self, person: String) {
        self.person = person;
    }

    pub(crate) fn person(&self) -> &str {
        &self.person
    }

    /// Returns a counter of changes at any desk, including this one. Changes aren't counted while the database is
    /// unavailable.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.notifications.subscribe()
    }

    /// Creates the schema, or updates it. The login becomes its owner. Desks use other logins with the role
    /// `takt_desk`. Returns the previous version, or 0 without one.
    pub(crate) fn set_up(address: &TeamAddress, tls: &ClientConfig) -> Result<u32, PostgresError> {
        let server = Arc::new(Server::new(address.clone(), Arc::new(|| None), tls.clone()));
        let _probe =
            AvailabilityProbe::start(&server).map_err(|error| PostgresError::Unavailable(error.to_string()))?;
        let session = Session::open(&server, 0, Arc::new(watch::Sender::new(0)))?;
        session.execute_batch(&BEGIN.replace("BEGIN;", "BEGIN; CREATE SCHEMA IF NOT EXISTS takt;"))?;
        let found = match load_schema_version(&session) {
            Ok(found) => found,
            // The failed query has aborted the transaction.
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
        for update in SCHEMA_UPDATES.iter().skip(found as usize) {
            session.execute_batch(update)?;
        }
        session.execute_batch(&format!("UPDATE version SET number = {}; COMMIT", newest_version()))?;
        Ok(found)
    }

    /// Opens a session and checks the version of the schema.
    fn open_session(&self) -> Result<Session, PostgresError> {
        self.start_probe().map_err(|error| PostgresError::Unavailable(error.to_string()))?;
        let number = self.next_session.fetch_add(1, Ordering::Relaxed);
        let session = Session::open(&self.server, number, Arc::clone(&self.notifications))?;
        let (found, known) = (load_schema_version(&session)?, newest_version());
        match found {
            found if found > known => Err(PostgresError::Newer { found, known }),
            found if found < known => Err(PostgresError::Older { found, needed: known }),
            _ => Ok(session),
        }
    }

    fn start_probe(&self) -> std::io::Result<()> {
        let mut probe = lock_mutex(&self.probe);
        if probe.is_none() {
            *probe = Some(AvailabilityProbe::start(&self.server)?);
        }
        Ok(())
    }

    /// Returns the availability of the database, which is probed as long as a receiver exists.
    pub(crate) fn availability(&self) -> watch::Receiver<Availability> {
        // If no thread can be started, the next query reports that.
        drop(self.start_probe());
        self.server.availability()
    }

    /// Opens the session that reads, which also listens for notifications.
    fn open_reader(&self) -> Result<Session, PostgresError> {
        let session = self.open_session()?;
        session.execute_batch(&format!("LISTEN {CHANNEL}"))?;
        // Earlier notifications were missed, so one change is assumed.
        self.notifications.send_modify(|count| *count += 1);
        Ok(session)
    }

    /// Returns the session that writes. Opens a new session if the last one was lost.
    fn writer_session(&self) -> Result<Arc<Session>, PostgresError> {
        let mut writer = lock_mutex(&self.writer);
        if let Some(session) = writer.as_ref().filter(|session| !session.is_lost()) {
            return Ok(Arc::clone(session));
        }
        // The lost session is closed when its last lock is dropped.
        *writer = None;
        Ok(Arc::clone(writer.insert(Arc::new(self.open_session()?))))
    }

    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut reader = lock_mutex(&self.reader);
        if reader.as_ref().is_some_and(Session::is_lost) {
            *reader = None;
        }
        let session = match &mut *reader {
            Some(session) => session,
            none => none.insert(self.open_reader().map_err(DatabaseError::from)?),
        };
        query(&Connection::Postgres(&Pipeline::new(session)))
    }

    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.run_transaction(change)
    }

    pub(crate) fn write_together<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.group.write(&|changes| self.run_transaction(|transaction| changes(transaction)), change)
    }

    /// Runs a change in one transaction, which is rolled back if the change fails.
    fn run_transaction<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let _write_lock = lock_mutex(&self.write_lock);
        let session = self.writer_session().map_err(DatabaseError::from)?;
        let pipeline = Pipeline::new(&session);
        let open = OpenTransaction { pipeline: &pipeline, start: pipeline.mark() };
        pipeline.push(Step::Batch(BEGIN.into()));
        let transaction = Transaction::new(Connection::Postgres(&pipeline));
        let result = change(&transaction)?;
        let end =
            if self.should_notify(&transaction) { format!("NOTIFY {CHANNEL}; COMMIT") } else { "COMMIT".to_owned() };
        // If a pushed statement failed, the server has aborted the transaction, and this ends it.
        pipeline.execute_batch(&end).map_err(DatabaseError::from)?;
        std::mem::forget(open);
        Ok(result)
    }

    /// Returns whether the commit notifies other desks: always for state changes and decisions, and otherwise once per
    /// interval.
    fn should_notify(&self, transaction: &Transaction<'_>) -> bool {
        let mut last = lock_mutex(&self.last_notification);
        let is_due = transaction.notifies_desks() || last.is_none_or(|last| last.elapsed() >= NOTIFY_INTERVAL);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }

    /// Takes a lock, or returns none if this or another desk holds it.
    pub(crate) fn lock(&self, key: LockKey) -> Result<Option<SessionLock>, JournalError> {
        let session = self.writer_session().map_err(DatabaseError::from)?;
        Ok(SessionLock::acquire(&session, key, &self.held_locks).map_err(DatabaseError::from)?)
    }

    /// Updates the planner's statistics, so that queries after many inserts use the right indexes.
    pub(crate) fn refresh_statistics(&self) -> Result<(), JournalError> {
        self.read(|connection| Ok(connection.query_row("SELECT CAST(refresh_statistics() AS TEXT)", [], |_| Ok(()))?))
    }

    pub(crate) fn check(&self, now: impl Fn() -> Timestamp) -> Result<TeamCheck, JournalError> {
        self.read(|connection| {
            let start = Instant::now();
            let clock: i64 = connection.query_row(
                "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
                [],
                |row| row.get(0),
            )?;
            let latency = start.elapsed();
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
                clock_offset_milliseconds: clock - now().as_millisecond(),
                bytes: bytes.unsigned_abs(),
                running: running_submissions(connection)?,
                approval_rules: approval_rule::load_rules(connection)?,
            })
        })
    }
}

/// Ends a transaction after an error or a panic in a change.
struct OpenTransaction<'a> {
    pipeline: &'a Pipeline<'a>,
    /// The position before the transaction.
    start: PipelineMark,
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        if !self.pipeline.discard_since(self.start) {
            // If the session is lost, the server ends the transaction.
            drop(self.pipeline.execute_batch("ROLLBACK"));
        }
    }
}

fn running_submissions(connection: &Connection<'_>) -> Result<Vec<LockHolder>, DatabaseError> {
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
    u32::try_from(SCHEMA_UPDATES.len()).unwrap_or(u32::MAX)
}

fn load_schema_version(session: &Session) -> Result<u32, PostgresError> {
    let rows = session.query(&"SELECT number FROM version".into(), Vec::new());
    let rows = rows.map_err(|error| {
        // The SQLSTATEs of an undefined table and an undefined schema.
        if error.has_state("42P01") || error.has_state("3F000") { PostgresError::NotSetUp } else { error }
    })?;
    let number = rows.first().and_then(|row| row.value(0).ok());
    match number {
        Some(rusqlite::types::Value::Integer(number)) => Ok(u32::try_from(number).unwrap_or(u32::MAX)),
        _ => Err(PostgresError::NotSetUp),
    }
}

/// Locks without poisoning. [`OpenTransaction`] rolls a transaction back after a panic.
fn lock_mutex<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock()
}
