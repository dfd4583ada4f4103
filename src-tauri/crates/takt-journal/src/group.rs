//! Group commit: changes that wait at the same time share one transaction, and so one wait for the disk.
//!
//! Whoever finds nobody writing writes for all that wait, and then wakes one of those that came meanwhile to write next: nobody
//! is woken who has nothing to do. Each change is undone by itself where it is refused, and each caller is answered only after
//! the commit; a commit that fails fails for all of them.

use std::cell::Cell;
use std::sync::mpsc::{SyncSender, sync_channel};

use parking_lot::{Mutex, MutexGuard};

use crate::JournalError;
use crate::database::Transaction;

/// Changes that are made in one transaction.
pub(crate) type Changes<'a> = &'a mut dyn FnMut(&Transaction<'_>) -> Result<(), JournalError>;

/// Begins a transaction, makes the changes in it, and commits it.
pub(crate) type WriteOnce<'a> = &'a dyn Fn(Changes<'_>) -> Result<(), JournalError>;

/// The changes that wait.
#[derive(Default)]
pub(crate) struct Group {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Box<dyn QueuedChange>>,
    /// Somebody writes for others.
    leading: bool,
}

impl std::fmt::Debug for Group {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Group").finish_non_exhaustive()
    }
}

/// A change whose caller waits.
trait QueuedChange: Send {
    /// False where it was refused, and whatever it did must be undone.
    fn make(&mut self, transaction: &Transaction<'_>) -> bool;
    /// It was made, and is undone for this reason.
    fn refuse(&mut self, error: JournalError);
    /// Why it was refused.
    fn refusal(&self) -> Option<&JournalError>;
    /// After the commit.
    fn answer(self: Box<Self>, committed: Result<(), &JournalError>);
    /// Its caller is the one who writes from here on. False where the caller is gone.
    fn lead(&self) -> bool;
}

/// What a caller is woken for.
enum Wake<T> {
    Lead,
    Answer(Result<T, JournalError>),
}

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

    fn refuse(&mut self, error: JournalError) {
        self.result = Err(error);
    }

    fn refusal(&self) -> Option<&JournalError> {
        self.result.as_ref().err()
    }

    fn answer(self: Box<Self>, committed: Result<(), &JournalError>) {
        let result = match committed {
            Err(error) if self.result.is_ok() => Err(again(error)),
            _ => self.result,
        };
        // A caller that is gone needs no answer.
        drop(self.caller.send(Wake::Answer(result)));
    }

    fn lead(&self) -> bool {
        self.caller.send(Wake::Lead).is_ok()
    }
}

impl Group {
    /// Makes a change in one transaction with those of others. When this returns, it is on disk.
    pub(crate) fn write<T, F>(&self, write: WriteOnce<'_>, change: F) -> Result<T, JournalError>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    {
        // Each caller is told once to lead and answered once, and neither waits for it.
        let (caller, woken) = sync_channel(2);
        let change = Change { change: Some(change), result: Err(JournalError::Abandoned), caller };
        let leads = {
            let mut state = lock(&self.state);
            state.waiting.push(Box::new(change));
            !std::mem::replace(&mut state.leading, true)
        };
        if leads {
            self.lead(write);
        }
        loop {
            match woken.recv() {
                Ok(Wake::Answer(result)) => return result,
                Ok(Wake::Lead) => self.lead(write),
                Err(_) => return Err(JournalError::Abandoned),
            }
        }
    }

    fn lead(&self, write: WriteOnce<'_>) {
        let leading = LeaderGuard { group: self, took: Cell::new(false) };
        let mut group = Vec::new();
        let committed = write(&mut |transaction| {
            // Taken only now: more may have come while the store was busy.
            group = leading.take();
            make_all(transaction, &mut group)
        });
        if group.is_empty() {
            group = leading.take();
        }
        for change in group {
            change.answer(committed.as_ref().copied());
        }
    }
}

/// Has the next one lead, whatever happens.
struct LeaderGuard<'a> {
    group: &'a Group,
    took: Cell<bool>,
}

impl LeaderGuard<'_> {
    /// All that wait. The leader's own is the first of them.
    fn take(&self) -> Vec<Box<dyn QueuedChange>> {
        self.took.set(true);
        std::mem::take(&mut lock(&self.group.state).waiting)
    }
}

