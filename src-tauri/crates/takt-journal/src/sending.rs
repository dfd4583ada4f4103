//! Sending: an attempt is committed before its request leaves, and completed once when its outcome is known.

use crate::StoredWord;
use crate::database::{OptionalExtension, Transaction, params};
use jiff::Timestamp;

use crate::result::{self, ResultCounts};
use crate::submission_record::move_counts;
use crate::{
    Journal, JournalError, Outcome, RowResult, Run, SubmissionId,
    attempt::{AttemptEnd, OutcomeClass},
};

/// The committed intent to send these items. Only the journal makes one; whoever sends takes it along and hands it back
/// with the outcomes. One that is lost leaves its items `sending`, and recovery turns those into `unconfirmed`.
#[derive(Debug)]
#[must_use = "its items stay `sending` until it is finished"]
pub struct Attempt {
    submission: SubmissionId,
    batch: u32,
    items: Vec<u32>,
    rows: u32,
}

impl Attempt {
    #[must_use]
    pub fn submission(&self) -> SubmissionId {
        self.submission
    }

    /// 1-based within the submission.
    #[must_use]
    pub fn batch(&self) -> u32 {
        self.batch
    }

    /// Rows of its items.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The items' numbers, in the order of the request.
    pub fn items(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.items.iter().copied()
    }
}

impl Journal {
    /// Moves exactly these pending items to `sending` and writes the attempt down. When this returns, it is on disk.
    ///
    /// # Errors
    ///
    /// - [`JournalError::LostRace`]: the submission isn't running, or an item isn't pending any more; nothing was changed.
    /// - A [write error](crate::JournalError#writing): the attempt can't be written, so nothing may be sent.
    pub fn begin_attempt(
        &self,
        run: &Run,
        items: &[u32],
        at: Timestamp,
        wire_hash: &str,
    ) -> Result<Attempt, JournalError> {
        let submission = run.submission();
        let (items, wire_hash) = (items.to_vec(), wire_hash.to_owned());
        self.write_together_by(run, move |transaction| {
            let batch: Option<u32> = transaction
                .prepare_cached("UPDATE submission SET attempts = attempts + 1 WHERE id = ?1 AND state = 'running' AND NOT preparing RETURNING attempts")?
                .query_row([submission], |row| row.get(0))
                .optional()?;
            let batch = batch.ok_or(JournalError::LostRace { submission, what: "the state" })?;
            let rows = take(transaction, submission, batch, &items)?;
            let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
            move_counts(transaction, submission, RowResult::Pending, RowResult::Sending, (count, rows))?;
            transaction
                .prepare_cached(
                    "INSERT INTO attempt (submission, batch, started, wire_hash, items, rows, numbers)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![submission, batch, at.to_string(), wire_hash, count, rows, written(&items)])?;
            Ok(Attempt { submission, batch, items, rows })
        })
    }

    /// Commits the end of an attempt with one outcome per item of it, in one transaction.
    ///
    /// # Errors
    ///
    /// - [`JournalError::OutcomesDiffer`]: there isn't exactly one outcome for each item of the attempt.
    /// - [`JournalError::LostRace`]: the attempt has ended already, or an item isn't being sent any more.
    /// - A [write error](crate::JournalError#writing): the outcomes can't be written.
    pub fn finish_attempt(
        &self,
        run: &Run,
        attempt: Attempt,
        outcomes: &[Outcome],
        end: &AttemptEnd,
    ) -> Result<(), JournalError> {
        if run.submission() != attempt.submission || !covers(&attempt, outcomes) {
            return Err(JournalError::OutcomesDiffer { submission: attempt.submission, batch: attempt.batch });
        }
        let (outcomes, end) = (outcomes.to_vec(), end.clone());
        self.write_together_by(run, move |transaction| {
            let counts = settle(transaction, &attempt, &outcomes)?;
            end_attempt(transaction, attempt.submission, attempt.batch, &counts, &end)
        })
    }
}

/// Gives their rows. A span of numbers is taken by one statement.
fn take(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    batch: u32,
    items: &[u32],
) -> Result<u32, JournalError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE item SET result = 'sending', reasons = NULL, batch = ?4
         WHERE submission = ?1 AND number BETWEEN ?2 AND ?3 AND result = 'pending'",
    )?;
    let mut rows = 0;
    for (first, last) in spans(items) {
        let wanted = usize::try_from(last - first).map_or(usize::MAX, |further| further + 1);
        if statement.execute(params![submission, first, last, batch])? != wanted {
            return Err(JournalError::LostRace { submission, what: "an item" });
        }
        rows += rows_of(transaction, submission, (first, last))?;
    }
    if rows == 0 {
        return Err(JournalError::LostRace { submission, what: "an item" });
    }
    Ok(rows)
}

