//! Connections to an SQLite file: one that writes, one that only reads.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::JournalError;

/// How often a connection asks for a lock that another process holds before it gives up with "busy": some ten seconds.
const TRIES: i32 = 2_000;
/// Between two tries for the lock. It is shorter than [`YIELD_TIME`], so that a waiting connection gets the lock in the next
/// pause.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
/// The pause in a long series of changes.
pub(crate) const YIELD_TIME: Duration = Duration::from_millis(7);
/// Prepared statements that a connection keeps.
const STATEMENTS: usize = 64;
/// The pause is made after this time at the latest. People take a shorter wait for none.
pub(crate) const MAX_HOLD_TIME: Duration = Duration::from_millis(100);
/// Pages that the connection that writes holds in memory, in KiB: what most changes touch. A commit may walk along all that are held.
const CACHE_KIB: i64 = 2 * 1024;
/// The same while much is written: a piece of a large submission with its indexes. With fewer, pages are written to the log in the middle
/// of a transaction, and again at its end.
const BULK_CACHE_KIB: i64 = 16 * 1024;
/// Pages in the log from which on it is brought into the file: a page that many changes touch is brought in once.
const LOG_PAGES: i64 = 4_000;

/// Makes the file where it is missing.
pub(crate) fn to_write(path: &Path) -> Result<Connection, JournalError> {
    let mut connection = Connection::open(path)?;
    connection.busy_handler(Some(wait_for_lock))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS a plain fsync leaves the drive's cache unwritten; elsewhere this changes nothing.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Deleted content is overwritten, because an address may have contained a secret.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    // What a change within a transaction is undone by alone. It says nothing after a crash, so it needs no file; in one, as much was
    // written as in the log itself, and rows stood in a folder that isn't Takt's.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    set_page_cache(&connection, false)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    keep_statements(&connection)?;
    Ok(connection)
}

/// Statements are planned without a look at their values: else SQLite prepares one that is kept anew whenever it gets others.
fn keep_statements(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// How large the page cache of a connection is; `is_bulk` while much is written.
pub(crate) fn set_page_cache(connection: &Connection, is_bulk: bool) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "cache_size", -if is_bulk { BULK_CACHE_KIB } else { CACHE_KIB })
}

fn wait_for_lock(tries: i32) -> bool {
    std::thread::sleep(RETRY_INTERVAL);
    tries < TRIES
}

/// The switch needs the file for itself for a moment and isn't covered by the busy handler when two open a new file.
pub(crate) fn use_wal(connection: &Connection) -> Result<(), JournalError> {
    let mut patience = 100;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Ok(_) => return Ok(()),
            Err(error) if patience > 0 && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                patience -= 1;
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
    /// The file can't be written, so it is read without locks. Each query checks whether that is still so.
    alone: bool,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let path = path.to_path_buf();
        match beside_writers(&path) {
            Ok(connection) => Ok(Self { connection, path, alone: false }),
            Err(error) if is_of_disk(&error) => {
                // Without a log there is nothing but the file, and SQLite would want to make one.
                let opened = if has_log(&path) { alone(&path) } else { unchanging(&path) };
                let connection = opened.map_err(|_| error)?;
                Ok(Self { connection, path, alone: true })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The connection, which sees what others write as soon as anybody can.
    pub(crate) fn current(&mut self) -> &Connection {
        if self.alone
            && let Ok(connection) = beside_writers(&self.path)
        {
            self.connection = connection;
            self.alone = false;
        }
        &self.connection
    }
}

const READING: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Finds its way to the newest state by an index that all who have the file open share, a file beside it.
fn beside_writers(path: &Path) -> Result<Connection, rusqlite::Error> {
    ready(Connection::open_with_flags(path, READING)?)
}

/// SQLite's way to files without locks.
const WITHOUT_LOCKS: &str = if cfg!(windows) { "win32-none" } else { "unix-none" };

/// Where the disk is full or can't be written to, the shared index can't be made. Then nobody writes, and the index is held in memory.
fn alone(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_with_flags_and_vfs(path, READING, WITHOUT_LOCKS)?;
    connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
    ready(connection)
}

/// The same where there is no log: as a file that never changes.
fn unchanging(path: &Path) -> Result<Connection, rusqlite::Error> {
    ready(Connection::open_with_flags(address(path), READING | OpenFlags::SQLITE_OPEN_URI)?)
}

/// The path as an address that says that the file doesn't change.
fn address(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let root = if text.starts_with('/') { "" } else { "/" };
    let text = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{root}{text}?immutable=1")
}

/// Changes that aren't in the file yet.
fn has_log(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    Path::new(&name).metadata().is_ok_and(|found| found.len() > 0)
}

fn ready(mut connection: Connection) -> Result<Connection, rusqlite::Error> {
    connection.busy_handler(Some(wait_for_lock))?;
    keep_statements(&connection)?;
    // Whether it can be read shows only now.
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

fn is_of_disk(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::DiskFull | ErrorCode::SystemIoFailure)
    )
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
        let writer = to_write(&folder.path().join("file.db")).unwrap();
        let number = |name: &str| writer.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((number("temp_store"), number("synchronous")), (2, 2));
    }

    #[test]
    fn a_statement_that_is_kept_is_prepared_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.db");
        let writer = to_write(&path).unwrap();
        writer.execute_batch("CREATE TABLE one (id INTEGER, number INTEGER, PRIMARY KEY (id, number))").unwrap();
        let reader = beside_writers(&path).unwrap();
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
        assert_eq!(address(Path::new("/a b/50%?#.db")), "file:/a b/50%25%3f%23.db?immutable=1");
        assert_eq!(address(Path::new("C:\\x\\y.db")), "file:/C:/x/y.db?immutable=1");
    }

    #[test]
    fn a_file_without_a_log_is_read_where_nothing_can_be_made_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        // No name on Windows holds a question mark.
        let path = folder.path().join(if cfg!(windows) { "50%#.db" } else { "50%?#.db" });
        let writer = to_write(&path).unwrap();
        use_wal(&writer).unwrap();
        writer.execute_batch("CREATE TABLE one (id INTEGER); INSERT INTO one VALUES (1);").unwrap();
        drop(writer);
        assert!(!has_log(&path));
        assert_eq!(count(&unchanging(&path).unwrap()), 1);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was made");
    }

    #[test]
    fn a_file_that_nobody_can_write_to_is_read_with_its_log_and_nothing_is_made_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("file.db"), folder.path().join("copy.db"));
        let writer = to_write(&path).unwrap();
        use_wal(&writer).unwrap();
        writer.execute_batch("CREATE TABLE one (id INTEGER); INSERT INTO one VALUES (1);").unwrap();
        // As a dead Takt leaves it, and without the shared index.
        std::fs::copy(&path, &copy).unwrap();
        std::fs::copy(folder.path().join("file.db-wal"), folder.path().join("copy.db-wal")).unwrap();
        let mut reader = Reader { connection: alone(&copy).unwrap(), path: copy.clone(), alone: true };
        assert_eq!(count(&reader.connection), 1);
        assert!(!folder.path().join("copy.db-shm").exists());

        let writer = to_write(&copy).unwrap();
        writer.execute("INSERT INTO one VALUES (2)", []).unwrap();
        assert_eq!(count(reader.current()), 2);
        assert!(!reader.alone);
        assert!(reader.current().execute("INSERT INTO one VALUES (3)", []).is_err());
    }
}
