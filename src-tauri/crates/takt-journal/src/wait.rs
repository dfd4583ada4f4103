//! Waits: items that are sent only after an item of an earlier step was accepted, and the reason that shows for which
//! row an item waits.

use std::collections::BTreeMap;

use crate::database::{Transaction, params};
use crate::{Journal, JournalError, Reason, SubmissionId, result::reasons_to_json};

/// The number of items that are changed in one transaction.
const ITEMS_PER_TRANSACTION: u32 = 4_000;
/// The reason code of items that wait for another. The parameters `sheet` and `row` identify it.
pub(crate) const WAITS_FOR: &str = "waits-for";

/// An item that is sent only after another one was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewWait {
    /// The 1-based number of the item.
    pub item: u32,
    /// The item's reference to others. One accepted item is enough for each reference.
    pub reference: u32,
    /// The 0-based index of an earlier step.
    pub step: usize,
    /// The 1-based number of that step's item.
    pub other: u32,
}

/// Inserts waits of a step. `steps` are the earlier steps.
pub(crate) fn insert(
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
        Ok((id, wait.item, wait.reference, *other, wait.other))
    });
    statement.execute_each(written.collect::<Result<Vec<_>, JournalError>>()?)?;
    Ok(())
}

/// Updates the reasons of all pending items with the row that they wait for.
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

/// Updates the reasons of pending items in a range of numbers.
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
    // The first row is written last, and so overwrites the others.
    let reasons = waiting.into_iter().map(|(item, sheet, row)| {
        let parameters = BTreeMap::from([("sheet".to_owned(), sheet), ("row".to_owned(), row.to_string())]);
        let reason = Reason::Because { code: WAITS_FOR.to_owned(), parameters };
        Ok((submission, item, reasons_to_json(&[reason])?))
    });
    statement.execute_each(reasons.collect::<Result<Vec<_>, JournalError>>()?)?;
    Ok(())
}

/// Returns the number of items of a submission.
fn item_count(submission: SubmissionId, journal: &Journal) -> Result<u32, JournalError> {
    journal.read(|connection| {
        Ok(connection.query_row("SELECT items FROM submission WHERE id = ?1", [submission], |row| row.get(0))?)
    })
}

/// Returns the pattern of reasons that name a row that is waited for.
fn wait_pattern() -> String {
    format!("%\"{WAITS_FOR}\"%")
}
