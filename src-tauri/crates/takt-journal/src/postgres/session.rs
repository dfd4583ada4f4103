//! A session with a team's database, driven by its own thread (`driver`).
//!
//! Statements run in the order of the calls. Locks belong to the session and end with it, after all its writes. So no
//! fencing token is needed (see [`SessionLock`]). Event forwarders have one anyway, because a suspended process keeps
//! its session while its target is taken over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use super::driver::{Command, Reply, Request, Step, StepResult, connect_driver};
use super::lock_key::LockKey;
use super::{PostgresError, Server, StoredValue, StoredValues};

/// A session with the server. Dropping it ends it with its locks.
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
        // The server knows of the end before the drop returns.
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Session {
    /// Signs in. The number identifies the session in the store. `notifications` counts those of the server.
    pub(crate) fn open(
        server: &Arc<Server>,
        number: u64,
        notifications: Arc<watch::Sender<u64>>,
    ) -> Result<Self, PostgresError> {
        server.liveness.ensure_answers()?;
        let (requests, received) = unbounded_channel();
        let (ready, is_ready) = sync_channel(1);
        let is_lost = Arc::new(AtomicBool::new(false));
        let (shared, address, lost) = (Arc::clone(server), server.address_with_password(), Arc::clone(&is_lost));
        let drive = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(PostgresError::Away(error.to_string())))),
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
        let away = |cause: &dyn std::fmt::Display| PostgresError::Away(cause.to_string());
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
        self.send(command)?.recv().map_err(|_| Self::ended())?
    }

    /// Sends a request and returns the receiver of its result. Requests are served in order.
    fn send(&self, command: Command) -> Result<Receiver<Result<Reply, PostgresError>>, PostgresError> {
        let (sender, reply) = sync_channel(1);
        let requests = self.requests.as_ref().ok_or_else(Self::ended)?;
        requests.send((command, sender)).map_err(|_| Self::ended())?;
        Ok(reply)
    }

    fn ended() -> PostgresError {
        PostgresError::Away("the session has ended".to_owned())
    }
}

/// A lock of a session, until it is dropped. A session may take a lock twice, so `held_locks` tracks the locks of this
/// process.
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

    /// Returns whether the lock is held, which is checked with the server.
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
        // If the session has ended, so has the lock.
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