fn rows_of(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    (first, last): (u32, u32),
) -> Result<u32, JournalError> {
    let mut statement =
        transaction.prepare_cached("SELECT SUM(rows) FROM item WHERE submission = ?1 AND number BETWEEN ?2 AND ?3")?;
    Ok(statement.query_row(params![submission, first, last], |row| row.get(0))?)
}

/// Runs of numbers that follow each other, as first and last.
fn spans(numbers: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let runs = numbers.chunk_by(|before, next| before.checked_add(1) == Some(*next));
    runs.filter_map(|run| Some((*run.first()?, *run.last()?)))
}

/// Numbers as people read them: 1, 2, 3, 7 are `1-3,7`.
fn written(numbers: &[u32]) -> String {
    let texts =
        spans(numbers).map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    texts.collect::<Vec<_>>().join(",")
}

fn covers(attempt: &Attempt, outcomes: &[Outcome]) -> bool {
    let mut wanted: Vec<u32> = attempt.items().collect();
    let mut given: Vec<u32> = outcomes.iter().map(|outcome| outcome.item).collect();
    wanted.sort_unstable();
    given.sort_unstable();
    wanted == given && outcomes.iter().all(|outcome| !matches!(outcome.result, RowResult::Sending | RowResult::Skipped))
}

/// Neighbours with one result and one reason are settled by one statement.
fn settle(
    transaction: &Transaction<'_>,
    attempt: &Attempt,
    outcomes: &[Outcome],
) -> Result<ResultCounts, JournalError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE item SET result = ?5, reasons = ?6
         WHERE submission = ?1 AND number BETWEEN ?2 AND ?3 AND batch = ?4 AND result = 'sending'",
    )?;
    let submission = attempt.submission;
    let (mut rows_by_result, mut items_by_result) = (ResultCounts::default(), ResultCounts::default());
    let alike = |before: &Outcome, next: &Outcome| {
        before.item.checked_add(1) == Some(next.item) && before.result == next.result && before.reasons == next.reasons
    };
    for run in outcomes.chunk_by(alike) {
        let [first, ..] = run else { continue };
        let last = run.last().map_or(first.item, |last| last.item);
        let reasons = result::reasons_text(&first.reasons)?;
        let changed =
            statement.execute(params![submission, first.item, last, attempt.batch, first.result.word(), reasons])?;
        if changed != run.len() {
            return Err(JournalError::LostRace { submission, what: "an item" });
        }
        rows_by_result.add(first.result, rows_of(transaction, submission, (first.item, last))?);
        items_by_result.add(first.result, u32::try_from(run.len()).unwrap_or(u32::MAX));
    }
    for &result in RowResult::ALL {
        let moved = (items_by_result.of(result), rows_by_result.of(result));
        move_counts(transaction, submission, RowResult::Sending, result, moved)?;
    }
    Ok(rows_by_result)
}

/// Completes the attempt's own row and the submission's counters of requests.
pub(crate) fn end_attempt(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    batch: u32,
    counts: &ResultCounts,
    end: &AttemptEnd,
) -> Result<(), JournalError> {
    let changed = transaction
        .prepare_cached(
            "UPDATE attempt SET ended = ?3, class = ?4, status = ?5, milliseconds = ?6, log_id = ?7,
                    pending = ?8, accepted = ?9, rejected = ?10, unconfirmed = ?11, answer = ?12
             WHERE submission = ?1 AND batch = ?2 AND ended IS NULL",
        )?
        .execute(params![
            submission,
            batch,
            end.at.to_string(),
            end.class.word(),
            end.status,
            end.milliseconds,
            end.log_id,
            counts.pending,
            counts.accepted,
            counts.rejected,
            counts.unconfirmed,
            end.answer
        ])?;
    if changed != 1 {
        return Err(JournalError::LostRace { submission, what: "an attempt" });
    }
    let settled = counts.accepted + counts.rejected + counts.unconfirmed > 0;
    transaction
        .prepare_cached(
            "UPDATE submission SET batches = batches + ?2, requests = requests + ?3, active_ms = active_ms + ?4 WHERE id = ?1",
        )?
        .execute(params![submission, settled, end.class != OutcomeClass::NotSent, end.active_milliseconds])?;
    Ok(())
}
