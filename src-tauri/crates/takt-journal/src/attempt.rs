//! Stored attempts, one for each request. `sending` begins and ends them.

use crate::StoredWord;
use crate::database::{Connection, Row, Transaction, params};
use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr};

use crate::{Journal, JournalError, ResultCounts, RowResult, SubmissionId, abandoned::abandoned_counts};

/// The kind of an attempt's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum OutcomeClass {
    /// The service processed the request and returned a result for each item.
    Answered,
    /// The service refused the request as a whole.
    Refused,
    /// The service asked to retry later, or with a smaller request.
    Deferred,
    /// The request never left.
    NotSent,
    /// It isn't known whether the request was applied.
    Unknown,
}

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    pub at: Timestamp,
    pub class: OutcomeClass,
    /// The response's HTTP status. Absent without a response.
    pub status: Option<u16>,
    /// The time from request to response, at least 1. 0 if the sender ended before the outcome was known.
    pub milliseconds: u32,
    /// The running time that it adds to the submission.
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
    /// Absent while it runs.
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
    /// Returns the last attempts, oldest first.
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
}

/// The setting that exists until all stored responses are redacted. It holds the last attempt whose response is
/// redacted. Created by the seventh update of the schema.
const UNREDACTED_SETTING: &str = "answers-to-be-cleaned";
/// The number of responses that are redacted in one transaction.
const RESPONSES_PER_TRANSACTION: u32 = 500;

impl Requests<'_> {
    /// Returns whether stored responses may contain secrets, because an earlier version stored them unredacted.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn has_unclean_answers(&self) -> Result<bool, JournalError> {
        Ok(self.0.settings().get(UNREDACTED_SETTING)?.is_some())
    }

    /// Marks all stored responses as unredacted, because another version of Takt may have written some.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn mark_answers_unredacted(&self) -> Result<(), JournalError> {
        self.0.settings().set(UNREDACTED_SETTING, &serde_json::json!([0, 0]))
    }

    /// Redacts such responses in several transactions, and continues an interrupted run. `clean` returns the redacted
    /// text, or none if the text has no secret. Returns the number of changed responses.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn clean_answers(&self, clean: impl Fn(&str) -> Option<String>) -> Result<usize, JournalError> {
        let mut changed = 0;
        while let Some(done) = self.0.settings().get(UNREDACTED_SETTING)? {
            let (submission, batch): (SubmissionId, u32) = serde_json::from_value(done)?;
            changed += self.0.own_write(|transaction| redact_some(transaction, submission, batch, &clean))?;
        }
        Ok(changed)
    }
}

fn redact_some(
    transaction: &Transaction<'_>,
    submission: SubmissionId,
    batch: u32,
    clean: &impl Fn(&str) -> Option<String>,
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
        if let Some(redacted) = clean(answer) {
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

/// Returns the current results of an attempt's rows, without those that a later attempt carried.
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

pub(crate) fn attempt_from_row(row: Row<'_>) -> Result<AttemptRecord, JournalError> {
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

/// Returns the numbers of a list of numbers and ranges, in order. Ignores everything that isn't a number.
pub(crate) fn parse_numbers(spans: &str) -> impl Iterator<Item = u32> + '_ {
    spans.split(',').flat_map(|span| {
        let (first, last) = span.split_once('-').unwrap_or((span, span));
        match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) => first..=last,
            #[expect(clippy::reversed_empty_ranges, reason = "nothing")]
            _ => 1..=0,
        }
    })
}

/// Returns an open attempt as unknown, because its process has ended.
pub(crate) fn abandoned_attempt(attempt: AttemptRecord) -> AttemptRecord {
    match attempt.ended {
        None => {
            AttemptRecord { counts: abandoned_counts(attempt.counts), class: Some(OutcomeClass::Unknown), ..attempt }
        }
        Some(_) => attempt,
    }
}
