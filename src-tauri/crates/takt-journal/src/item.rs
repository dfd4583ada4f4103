//! Items, which are the sent units, each for a row or a group of rows. Also the service's values before sending.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr};

use crate::database::{Transaction, params};
use crate::item_body::{BODY, BODY_JOIN};
use crate::result::{ResultCounts, reasons_to_json};
use crate::{Journal, JournalError, Reason, RowResult, Run, StoredWord, SubmissionId};

/// The effect that sending an item will have, according to the change preview.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, EnumString, Serialize, Deserialize,
)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Change {
    New,
    Changed,
    Same,
    /// The service's value differs from the value that the workbook was made from, or the service doesn't allow the
    /// change.
    Conflict,
    /// The service can't be queried for the item's value, or wasn't queried.
    Unknown,
}

/// An item of a new submission.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewItem {
    /// The sheets and row numbers, as Excel shows them. Never empty.
    pub rows: Vec<(String, u32)>,
    /// The business key as text.
    pub key: String,
    pub body: Value,
    /// True if the user chose not to send the item.
    pub skipped: bool,
    /// The reasons for skipping the item. Empty if the user's choice is the only reason.
    pub reasons: Vec<Reason>,
    pub change: Option<Change>,
    /// The service's value before it is sent, in the request's shape.
    pub before: Option<Value>,
    /// The keys of some neighboring rows, for an item to be deleted.
    pub neighbors: Vec<String>,
}

/// An item that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// The 1-based number, in the order in which the items were added.
    pub number: u32,
    pub key: String,
    /// The JSON, exactly as it was stored.
    pub body: String,
    /// The number of attempts with an unknown effect.
    pub unknown_attempts: u32,
}

/// The numbers that an insert adds to the submission's counters. `counts` is in rows.
#[derive(Debug, Default)]
pub(crate) struct InsertedCounts {
    pub(crate) items: u32,
    pub(crate) pending_items: u32,
    pub(crate) counts: ResultCounts,
}

/// An item whose values are already converted to text, as they are stored.
#[derive(Debug)]
pub struct EncodedItem {
    pub(crate) rows: Vec<(String, u32)>,
    key: String,
    body: String,
    result: RowResult,
    reasons: Option<String>,
    change: Option<Change>,
    before: Option<String>,
    neighbors: Option<String>,
}

impl NewItem {
    /// Converts the values to JSON text. Can run on a different thread than storing the item.
    ///
    /// # Errors
    ///
    /// - [`JournalError::RowsDiffer`]: the item has no rows, or more than 2³² − 1.
    /// - [`JournalError::Json`]: a value can't be written as JSON.
    pub fn encode(self) -> Result<EncodedItem, JournalError> {
        if self.rows.is_empty() || u32::try_from(self.rows.len()).is_err() {
            return Err(JournalError::RowsDiffer);
        }
        Ok(EncodedItem {
            rows: self.rows,
            key: self.key,
            body: serde_json::to_string(&self.body)?,
            result: if self.skipped { RowResult::Skipped } else { RowResult::Pending },
            reasons: reasons_to_json(&self.reasons)?,
            change: self.change,
            before: self.before.as_ref().map(serde_json::to_string).transpose()?,
            neighbors: neighbors_to_json(&self.neighbors)?,
        })
    }
}

impl EncodedItem {
    fn row_count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// Returns the approximate size in the file, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let seen = [&self.before, &self.neighbors].into_iter().flatten().map(String::len).sum::<usize>();
        self.key.len() + self.body.len() + seen
    }
}

/// Returns the keys of neighboring rows as a JSON list, or none without keys.
fn neighbors_to_json(neighbors: &[String]) -> Result<Option<String>, JournalError> {
    Ok(if neighbors.is_empty() { None } else { Some(serde_json::to_string(neighbors)?) })
}

