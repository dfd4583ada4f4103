//! What was seen of items just before they were sent, where no preview was taken of them.

use crate::StoredWord;
use crate::database::params;
use serde_json::Value;

use crate::item::neighbors_text;
use crate::{Change, Journal, JournalError, Run, SubmissionId};

/// What the service held of an item before it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemSnapshot {
    pub item: u32,
    pub change: Change,
    /// In the request's shape; absent where it held nothing.
    pub before: Option<Value>,
    /// Keys of some rows beside it before it is deleted.
    pub neighbors: Vec<String>,
}

impl Journal {
    /// Those of the items of which nothing was seen yet, in their order.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn unseen_items(&self, submission: SubmissionId, items: &[u32]) -> Result<Vec<u32>, JournalError> {
        self.read(|connection| {
            let sql = "SELECT change IS NULL FROM item WHERE submission = ?1 AND number = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let mut unseen = Vec::new();
            for item in items {
                if statement.query_row(params![submission, item], |row| row.get(0))? {
                    unseen.push(*item);
                }
            }
            Ok(unseen)
        })
    }

    /// Keeps what was seen. What was seen earlier stays.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_snapshots(&self, run: &Run, looks: &[ItemSnapshot]) -> Result<(), JournalError> {
        let submission = run.submission();
        self.write_by(run, |transaction| {
            let sql = "UPDATE item SET change = ?3 WHERE submission = ?1 AND number = ?2 AND change IS NULL";
            let mut change = transaction.prepare_cached(sql)?;
            let sql = "INSERT INTO before (submission, item, body, neighbors) VALUES (?1, ?2, ?3, ?4)";
            let mut before = transaction.prepare_cached(sql)?;
            for snapshot in looks {
                let new = change.execute(params![submission, snapshot.item, snapshot.change.word()])? == 1;
                if let Some(body) = snapshot.before.as_ref().filter(|_| new) {
                    let (body, neighbors) = (serde_json::to_string(body)?, neighbors_text(&snapshot.neighbors)?);
                    before.execute(params![submission, snapshot.item, body, neighbors])?;
                }
            }
            Ok(())
        })
    }
}
