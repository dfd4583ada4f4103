//! Group commit: changes that wait at the same time share one transaction, and so one wait for the disk.
//!
//! The first caller becomes the leader and writes all waiting changes. Then it wakes one of the callers that arrived
//! meanwhile, which becomes the next leader. A change that fails is undone alone. Callers get their results after the
//! commit, and a failed commit fails for all of them.

use std::cell::Cell;
use std::sync::mpsc::{SyncSender, sync_channel};

use parking_lot::{Mutex, MutexGuard};

use crate::JournalError;
use crate::database::Transaction;

/// Makes all changes of a group in the given transaction.
pub(crate) type Changes<'a> = &'a mut dyn FnMut(&Transaction<'_>) -> Result<(), JournalError>;

/// Begins a transaction, makes the changes in it, and commits.
type WriteTransaction<'a> = &'a dyn Fn(Changes<'_>) -> Result<(), JournalError>;

/// Queues changes and writes them together.
#[derive(Default)]
pub(crate) struct Group {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Box<dyn QueuedChange>>,
    /// True while a caller writes the changes of all callers.
    has_leader: bool,
}

impl std::fmt::Debug for Group {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Group").finish_non_exhaustive()
    }
}

/// A queued change, whose caller waits.
trait QueuedChange: Send {
    /// Makes the change. Returns false if it failed and has to be undone.
    fn make(&mut self, transaction: &Transaction<'_>) -> bool;
    /// Marks a change as failed that was made and is now undone.
    fn mark_failed(&mut self, error: JournalError);
    /// Returns the error if the change failed.
    fn failure(&self) -> Option<&JournalError>;
    /// Sends the result to the caller, after the commit.
    fn respond(self: Box<Self>, committed: Result<(), &JournalError>);
    /// Makes its caller the next leader. Returns false if the caller is gone.
    fn lead(&self) -> bool;
}

/// The reason to wake a caller.
enum Wake<T> {
    Lead,
    Result(Result<T, JournalError>),
}

/// A change with its result and the channel to its caller.
struct Change<T, F> {
    change: Option<F>,
    result: Result<T, JournalError>,
    caller: SyncSender<Wake<T>>,
}

impl<T, F> QueuedChange for Change<T, F>
where
    T: Send,
    F: FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send,
{
    fn make(&mut self, transaction: &Transaction<'_>) -> bool {
        if let Some(change) = self.change.take() {
            self.result = change(transaction);
        }
        self.result.is_ok()
    }

    fn mark_failed(&mut self, error: JournalError) {
        self.result = Err(error);
    }

    fn failure(&self) -> Option<&JournalError> {
        self.result.as_ref().err()
    }

    fn respond(self: Box<Self>, committed: Result<(), &JournalError>) {
        let result = match committed {
            Err(error) if self.result.is_ok() => Err(copy_error(error)),
            _ => self.result,
        };
        // The error means that the caller is gone and needs no result.
        drop(self.caller.send(Wake::Result(result)));
    }

    fn lead(&self) -> bool {
        self.caller.send(Wake::Lead).is_ok()
    }
}

impl Group {
    /// Makes a change in one transaction with other waiting changes. Returns after the commit.
    pub(crate) fn write<T, F>(&self, write: WriteTransaction<'_>, change: F) -> Result<T, JournalError>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    {
        // A caller gets at most one message to lead and one result, so that sending never blocks.
        let (caller, woken) = sync_channel(2);
        let change = Change { change: Some(change), result: Err(JournalError::Abandoned), caller };
        let is_leader = {
            let mut state = lock(&self.state);
            state.waiting.push(Box::new(change));
            !std::mem::replace(&mut state.has_leader, true)
        };
        if is_leader {
            self.lead(write);
        }
        loop {
            match woken.recv() {
                Ok(Wake::Result(result)) => return result,
                Ok(Wake::Lead) => self.lead(write),
                Err(_) => return Err(JournalError::Abandoned),
            }
        }
    }

    /// Writes all queued changes in one transaction, and sends the results.
    fn lead(&self, write: WriteTransaction<'_>) {
        let guard = LeaderGuard { group: self, has_taken_queue: Cell::new(false) };
        let mut group = Vec::new();
        let committed = write(&mut |transaction| {
            // Taken as late as possible, because more may have arrived while the store was busy.
            group = guard.take_queue();
            make_all(transaction, &mut group)
        });
        if group.is_empty() {
            group = guard.take_queue();
        }
        for change in group {
            change.respond(committed.as_ref().copied());
        }
    }
}

/// Appoints the next leader when it is dropped, even after a panic.
struct LeaderGuard<'a> {
    group: &'a Group,
    has_taken_queue: Cell<bool>,
}

impl LeaderGuard<'_> {
    /// Takes all queued changes. The first one is the leader's own.
    fn take_queue(&self) -> Vec<Box<dyn QueuedChange>> {
        self.has_taken_queue.set(true);
        std::mem::take(&mut lock(&self.group.state).waiting)
    }
}

impl Drop for LeaderGuard<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.group.state);
        if !self.has_taken_queue.get() && !state.waiting.is_empty() {
            // Removes the change of this caller, which panicked and so can't lead.
            drop(state.waiting.remove(0));
        }
        state.has_leader = state.waiting.iter().any(|change| change.lead());
    }
}

