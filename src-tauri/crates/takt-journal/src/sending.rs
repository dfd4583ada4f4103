//! Sending: an attempt is committed before its request leaves, and completed once when its outcome is known.

use std::collections::BTreeMap;

use crate::StoredWord;
use crate::database::{PreparedChange, Row, Transaction, params};
use jiff::Timestamp;

use crate::result::{self, ResultCounts};
use crate::{
    Journal, JournalError, Outcome, RowResult, Run, SubmissionId,
    attempt::{AttemptEnd, OutcomeClass},
};

/// The committed intent to send these items. Only the journal creates one, and the sender returns it with the outcomes.
/// A lost one leaves its items `sending`, and recovery makes those `unconfirmed`.
#[derive(Debug)]
#[must_use = "its items stay `sending` until it is finished"]
pub struct Attempt {
    submission: SubmissionId,
    batch: u32,
    items: Vec<u32>,
    rows: RowsByItem,
}

/// The number of rows of each item, by the item's number.
type RowsByItem = BTreeMap<u32, u32>;

impl Attempt {
    #[must_use]
    pub fn submission(&self) -> SubmissionId {
        self.submission
    }

    /// Returns the 1-based number within the submission.
    #[must_use]
    pub fn batch(&self) -> u32 {
        self.batch
    }

    /// Returns the number of rows of its items.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows.values().sum()
    }

    /// Returns the items' numbers, in the order of the request.
    pub fn items(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.items.iter().copied()
    }
}

impl Journal {
    /// Moves exactly these pending items to `sending` and stores the attempt. It is on disk when this returns.
    ///
    /// # Errors
    ///
    /// - [`JournalError::LostRace`]: the submission isn't running, or an item isn't pending any more. Nothing was
    ///   changed.
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
            let (batch, rows) = move_to_sending(transaction, submission, &items)?;
            let attempt = Attempt { submission, batch, items, rows };
            insert_attempt(transaction, &attempt, at, &wire_hash)?;
            Ok(attempt)
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
        if run.submission() != attempt.submission || !matches_items(&attempt, outcomes) {
            return Err(JournalError::OutcomesDiffer { submission: attempt.submission, batch: attempt.batch });
        }
        let (outcomes, end) = (outcomes.to_vec(), end.clone());
        self.write_together_by(run, move |transaction| settle(transaction, &attempt, &outcomes, &end))
    }
}

/// Moves the items to `sending`, with one statement for each range of numbers. Returns the number of the attempt and
/// the items' rows.
fn move_to_sending(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    items: &[u32],
) -> Result<(u32, RowsByItem), JournalError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE item SET result = 'sending', reasons = NULL, batch = (SELECT attempts + 1 FROM submission WHERE id = ?1)
         WHERE submission = ?1 AND number BETWEEN ?2 AND ?3 AND result = 'pending'
           AND EXISTS (SELECT 1 FROM submission WHERE id = ?1 AND state = 'running' AND NOT preparing)
         RETURNING number, rows, batch",
    )?;
    let moved = statement
        .query_each(number_ranges(items).map(|(first, last)| (submission, first, last)), |row: Row<'_>| {
            Ok(((row.get(0)?, row.get(1)?), row.get::<_, u32>(2)?))
        })?;
    let is_complete =
        |((first, last), moved): ((u32, u32), &Vec<_>)| u32::try_from(moved.len()) == Ok(last - first + 1);
    let batch = moved.first().and_then(|rows| rows.first()).map(|(_, batch)| *batch);
    match batch.filter(|_| number_ranges(items).zip(&moved).all(is_complete)) {
        Some(batch) => Ok((batch, moved.into_iter().flatten().map(|(rows, _)| rows).collect())),
        None => Err(refusal(transaction, submission)?),
    }
}

/// Returns why items couldn't be moved to `sending`.
fn refusal(transaction: &Transaction<'_>, submission: SubmissionId) -> Result<JournalError, JournalError> {
    let sql = "SELECT 1 FROM submission WHERE id = ?1 AND state = 'running' AND NOT preparing";
    let is_running = transaction.prepare_cached(sql)?.exists([submission])?;
    Ok(JournalError::LostRace { submission, what: if is_running { "an item" } else { "the state" } })
}

/// Updates the submission's counters and inserts the attempt.
fn insert_attempt(
    transaction: &Transaction<'_>,
    attempt: &Attempt,
    at: Timestamp,
    wire_hash: &str,
) -> Result<(), JournalError> {
    let (submission, batch, rows) = (attempt.submission, attempt.batch, attempt.rows());
    let items = u32::try_from(attempt.items.len()).unwrap_or(u32::MAX);
    transaction.execute_later(
        "UPDATE submission SET attempts = ?2, pending = pending - ?3, sending = sending + ?3,
             pending_items = pending_items - ?4 WHERE id = ?1",
        params![submission, batch, rows, items],
    )?;
    let sql = "INSERT INTO attempt (submission, batch, started, wire_hash, items, rows, numbers)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let numbers = format_ranges(&attempt.items);
    transaction.execute_later(sql, params![submission, batch, at.to_string(), wire_hash, items, rows, numbers])?;
    Ok(())
}

/// Returns the ranges of consecutive numbers, as first and last.
fn number_ranges(numbers: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let runs = numbers.chunk_by(|before, next| before.checked_add(1) == Some(*next));
    runs.filter_map(|run| Some((*run.first()?, *run.last()?)))
}

