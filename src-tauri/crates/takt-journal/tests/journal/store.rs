//! The file as the store of these tests.

use std::path::Path;

use takt_journal::{Inbox, Journal};

/// A folder that ends with its test.
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

/// Statements on events that don't come from Takt.
pub(crate) fn change_events(home: &Path, sql: &str) {
    rusqlite::Connection::open(home.join("inbox.sqlite")).unwrap().execute_batch(sql).unwrap();
}

/// Whether a statement that doesn't come from Takt does something.
pub(crate) fn runs(home: &Path, sql: &str) -> bool {
    rusqlite::Connection::open(home.join("journal.db")).unwrap().execute(sql, []).is_ok()
}

/// The tables that hold anything.
pub(crate) fn filled_tables(home: &Path) -> Vec<String> {
    let tables = open(home).soundness().unwrap().tables;
    tables.into_iter().filter(|(_, rows)| *rows > 0).map(|(name, _)| name).collect()
}
