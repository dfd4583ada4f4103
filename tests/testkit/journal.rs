//! What a home's journal holds, read past the product: the record against which a crash is judged.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// One row of a submission, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRow {
    pub submission: u32,
    pub operation: String,
    pub sheet: String,
    pub row: u32,
    /// The business key, its parts joined with ` · `.
    pub key: String,
    /// The result's word, for example `unconfirmed`.
    pub result: String,
}

/// A submission, and its own word on how many rows it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSubmission {
    pub id: u32,
    pub state: String,
    pub total: u32,
    /// The sum of its counters by result.
    pub counted: u32,
    /// Rows that are still to be sent, or whose sending has no end yet.
    pub open: u32,
    pub unconfirmed: u32,
    /// Of the open ones those that wait for a row of an earlier step that isn't accepted.
    pub waiting: u32,
}

/// Every row of every submission from this number on that is written down as a whole.
#[must_use]
pub fn stored_rows(home: &Path, from: u32) -> Vec<StoredRow> {
    let connection = open(home);
    let sql = "SELECT item.submission, submission.operation, row.sheet, row.row, item.key, item.result
               FROM row JOIN item ON item.submission = row.submission AND item.number = row.item
               JOIN submission ON submission.id = item.submission
               WHERE item.submission >= ?1 AND NOT submission.preparing ORDER BY 1, 3, 4";
    let mut statement = connection.prepare(sql).expect("the journal has its tables");
    let rows = statement.query_map([from], |row| {
        Ok(StoredRow {
            submission: row.get(0)?,
            operation: row.get(1)?,
            sheet: row.get(2)?,
            row: row.get(3)?,
            key: row.get(4)?,
            result: row.get(5)?,
        })
    });
    rows.and_then(Iterator::collect).expect("the journal can be read")
}

/// Every submission from this number on that is written down as a whole.
#[must_use]
pub fn stored_submissions(home: &Path, from: u32) -> Vec<StoredSubmission> {
    let connection = open(home);
    let sql = "SELECT id, state, total, pending + sending + accepted + rejected + unconfirmed + skipped,
               pending + sending, unconfirmed,
                   (SELECT count(*) FROM item WHERE item.submission = submission.id AND result = 'pending' AND EXISTS
                       (SELECT 1 FROM wait JOIN item AS other
                            ON other.submission = wait.other_submission AND other.number = wait.other_item
                        WHERE wait.submission = item.submission AND wait.item = item.number
                            AND other.result != 'accepted'))
               FROM submission WHERE id >= ?1 AND NOT preparing ORDER BY id";
    let mut statement = connection.prepare(sql).expect("the journal has its tables");
    let found = statement.query_map([from], |row| {
        Ok(StoredSubmission {
            id: row.get(0)?,
            state: row.get(1)?,
            total: row.get(2)?,
            counted: row.get(3)?,
            open: row.get(4)?,
            unconfirmed: row.get(5)?,
            waiting: row.get(6)?,
        })
    });
    found.and_then(Iterator::collect).expect("the journal can be read")
}

fn open(home: &Path) -> Connection {
    let file = home.join("journal.sqlite");
    // Not read-only: after a kill the last to open it brings its log in.
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("the journal can be opened")
}
