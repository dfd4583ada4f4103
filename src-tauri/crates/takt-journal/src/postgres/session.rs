//! One session with a team's database, driven by a thread of its own (`driver`).
//!
//! Statements are run in the order in which they are asked for. Locks that a session takes are the server's: they end with the
//! session, however that ends, and what was written down in a session that has ended was written down before its locks ended. So no
//! number beside the lock is needed to fence off whoever lost it (see [`SessionLock`]). Who forwards events has one all the same: a
//! process that stands still keeps its session, and its target is taken over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use super::driver::{Answer, Question, Request, Step, StepAnswer, connected};
use super::{PostgresError, Server, StoredValue, StoredValues};

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

    pub(super) fn arguments(self) -> String {
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
        server: &Arc<Server>,
        (number, told): (u64, Arc<watch::Sender<u64>>),
    ) -> Result<Self, PostgresError> {
        server.liveness.ensure_answers()?;
        let (requests, received) = unbounded_channel();
        let (ready, is_ready) = sync_channel(1);
        let is_lost = Arc::new(AtomicBool::new(false));
        let (asked, address, lost) = (Arc::clone(server), server.sign_in(), Arc::clone(&is_lost));
        let body = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(PostgresError::Away(error.to_string())))),
            };
            runtime.block_on(async {
                match connected(&asked, &address, (&lost, told)).await {
                    Ok(driver) => {
                        drop(ready.send(Ok(())));
                        driver.serve(received, (&asked, &lost)).await;
                    }
                    Err(error) => drop(ready.send(Err(error))),
                }
                lost.store(true, Ordering::Release);
            });
            // A name that is looked up may take long.
            runtime.shutdown_background();
        };
        let away = |cause: &dyn std::fmt::Display| PostgresError::Away(cause.to_string());
        let thread = std::thread::Builder::new().name("team-session".to_owned()).spawn(body);
        let thread = thread.map_err(|error| away(&error))?;
        server.note(is_ready.recv().map_err(|error| away(&error))?)?;
        Ok(Self { number, requests: Some(requests), is_lost, thread: Some(thread) })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Nothing can be asked of it any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    /// Statements that don't wait for each other; the answers are as many. The first that fails is told.
    pub(crate) fn run(&self, steps: Vec<Step>) -> Result<Vec<StepAnswer>, PostgresError> {
        match self.ask(Question::Steps(steps))? {
            Answer::Steps(answers) => Ok(answers),
            _ => Ok(Vec::new()),
        }
    }

    pub(crate) fn query(&self, sql: &Arc<str>, values: Vec<StoredValue>) -> Result<Vec<StoredValues>, PostgresError> {
        let answers = self.run(vec![Step::Query(Arc::clone(sql), values)])?;
        Ok(answers.into_iter().next().map(StepAnswer::into_rows).unwrap_or_default())
    }

    pub(super) fn execute_each(&self, sql: &Arc<str>, sets: Vec<Vec<StoredValue>>) -> Result<(), PostgresError> {
        self.ask(Question::ExecuteEach(Arc::clone(sql), sets)).map(drop)
    }

    pub(crate) fn execute_batch(&self, sql: &str) -> Result<(), PostgresError> {
        self.run(vec![Step::Batch(sql.into())]).map(drop)
    }

    fn ask(&self, question: Question) -> Result<Answer, PostgresError> {
        self.send(question)?.recv().map_err(|_| Self::ended())?
    }

    /// Where the answer comes. Questions are answered in the order in which they are sent.
    fn send(&self, question: Question) -> Result<Receiver<Result<Answer, PostgresError>>, PostgresError> {
        let (sender, answer) = sync_channel(1);
        let requests = self.requests.as_ref().ok_or_else(Self::ended)?;
        requests.send((question, sender)).map_err(|_| Self::ended())?;
        Ok(answer)
    }

    fn ended() -> PostgresError {
        PostgresError::Away("the session has ended".to_owned())
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
        if !held.lock().insert(key) {
            return Ok(None);
        }
        let taken = session.ask(Question::Lock(key));
        if matches!(taken, Ok(Answer::Locked(true))) {
            return Ok(Some(Self { session: Arc::clone(session), key, held: Arc::clone(held) }));
        }
        held.lock().remove(&key);
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
        if let Ok(unlocked) = self.session.send(Question::Unlock(self.key))
            && Handle::try_current().is_err()
        {
            // Who is asked for it by this session next is answered after it. A task that drops the lock holds up no others of its thread.
            drop(unlocked.recv());
        }
        self.held.lock().remove(&self.key);
    }
}
