//! Attempts: one request each, written down before it is sent and completed once afterwards.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::fate::{self, FateCounts};
use crate::submission::move_counts;
use crate::{Fate, Journal, JournalError, Outcome, Run};

/// The committed intent to send these items. Only the journal makes one; whoever sends takes it along and hands it back
/// with the outcomes. One that is lost leaves its items `sending`, and recovery turns those into `in doubt`.
#[derive(Debug)]
#[must_use = "its items stay `sending` until it is finished"]
pub struct Attempt {
    submission: u32,
    batch: u32,
    /// Numbers, with the rows of each.
    items: Vec<(u32, u32)>,
}

impl Attempt {
    #[must_use]
    pub fn submission(&self) -> u32 {
        self.submission
    }

    /// 1-based within the submission.
    #[must_use]
    pub fn batch(&self) -> u32 {
        self.batch
    }

    /// The items' numbers, in the order of the request.
    pub fn items(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.items.iter().map(|(number, _)| *number)
    }
}

/// What kind of end an attempt had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

impl OutcomeClass {
    const ALL: [Self; 5] = [Self::Answered, Self::Refused, Self::Deferred, Self::NotSent, Self::Unknown];

    fn word(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Deferred => "deferred",
            Self::NotSent => "not_sent",
            Self::Unknown => "unknown",
        }
    }

    fn from_word(word: &str) -> Result<Self, JournalError> {
        let found = Self::ALL.into_iter().find(|class| class.word() == word);
        found.ok_or_else(|| JournalError::UnknownWord(word.to_owned()))
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    pub at: Timestamp,
    pub class: OutcomeClass,
    /// The answer's HTTP status, where one came.
    pub status: Option<u16>,
    /// From sending to answer.
    pub milliseconds: u32,
    /// The running time that it adds to the submission.
    pub active_milliseconds: u32,
    /// The service's log identifier, where it gave one.
    pub log_id: Option<String>,
    /// The beginning of an answer that wasn't a plain yes, bounded by whoever gives it. Never holds a secret.
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
    pub counts: FateCounts,
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

impl Journal {
    /// Moves exactly these pending items to `sending` and writes the attempt down. When this returns, it is on disk.
    pub fn begin_attempt(
        &self,
        run: &Run,
        items: &[u32],
        at: Timestamp,
        wire_hash: &str,
    ) -> Result<Attempt, JournalError> {
        let submission = run.submission();
        self.write(|transaction| {
            let batch: Option<u32> = transaction
                .prepare_cached("UPDATE submission SET attempts = attempts + 1 WHERE id = ?1 AND state = 'running' RETURNING attempts")?
                .query_row([submission], |row| row.get(0))
                .optional()?;
            let batch = batch.ok_or(JournalError::LostRace { submission, what: "the state" })?;
            let taken = take(transaction, submission, batch, items)?;
            let rows = taken.iter().map(|(_, rows)| rows).sum::<u32>();
            let count = u32::try_from(taken.len()).unwrap_or(u32::MAX);
            move_counts(transaction, submission, Fate::Pending, Fate::Sending, (count, rows))?;
            transaction
                .prepare_cached(
                    "INSERT INTO attempt (submission, batch, started, wire_hash, items, rows, numbers)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![submission, batch, at.to_string(), wire_hash, count, rows, spans(items)])?;
            Ok(Attempt { submission, batch, items: taken })
        })
    }

    /// Commits the end of an attempt with one outcome per item of it, in one transaction.
    #[expect(clippy::needless_pass_by_value, reason = "an attempt is finished once")]
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
        self.write(|transaction| {
            let counts = settle(transaction, &attempt, outcomes)?;
            end_attempt(transaction, attempt.submission, attempt.batch, &counts, end)
        })
    }

    /// The last attempts, oldest first.
    pub fn attempts(&self, submission: u32, at_most: u32) -> Result<Vec<AttemptRecord>, JournalError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT * FROM (SELECT * FROM attempt WHERE submission = ?1 ORDER BY batch DESC LIMIT ?2) ORDER BY batch",
            )?;
            let mut rows = statement.query(params![submission, at_most])?;
            let mut attempts = Vec::new();
            while let Some(row) = rows.next()? {
                attempts.push(record(row)?);
            }
            Ok(attempts)
        })
    }
}