/// Makes all changes of a group. A change that fails is undone alone.
fn make_all(transaction: &Transaction<'_>, group: &mut [Box<dyn QueuedChange>]) -> Result<(), JournalError> {
    // A single change needs no savepoint. Its caller gets the change's own error.
    if let [alone] = group {
        return if alone.make(transaction) { Ok(()) } else { Err(JournalError::Abandoned) };
    }
    for change in group {
        let savepoint = transaction.savepoint()?;
        let is_made = change.make(transaction)
            && transaction.release(&savepoint).map_err(|error| change.mark_failed(error.into())).is_ok();
        if !is_made {
            // Fails if the store has already aborted the transaction. The first error is the cause.
            transaction.roll_back(&savepoint).map_err(|error| match change.failure() {
                Some(first @ JournalError::Team(_)) => copy_error(first),
                _ => error.into(),
            })?;
        }
    }
    Ok(())
}

/// Copies an error for another caller. An error that can't be copied becomes [`JournalError::Abandoned`].
fn copy_error(error: &JournalError) -> JournalError {
    match error {
        JournalError::Sqlite(rusqlite::Error::SqliteFailure(code, text)) => {
            rusqlite::Error::SqliteFailure(*code, text.clone()).into()
        }
        JournalError::Team(error) => error.clone().into(),
        _ => JournalError::Abandoned,
    }
}

/// Locks without poisoning. A panic in a change rolls its transaction back.
fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use rusqlite::Connection;

    use super::*;
    use crate::connection::{BusyWait, Writer};

    struct File {
        folder: tempfile::TempDir,
        writer: Writer,
        group: Group,
    }

    fn create_file() -> Arc<File> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = 1;
                 CREATE TABLE other (id INTEGER PRIMARY KEY);
                 CREATE TABLE one (id INTEGER PRIMARY KEY, other INTEGER REFERENCES other (id) DEFERRABLE INITIALLY DEFERRED);",
            )
            .unwrap();
        Arc::new(File { folder, writer: Writer::new(&path), group: Group::default() })
    }

    fn changes_from_sql(
        texts: &[&'static str],
    ) -> impl ExactSizeIterator<Item = impl FnOnce(&Transaction<'_>) -> WriteResult> {
        texts.iter().map(|&text| move |transaction: &Transaction<'_>| Ok(transaction.execute_batch(text)?))
    }

    type WriteResult = Result<(), JournalError>;

    /// Makes the changes in threads. Each one inserts a row and then runs its change. All of them queue before the
    /// first one is made.
    fn write_concurrently<F>(file: &Arc<File>, changes: impl ExactSizeIterator<Item = F>) -> Vec<WriteResult>
    where
        F: FnOnce(&Transaction<'_>) -> WriteResult + Send + 'static,
    {
        let busy = file.writer.lock();
        let count = changes.len();
        let callers: Vec<_> = changes
            .map(|change| {
                let file = Arc::clone(file);
                std::thread::spawn(move || {
                    file.group.write(&|changes| file.writer.write(BusyWait::Long, changes), move |transaction| {
                        transaction.execute("INSERT INTO one (id) VALUES (NULL)", [])?;
                        change(transaction)
                    })
                })
            })
            .collect();
        let patience = Instant::now() + Duration::from_secs(20);
        while lock(&file.group.state).waiting.len() < count {
            assert!(Instant::now() < patience, "they never came");
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(busy);
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    }

    fn count(file: &File) -> u32 {
        let other = Connection::open(file.folder.path().join("file.db")).unwrap();
        other.query_row("SELECT COUNT(*) FROM one", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn changes_that_wait_share_one_commit() {
        let file = create_file();
        // Another connection sees nothing until all changes are committed.
        let other = Connection::open(file.folder.path().join("file.db")).unwrap();
        let seen = Arc::new(Mutex::new((other, Vec::new())));
        let looks: Vec<_> = (0..6).map(|_| Arc::clone(&seen)).collect();
        let answers = write_concurrently(
            &file,
            looks.into_iter().map(|looks| {
                move |_: &Transaction<'_>| {
                    let mut looks = lock(&looks);
                    let count = looks.0.query_row("SELECT COUNT(*) FROM one", [], |row| row.get::<_, u32>(0))?;
                    looks.1.push(count);
                    Ok(())
                }
            }),
        );
        assert!(answers.iter().all(Result::is_ok));
        assert_eq!((count(&file), lock(&seen).1.as_slice()), (6, &[0; 6][..]));
    }

    #[test]
    fn a_refused_change_is_undone_alone() {
        let file = create_file();
        let answers = write_concurrently(&file, changes_from_sql(&["", "INSERT INTO nowhere VALUES (1)", ""]));
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 2);
        assert_eq!(count(&file), 2);
    }

    #[test]
    fn a_commit_that_fails_fails_for_all_and_leaves_nothing() {
        let file = create_file();
        let answers = write_concurrently(&file, changes_from_sql(&["", "INSERT INTO one (other) VALUES (77)", ""]));
        for answer in answers {
            assert!(matches!(answer, Err(JournalError::Sqlite(_))), "{answer:?}");
        }
        assert_eq!(count(&file), 0);
        assert!(write_concurrently(&file, changes_from_sql(&[""])).iter().all(Result::is_ok), "the next one goes well");
    }

    #[test]
    fn a_panic_leaves_the_file_usable_and_the_others_with_an_answer() {
        let file = create_file();
        let panics = Arc::clone(&file);
        let caller = std::thread::spawn(move || {
            panics.group.write::<(), _>(&|changes| panics.writer.write(BusyWait::Long, changes), |_| {
                panic!("a bug, for the sake of the test")
            })
        });
        assert!(caller.join().is_err());
        assert!(write_concurrently(&file, changes_from_sql(&["", ""])).iter().all(Result::is_ok));
        assert_eq!(count(&file), 2);
    }
}
