//! Attempts as they are kept: one request each. How one comes about is told in `sending`.

use crate::StoredWord;
use crate::database::{Connection, Row, Transaction, params};
use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr};

use crate::{Journal, JournalError, ResultCounts, RowResult, SubmissionId, abandoned::counts_as_left};

/// What kind of end an attempt had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum OutcomeClass {
    /// The service processed it and said what became of each item.
    Answered,
    /// The service refused the request as a whole.
    Refused,
    /// The service asked to come back later, or with less.
    Deferred,
    /// It never left.
    NotSent,
    /// Whether it was applied isn't known.
    Unknown,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    pub at: Timestamp,
    pub class: OutcomeClass,
    /// The answer's HTTP status, where one came.
    pub status: Option<u16>,
    /// From sending to answer, at least 1; 0 if the sender was gone before its outcome was known.
    pub milliseconds: u32,
    /// The running time that it adds to the submission.
    pub active_milliseconds: u32,
    /// The service's log identifier, where it gave one.
    pub log_id: Option<String>,
    /// The beginning of an answer that wasn't a plain yes, bounded by the caller. It never holds a secret.
    pub answer: Option<String>,
}

/// An attempt as written down; its counts are in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    pub batch: u32,
    pub started: Timestamp,
    /// Hexadecimal hash of the body as sent.
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
    /// The items' numbers and spans of numbers: `1-100,105`.
    pub numbers: String,
    pub answer: Option<String>,
}

/// Requests of submissions, and what came back.
#[derive(Debug, Clone, Copy)]
pub struct Requests<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Requests of submissions, and what came back.
    #[must_use]
    pub fn requests(&self) -> Requests<'_> {
        Requests(self)
    }
}

impl Requests<'_> {
    /// The last attempts, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn attempts(&self, submission: SubmissionId, at_most: u32) -> Result<Vec<AttemptRecord>, JournalError> {
        self.0.read(|connection| {
            let attempts = last(connection, submission, at_most)?;
            let abandoned = self.0.is_abandoned(connection, submission)?;
            Ok(if abandoned { attempts.into_iter().map(attempt_as_left).collect() } else { attempts })
        })
    }
}

/// Set by the schema's seventh step, and as long as it isn't done: the last attempt whose answer is clean.
const UNCLEAN: &str = "answers-to-be-cleaned";
/// Answers that are cleaned in one transaction.
const PIECE: u32 = 500;

impl Requests<'_> {
    /// Whether answers may hold secrets, because an earlier Takt wrote them down as they came.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn has_unclean_answers(&self) -> Result<bool, JournalError> {
        Ok(self.0.settings().get(UNCLEAN)?.is_some())
    }

    /// What was written down by others than this Takt is to be cleaned.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn distrust_answers(&self) -> Result<(), JournalError> {
        self.0.settings().set(UNCLEAN, &serde_json::json!([0, 0]))
    }

    /// Cleans such answers, piece by piece; a start that is interrupted is gone on with by the next. `clean` gives what is left
    /// of one where something has to go. How many were changed.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn clean_answers(&self, clean: impl Fn(&str) -> Option<String>) -> Result<usize, JournalError> {
        let mut changed = 0;
        while let Some(done) = self.0.settings().get(UNCLEAN)? {
            let (submission, batch): (SubmissionId, u32) = serde_json::from_value(done)?;
            changed += self.0.own_write(|transaction| clean_piece(transaction, (submission, batch), &clean))?;
        }
        Ok(changed)
    }
}

fn clean_piece(
    transaction: &Transaction<'_>,
    (submission, batch): (SubmissionId, u32),
    clean: &impl Fn(&str) -> Option<String>,
) -> Result<usize, JournalError> {
    let sql = "SELECT submission, batch, answer FROM attempt
         WHERE answer IS NOT NULL AND (submission, batch) > (?1, ?2) ORDER BY submission, batch LIMIT ?3";
    let mut statement = transaction.prepare_cached(sql)?;
    let attempts =
        statement.query_map(params![submission, batch, PIECE], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let attempts: Vec<(SubmissionId, u32, String)> = attempts.collect::<Result<_, _>>()?;
    let mut changed = 0;
    for (submission, batch, answer) in &attempts {
        if let Some(left) = clean(answer) {
            let sql = "UPDATE attempt SET answer = ?3 WHERE submission = ?1 AND batch = ?2";
            changed += transaction.prepare_cached(sql)?.execute(params![submission, batch, left])?;
        }
    }
    match attempts.last() {
        Some((submission, batch, _)) if attempts.len() >= PIECE as usize => {
            let done = serde_json::to_string(&(submission, batch))?;
            transaction.execute("UPDATE setting SET value = ?2 WHERE name = ?1", params![UNCLEAN, done])?;
        }
        _ => drop(transaction.execute("DELETE FROM setting WHERE name = ?1", [UNCLEAN])?),
    }
    Ok(changed)
}

pub(crate) fn last(
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
        attempts.push(record(row)?);
    }
    Ok(attempts)
}

/// How the rows of an attempt that left unconfirmed behind stand by now, as far as none carried them again.
pub(crate) fn settled(
    connection: &Connection<'_>,
    submission: SubmissionId,
    attempt: &AttemptRecord,
) -> Result<ResultCounts, JournalError> {
    let mut counts = ResultCounts::default();
    let (Some(first), Some(last)) = (numbers(&attempt.numbers).min(), numbers(&attempt.numbers).max()) else {
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

pub(crate) fn record(row: Row<'_>) -> Result<AttemptRecord, JournalError> {
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

/// The items that `numbers` names, in order. What isn't a number was never written.
pub(crate) fn numbers(spans: &str) -> impl Iterator<Item = u32> + '_ {
    spans.split(',').flat_map(|span| {
        let (first, last) = span.split_once('-').unwrap_or((span, span));
        match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) => first..=last,
            #[expect(clippy::reversed_empty_ranges, reason = "nothing")]
            _ => 1..=0,
        }
    })
}

/// An attempt as it reads where its Takt ended without a word.
pub(crate) fn attempt_as_left(attempt: AttemptRecord) -> AttemptRecord {
    match attempt.ended {
        None => AttemptRecord { counts: counts_as_left(attempt.counts), class: Some(OutcomeClass::Unknown), ..attempt },
        Some(_) => attempt,
    }
}