fn take(
    transaction: &Transaction<'_>,
    submission: u32,
    batch: u32,
    items: &[u32],
) -> Result<Vec<(u32, u32)>, JournalError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE item SET fate = 'sending', reasons = NULL, batch = ?3
         WHERE submission = ?1 AND number = ?2 AND fate = 'pending' RETURNING rows",
    )?;
    let mut taken = Vec::with_capacity(items.len());
    for number in items {
        let rows: Option<u32> = statement.query_row(params![submission, number, batch], |row| row.get(0)).optional()?;
        taken.push((*number, rows.ok_or(JournalError::LostRace { submission, what: "an item" })?));
    }
    if taken.is_empty() {
        return Err(JournalError::LostRace { submission, what: "an item" });
    }
    Ok(taken)
}

/// Numbers as spans: 1, 2, 3, 7 are `1-3,7`.
fn spans(numbers: &[u32]) -> String {
    let spans = numbers.chunk_by(|before, next| before.checked_add(1) == Some(*next));
    let texts = spans.filter_map(|span| match span {
        [] => None,
        [only] => Some(only.to_string()),
        [first, .., last] => Some(format!("{first}-{last}")),
    });
    texts.collect::<Vec<_>>().join(",")
}

fn covers(attempt: &Attempt, outcomes: &[Outcome]) -> bool {
    let mut wanted: Vec<u32> = attempt.items().collect();
    let mut given: Vec<u32> = outcomes.iter().map(|outcome| outcome.item).collect();
    wanted.sort_unstable();
    given.sort_unstable();
    wanted == given && outcomes.iter().all(|outcome| !matches!(outcome.fate, Fate::Sending | Fate::Skipped))
}

fn settle(transaction: &Transaction<'_>, attempt: &Attempt, outcomes: &[Outcome]) -> Result<FateCounts, JournalError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE item SET fate = ?4, reasons = ?5
         WHERE submission = ?1 AND number = ?2 AND batch = ?3 AND fate = 'sending' RETURNING rows",
    )?;
    let (mut rows_by_fate, mut items_by_fate) = (FateCounts::default(), FateCounts::default());
    for outcome in outcomes {
        let reasons = fate::reasons_text(&outcome.reasons)?;
        let rows: Option<u32> = statement
            .query_row(params![attempt.submission, outcome.item, attempt.batch, outcome.fate.word(), reasons], |row| {
                row.get(0)
            })
            .optional()?;
        let rows = rows.ok_or(JournalError::LostRace { submission: attempt.submission, what: "an item" })?;
        rows_by_fate.add(outcome.fate, rows);
        items_by_fate.add(outcome.fate, 1);
    }
    for fate in Fate::ALL {
        let moved = (items_by_fate.of(fate), rows_by_fate.of(fate));
        move_counts(transaction, attempt.submission, Fate::Sending, fate, moved)?;
    }
    Ok(rows_by_fate)
}

/// Completes the attempt's own row and the submission's counters of requests.
pub(crate) fn end_attempt(
    transaction: &Transaction<'_>,
    submission: u32,
    batch: u32,
    counts: &FateCounts,
    end: &AttemptEnd,
) -> Result<(), JournalError> {
    let changed = transaction
        .prepare_cached(
            "UPDATE attempt SET ended = ?3, class = ?4, status = ?5, milliseconds = ?6, log_id = ?7,
                    pending = ?8, accepted = ?9, rejected = ?10, in_doubt = ?11, answer = ?12
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
            counts.in_doubt,
            end.answer
        ])?;
    if changed != 1 {
        return Err(JournalError::LostRace { submission, what: "an attempt" });
    }
    let settled = counts.accepted + counts.rejected + counts.in_doubt > 0;
    transaction
        .prepare_cached(
            "UPDATE submission SET batches = batches + ?2, requests = requests + ?3, active_ms = active_ms + ?4 WHERE id = ?1",
        )?
        .execute(params![submission, settled, end.class != OutcomeClass::NotSent, end.active_milliseconds])?;
    Ok(())
}

fn record(row: &Row<'_>) -> Result<AttemptRecord, JournalError> {
    let ended: Option<String> = row.get("ended")?;
    let rows: u32 = row.get("rows")?;
    let class: Option<String> = row.get("class")?;
    Ok(AttemptRecord {
        batch: row.get("batch")?,
        started: row.get::<_, String>("started")?.parse()?,
        wire_hash: row.get("wire_hash")?,
        items: row.get("items")?,
        rows,
        counts: FateCounts {
            pending: row.get("pending")?,
            sending: if ended.is_none() { rows } else { 0 },
            accepted: row.get("accepted")?,
            rejected: row.get("rejected")?,
            in_doubt: row.get("in_doubt")?,
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
