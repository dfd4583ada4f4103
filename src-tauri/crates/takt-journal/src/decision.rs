//! Results that became known, and decisions that people made, after items were sent. Also whole items, for these decisions.
//!
//! Here alone an item leaves `unconfirmed`, and only with its result as it was seen.

use crate::StoredWord;
use crate::database::{DatabaseError, OptionalExtension, Row, Transaction, params};
use crate::item_body::{BODY, BODY_JOIN};
use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::{
    Change, ClaimChoice, Journal, JournalError, Outcome, Reason, RowResult, Run, SubmissionId,
    key_claim_check::{claim_keys, claimed_unconfirmed},
    plan,
    result::{ResultCounts, reasons_read, reasons_text},
    row::Rows,
    submission_record::move_counts,
};

/// An item with everything that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemDetail {
    pub number: u32,
    pub key: String,
    pub body: Value,
    /// What the service held of it before it was sent, in the request's shape.
    pub before: Option<Value>,
    /// Keys of some rows that were beside it before it was deleted.
    pub neighbors: Vec<String>,
    pub change: Option<Change>,
    pub reasons: Vec<Reason>,
    /// Attempts whose effect isn't known.
    pub unknown_attempts: u32,
    /// Sheet and row number as Excel shows it.
    pub rows: Vec<(String, u32)>,
}

impl Rows<'_> {
    /// The items of one result behind a number, in order: to walk all of them without holding them for long.
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
            // The word stands in the statement itself: SQLite uses a partial index only where it sees the index's own condition.
            let word = result.word();
            let mut statement = connection.prepare_cached(&format!(
                "SELECT number, key, {BODY}, before.body, before.neighbors, change, reasons,
                     unknown_attempts FROM item{BODY_JOIN}
                 LEFT JOIN before ON before.submission = item.submission AND before.item = item.number
                 WHERE item.submission = ?1 AND {column} = '{word}' AND number > ?2 ORDER BY number LIMIT ?3"
            ))?;
            let mut rows_of = connection
                .prepare_cached("SELECT sheet, row FROM row WHERE submission = ?1 AND item = ?2 ORDER BY sheet, row")?;
            let mut found = statement.query(params![submission, after, at_most])?;
            let mut items = Vec::new();
            while let Some(row) = found.next()? {
                let mut item = read(row)?;
                item.rows = rows_of
                    .query_map(params![submission, item.number], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect::<Result<_, _>>()?;
                items.push(item);
            }
            Ok(items)
        })
    }

    /// Pending rows by what the change preview said of them.
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

    /// Rows that were skipped for a reason with this code.
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

    /// Accepted rows of which what was there before is kept and was something else: what an undo may put back.
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

    /// The number of the item that a row belongs to.
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

    /// What an earlier submission of the same operation to the same site had accepted last under a key.
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

    /// The keys of items that later submissions of the same operation to the same site had accepted.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn accepted_later(&self, submission: SubmissionId) -> Result<HashSet<String>, JournalError> {
        self.0.read(|connection| plan::accepted_since(connection, submission))
    }
}

impl Journal {
    /// What is decided on a submission's items.
    #[must_use]
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions(self)
    }
}

/// What is decided on a submission's items.
#[derive(Debug, Clone, Copy)]
pub struct Decisions<'a>(&'a Journal);

impl Decisions<'_> {
    /// Settles unconfirmed items as they were read back, in one transaction: accepted, rejected (a delete of what wasn't there),
    /// pending again, or still unconfirmed for other reasons. What would be pending again and is being sent by another desk of the
    /// team at this moment stays unconfirmed, with that as a reason; how many items that are. Where one of them isn't unconfirmed
    /// any more, nothing is changed.
    ///
    /// # Errors
    ///
    /// - [`JournalError::LostRace`]: an outcome is none that can be decided, or an item isn't unconfirmed any more; nothing
    ///   was changed.
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

    /// Settles unconfirmed items as a person decided, as [`Decisions::resolve`]; what is pending then is to be sent. Where another desk of the
    /// team is sending some of that at this moment, either nothing is decided, or those items are skipped.
    ///
    /// # Errors
    ///
    /// - [`JournalError::KeysClaimed`]: other desks of the team are sending some of it; nothing was changed.
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

    /// A person wants the submission to go on: unconfirmed items may be sent once more, whatever their attempts so far.
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

    /// All of a trial run's items may be sent from here on. Says whether it was one.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn lift_trial(&self, run: &Run) -> Result<bool, JournalError> {
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

/// What is pending again has no reasons any more. It was unconfirmed, so at least one of its attempts may have had an effect.
fn settle(transaction: &Transaction<'_>, submission: SubmissionId, outcomes: &[Outcome]) -> Result<(), JournalError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE item SET result = ?3, reasons = ?4,
             unknown_attempts = CASE WHEN unknown_attempts = 0 THEN 1 ELSE unknown_attempts END
         WHERE submission = ?1 AND number = ?2 AND result = 'unconfirmed' RETURNING rows",
    )?;
    let (mut items, mut rows) = (ResultCounts::default(), ResultCounts::default());
    for outcome in outcomes {
        let reasons = if outcome.result == RowResult::Pending { None } else { reasons_text(&outcome.reasons)? };
        let found: Option<u32> = statement
            .query_row(params![submission, outcome.item, outcome.result.word(), reasons], |row| row.get(0))
            .optional()?;
        rows.add(outcome.result, found.ok_or(JournalError::LostRace { submission, what: "an item" })?);
        items.add(outcome.result, 1);
    }
    for result in [RowResult::Accepted, RowResult::Rejected, RowResult::Pending] {
        move_counts(transaction, submission, RowResult::Unconfirmed, result, (items.of(result), rows.of(result)))?;
    }
    Ok(())
}

fn read(row: Row<'_>) -> Result<ItemDetail, JournalError> {
    let (body, before, neighbors): (String, Option<String>, Option<String>) = (row.get(2)?, row.get(3)?, row.get(4)?);
    let (change, reasons): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
    Ok(ItemDetail {
        number: row.get(0)?,
        key: row.get(1)?,
        body: serde_json::from_str(&body)?,
        before: before.as_deref().map(serde_json::from_str).transpose()?,
        neighbors: neighbors.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default(),
        change: change.as_deref().map(Change::from_word).transpose()?,
        reasons: reasons_read(reasons.as_deref())?,
        unknown_attempts: row.get(7)?,
        rows: Vec::new(),
    })
}
