//! Results that became known after sending, and decisions that people made. Also reads the items for these decisions.
//!
//! Only this module moves an item out of `unconfirmed`, and only if it is still unconfirmed.

use crate::StoredWord;
use crate::database::{DatabaseError, OptionalExtension, Row, Transaction, params};
use crate::item_body::{BODY, BODY_JOIN};
use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::{
    Change, ClaimChoice, Journal, JournalError, Outcome, Reason, RowResult, Run, SubmissionId,
    key_claim_check::{claim_keys, claimed_unconfirmed},
    plan,
    result::{ResultCounts, parse_reasons, reasons_to_json},
    row::Rows,
    submission_record::{MovedCounts, move_counts},
};

/// An item with all its details.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemDetail {
    pub number: u32,
    pub key: String,
    pub body: Value,
    /// The service's value before it was sent, in the request's shape.
    pub before: Option<Value>,
    /// The keys of some neighboring rows before it was deleted.
    pub neighbors: Vec<String>,
    pub change: Option<Change>,
    pub reasons: Vec<Reason>,
    /// The number of attempts with an unknown effect.
    pub unknown_attempts: u32,
    /// The sheets and row numbers, as Excel shows them.
    pub rows: Vec<(String, u32)>,
}

impl Rows<'_> {
    /// Returns the next items with a result after a number, in order, so that all can be visited without loading them
    /// at once.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn item_details(
        &self,
        submission: SubmissionId,
        result: RowResult,
        after: u32,
        at_most: u32,
    ) -> Result<Vec<ItemDetail>, JournalError> {
        self.0.read(|connection| {
            let is_noted = matches!(result, RowResult::Rejected | RowResult::Unconfirmed);
            let column = if is_noted { "result /* noted */" } else { "result" };
            // The word is part of the statement, because SQLite uses a partial index only if it finds the index's
            // condition.
            let word = result.word();
            let mut statement = connection.prepare_cached(&format!(
                "SELECT number, key, {BODY}, before.body, before.neighbors, change, reasons,
                     unknown_attempts FROM item{BODY_JOIN}
                 LEFT JOIN before ON before.submission = item.submission AND before.item = item.number
                 WHERE item.submission = ?1 AND {column} = '{word}' AND number > ?2 ORDER BY number LIMIT ?3"
            ))?;
            let mut row_statement = connection
                .prepare_cached("SELECT sheet, row FROM row WHERE submission = ?1 AND item = ?2 ORDER BY sheet, row")?;
            let mut found = statement.query(params![submission, after, at_most])?;
            let mut items = Vec::new();
            while let Some(row) = found.next()? {
                let mut item = item_from_row(row)?;
                item.rows = row_statement
                    .query_map(params![submission, item.number], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect::<Result<_, _>>()?;
                items.push(item);
            }
            Ok(items)
        })
    }

    /// Returns the number of pending rows for each result of the change preview.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn pending_by_change(&self, submission: SubmissionId) -> Result<Vec<(Option<Change>, u32)>, JournalError> {
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT change, CAST(SUM(rows) AS BIGINT) FROM item WHERE submission = ?1 AND result = 'pending'
                 GROUP BY change ORDER BY change",
            )?;
            let found = statement.query_map([submission], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let found: Vec<(Option<String>, u32)> = found.collect::<Result<_, DatabaseError>>()?;
            found
                .into_iter()
                .map(|(word, rows)| Ok((word.as_deref().map(Change::from_word).transpose()?, rows)))
                .collect()
        })
    }

    /// Returns the number of rows that were skipped for a reason with this code.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn skipped_because(&self, submission: SubmissionId, code: &str) -> Result<u32, JournalError> {
        let reason = format!("%\"code\":\"{code}\"%");
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT CAST(COALESCE(SUM(rows), 0) AS BIGINT) FROM item
                 WHERE submission = ?1 AND result = 'skipped' AND reasons LIKE ?2",
            )?;
            Ok(statement.query_row(params![submission, reason], |row| row.get(0))?)
        })
    }

    /// Returns the number of accepted rows that an undo may restore: those with a stored previous value that differed.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn with_before(&self, submission: SubmissionId) -> Result<u32, JournalError> {
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT COALESCE(SUM(item.rows), 0) FROM before
                 JOIN item ON item.submission = before.submission AND item.number = before.item
                 WHERE before.submission = ?1 AND item.result = 'accepted' AND (item.change IS NULL OR item.change <> 'same')",
            )?;
            Ok(statement.query_row([submission], |row| row.get(0))?)
        })
    }

    /// Returns the number of the item that a row belongs to.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn item_of(&self, submission: SubmissionId, sheet: &str, row: u32) -> Result<Option<u32>, JournalError> {
        self.0.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT item FROM row WHERE submission = ?1 AND sheet = ?2 AND row = ?3")?;
            Ok(statement.query_row(params![submission, sheet, row], |found| found.get(0)).optional()?)
        })
    }

    /// Returns the last body that the service accepted for a key in an earlier submission of the same operation to the
    /// same site.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn accepted_before(&self, submission: SubmissionId, key: &str) -> Result<Option<Value>, JournalError> {
        self.0.read(|connection| {
            let sql = format!("SELECT {BODY} FROM submission AS own
                 JOIN submission AS other ON other.operation = own.operation AND other.site = own.site AND other.id < own.id
                 JOIN item ON item.submission = other.id AND item.key = ?2 AND item.result = 'accepted'{BODY_JOIN}
                 WHERE own.id = ?1 ORDER BY other.id DESC LIMIT 1");
            let mut statement = connection.prepare_cached(&sql)?;
            let found: Option<String> = statement.query_row(params![submission, key], |row| row.get(0)).optional()?;
            Ok(found.as_deref().map(serde_json::from_str).transpose()?)
        })
    }

    /// Returns the keys of items that the service accepted in later submissions of the same operation to the same site.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn accepted_later(&self, submission: SubmissionId) -> Result<HashSet<String>, JournalError> {
        self.0.read(|connection| plan::accepted_since(connection, submission))
    }
}

