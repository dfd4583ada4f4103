//! What a dead run left behind. Nothing is ever resent from here, and nothing leaves rows unconfirmed (see `decision`).

use crate::StoredWord;
use crate::database::{Connection, OptionalExtension, Transaction, params};
use jiff::Timestamp;

use crate::abandoned::ended_while_sending;
use crate::preparation::discard;
use crate::result::{ResultCounts, reasons_text};
use crate::sending::end_attempt;
use crate::submission_record::{move_counts, set_state};
use crate::{
    Journal, JournalError, RowResult, Run, SubmissionId, SubmissionState,
    attempt::{AttemptEnd, OutcomeClass},
};

/// A submission that a dead run had left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveredSubmission {
    pub submission: SubmissionId,
    /// Rows that are now unconfirmed.
    pub unconfirmed: u32,
    /// It was being prepared: nothing of it was sent, and nothing of it is left.
    pub discarded: bool,
}

impl Journal {
    /// Settles every submission that was left running, sending or in preparation, but for those that somebody runs at this
    /// moment. Where there is none, nothing is written. The newest goes first: nothing may refer to what is discarded.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn recover(&self, at: Timestamp) -> Result<Vec<RecoveredSubmission>, JournalError> {
        let left: Vec<SubmissionId> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM submission WHERE state = 'running' OR sending > 0 OR preparing ORDER BY id DESC",
            )?;
            let ids = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(ids)
        })?;
        let mut recovered = Vec::new();
        for submission in left {
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

    /// Settles one submission that was just claimed: what was `sending` is unconfirmed, what was running is interrupted, what was
    /// being prepared is gone. Nothing where its last run had ended in order.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - [`JournalError::LostRace`]: somebody else changed its state.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn recover_run(&self, run: &Run, at: Timestamp) -> Result<Option<RecoveredSubmission>, JournalError> {
        let submission = run.submission();
        let (running, sending, preparing) = self.read(|connection| open_parts(connection, submission))?;
        if preparing {
            discard(self, run)?;
            return Ok(Some(RecoveredSubmission { submission, unconfirmed: 0, discarded: true }));
        }
        if !running && sending == 0 {
            return Ok(None);
        }
        self.write_by(run, |transaction| {
            // Read again under the write lock: its owner may have finished between the look and the claim.
            let (running, sending, _) = open_parts(transaction, submission)?;
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

/// Whether it is running, its rows that are being sent, and whether it is being prepared.
fn open_parts(connection: &Connection<'_>, submission: SubmissionId) -> Result<(bool, u32, bool), JournalError> {
    let sql = "SELECT state = 'running', sending, preparing FROM submission WHERE id = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([submission], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    found.ok_or(JournalError::UnknownSubmission(submission))
}

/// Items and rows of one result.
fn totals(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    result: RowResult,
) -> Result<(u32, u32), JournalError> {
    Ok(transaction.query_row(
        "SELECT COUNT(*), COALESCE(SUM(rows), 0) FROM item WHERE submission = ?1 AND result = ?2",
        params![submission, result.word()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?)
}

fn unconfirm_all(transaction: &Transaction<'_>, submission: SubmissionId, at: Timestamp) -> Result<(), JournalError> {
    let moved = totals(transaction, submission, RowResult::Sending)?;
    transaction.execute(
        "UPDATE item SET result = 'unconfirmed', reasons = ?2, unknown_attempts = unknown_attempts + 1
         WHERE submission = ?1 AND result = 'sending'",
        params![submission, reasons_text(&[ended_while_sending()])?],
    )?;
    move_counts(transaction, submission, RowResult::Sending, RowResult::Unconfirmed, moved)?;
    let open: Vec<(u32, u32)> = transaction
        .prepare_cached("SELECT batch, rows FROM attempt WHERE submission = ?1 AND ended IS NULL")?
        .query_map([submission], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (batch, rows) in open {
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
