//! Connections to an SQLite file: one that writes and is opened with the first change, and one that only reads.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction as FileTransaction, TransactionBehavior};

use crate::JournalError;
use crate::database::{self, Transaction};

/// The number of tries for another process's lock before the error "busy". Together they take about ten seconds.
const LOCK_TRIES: i32 = 2_000;
/// The time between two tries. Shorter than [`YIELD_TIME`], so that a waiting connection gets the lock in the next
/// pause.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
/// The pause between changes of a long series, in which other processes can write.
pub(crate) const YIELD_TIME: Duration = Duration::from_millis(7);
const MAX_CACHED_STATEMENTS: usize = 64;
/// The maximum time between two pauses. People don't notice such a short time.
pub(crate) const MAX_HOLD_TIME: Duration = Duration::from_millis(100);
/// The page cache of the writing connection in KiB, enough for most changes. A commit may visit every cached page.
const CACHE_KIB: i64 = 2 * 1024;
/// The page cache in KiB for a piece of a large submission with its indexes. A smaller cache would write pages to the
/// WAL in the middle of a transaction, and again at its end.
const BULK_CACHE_KIB: i64 = 16 * 1024;
/// The number of pages in the WAL that triggers a checkpoint. A page that was changed often is then copied only once.
const WAL_CHECKPOINT_PAGES: i64 = 4_000;

/// Opens a connection that writes. Creates the file if it is missing.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, JournalError> {
    let mut connection = Connection::open(path)?;
    connection.busy_handler(Some(wait_for_lock))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS, a plain fsync leaves the drive's cache unwritten. Elsewhere this changes nothing.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Overwrites deleted content, because an address may have contained a secret.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    // The undo data of a single statement or savepoint is useless after a crash, so it needs no file. A file would
    // double the writes and put rows into a folder that isn't Takt's.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    set_page_cache(&connection, false)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", WAL_CHECKPOINT_PAGES, |_| Ok(()))?;
    cache_statements(&connection)?;
    Ok(connection)
}

/// Caches prepared statements. With QPSG, SQLite plans them independently of their values. Without it, SQLite would
/// prepare a cached statement again for other values.
fn cache_statements(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
    Ok(())
}

/// Sets the size of a connection's page cache. `is_bulk` is for large transactions.
pub(crate) fn set_page_cache(connection: &Connection, is_bulk: bool) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "cache_size", -if is_bulk { BULK_CACHE_KIB } else { CACHE_KIB })
}

/// Waits for another process's lock. Returns false to give up.
fn wait_for_lock(tries: i32) -> bool {
    std::thread::sleep(RETRY_INTERVAL);
    tries < LOCK_TRIES
}

/// Switches the file to WAL mode. The switch needs the file exclusively for a moment, and the busy handler doesn't
/// cover two processes that open a new file.
pub(crate) fn use_wal(connection: &Connection) -> Result<(), JournalError> {
    let mut tries_left = 100;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Ok(_) => return Ok(()),
            Err(error) if tries_left > 0 && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                tries_left -= 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// A connection that can't change the file.
#[derive(Debug)]
pub(crate) struct Reader {
    connection: Connection,
    path: PathBuf,
    /// True if the file can only be read without locks. Each query then tries to open it with locks again.
    is_lockless: bool,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let path = path.to_path_buf();
        match open_shared(&path) {
            Ok(connection) => Ok(Self { connection, path, is_lockless: false }),
            Err(error) if is_disk_error(&error) => {
                // Without a WAL, SQLite would try to create one.
                let opened = if has_wal(&path) { open_without_locks(&path) } else { open_immutable(&path) };
                let connection = opened.map_err(|_| error)?;
                Ok(Self { connection, path, is_lockless: true })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the connection. If it reads without locks, it is first replaced by one that sees other processes'
    /// writes, if possible.
    pub(crate) fn current(&mut self) -> &Connection {
        if self.is_lockless
            && let Ok(connection) = open_shared(&self.path)
        {
            self.connection = connection;
            self.is_lockless = false;
        }
        &self.connection
    }
}

const READ_FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens the file with the shared index of its WAL, which is a file next to it.
fn open_shared(path: &Path) -> Result<Connection, rusqlite::Error> {
    prepare_reader(Connection::open_with_flags(path, READ_FLAGS)?)
}

/// SQLite's VFS without locks.
const LOCKLESS_VFS: &str = if cfg!(windows) { "win32-none" } else { "unix-none" };

/// Opens the file without locks, with the index of its WAL in memory. For a disk that is full or read-only, where the
/// shared index can't be created and no process writes.
fn open_without_locks(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_with_flags_and_vfs(path, READ_FLAGS, LOCKLESS_VFS)?;
    connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
    prepare_reader(connection)
}

/// Like [`open_without_locks`], but for a file without a WAL, which is opened as immutable.
fn open_immutable(path: &Path) -> Result<Connection, rusqlite::Error> {
    prepare_reader(Connection::open_with_flags(immutable_uri(path), READ_FLAGS | OpenFlags::SQLITE_OPEN_URI)?)
}

/// Returns the path as a URI that marks the file as immutable.
fn immutable_uri(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let root = if text.starts_with('/') { "" } else { "/" };
    let text = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{root}{text}?immutable=1")
}

/// Returns whether the file has a WAL with content, which may not have been merged into the file.
fn has_wal(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    Path::new(&name).metadata().is_ok_and(|found| found.len() > 0)
}

fn prepare_reader(mut connection: Connection) -> Result<Connection, rusqlite::Error> {
    connection.busy_handler(Some(wait_for_lock))?;
    cache_statements(&connection)?;
    // Only a query shows whether the file can be read.
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

fn is_disk_error(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::DiskFull | ErrorCode::SystemIoFailure)
    )
}

/// The number of times that a transaction waits for a busy file. Each wait lasts until the busy handler gives up.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BusyWait {
    /// The caller gets the error and may try again.
    Once,
    /// For changes that may record the response to a request. Without the record, the request's rows would become
    /// unconfirmed.
    Long,
}

impl BusyWait {
    fn max_tries(self) -> u32 {
        match self {
            Self::Once => 1,
            Self::Long => 6,
        }
    }
}

/// The connection that writes. Threads of this process wait for each other here, and for other processes in SQLite.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
    /// The number of threads that wait for the connection.
    waiting: AtomicUsize,
}

