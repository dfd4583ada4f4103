//! Attempts: the requests of a submission, with their items, their ends and their responses.
//!
//! An attempt is committed before its request is sent, and completed once when its outcome is known. The module also
//! redacts responses that earlier versions stored.

use std::collections::BTreeMap;

use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr};

use crate::abandoned::abandoned_counts;
use crate::database::{Connection, OptionalExtension, PreparedChange, Row, Transaction, params};
use crate::item::StoredItem;
use crate::item_body::{BODY, BODY_JOIN};
use crate::result::reasons_to_json;
use crate::{Journal, JournalError, Outcome, ResultCounts, RowResult, Run, StoredWord, SubmissionId};

/// The setting with the submission and batch of the last redacted response. It's removed once all stored responses are
/// redacted. The seventh update of the schema creates it.
const UNREDACTED_SETTING: &str = "answers-to-be-cleaned";
/// The number of responses that one transaction redacts. It limits how long other writers are blocked.
const RESPONSES_PER_TRANSACTION: u32 = 500;

/// The outcome of a request as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum OutcomeClass {
    /// The service processed the request and returned a result for each item.
    Answered,
    /// The service refused the request as a whole.
    Refused,
    /// The service asked to retry later, or with a smaller request.
    Deferred,
    /// The request wasn't sent, so the service can't have applied it.
    NotSent,
    /// It isn't known whether the request was applied.
    Unknown,
}

/// The response and duration of a request, as [`Journal::finish_attempt`] stores them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    pub at: Timestamp,
    pub class: OutcomeClass,
    /// The response's HTTP status. Absent without a response.
    pub status: Option<u16>,
    /// The time from request to response, at least 1. 0 if the sender ended before the outcome was known.
    pub milliseconds: u32,
    /// The running time that the attempt adds to the submission.
    pub active_milliseconds: u32,
    /// The service's log ID, if it returned one.
    pub log_id: Option<String>,
    /// The beginning of a response that wasn't a plain success, limited by the caller. Never contains a secret.
    pub answer: Option<String>,
}

/// A stored attempt. Its counts are in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    pub batch: u32,
    pub started: Timestamp,
    /// The hexadecimal hash of the body that was sent.
    pub wire_hash: String,
    pub items: u32,
    pub rows: u32,
    pub counts: ResultCounts,
    /// Absent while the attempt is open.
    pub ended: Option<Timestamp>,
    pub class: Option<OutcomeClass>,
    pub status: Option<u16>,
    pub milliseconds: Option<u32>,
    pub log_id: Option<String>,
    /// The numbers of the items, with ranges: `1-100,105`.
    pub numbers: String,
    pub answer: Option<String>,
}

/// The requests of submissions, with their responses.
#[derive(Debug, Clone, Copy)]
pub struct Requests<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the requests of submissions.
    #[must_use]
    pub fn requests(&self) -> Requests<'_> {
        Requests(self)
    }
}

impl Requests<'_> {
    /// Returns the last `at_most` attempts, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn attempts(&self, submission: SubmissionId, at_most: u32) -> Result<Vec<AttemptRecord>, JournalError> {
        self.0.read(|connection| {
            let attempts = load_last(connection, submission, at_most)?;
            let abandoned = self.0.is_abandoned(connection, submission)?;
            Ok(if abandoned { attempts.into_iter().map(abandoned_attempt).collect() } else { attempts })
        })
    }

    /// Returns the total number of requests and a page of them, newest first.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - A [read error](crate::JournalError#reading): the requests can't be read.
    pub fn page(
        &self,
        submission: SubmissionId,
        offset: u32,
        limit: u32,
    ) -> Result<(u32, Vec<AttemptRecord>), JournalError> {
        self.0.read(|connection| {
            let total = connection
                .prepare_cached("SELECT attempts FROM submission WHERE id = ?1")?
                .query_row([submission], |row| row.get(0))
                .optional()?
                .ok_or(JournalError::UnknownSubmission(submission))?;
            let sql = "SELECT * FROM attempt WHERE submission = ?1 ORDER BY batch DESC LIMIT ?2 OFFSET ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![submission, limit, offset])?;
            let mut requests = Vec::new();
            while let Some(row) = rows.next()? {
                requests.push(attempt_from_row(row)?);
            }
            if self.0.is_abandoned(connection, submission)? {
                requests = requests.into_iter().map(abandoned_attempt).collect();
            }
            Ok((total, requests))
        })
    }

    /// Returns the request with this batch number, or none if it doesn't exist.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn get(&self, submission: SubmissionId, batch: u32) -> Result<Option<AttemptRecord>, JournalError> {
        self.0.read(|connection| {
            let sql = "SELECT * FROM attempt WHERE submission = ?1 AND batch = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![submission, batch])?;
            let request = rows.next()?.map(attempt_from_row).transpose()?;
            let abandoned = self.0.is_abandoned(connection, submission)?;
            Ok(if abandoned { request.map(abandoned_attempt) } else { request })
        })
    }

    /// Returns the items of a request, in the order in which they were sent.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn items(&self, submission: SubmissionId, request: &AttemptRecord) -> Result<Vec<StoredItem>, JournalError> {
        self.0.read(|connection| {
            let sql = format!(
                "SELECT key, {BODY}, unknown_attempts FROM item{BODY_JOIN} WHERE item.submission = ?1 AND number = ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let numbers = parse_numbers(&request.numbers);
            let item = |number| {
                Ok(statement.query_row(params![submission, number], |row| {
                    Ok(StoredItem { number, key: row.get(0)?, body: row.get(1)?, unknown_attempts: row.get(2)? })
                })?)
            };
            numbers.map(item).collect()
        })
    }

    /// Returns whether stored responses may contain secrets, because an earlier version stored them unredacted.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn has_unredacted_responses(&self) -> Result<bool, JournalError> {
        Ok(self.0.settings().get(UNREDACTED_SETTING)?.is_some())
    }

    /// Marks all stored responses as unredacted, because another version of Takt may have written some.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn mark_responses_unredacted(&self) -> Result<(), JournalError> {
        self.0.settings().set(UNREDACTED_SETTING, &serde_json::json!([0, 0]))
    }

    /// Redacts all unredacted responses, in several transactions. After an interruption, it continues with the next
    /// one. `redact` returns the redacted text, or none if the text has no secret. Returns the number of changed
    /// responses.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn redact_responses(&self, redact: impl Fn(&str) -> Option<String>) -> Result<usize, JournalError> {
        let mut changed = 0;
        while let Some(done) = self.0.settings().get(UNREDACTED_SETTING)? {
            let (submission, batch): (SubmissionId, u32) = serde_json::from_value(done)?;
            changed +=
                self.0.write_own(|transaction| redact_next_responses(transaction, submission, batch, &redact))?;
        }
        Ok(changed)
    }
}