impl Journal {
    /// Returns access to the decisions on a submission's items.
    #[must_use]
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions(self)
    }
}

/// The decisions on a submission's items.
#[derive(Debug, Clone, Copy)]
pub struct Decisions<'a>(&'a Journal);

impl Decisions<'_> {
    /// Settles unconfirmed items by what the service returned for them, in one transaction. They become accepted,
    /// rejected (a delete of a missing item) or pending, or stay unconfirmed for other reasons.
    ///
    /// An item that another desk is sending at this moment doesn't become pending. It stays unconfirmed with that as a
    /// reason. Returns the number of such items.
    ///
    /// # Errors
    ///
    /// - [`JournalError::LostRace`]: an outcome can't be decided, or an item isn't unconfirmed any more. Nothing was
    ///   changed.
    /// - A [write error](crate::JournalError#writing): the outcomes can't be written.
    pub fn resolve(&self, run: &Run, outcomes: &[Outcome]) -> Result<u32, JournalError> {
        let submission = run.submission();
        ensure_decidable(submission, outcomes)?;
        self.0.write_by(run, |transaction| {
            let is_any_pending = outcomes.iter().any(|outcome| outcome.result == RowResult::Pending);
            let claimed = if is_any_pending { claimed_unconfirmed(transaction, submission)? } else { BTreeMap::new() };
            let (mut settled, mut held_back) = (Vec::with_capacity(outcomes.len()), 0);
            for outcome in outcomes {
                let claim = claimed.get(&outcome.item).filter(|_| outcome.result == RowResult::Pending);
                held_back += u32::from(claim.is_some());
                settled.push(match claim {
                    Some(claim) => {
                        let reasons = outcome.reasons.iter().chain([claim]).cloned().collect();
                        Outcome { result: RowResult::Unconfirmed, reasons, ..*outcome }
                    }
                    None => outcome.clone(),
                });
            }
            settle(transaction, submission, &settled)?;
            Ok(held_back)
        })
    }

    /// Settles unconfirmed items by a person's decision, like [`Decisions::resolve`]. Pending ones are to be sent. If
    /// another desk of the team is sending some of them at this moment, `claimed` decides whether nothing is changed or
    /// they are skipped.
    ///
    /// # Errors
    ///
    /// - [`JournalError::KeysClaimed`]: other desks of the team are sending some of it. Nothing was changed.
    /// - [`JournalError::LostRace`]: as [`Decisions::resolve`].
    /// - A [write error](crate::JournalError#writing): the outcomes can't be written.
    pub fn decide_to_send(&self, run: &Run, outcomes: &[Outcome], claimed: ClaimChoice) -> Result<(), JournalError> {
        let submission = run.submission();
        ensure_decidable(submission, outcomes)?;
        self.0.write_by(run, |transaction| {
            settle(transaction, submission, outcomes)?;
            claim_keys(transaction, submission, claimed)
        })
    }

    /// Allows one more attempt for each unconfirmed item, because a person wants the submission to continue.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn allow_another_attempt(&self, run: &Run) -> Result<(), JournalError> {
        self.0.write_by(run, |transaction| {
            let sql = "UPDATE item SET unknown_attempts = 1
                 WHERE submission = ?1 AND result = 'unconfirmed' AND unknown_attempts > 1";
            transaction.execute(sql, [run.submission()])?;
            Ok(())
        })
    }

    /// Ends a trial run, so that all items may be sent. Returns whether it was one.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn end_trial_run(&self, run: &Run) -> Result<bool, JournalError> {
        self.0.write_by(run, |transaction| {
            let sql = "UPDATE submission SET trial = NULL WHERE id = ?1 AND trial IS NOT NULL";
            Ok(transaction.execute(sql, [run.submission()])? == 1)
        })
    }
}

