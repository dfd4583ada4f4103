//! Plans: submissions that run one after the other, and items that wait for items of earlier ones.
//!
//! Every submission is a step of a plan, and most plans have one step. A waiting item is sent only after the service
//! accepted an item of an earlier step. Its reason names the row that it waits for.

use std::collections::{BTreeMap, HashSet};

use crate::approval::Approvals;
use crate::database::{Connection, SqlValue, Transaction, params};
use crate::result::reasons_to_json;
use crate::submission_record::{MovedCounts, move_counts};
use crate::{
    FileLock, Journal, JournalError, PlanId, Reason, RowResult, Run, SubmissionId, SubmissionRecord, key_claim_check,
};

/// Submissions that run one after the other, with the waits between them.
#[derive(Debug, Clone, Copy)]
pub struct Plans<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the plans.
    #[must_use]
    pub fn plans(&self) -> Plans<'_> {
        Plans(self)
    }
}

impl<'a> Plans<'a> {
    /// Returns access to the approvals of plans by a second person.
    #[must_use]
    pub fn approvals(&self) -> Approvals<'a> {
        Approvals(self.0)
    }
}

impl Plans<'_> {
    /// Returns the submissions of a plan in order. Empty if there is no such plan.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn steps(&self, plan: PlanId) -> Result<Vec<SubmissionId>, JournalError> {
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM submission WHERE plan = ?1 ORDER BY id")?;
            let ids = statement.query_map([plan], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(ids)
        })
    }

    /// Returns the submissions of a whole file with this content hash to a site, at most 1,000, newest first. Ignores
    /// retries of rejected rows, and undos.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn submissions_of_file(&self, site: &str, hash: &str) -> Result<Vec<SubmissionRecord>, JournalError> {
        let condition = "site = ?1 AND hash = ?2 AND (relation IS NULL OR relation = 'again')";
        let values = [SqlValue::Text(site.to_owned()), SqlValue::Text(hash.to_owned())];
        let journal = self.0;
        journal.read(|connection| journal.list(connection, condition, &values, 0, MAX_SUBMISSIONS_OF_FILE))
    }

    /// Acquires the lock of this name, which identifies a file and a site. Returns none if this or another process
    /// holds it.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`]: the lock's file can't be created or locked.
    pub fn lock_file(&self, name: &str) -> Result<Option<FileLock>, JournalError> {
        self.0.lock_file_by_name(name)
    }

    /// Returns the number of rows of pending items that wait for other items.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn count_waiting_rows(&self, submission: SubmissionId) -> Result<u32, JournalError> {
        self.0.read(|connection| {
            // Starts from `wait`, because in most submissions no item waits.
            let sql = "SELECT COALESCE(SUM(item.rows), 0) FROM (SELECT DISTINCT item FROM wait WHERE submission = ?1) AS waits
                       CROSS JOIN item ON item.submission = ?1 AND item.number = waits.item AND item.result = 'pending'";
            Ok(connection.prepare_cached(sql)?.query_row([submission], |row| row.get(0))?)
        })
    }

    /// Removes waits for items that the service accepted, in their own submission or in a later one to the same site.
    /// Returns the number of rows that still wait.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn release_waits(&self, run: &Run) -> Result<u32, JournalError> {
        let submission = run.submission();
        let accepted = self.0.read(|connection| load_accepted_items(connection, submission))?;
        for others in accepted.chunks(ITEMS_PER_TRANSACTION as usize) {
            self.0.write_with_run(run, |transaction| remove_waits(transaction, submission, others))?;
        }
        store_all_wait_reasons(self.0, submission)?;
        self.count_waiting_rows(submission)
    }

    /// Skips pending items whose keys other desks of the team are sending. The caller must have asked the user.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn skip_claimed(&self, run: &Run) -> Result<(), JournalError> {
        self.0.write_with_run(run, |transaction| key_claim_check::skip_claimed(transaction, run.submission()))
    }

    /// Skips all waiting items and returns the number of their rows. The caller must have asked the user.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn skip_waiting(&self, run: &Run) -> Result<u32, JournalError> {
        let submission = run.submission();
        let mut skipped = 0;
        loop {
            let piece = self.0.write_with_run(run, |transaction| skip_waiting_items(transaction, submission))?;
            match piece {
                Some(rows) => skipped += rows,
                None => return Ok(skipped),
            }
        }
    }
}