/// Redacts some responses after the given attempt. Returns the number of changed responses.
fn redact_next_responses(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    batch: u32,
    redact: &impl Fn(&str) -> Option<String>,
) -> Result<usize, JournalError> {
    let sql = "SELECT submission, batch, answer FROM attempt
         WHERE answer IS NOT NULL AND (submission, batch) > (?1, ?2) ORDER BY submission, batch LIMIT ?3";
    let mut statement = transaction.prepare_cached(sql)?;
    let attempts = statement.query_map(params![submission, batch, RESPONSES_PER_TRANSACTION], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    let attempts: Vec<(SubmissionId, u32, String)> = attempts.collect::<Result<_, _>>()?;
    let mut changed = 0;
    for (submission, batch, answer) in &attempts {
        if let Some(redacted) = redact(answer) {
            let sql = "UPDATE attempt SET answer = ?3 WHERE submission = ?1 AND batch = ?2";
            changed += transaction.prepare_cached(sql)?.execute(params![submission, batch, redacted])?;
        }
    }
    match attempts.last() {
        Some((submission, batch, _)) if attempts.len() >= RESPONSES_PER_TRANSACTION as usize => {
            let done = serde_json::to_string(&(submission, batch))?;
            transaction.execute("UPDATE setting SET value = ?2 WHERE name = ?1", params![UNREDACTED_SETTING, done])?;
        }
        _ => drop(transaction.execute("DELETE FROM setting WHERE name = ?1", [UNREDACTED_SETTING])?),
    }
    Ok(changed)
}

pub(crate) fn load_last(
    connection: &Connection<'_>,
    submission: SubmissionId,
    at_most: u32,
) -> Result<Vec<AttemptRecord>, JournalError> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM (SELECT * FROM attempt WHERE submission = ?1 ORDER BY batch DESC LIMIT ?2) AS last ORDER BY batch",
    )?;
    let mut rows = statement.query(params![submission, at_most])?;
    let mut attempts = Vec::new();
    while let Some(row) = rows.next()? {
        attempts.push(attempt_from_row(row)?);
    }
    Ok(attempts)
}

/// Returns the current results of an attempt's rows. Excludes rows that a later attempt sent again.
pub(crate) fn current_counts(
    connection: &Connection<'_>,
    submission: SubmissionId,
    attempt: &AttemptRecord,
) -> Result<ResultCounts, JournalError> {
    let mut counts = ResultCounts::default();
    let (Some(first), Some(last)) = (parse_numbers(&attempt.numbers).min(), parse_numbers(&attempt.numbers).max())
    else {
        return Ok(attempt.counts);
    };
    let mut statement = connection.prepare_cached(
        "SELECT result, SUM(rows) FROM item WHERE submission = ?1 AND number BETWEEN ?2 AND ?3 AND batch = ?4 GROUP BY result",
    )?;
    let mut rows = statement.query(params![submission, first, last, attempt.batch])?;
    while let Some(row) = rows.next()? {
        let result = RowResult::from_word(&row.get::<_, String>(0)?)?;
        counts.add(result, row.get(1)?);
    }
    Ok(counts)
}

