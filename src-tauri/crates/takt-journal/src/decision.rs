//! Stores results that became known after sending, and decisions of users about a submission.
//!
//! Only this module moves an item out of `unconfirmed`, and only if it is still unconfirmed.

use std::collections::BTreeMap;

use crate::database::{OptionalExtension, Transaction, params};
use crate::key_claim_check::{claim_keys, claimed_unconfirmed};
use crate::result::{ResultCounts, reasons_to_json};
use crate::submission_record::{MovedCounts, move_counts};
use crate::{ClaimChoice, Journal, JournalError, Outcome, RowResult, Run, StoredWord, SubmissionId};

impl Journal {
    /// Returns access to the decisions on submissions and their items.
    #[must_use]
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions(self)
    }
}

/// Stores decisions on submissions and their items: see [`Journal::decisions`].
#[derive(Debug, Clone, Copy)]
pub struct Decisions<'a>(&'a Journal);

impl Decisions<'_> {
    /// Stores the results of reading back unconfirmed items, in one transaction. The items become accepted, rejected (a
    /// delete of a missing item) or pending, or stay unconfirmed for other reasons.
    ///
    /// An item whose key another desk is sending at this moment doesn't become pending. It stays unconfirmed, with that
    /// claim as a reason. Returns the number of such items.
    ///
    /// # Errors
    ///
    /// - [`JournalError::LostRace`]: an outcome is `sending` or `skipped`, or an item is no longer unconfirmed. Nothing
    ///   was changed.
    /// - A [write error](crate::JournalError#writing): the outcomes can't be written.
    pub fn resolve(&self, run: &Run, outcomes: &[Outcome]) -> Result<u32, JournalError> {
        let submission = run.submission();
        ensure_decidable(submission, outcomes)?;
        self.0.write_with_run(run, |transaction| {
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
            store_outcomes(transaction, submission, &settled)?;
            Ok(held_back)
        })
    }

    /// Like [`Decisions::resolve`], but stores the user's decisions. Pending items will then be sent. If another desk
    /// of the team is sending some of their keys at this moment, `claimed` determines whether nothing is changed or
    /// these items are skipped.
    ///
    /// # Errors
    ///
    /// - [`JournalError::KeysClaimed`]: other desks of the team are sending some of the keys. Nothing was changed.
    /// - [`JournalError::FileBeingSent`]: without a team, another plan is sending the same file. Nothing was changed.
    /// - [`JournalError::LostRace`]: as [`Decisions::resolve`].
    /// - A [write error](crate::JournalError#writing): the outcomes can't be written.
    pub fn decide_to_send(&self, run: &Run, outcomes: &[Outcome], claimed: ClaimChoice) -> Result<(), JournalError> {
        let submission = run.submission();
        ensure_decidable(submission, outcomes)?;
        self.0.write_with_run(run, |transaction| {
            store_outcomes(transaction, submission, outcomes)?;
            claim_keys(self.0, transaction, submission, claimed)
        })
    }

    /// Allows one more attempt for each unconfirmed item, because the user continues the submission.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn allow_another_attempt(&self, run: &Run) -> Result<(), JournalError> {
        self.0.write_with_run(run, |transaction| {
            let sql = "UPDATE item SET unknown_attempts = 1
                 WHERE submission = ?1 AND result = 'unconfirmed' AND unknown_attempts > 1";
            transaction.execute(sql, [run.submission()])?;
            Ok(())
        })
    }

    /// Ends a trial run, so that all items may be sent. Returns false if the submission wasn't a trial run.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn end_trial_run(&self, run: &Run) -> Result<bool, JournalError> {
        self.0.write_with_run(run, |transaction| {
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

/// Writes results of unconfirmed items. Pending items lose their reasons. Each item gets at least one attempt with an
/// unknown effect.
fn store_outcomes(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    outcomes: &[Outcome],
) -> Result<(), JournalError> {
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
        let moved = MovedCounts { items: items.count(result), rows: rows.count(result) };
        move_counts(transaction, submission, RowResult::Unconfirmed, result, moved)?;
    }
    Ok(())
}
