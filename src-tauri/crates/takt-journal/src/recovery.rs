//! Recovers submissions whose process ended without recording it. Never resends anything, and never moves an item out
//! of `unconfirmed`, which only `decision` does.

use crate::StoredWord;
use crate::database::{Connection, OptionalExtension, Transaction, params};
use jiff::Timestamp;

use crate::abandoned::ended_while_sending;
use crate::attempt::end_attempt;
use crate::plan_writer::discard;
use crate::result::{ResultCounts, reasons_to_json};
use crate::submission_record::{MovedCounts, move_counts, set_state};
use crate::{
    Journal, JournalError, RowResult, Run, SubmissionId, SubmissionState,
    attempt::{AttemptEnd, OutcomeClass},
};

/// A submission whose process ended without recording it, after its recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveredSubmission {
    pub submission: SubmissionId,
    /// The number of rows that are now unconfirmed.
    pub unconfirmed: u32,
    /// True if the submission was in preparation. Nothing of it was sent, and it was removed.
    pub discarded: bool,
}

impl Journal {
    /// Settles every submission that is running, sending or in preparation although no process has its lock. Writes
    /// nothing if there is none. Starts with the newest, so that no submission refers to a discarded one.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn recover(&self, at: Timestamp) -> Result<Vec<RecoveredSubmission>, JournalError> {
        let unsettled: Vec<SubmissionId> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM submission WHERE state = 'running' OR sending > 0 OR preparing ORDER BY id DESC",
            )?;
            let ids = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(ids)
        })?;
        let mut recovered = Vec::new();
        for submission in unsettled {
            if self.read(|connection| self.is_claimed(connection, submission))? {
                continue;
            }
            match self.claim(submission) {
                Ok(run) => recovered.extend(self.recover_run(&run, at)?),
                Err(JournalError::RunElsewhere(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(recovered)
    }

    /// Settles one submission that was just claimed. Items in `sending` become unconfirmed, a running submission
    /// becomes interrupted, and a submission in preparation is discarded. Returns none if its last run had ended
    /// properly.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - [`JournalError::LostRace`]: another process changed its state.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn recover_run(&self, run: &Run, at: Timestamp) -> Result<Option<RecoveredSubmission>, JournalError> {
        let submission = run.submission();
        let (running, sending, preparing) = self.read(|connection| load_state(connection, submission))?;
        if preparing {
            discard(self, run)?;
            return Ok(Some(RecoveredSubmission { submission, unconfirmed: 0, discarded: true }));
        }
        if !running && sending == 0 {
            return Ok(None);
        }
        self.write_with_run(run, |transaction| {
            // Read again under the write lock, because its owner may have finished between the query and the claim.
            let (running, sending, _) = load_state(transaction, submission)?;
            if sending > 0 {
                unconfirm_all(transaction, submission, at)?;
            }
            if running {
                set_state(transaction, submission, SubmissionState::Running, SubmissionState::Interrupted, at, None)?;
            }
            Ok((running || sending > 0).then_some(RecoveredSubmission {
                submission,
                unconfirmed: sending,
                discarded: false,
            }))
        })
    }
}

/// Returns whether the submission is running, its number of rows being sent, and whether it is in preparation.
fn load_state(connection: &Connection<'_>, submission: SubmissionId) -> Result<(bool, u32, bool), JournalError> {
    let sql = "SELECT state = 'running', sending, preparing FROM submission WHERE id = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([submission], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    found.ok_or(JournalError::UnknownSubmission(submission))
}

/// Returns the numbers of items with a result and of their rows.
fn count_items(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    result: RowResult,
) -> Result<MovedCounts, JournalError> {
    Ok(transaction.query_row(
        "SELECT COUNT(*), COALESCE(SUM(rows), 0) FROM item WHERE submission = ?1 AND result = ?2",
        params![submission, result.word()],
        |row| Ok(MovedCounts { items: row.get(0)?, rows: row.get(1)? }),
    )?)
}

fn unconfirm_all(transaction: &Transaction<'_>, submission: SubmissionId, at: Timestamp) -> Result<(), JournalError> {
    let moved = count_items(transaction, submission, RowResult::Sending)?;
    transaction.execute(
        "UPDATE item SET result = 'unconfirmed', reasons = ?2, unknown_attempts = unknown_attempts + 1
         WHERE submission = ?1 AND result = 'sending'",
        params![submission, reasons_to_json(&[ended_while_sending()])?],
    )?;
    move_counts(transaction, submission, RowResult::Sending, RowResult::Unconfirmed, moved)?;
    let open_attempts: Vec<(u32, u32)> = transaction
        .prepare_cached("SELECT batch, rows FROM attempt WHERE submission = ?1 AND ended IS NULL")?
        .query_map([submission], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (batch, rows) in open_attempts {
        let counts = ResultCounts { unconfirmed: rows, ..ResultCounts::default() };
        let end = AttemptEnd {
            at,
            class: OutcomeClass::Unknown,
            status: None,
            milliseconds: 0,
            active_milliseconds: 0,
            log_id: None,
            answer: None,
        };
        end_attempt(transaction, submission, batch, &counts, &end)?;
    }
    Ok(())
}
