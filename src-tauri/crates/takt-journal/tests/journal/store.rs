//! The file store of these tests.

use std::path::Path;

use takt_journal::{Inbox, Journal};

/// A folder that is removed when its test ends.
pub(crate) type Home = tempfile::TempDir;

pub(crate) fn home() -> Home {
    tempfile::tempdir().unwrap()
}

pub(crate) fn open(home: &Path) -> Journal {
    Journal::open(&home.join("journal.db")).unwrap()
}

pub(crate) fn inbox(home: &Path) -> Inbox {
    Inbox::open(&home.join("inbox.sqlite")).unwrap()
}

/// Runs a statement on the inbox's file without Takt.
pub(crate) fn change_events(home: &Path, sql: &str) {
    rusqlite::Connection::open(home.join("inbox.sqlite")).unwrap().execute_batch(sql).unwrap();
}

/// Returns whether a statement on the journal's file succeeds without Takt.
pub(crate) fn sql_succeeds(home: &Path, sql: &str) -> bool {
    rusqlite::Connection::open(home.join("journal.db")).unwrap().execute(sql, []).is_ok()
}

/// Returns the tables that have rows.
pub(crate) fn filled_tables(home: &Path) -> Vec<String> {
    let tables = open(home).check_integrity().unwrap().tables;
    tables.into_iter().filter(|(_, rows)| *rows > 0).map(|(name, _)| name).collect()
}
