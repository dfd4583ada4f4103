//! Submissions: creation, state changes, lists, and the desk that last continued one.

use jiff::Timestamp;
use serde_json::Value;

use crate::approval::ensure_approved;
use crate::attempt::{self, AttemptRecord, abandoned_attempt};
use crate::database::{Connection, OptionalExtension, SqlValue, Transaction, params, params_from_iter};
use crate::item::NewItem;
use crate::key_claim_check::claim_keys;
use crate::submission_record::{SUBMISSION_RECORD_COLUMNS, load, record_from_row, set_state};
use crate::{
    ClaimChoice, Journal, JournalError, NewSubmission, Plans, Run, StoredWord, SubmissionId, SubmissionRecord,
    SubmissionState,
};

impl Journal {
    /// Stores a plan of one step and returns the right to run it: see [`PlanWriter`](crate::PlanWriter).
    ///
    /// # Errors
    ///
    /// - [`JournalError::RowsDiffer`]: an item has no rows, or two items have the same row.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn create_submission(
        &self,
        new: &NewSubmission,
        items: impl IntoIterator<Item = NewItem>,
    ) -> Result<Run, JournalError> {
        let mut writer = self.plans().writer();
        writer.begin_step(new.clone());
        for item in items {
            writer.add_item(item.encode()?)?;
        }
        Ok(writer.complete()?.run)
    }

    /// Returns a submission. If its process ended without recording it, returns the state that recovery would store.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - A [read error](crate::JournalError#reading): it can't be read.
    pub fn submission(&self, id: SubmissionId) -> Result<SubmissionRecord, JournalError> {
        self.read(|connection| self.current_record(connection, id))
    }

    fn current_record(&self, connection: &Connection<'_>, id: SubmissionId) -> Result<SubmissionRecord, JournalError> {
        self.resolve_abandoned(connection, load(connection, id)?)?.ok_or(JournalError::UnknownSubmission(id))
    }

    /// Returns a snapshot of a submission and its last attempts, oldest first.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - A [read error](crate::JournalError#reading): it can't be read.
    pub fn load_with_attempts(
        &self,
        id: SubmissionId,
        at_most: u32,
    ) -> Result<(SubmissionRecord, Vec<AttemptRecord>), JournalError> {
        self.read(|connection| {
            // Queried before the snapshot. Otherwise, a submission that ends in between would look abandoned.
            let abandoned = self.is_abandoned(connection, id)?;
            connection.with_snapshot(|snapshot| {
                let (record, mut attempts) = (load(snapshot, id)?, attempt::load_last(snapshot, id, at_most)?);
                for attempt in attempts.iter_mut().filter(|one| one.ended.is_some() && one.counts.unconfirmed > 0) {
                    attempt.counts = attempt::current_counts(snapshot, id, attempt)?;
                }
                if !abandoned {
                    return Ok((record, attempts));
                }
                let record = self.resolve_abandoned(snapshot, record)?.ok_or(JournalError::UnknownSubmission(id))?;
                Ok((record, attempts.into_iter().map(abandoned_attempt).collect()))
            })
        })
    }

    /// Returns submissions, newest first. Excludes submissions whose process ended during preparation.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn submissions(&self, offset: u32, limit: u32) -> Result<Vec<SubmissionRecord>, JournalError> {
        self.read(|connection| self.list(connection, "TRUE", &[], offset, limit))
    }

    /// Returns submissions that meet the SQL condition, newest first. Excludes submissions whose process ended during
    /// preparation.
    pub(crate) fn list(
        &self,
        connection: &Connection<'_>,
        condition: &str,
        values: &[SqlValue],
        offset: u32,
        limit: u32,
    ) -> Result<Vec<SubmissionRecord>, JournalError> {
        let visible = self.visible_condition(connection)?;
        let sql = format!(
            "SELECT {SUBMISSION_RECORD_COLUMNS} FROM submission WHERE {visible} AND {condition} ORDER BY id DESC LIMIT {limit} OFFSET {offset}"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        let mut submissions = Vec::new();
        while let Some(row) = rows.next()? {
            submissions.extend(self.resolve_abandoned(connection, record_from_row(row)?)?);
        }
        Ok(submissions)
    }

    /// Returns a condition that excludes submissions whose process ended during preparation.
    pub(crate) fn visible_condition(&self, connection: &Connection<'_>) -> Result<String, JournalError> {
        let abandoned: Vec<String> =
            self.abandoned_in_preparation(connection)?.iter().map(SubmissionId::to_string).collect();
        Ok(if abandoned.is_empty() { "TRUE".to_owned() } else { format!("id NOT IN ({})", abandoned.join(", ")) })
    }

    /// Changes a submission's state from one of `from` to `to`.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - [`JournalError::LostRace`]: its state is none of `from`. Nothing was changed.
    /// - [`JournalError::NotApproved`]: it is to run, and a second person hasn't approved it.
    /// - [`JournalError::KeysClaimed`]: it is to run, and other desks of the team are sending some of its keys.
    /// - [`JournalError::FileBeingSent`]: it is to run, and without a team another plan is sending the same file.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn change_state(
        &self,
        run: &Run,
        from: &[SubmissionState],
        to: SubmissionState,
        at: Timestamp,
        problem: Option<&Value>,
    ) -> Result<(), JournalError> {
        self.write_with_run(run, |transaction| {
            let id = run.submission();
            let old = require_state(transaction, id, from)?;
            if to == SubmissionState::Running {
                ensure_approved(transaction, id)?;
                claim_keys(self, transaction, id, ClaimChoice::Refuse)?;
                self.record_takeover(transaction, id, at)?;
            }
            set_state(transaction, id, old, to, at, problem)
        })
    }

    /// Starts a submission whose state is one of `from`, only to read back unconfirmed items. Doesn't check whether
    /// other desks are sending the same keys.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - [`JournalError::LostRace`]: its state is none of `from`. Nothing was changed.
    /// - [`JournalError::NotApproved`]: a second person hasn't approved it.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn begin_reading_back(&self, run: &Run, from: &[SubmissionState], at: Timestamp) -> Result<(), JournalError> {
        self.write_with_run(run, |transaction| {
            let id = run.submission();
            let old = require_state(transaction, id, from)?;
            ensure_approved(transaction, id)?;
            self.record_takeover(transaction, id, at)?;
            set_state(transaction, id, old, SubmissionState::Running, at, None)
        })
    }

    /// Changes the number of items per request, from the next request on.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn set_batch_size(&self, run: &Run, batch_size: u32) -> Result<(), JournalError> {
        self.write_with_run(run, |transaction| {
            let sql = "UPDATE submission SET batch_size = ?2 WHERE id = ?1";
            transaction.execute(sql, params![run.submission(), batch_size.max(1)])?;
            Ok(())
        })
    }

    /// Adds running time that belongs to no attempt, for example the wait for a rate limit.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn add_active_time(&self, run: &Run, milliseconds: u32) -> Result<(), JournalError> {
        self.write_with_run(run, |transaction| {
            let sql = "UPDATE submission SET active_ms = active_ms + ?2 WHERE id = ?1";
            transaction.execute(sql, params![run.submission(), milliseconds])?;
            Ok(())
        })
    }
}