/// Removes the waits for the items `others`, and all other waits of the same references.
fn remove_waits(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    others: &[(SubmissionId, u32)],
) -> Result<(), JournalError> {
    let mut statement = transaction.prepare_cached(
        "DELETE FROM wait WHERE submission = ?1 AND (item, reference) IN
         (SELECT item, reference FROM wait WHERE submission = ?1 AND other_submission = ?2 AND other_item = ?3)",
    )?;
    Ok(statement.execute_each(others.iter().map(|(other, item)| (submission, *other, *item)))?)
}

/// Skips up to [`ITEMS_PER_TRANSACTION`] waiting items. Returns the number of their rows, or none if no item waits.
fn skip_waiting_items(transaction: &Transaction<'_>, submission: SubmissionId) -> Result<Option<u32>, JournalError> {
    let mut statement =
        transaction.prepare_cached("SELECT DISTINCT item FROM wait WHERE submission = ?1 ORDER BY item LIMIT ?2")?;
    let items: Vec<u32> =
        statement.query_map(params![submission, ITEMS_PER_TRANSACTION], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return Ok(None) };
    let mut skip = transaction.prepare_cached(
        "UPDATE item SET result = 'skipped' WHERE submission = ?1 AND number BETWEEN ?2 AND ?3 AND result = 'pending'
             AND EXISTS (SELECT 1 FROM wait WHERE wait.submission = ?1 AND wait.item = item.number) RETURNING rows",
    )?;
    let rows = skip.query_map(params![submission, first, last], |row| row.get(0))?;
    let rows: Vec<u32> = rows.collect::<Result<_, _>>()?;
    let moved = MovedCounts { items: u32::try_from(rows.len()).unwrap_or(u32::MAX), rows: rows.iter().sum() };
    let release = "DELETE FROM wait WHERE submission = ?1 AND item BETWEEN ?2 AND ?3";
    transaction.execute(release, params![submission, first, last])?;
    move_counts(transaction, submission, RowResult::Pending, RowResult::Skipped, moved)?;
    Ok(Some(moved.rows))
}

/// Returns the accepted items that items of the submission wait for. An item also counts as accepted if an item with
/// its key was accepted in a later submission.
fn load_accepted_items(
    connection: &Connection<'_>,
    submission: SubmissionId,
) -> Result<Vec<(SubmissionId, u32)>, JournalError> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT other_submission, other_item, item.key, item.result = 'accepted' FROM wait
         JOIN item ON item.submission = other_submission AND item.number = other_item WHERE wait.submission = ?1",
    )?;
    let others: Vec<(SubmissionId, u32, String, bool)> = statement
        .query_map([submission], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<Result<_, _>>()?;
    let mut open: BTreeMap<SubmissionId, Vec<(u32, String)>> = BTreeMap::new();
    let mut accepted = Vec::new();
    for (other, item, key, is_accepted) in others {
        if is_accepted {
            accepted.push((other, item));
        } else {
            open.entry(other).or_default().push((item, key));
        }
    }
    for (other, items) in open {
        let since = keys_accepted_since(connection, other)?;
        accepted.extend(items.into_iter().filter(|(_, key)| since.contains(key)).map(|(item, _)| (other, item)));
    }
    Ok(accepted)
}

/// Returns the keys of items that the service accepted in later submissions of the same operation to the same site.
pub(crate) fn keys_accepted_since(
    connection: &Connection<'_>,
    submission: SubmissionId,
) -> Result<HashSet<String>, JournalError> {
    let mut statement = connection.prepare_cached(
        "SELECT item.key FROM submission AS own
         JOIN submission AS later ON later.id > own.id AND later.site = own.site AND later.base_url = own.base_url
             AND later.operation = own.operation
         JOIN item ON item.submission = later.id AND item.result = 'accepted' WHERE own.id = ?1",
    )?;
    let keys = statement.query_map([submission], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(keys)
}

/// The maximum number of submissions of a file that are returned.
const MAX_SUBMISSIONS_OF_FILE: u32 = 1_000;
/// The number of items per transaction. It limits how long other writers are blocked.
const ITEMS_PER_TRANSACTION: u32 = 4_000;
/// The reason code of items that wait for another. The parameters `sheet` and `row` identify it.
const WAITS_FOR: &str = "waits-for";

/// An item that is sent only after another one was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewWait {
    /// The 1-based number of the item.
    pub item: u32,
    /// The number of the reference. If several waits have the same reference, one accepted item is enough.
    pub reference: u32,
    /// The 0-based index of an earlier step.
    pub step: usize,
    /// The 1-based number of the item of that step which must be accepted first.
    pub awaited_item: u32,
}