/// Formats numbers as ranges: 1, 2, 3, 7 becomes `1-3,7`.
fn format_ranges(numbers: &[u32]) -> String {
    let texts = number_ranges(numbers)
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    texts.collect::<Vec<_>>().join(",")
}

fn matches_items(attempt: &Attempt, outcomes: &[Outcome]) -> bool {
    let mut expected: Vec<u32> = attempt.items().collect();
    let mut actual: Vec<u32> = outcomes.iter().map(|outcome| outcome.item).collect();
    expected.sort_unstable();
    actual.sort_unstable();
    expected == actual
        && outcomes.iter().all(|outcome| !matches!(outcome.result, RowResult::Sending | RowResult::Skipped))
}

/// Stores the outcomes and the end of an attempt. Neighbors with the same result and reasons share one statement.
fn settle(
    transaction: &Transaction<'_>,
    attempt: &Attempt,
    outcomes: &[Outcome],
    end: &AttemptEnd,
) -> Result<(), JournalError> {
    let sql = "UPDATE item SET result = ?5, reasons = ?6, unknown_attempts = unknown_attempts + ?7
         WHERE submission = ?1 AND number BETWEEN ?2 AND ?3 AND batch = ?4 AND result = 'sending'";
    let (submission, batch) = (attempt.submission, attempt.batch);
    let (mut rows, mut pending_items) = (ResultCounts::default(), 0);
    let (mut changes, mut wanted) = (Vec::new(), Vec::new());
    let alike = |before: &Outcome, next: &Outcome| {
        before.item.checked_add(1) == Some(next.item) && before.result == next.result && before.reasons == next.reasons
    };
    for run in outcomes.chunk_by(alike) {
        let [Outcome { item: first, result, reasons }, ..] = run else { continue };
        let last = run.last().map_or(*first, |last| last.item);
        let reasons = result::reasons_to_json(reasons)?;
        let unknown = i64::from(*result == RowResult::Unconfirmed);
        changes
            .push(PreparedChange::new(sql, params![submission, first, last, batch, result.word(), reasons, unknown])?);
        wanted.push(run.len());
        rows.add(*result, attempt.rows.range(*first..=last).map(|(_, rows)| rows).sum());
        if *result == RowResult::Pending {
            pending_items += u32::try_from(run.len()).unwrap_or(u32::MAX);
        }
    }
    changes.push(counters_change(submission, &rows, pending_items, end)?);
    changes.push(end_change(submission, batch, &rows, end)?);
    let changed = transaction.execute_all(changes)?;
    let (of_items, of_attempt) = changed.split_at(wanted.len().min(changed.len()));
    if of_items != wanted {
        return Err(JournalError::LostRace { submission, what: "an item" });
    }
    if of_attempt != [1, 1] {
        return Err(JournalError::LostRace { submission, what: "an attempt" });
    }
    Ok(())
}

/// Stores the end of an attempt and counts its request. Its rows must have been moved before.
pub(crate) fn end_attempt(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    batch: u32,
    counts: &ResultCounts,
    end: &AttemptEnd,
) -> Result<(), JournalError> {
    let changed = transaction.execute_all(vec![end_change(submission, batch, counts, end)?])?;
    if changed != [1] {
        return Err(JournalError::LostRace { submission, what: "an attempt" });
    }
    let requests = counted_request(counts, end);
    let sql = "UPDATE submission SET batches = batches + ?2, requests = requests + ?3, active_ms = active_ms + ?4 WHERE id = ?1";
    transaction.execute(sql, params![submission, requests.0, requests.1, end.active_milliseconds])?;
    Ok(())
}

/// Returns whether a request settled any row, and whether it may have left.
fn counted_request(counts: &ResultCounts, end: &AttemptEnd) -> (bool, bool) {
    (counts.accepted + counts.rejected + counts.unconfirmed > 0, end.class != OutcomeClass::NotSent)
}

/// Returns the change that moves the rows of an attempt out of `sending` and counts its request.
fn counters_change(
    submission: SubmissionId,
    rows: &ResultCounts,
    pending_items: u32,
    end: &AttemptEnd,
) -> Result<PreparedChange, JournalError> {
    let (settled, left) = counted_request(rows, end);
    let sql = "UPDATE submission SET sending = sending - ?2, pending = pending + ?3, accepted = accepted + ?4,
             rejected = rejected + ?5, unconfirmed = unconfirmed + ?6, pending_items = pending_items + ?7,
             batches = batches + ?8, requests = requests + ?9, active_ms = active_ms + ?10 WHERE id = ?1";
    Ok(PreparedChange::new(
        sql,
        params![
            submission,
            rows.total(),
            rows.pending,
            rows.accepted,
            rows.rejected,
            rows.unconfirmed,
            pending_items,
            settled,
            left,
            end.active_milliseconds
        ],
    )?)
}

fn end_change(
    submission: SubmissionId,
    batch: u32,
    counts: &ResultCounts,
    end: &AttemptEnd,
) -> Result<PreparedChange, JournalError> {
    let sql = "UPDATE attempt SET ended = ?3, class = ?4, status = ?5, milliseconds = ?6, log_id = ?7,
             pending = ?8, accepted = ?9, rejected = ?10, unconfirmed = ?11, answer = ?12
         WHERE submission = ?1 AND batch = ?2 AND ended IS NULL";
    Ok(PreparedChange::new(
        sql,
        params![
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
        ],
    )?)
}