/// Returns the submission's state, which must be one of `from`. A submission in preparation is treated as unknown.
fn require_state(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    from: &[SubmissionState],
) -> Result<SubmissionState, JournalError> {
    let sql = "SELECT state FROM submission WHERE id = ?1 AND NOT preparing";
    let found: Option<String> = transaction.query_row(sql, [id], |row| row.get(0)).optional()?;
    let state = SubmissionState::from_word(&found.ok_or(JournalError::UnknownSubmission(id))?)?;
    if from.contains(&state) { Ok(state) } else { Err(JournalError::LostRace { submission: id, what: "the state" }) }
}

/// The person who continued a submission, and the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Takeover {
    /// The account and the computer, as the team's history shows them.
    pub person: String,
    pub at: Timestamp,
}

impl Journal {
    /// Records in the transaction that this desk runs the submission. Does nothing without a team, because a file
    /// belongs to one desk.
    fn record_takeover(
        &self,
        transaction: &Transaction<'_>,
        submission: SubmissionId,
        at: Timestamp,
    ) -> Result<(), JournalError> {
        let Some(team) = self.team() else { return Ok(()) };
        let sql = "INSERT INTO taken_up (submission, at, person) VALUES (?1, ?2, ?3)
             ON CONFLICT (submission) DO UPDATE SET at = excluded.at, person = excluded.person";
        transaction.prepare_cached(sql)?.execute(params![submission, at.to_string(), team.person()])?;
        Ok(())
    }
}

impl Plans<'_> {
    /// Returns the person who last continued the submission. Returns none if it was never continued, and without a
    /// team.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last_takeover(&self, submission: SubmissionId) -> Result<Option<Takeover>, JournalError> {
        if self.0.team().is_none() {
            return Ok(None);
        }
        let found: Option<(String, String)> = self.0.read(|connection| {
            let sql = "SELECT person, at FROM taken_up WHERE submission = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row([submission], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
        })?;
        found.map(|(person, at)| Ok(Takeover { person, at: at.parse()? })).transpose()
    }
}