fn attempt_from_row(row: Row<'_>) -> Result<AttemptRecord, JournalError> {
    let ended: Option<String> = row.get("ended")?;
    let rows: u32 = row.get("rows")?;
    let class: Option<String> = row.get("class")?;
    Ok(AttemptRecord {
        batch: row.get("batch")?,
        started: row.get::<_, String>("started")?.parse()?,
        wire_hash: row.get("wire_hash")?,
        items: row.get("items")?,
        rows,
        counts: ResultCounts {
            pending: row.get("pending")?,
            sending: if ended.is_none() { rows } else { 0 },
            accepted: row.get("accepted")?,
            rejected: row.get("rejected")?,
            unconfirmed: row.get("unconfirmed")?,
            skipped: 0,
        },
        ended: ended.as_deref().map(str::parse).transpose()?,
        class: class.as_deref().map(OutcomeClass::from_word).transpose()?,
        status: row.get("status")?,
        milliseconds: row.get("milliseconds")?,
        log_id: row.get("log_id")?,
        numbers: row.get("numbers")?,
        answer: row.get("answer")?,
    })
}

/// Parses numbers and ranges, such as `1-100,105`. Ignores everything that isn't a number.
fn parse_numbers(spans: &str) -> impl Iterator<Item = u32> + '_ {
    spans.split(',').flat_map(|span| {
        let (first, last) = span.split_once('-').unwrap_or((span, span));
        match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) => first..=last,
            #[expect(clippy::reversed_empty_ranges, reason = "nothing")]
            _ => 1..=0,
        }
    })
}

/// Returns the attempt as unknown if it is open, because the process that sent it has ended.
pub(crate) fn abandoned_attempt(attempt: AttemptRecord) -> AttemptRecord {
    match attempt.ended {
        None => {
            AttemptRecord { counts: abandoned_counts(attempt.counts), class: Some(OutcomeClass::Unknown), ..attempt }
        }
        Some(_) => attempt,
    }
}

/// The committed intent to send some items. Only [`Journal::begin_attempt`] creates an attempt, and
/// [`Journal::finish_attempt`] consumes it. If it is lost, its items stay `sending` until recovery makes them
/// `unconfirmed`.
#[derive(Debug)]
#[must_use = "its items stay `sending` until it is finished"]
pub struct Attempt {
    submission: SubmissionId,
    batch: u32,
    items: Vec<u32>,
    rows: RowsByItem,
}

/// Maps item numbers to their numbers of rows.
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

    /// Returns the total number of rows in the attempt's items.
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
    /// Moves exactly these pending items to `sending` and stores the attempt. Returns only after the commit.
    ///
    /// # Errors
    ///
    /// - [`JournalError::LostRace`]: the submission isn't running, or an item is no longer pending. Nothing was
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
        self.write_together_with_run(run, move |transaction| {
            let (batch, rows) = move_to_sending(transaction, submission, &items)?;
            let attempt = Attempt { submission, batch, items, rows };
            insert_attempt(transaction, &attempt, at, &wire_hash)?;
            Ok(attempt)
        })
    }

    /// Stores the end of an attempt and one outcome for each of its items, in one transaction.
    ///
    /// # Errors
    ///
    /// - [`JournalError::OutcomesDiffer`]: there isn't exactly one outcome for each item of the attempt, or an outcome
    ///   is `sending` or `skipped`.
    /// - [`JournalError::LostRace`]: the attempt has already ended, or an item is no longer being sent.
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
        self.write_together_with_run(run, move |transaction| store_outcomes(transaction, &attempt, &outcomes, &end))
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
        None => Err(not_sendable_error(transaction, submission)?),
    }
}

/// Returns the error that explains why items couldn't be moved to `sending`.
fn not_sendable_error(transaction: &Transaction<'_>, submission: SubmissionId) -> Result<JournalError, JournalError> {
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

/// Stores the outcomes and the end of an attempt. Consecutive items with the same result and reasons share one
/// statement.
fn store_outcomes(
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
        let reasons = reasons_to_json(reasons)?;
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

/// Stores the end of an attempt and adds it to the submission's request counters. The caller must already have moved
/// its rows out of `sending`.
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
    let requests = batch_and_request_increments(counts, end);
    let sql = "UPDATE submission SET batches = batches + ?2, requests = requests + ?3, active_ms = active_ms + ?4 WHERE id = ?1";
    transaction.execute(sql, params![submission, requests.0, requests.1, end.active_milliseconds])?;
    Ok(())
}

/// Returns whether the attempt counts as a batch (a row has a result), and as a request (it may have been sent).
fn batch_and_request_increments(counts: &ResultCounts, end: &AttemptEnd) -> (bool, bool) {
    (counts.accepted + counts.rejected + counts.unconfirmed > 0, end.class != OutcomeClass::NotSent)
}

/// Returns the change that moves the rows of an attempt out of `sending` and adds it to the request counters.
fn counters_change(
    submission: SubmissionId,
    rows: &ResultCounts,
    pending_items: u32,
    end: &AttemptEnd,
) -> Result<PreparedChange, JournalError> {
    let (has_results, may_be_sent) = batch_and_request_increments(rows, end);
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
            has_results,
            may_be_sent,
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