impl Writer {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), connection: Mutex::new(None), waiting: AtomicUsize::new(0) }
    }

    /// Runs work on the connection, which is opened with the first call.
    pub(crate) fn with_connection<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut guard = self.lock();
        let connection = match &mut *guard {
            Some(connection) => connection,
            none => none.insert(open_writer(&self.path)?),
        };
        work(connection)
    }

    /// Runs a change in one transaction. It takes the write lock at its start, because a later upgrade from reading to
    /// writing would fail at once and ignore the busy handler.
    pub(crate) fn write<T>(
        &self,
        busy_wait: BusyWait,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.with_connection(|connection| {
            let transaction = begin(connection, busy_wait.max_tries())?;
            let result = change(&Transaction::new(database::Connection::Sqlite(&transaction)))?;
            transaction.commit()?;
            Ok(result)
        })
    }

    /// Locks the connection. After a panic it is still usable, because its transaction was rolled back.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let guard = self.connection.lock();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        guard
    }

    /// Returns whether a thread of this process waits to write.
    pub(crate) fn has_waiting_writer(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }
}

/// Begins a transaction. Tries again if the file is busy, because nothing has been done yet.
fn begin(connection: &Connection, max_tries: u32) -> Result<FileTransaction<'_>, rusqlite::Error> {
    let mut tries = 1;
    loop {
        match FileTransaction::new_unchecked(connection, TransactionBehavior::Immediate) {
            Err(error) if tries < max_tries && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => tries += 1,
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(connection: &Connection) -> u32 {
        connection.query_row("SELECT COUNT(*) FROM one", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn what_undoes_a_part_of_a_transaction_stays_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let writer = open_writer(&folder.path().join("file.db")).unwrap();
        let number = |name: &str| writer.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((number("temp_store"), number("synchronous")), (2, 2));
    }

    #[test]
    fn a_statement_that_is_kept_is_prepared_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.db");
        let writer = open_writer(&path).unwrap();
        writer.execute_batch("CREATE TABLE one (id INTEGER, number INTEGER, PRIMARY KEY (id, number))").unwrap();
        let reader = open_shared(&path).unwrap();
        for connection in [&writer, &reader] {
            for after in [4, 8, 12] {
                let sql = "SELECT number FROM one WHERE id = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
                let mut statement = connection.prepare_cached(sql).unwrap();
                assert!(!statement.exists([7, after, 100]).unwrap());
                assert_eq!(statement.get_status(rusqlite::StatementStatus::RePrepare), 0);
            }
        }
    }

    #[test]
    fn a_path_becomes_an_address_whatever_it_holds() {
        assert_eq!(immutable_uri(Path::new("/a b/50%?#.db")), "file:/a b/50%25%3f%23.db?immutable=1");
        assert_eq!(immutable_uri(Path::new("C:\\x\\y.db")), "file:/C:/x/y.db?immutable=1");
    }

    #[test]
    fn a_file_without_a_log_is_read_where_nothing_can_be_made_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        // Windows allows no question mark in a name.
        let path = folder.path().join(if cfg!(windows) { "50%#.db" } else { "50%?#.db" });
        let writer = open_writer(&path).unwrap();
        use_wal(&writer).unwrap();
        writer.execute_batch("CREATE TABLE one (id INTEGER); INSERT INTO one VALUES (1);").unwrap();
        drop(writer);
        assert!(!has_wal(&path));
        assert_eq!(count(&open_immutable(&path).unwrap()), 1);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was made");
    }

    #[test]
    fn a_file_that_nobody_can_write_to_is_read_with_its_log_and_nothing_is_made_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("file.db"), folder.path().join("copy.db"));
        let writer = open_writer(&path).unwrap();
        use_wal(&writer).unwrap();
        writer.execute_batch("CREATE TABLE one (id INTEGER); INSERT INTO one VALUES (1);").unwrap();
        // Copies the file and its WAL as a killed process leaves them, without the shared index.
        std::fs::copy(&path, &copy).unwrap();
        std::fs::copy(folder.path().join("file.db-wal"), folder.path().join("copy.db-wal")).unwrap();
        let mut reader =
            Reader { connection: open_without_locks(&copy).unwrap(), path: copy.clone(), is_lockless: true };
        assert_eq!(count(&reader.connection), 1);
        assert!(!folder.path().join("copy.db-shm").exists());

        let writer = open_writer(&copy).unwrap();
        writer.execute("INSERT INTO one VALUES (2)", []).unwrap();
        assert_eq!(count(reader.current()), 2);
        assert!(!reader.is_lockless);
        assert!(reader.current().execute("INSERT INTO one VALUES (3)", []).is_err());
    }
}