/// Inserts waits of a step. `steps` are the earlier steps.
pub(crate) fn insert_waits(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    steps: &[SubmissionId],
    waits: &[NewWait],
) -> Result<(), JournalError> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO wait (submission, item, reference, other_submission, other_item) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO NOTHING",
    )?;
    let written = waits.iter().map(|wait| {
        let other = steps.get(wait.step).ok_or(JournalError::RowsDiffer)?;
        Ok((id, wait.item, wait.reference, *other, wait.awaited_item))
    });
    statement.execute_each(written.collect::<Result<Vec<_>, JournalError>>()?)?;
    Ok(())
}

/// Updates the reasons of all pending items: adds the row that an item waits for, and clears outdated waits.
pub(crate) fn store_all_wait_reasons(journal: &Journal, submission: SubmissionId) -> Result<(), JournalError> {
    let waits = journal.read(|connection| {
        let sql = "SELECT EXISTS (SELECT 1 FROM wait WHERE submission = ?1) OR EXISTS (SELECT 1 FROM item
                   WHERE submission = ?1 AND result = 'pending' AND reasons LIKE ?2)";
        Ok(connection.query_row(sql, params![submission, wait_pattern()], |row| row.get::<_, bool>(0))?)
    })?;
    if !waits {
        return Ok(());
    }
    let items = item_count(submission, journal)?;
    for first in (1..=items).step_by(ITEMS_PER_TRANSACTION as usize) {
        journal.write(|transaction| {
            store_wait_reasons(transaction, submission, first, first.saturating_add(ITEMS_PER_TRANSACTION - 1))
        })?;
    }
    Ok(())
}

/// Like [`store_all_wait_reasons`], but only for the items from `first` to `last`.
pub(crate) fn store_wait_reasons(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    first: u32,
    last: u32,
) -> Result<(), JournalError> {
    let mut statement = transaction.prepare_cached(
        "SELECT wait.item, row.sheet, MIN(row.row) FROM wait
         JOIN submission AS other ON other.id = other_submission
         JOIN row ON row.submission = other_submission AND row.item = other_item AND row.sheet = other.sheet
         JOIN item ON item.submission = wait.submission AND item.number = wait.item AND item.result = 'pending'
         WHERE wait.submission = ?1 AND wait.item BETWEEN ?2 AND ?3 GROUP BY wait.item, row.sheet
         ORDER BY wait.item, MIN(row.row) DESC",
    )?;
    let waiting: Vec<(u32, String, u32)> = statement
        .query_map(params![submission, first, last], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    transaction
        .prepare_cached(
            "UPDATE item SET reasons = NULL WHERE submission = ?1 AND number BETWEEN ?2 AND ?3
             AND result = 'pending' AND reasons LIKE ?4",
        )?
        .execute(params![submission, first, last, wait_pattern()])?;
    let mut statement =
        transaction.prepare_cached("UPDATE item SET reasons = ?3 WHERE submission = ?1 AND number = ?2")?;
    // Sorted by descending row, so that the first row overwrites the others.
    let reasons = waiting.into_iter().map(|(item, sheet, row)| {
        let parameters = BTreeMap::from([("sheet".to_owned(), sheet), ("row".to_owned(), row.to_string())]);
        let reason = Reason::Because { code: WAITS_FOR.to_owned(), parameters };
        Ok((submission, item, reasons_to_json(&[reason])?))
    });
    statement.execute_each(reasons.collect::<Result<Vec<_>, JournalError>>()?)?;
    Ok(())
}

fn item_count(submission: SubmissionId, journal: &Journal) -> Result<u32, JournalError> {
    journal.read(|connection| {
        Ok(connection.query_row("SELECT items FROM submission WHERE id = ?1", [submission], |row| row.get(0))?)
    })
}

/// Returns the `LIKE` pattern of stored wait reasons.
fn wait_pattern() -> String {
    format!("%\"{WAITS_FOR}\"%")
}
