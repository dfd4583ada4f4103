//! Items: what is sent for a row or a group of rows.

use crate::StoredWord;
use crate::database::{Transaction, params};
use crate::item_body::{BODY, BODY_JOIN};
use serde_json::Value;

use crate::result::{ResultCounts, reasons_text};
use crate::{Change, Journal, JournalError, Reason, RowResult, SubmissionId};

/// An item to be written down with a new submission.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewItem {
    /// Sheet and row number as Excel shows it; never empty.
    pub rows: Vec<(String, u32)>,
    /// The business key as text.
    pub key: String,
    pub body: Value,
    /// True where a person chose not to send it.
    pub skipped: bool,
    /// Why it is skipped, where there is more to say than that it was left out.
    pub reasons: Vec<Reason>,
    pub change: Option<Change>,
    /// What the service held of it, in the request's shape.
    pub before: Option<Value>,
    /// Keys of some rows beside it before it is deleted.
    pub neighbors: Vec<String>,
}

/// An item that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// 1-based, in the order in which they were given.
    pub number: u32,
    pub key: String,
    /// JSON, exactly as it was written down.
    pub body: String,
    /// Attempts whose effect isn't known.
    pub unknown_attempts: u32,
}

/// What was written down, for the submission's counters.
#[derive(Debug, Default)]
pub(crate) struct InsertedCounts {
    pub(crate) items: u32,
    pub(crate) pending_items: u32,
    pub(crate) counts: ResultCounts,
}

/// An item whose values are texts already, as they are stored.
#[derive(Debug)]
pub(crate) struct WrittenItem {
    pub(crate) rows: Vec<(String, u32)>,
    key: String,
    body: String,
    result: RowResult,
    reasons: Option<String>,
    change: Option<Change>,
    before: Option<String>,
    neighbors: Option<String>,
}

impl WrittenItem {
    pub(crate) fn of(item: NewItem) -> Result<Self, JournalError> {
        if item.rows.is_empty() || u32::try_from(item.rows.len()).is_err() {
            return Err(JournalError::RowsDiffer);
        }
        Ok(Self {
            rows: item.rows,
            key: item.key,
            body: serde_json::to_string(&item.body)?,
            result: if item.skipped { RowResult::Skipped } else { RowResult::Pending },
            reasons: reasons_text(&item.reasons)?,
            change: item.change,
            before: item.before.as_ref().map(serde_json::to_string).transpose()?,
            neighbors: neighbors_text(&item.neighbors)?,
        })
    }

    fn row_count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// About what it takes in the file.
    pub(crate) fn bytes(&self) -> usize {
        let seen = [&self.before, &self.neighbors].into_iter().flatten().map(String::len).sum::<usize>();
        self.key.len() + self.body.len() + seen
    }
}

/// How keys of neighboring rows are stored: as a JSON list, or not at all.
pub(crate) fn neighbors_text(neighbors: &[String]) -> Result<Option<String>, JournalError> {
    Ok(if neighbors.is_empty() { None } else { Some(serde_json::to_string(neighbors)?) })
}

/// Writes items down behind the `there` items that a submission has already.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    there: u32,
    items: &[WrittenItem],
) -> Result<InsertedCounts, JournalError> {
    let mut inserted = InsertedCounts::default();
    for item in items {
        inserted.items += 1;
        inserted.pending_items += u32::from(item.result == RowResult::Pending);
        inserted.counts.add(item.result, item.row_count());
    }
    let numbered = || (there + 1..).zip(items);
    let sql = "INSERT INTO item (submission, number, key, body, rows, result, reasons, change)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let apart = transaction.is_file();
    transaction.prepare_cached(sql)?.insert_later(numbered().map(|(number, item)| {
        let (body, change) = (if apart { "" } else { &item.body }, item.change.map(Change::word));
        (submission, number, &item.key, body, item.row_count(), item.result.word(), &item.reasons, change)
    }))?;
    if apart {
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
    // Numbers are given here: only a row can be there twice.
    written.map_err(|error| if error.is_duplicate() { JournalError::RowsDiffer } else { error.into() })?;
    Ok(inserted)
}

/// Removes the items behind a number with all that belongs to them.
pub(crate) fn remove_behind(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    after: u32,
) -> Result<(), JournalError> {
    let apart = transaction.is_file().then_some("DELETE FROM item_body WHERE submission = ?1 AND item > ?2");
    let parts = [
        "DELETE FROM wait WHERE submission = ?1 AND item > ?2",
        "DELETE FROM before WHERE submission = ?1 AND item > ?2",
        "DELETE FROM row WHERE submission = ?1 AND item > ?2",
    ];
    let items = "DELETE FROM item WHERE submission = ?1 AND number > ?2";
    for sql in parts.into_iter().chain(apart).chain([items]) {
        transaction.execute(sql, params![submission, after])?;
    }
    Ok(())
}

impl Journal {
    /// The next items to send, in order, without those that wait for others or lie behind the end of a trial run.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn next_items(&self, submission: SubmissionId, at_most: u32) -> Result<Vec<StoredItem>, JournalError> {
        self.items_after(submission, 0, at_most)
    }

    /// The same behind a given number: to read on while what was read is being sent.
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
