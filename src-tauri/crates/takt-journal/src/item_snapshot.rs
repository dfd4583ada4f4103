//! Snapshots of items, taken just before sending if there was no change preview.

use crate::StoredWord;
use crate::database::params;
use serde_json::Value;

use crate::item::neighbors_to_json;
use crate::{Change, Journal, JournalError, Run, SubmissionId};

/// The service's value of an item before it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemSnapshot {
    pub item: u32,
    pub change: Change,
    /// The value in the request's shape. Absent if the service had none.
    pub before: Option<Value>,
    /// The keys of some neighboring rows, before the item is deleted.
    pub neighbors: Vec<String>,
}

impl Journal {
    /// Returns those of the items that have no snapshot or preview yet, in order.
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

    /// Stores snapshots. Doesn't replace earlier ones.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_snapshots(&self, run: &Run, snapshots: &[ItemSnapshot]) -> Result<(), JournalError> {
        let submission = run.submission();
        self.write_by(run, |transaction| {
            let sql = "UPDATE item SET change = ?3 WHERE submission = ?1 AND number = ?2 AND change IS NULL";
            let mut change = transaction.prepare_cached(sql)?;
            let sql = "INSERT INTO before (submission, item, body, neighbors) VALUES (?1, ?2, ?3, ?4)";
            let mut before = transaction.prepare_cached(sql)?;
            for snapshot in snapshots {
                let new = change.execute(params![submission, snapshot.item, snapshot.change.word()])? == 1;
                if let Some(body) = snapshot.before.as_ref().filter(|_| new) {
                    let (body, neighbors) = (serde_json::to_string(body)?, neighbors_to_json(&snapshot.neighbors)?);
                    before.execute(params![submission, snapshot.item, body, neighbors])?;
                }
            }
            Ok(())
        })
    }
}