/// Inserts items after the `existing` ones of a submission.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    existing: u32,
    items: &[EncodedItem],
) -> Result<InsertedCounts, JournalError> {
    let mut inserted = InsertedCounts::default();
    for item in items {
        inserted.items += 1;
        inserted.pending_items += u32::from(item.result == RowResult::Pending);
        inserted.counts.add(item.result, item.row_count());
    }
    let numbered = || (existing + 1..).zip(items);
    let sql = "INSERT INTO item (submission, number, key, body, rows, result, reasons, change)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let has_body_table = transaction.is_file();
    transaction.prepare_cached(sql)?.insert_later(numbered().map(|(number, item)| {
        let (body, change) = (if has_body_table { "" } else { &item.body }, item.change.map(Change::word));
        (submission, number, &item.key, body, item.row_count(), item.result.word(), &item.reasons, change)
    }))?;
    if has_body_table {
        let sql = "INSERT INTO item_body (submission, item, body) VALUES (?1, ?2, ?3)";
        let bodies = numbered().map(|(number, item)| (submission, number, &item.body));
        transaction.prepare_cached(sql)?.insert_later(bodies)?;
    }
    let sql = "INSERT INTO before (submission, item, body, neighbors) VALUES (?1, ?2, ?3, ?4)";
    let before =
        numbered().filter_map(|(number, item)| Some((submission, number, item.before.as_ref()?, &item.neighbors)));
    transaction.prepare_cached(sql)?.insert_later(before)?;
    let sql = "INSERT INTO row (submission, item, sheet, row) VALUES (?1, ?2, ?3, ?4)";
    let rows = numbered()
        .flat_map(|(number, item)| item.rows.iter().map(move |(sheet, row)| (submission, number, sheet, *row)));
    let written = transaction.prepare_cached(sql)?.insert_later(rows).and_then(|()| transaction.wait());
    // This function assigns the item numbers, so only a row can be a duplicate.
    written.map_err(|error| if error.is_duplicate() { JournalError::RowsDiffer } else { error.into() })?;
    Ok(inserted)
}

/// Removes the items after a number, with everything that belongs to them.
pub(crate) fn remove_after(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    after: u32,
) -> Result<(), JournalError> {
    let bodies = transaction.is_file().then_some("DELETE FROM item_body WHERE submission = ?1 AND item > ?2");
    let parts = [
        "DELETE FROM wait WHERE submission = ?1 AND item > ?2",
        "DELETE FROM before WHERE submission = ?1 AND item > ?2",
        "DELETE FROM row WHERE submission = ?1 AND item > ?2",
    ];
    let items = "DELETE FROM item WHERE submission = ?1 AND number > ?2";
    for sql in parts.into_iter().chain(bodies).chain([items]) {
        transaction.execute(sql, params![submission, after])?;
    }
    Ok(())
}

impl Journal {
    /// Returns the next pending items, in order. Excludes items that wait for other items, and items after the end of a
    /// trial run.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn next_items(&self, submission: SubmissionId, at_most: u32) -> Result<Vec<StoredItem>, JournalError> {
        self.items_after(submission, 0, at_most)
    }

    /// Like [`Journal::next_items`], but starts after the item number `after`. So items can be read while earlier ones
    /// are being sent.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn items_after(
        &self,
        submission: SubmissionId,
        after: u32,
        at_most: u32,
    ) -> Result<Vec<StoredItem>, JournalError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT number, key, {BODY}, unknown_attempts FROM item{BODY_JOIN}
                 WHERE item.submission = ?1 AND result = 'pending' AND number > ?2
                   AND number <= (SELECT COALESCE(trial, items) FROM submission WHERE id = ?1)
                   AND NOT EXISTS (SELECT 1 FROM wait WHERE wait.submission = ?1 AND wait.item = item.number)
                 ORDER BY number LIMIT ?3"
            ))?;
            let mut rows = statement.query(params![submission, after, at_most])?;
            let mut items = Vec::new();
            while let Some(row) = rows.next()? {
                items.push(StoredItem {
                    number: row.get(0)?,
                    key: row.get(1)?,
                    body: row.get(2)?,
                    unknown_attempts: row.get(3)?,
                });
            }
            Ok(items)
        })
    }
}

/// The service's value of an item before it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemSnapshot {
    pub item: u32,
    pub change: Change,
    /// The value in the request's shape. Absent if the service had none.
    pub before: Option<Value>,
    /// The keys of some neighboring rows, for an item to be deleted.
    pub neighbors: Vec<String>,
}

impl Journal {
    /// Returns the given items that have no snapshot or preview yet, in the same order.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn items_without_snapshot(&self, submission: SubmissionId, items: &[u32]) -> Result<Vec<u32>, JournalError> {
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
        self.write_with_run(run, |transaction| {
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