impl Drop for LeaderGuard<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.group.state);
        if !self.took.get() && !state.waiting.is_empty() {
            // After a panic, this thread leads no group.
            drop(state.waiting.remove(0));
        }
        state.leading = state.waiting.iter().any(|change| change.lead());
    }
}

fn make_all(transaction: &Transaction<'_>, group: &mut [Box<dyn QueuedChange>]) -> Result<(), JournalError> {
    // One alone is undone with its transaction, and tells its caller itself why.
    if let [alone] = group {
        return if alone.make(transaction) { Ok(()) } else { Err(JournalError::Abandoned) };
    }
    for change in group {
        let savepoint = transaction.savepoint()?;
        let is_kept = change.make(transaction)
            && transaction.keep(&savepoint).map_err(|error| change.refuse(error.into())).is_ok();
        if !is_kept {
            // Fails where the store has already given the whole transaction up, and so it must: what is told is what came first.
            transaction.undo(&savepoint).map_err(|error| match change.refusal() {
                Some(first @ JournalError::Team(_)) => again(first),
                _ => error.into(),
            })?;
        }
    }
    Ok(())
}

/// One failure, told to each.
fn again(error: &JournalError) -> JournalError {
    match error {
        JournalError::Sqlite(rusqlite::Error::SqliteFailure(code, text)) => {
            rusqlite::Error::SqliteFailure(*code, text.clone()).into()
        }
        JournalError::Team(error) => error.clone().into(),
        _ => JournalError::Abandoned,
    }
}

/// A panic elsewhere has rolled its transaction back.
fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use rusqlite::Connection;

    use super::*;
    use crate::writer::{Patience, Writer};

    struct File {
        folder: tempfile::TempDir,
        writer: Writer,
        group: Group,
    }

    fn file() -> Arc<File> {
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

    fn sql(texts: &[&'static str]) -> impl ExactSizeIterator<Item = impl FnOnce(&Transaction<'_>) -> WriteResult> {
        texts.iter().map(|&text| move |transaction: &Transaction<'_>| Ok(transaction.execute_batch(text)?))
    }

    type WriteResult = Result<(), JournalError>;

    /// Each adds a row and then does what is its own. All wait for each other before the first begins.
    fn together<F>(file: &Arc<File>, changes: impl ExactSizeIterator<Item = F>) -> Vec<WriteResult>
    where
        F: FnOnce(&Transaction<'_>) -> WriteResult + Send + 'static,
    {
        let busy = file.writer.lock();
        let count = changes.len();
        let callers: Vec<_> = changes
            .map(|change| {
                let file = Arc::clone(file);
                std::thread::spawn(move || {
                    file.group.write(&|changes| file.writer.write(Patience::Long, changes), move |transaction| {
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
        let file = file();
        // What another connection sees: nothing, until all of it is there.
        let other = Connection::open(file.folder.path().join("file.db")).unwrap();
        let seen = Arc::new(Mutex::new((other, Vec::new())));
        let looks: Vec<_> = (0..6).map(|_| Arc::clone(&seen)).collect();
        let answers = together(
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
        let file = file();
        let answers = together(&file, sql(&["", "INSERT INTO nowhere VALUES (1)", ""]));
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 2);
        assert_eq!(count(&file), 2);
    }

    #[test]
    fn a_commit_that_fails_fails_for_all_and_leaves_nothing() {
        let file = file();
        let answers = together(&file, sql(&["", "INSERT INTO one (other) VALUES (77)", ""]));
        for answer in answers {
            assert!(matches!(answer, Err(JournalError::Sqlite(_))), "{answer:?}");
        }
        assert_eq!(count(&file), 0);
        assert!(together(&file, sql(&[""])).iter().all(Result::is_ok), "the next one goes well");
    }

    #[test]
    fn a_panic_leaves_the_file_usable_and_the_others_with_an_answer() {
        let file = file();
        let panics = Arc::clone(&file);
        let caller = std::thread::spawn(move || {
            panics.group.write::<(), _>(&|changes| panics.writer.write(Patience::Long, changes), |_| {
                panic!("a bug, for the sake of the test")
            })
        });
        assert!(caller.join().is_err());
        assert!(together(&file, sql(&["", ""])).iter().all(Result::is_ok));
        assert_eq!(count(&file), 2);
    }
}