fn ensure_decidable(submission: SubmissionId, outcomes: &[Outcome]) -> Result<(), JournalError> {
    let is_decidable = |outcome: &Outcome| {
        matches!(
            outcome.result,
            RowResult::Accepted | RowResult::Rejected | RowResult::Pending | RowResult::Unconfirmed
        )
    };
    if outcomes.iter().all(is_decidable) { Ok(()) } else { Err(JournalError::LostRace { submission, what: "an item" }) }
}

/// Writes results of unconfirmed items. Pending ones lose their reasons, and at least one attempt of theirs counts as
/// unknown.
fn settle(transaction: &Transaction<'_>, submission: SubmissionId, outcomes: &[Outcome]) -> Result<(), JournalError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE item SET result = ?3, reasons = ?4,
             unknown_attempts = CASE WHEN unknown_attempts = 0 THEN 1 ELSE unknown_attempts END
         WHERE submission = ?1 AND number = ?2 AND result = 'unconfirmed' RETURNING rows",
    )?;
    let (mut items, mut rows) = (ResultCounts::default(), ResultCounts::default());
    for outcome in outcomes {
        let reasons = if outcome.result == RowResult::Pending { None } else { reasons_to_json(&outcome.reasons)? };
        let found: Option<u32> = statement
            .query_row(params![submission, outcome.item, outcome.result.word(), reasons], |row| row.get(0))
            .optional()?;
        rows.add(outcome.result, found.ok_or(JournalError::LostRace { submission, what: "an item" })?);
        items.add(outcome.result, 1);
    }
    for result in [RowResult::Accepted, RowResult::Rejected, RowResult::Pending] {
        let moved = MovedCounts { items: items.of(result), rows: rows.of(result) };
        move_counts(transaction, submission, RowResult::Unconfirmed, result, moved)?;
    }
    Ok(())
}

fn item_from_row(row: Row<'_>) -> Result<ItemDetail, JournalError> {
    let (body, before, neighbors): (String, Option<String>, Option<String>) = (row.get(2)?, row.get(3)?, row.get(4)?);
    let (change, reasons): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
    Ok(ItemDetail {
        number: row.get(0)?,
        key: row.get(1)?,
        body: serde_json::from_str(&body)?,
        before: before.as_deref().map(serde_json::from_str).transpose()?,
        neighbors: neighbors.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default(),
        change: change.as_deref().map(Change::from_word).transpose()?,
        reasons: parse_reasons(reasons.as_deref())?,
        unknown_attempts: row.get(7)?,
        rows: Vec::new(),
    })
}
