//! Submissions: their beginning, their states, their lists.

use crate::StoredWord;
use crate::database::{Connection, OptionalExtension, SqlValue, Transaction, params, params_from_iter};
use jiff::Timestamp;
use serde_json::Value;

use crate::ClaimChoice;
use crate::approval::ensure_approved;
use crate::attempt::{self, attempt_as_left};
use crate::key_claim_check::claim_keys;
use crate::submission_record::{COLUMNS, one, record, set_state};
use crate::{
    Journal, JournalError, NewSubmission, Run, SubmissionId, SubmissionRecord, SubmissionState, attempt::AttemptRecord,
    item::NewItem, preparation, step::NewStep,
};

impl Journal {
    /// Writes a plan of one step down: see [`Plans::create`](crate::Plans::create). Hands over the right to run it.
    ///
    /// # Errors
    ///
    /// - [`JournalError::RowsDiffer`]: an item has no rows, or two have the same one.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn create_submission(
        &self,
        new: &NewSubmission,
        items: impl IntoIterator<Item = NewItem>,
    ) -> Result<Run, JournalError> {
        let step = NewStep::new(new.clone(), items);
        preparation::create(self, vec![step], || true)?.map(|plan| plan.run).ok_or(JournalError::Abandoned)
    }

    /// One submission, as it reads now.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - A [read error](crate::JournalError#reading): it can't be read.
    pub fn submission(&self, id: SubmissionId) -> Result<SubmissionRecord, JournalError> {
        self.read(|connection| self.as_left(connection, id))
    }

    fn as_left(&self, connection: &Connection<'_>, id: SubmissionId) -> Result<SubmissionRecord, JournalError> {
        self.read_as_left(connection, one(connection, id)?)?.ok_or(JournalError::UnknownSubmission(id))
    }

    /// A submission and its last attempts, oldest first, as they stood at one moment.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - A [read error](crate::JournalError#reading): it can't be read.
    pub fn standing(
        &self,
        id: SubmissionId,
        at_most: u32,
    ) -> Result<(SubmissionRecord, Vec<AttemptRecord>), JournalError> {
        self.read(|connection| {
            // Asked before the moment that is read: in there an end that is written meanwhile can't be seen.
            let abandoned = self.is_abandoned(connection, id)?;
            connection.at_one_moment(|moment| {
                let (record, mut attempts) = (one(moment, id)?, attempt::last(moment, id, at_most)?);
                for attempt in attempts.iter_mut().filter(|one| one.ended.is_some() && one.counts.unconfirmed > 0) {
                    attempt.counts = attempt::settled(moment, id, attempt)?;
                }
                if !abandoned {
                    return Ok((record, attempts));
                }
                let record = self.read_as_left(moment, record)?.ok_or(JournalError::UnknownSubmission(id))?;
                Ok((record, attempts.into_iter().map(attempt_as_left).collect()))
            })
        })
    }

    /// Newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn submissions(&self, offset: u32, limit: u32) -> Result<Vec<SubmissionRecord>, JournalError> {
        self.read(|connection| self.list(connection, "TRUE", &[], (offset, limit)))
    }

    /// Those that fit the condition, newest first, without what was never ready to be sent.
    pub(crate) fn list(
        &self,
        connection: &Connection<'_>,
        condition: &str,
        given: &[SqlValue],
        (offset, limit): (u32, u32),
    ) -> Result<Vec<SubmissionRecord>, JournalError> {
        let there = self.there(connection)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM submission WHERE {there} AND {condition} ORDER BY id DESC LIMIT {limit} OFFSET {offset}"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(given))?;
        let mut submissions = Vec::new();
        while let Some(row) = rows.next()? {
            submissions.extend(self.read_as_left(connection, record(row)?)?);
        }
        Ok(submissions)
    }

    /// A condition that holds for all but what was being prepared when its Takt ended.
    pub(crate) fn there(&self, connection: &Connection<'_>) -> Result<String, JournalError> {
        let left: Vec<String> = self.left_in_preparation(connection)?.iter().map(SubmissionId::to_string).collect();
        Ok(if left.is_empty() { "TRUE".to_owned() } else { format!("id NOT IN ({})", left.join(", ")) })
    }

    /// Moves a submission from one of `from` to `to`; another old state is a lost race, and nothing is changed.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - [`JournalError::LostRace`]: its state is none of `from`; nothing was changed.
    /// - [`JournalError::NotApproved`]: it is to run, and a second person hasn't approved it.
    /// - [`JournalError::KeysClaimed`]: it is to run, and other desks of the team are sending some of its keys.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn change_state(
        &self,
        run: &Run,
        from: &[SubmissionState],
        to: SubmissionState,
        at: Timestamp,
        problem: Option<&Value>,
    ) -> Result<(), JournalError> {
        self.write_by(run, |transaction| {
            let id = run.submission();
            let old = state_among(transaction, id, from)?;
            if to == SubmissionState::Running {
                ensure_approved(transaction, id)?;
                claim_keys(transaction, id, ClaimChoice::Refuse)?;
                self.store_taken_up(transaction, id, at)?;
            }
            set_state(transaction, id, old, to, at, problem)
        })
    }

    /// Has a submission run that is in one of `from`, to read back what is unconfirmed and to send nothing: so it may, whatever other
    /// desks are sending.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - [`JournalError::LostRace`]: its state is none of `from`; nothing was changed.
    /// - [`JournalError::NotApproved`]: a second person hasn't approved it.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn begin_reading_back(&self, run: &Run, from: &[SubmissionState], at: Timestamp) -> Result<(), JournalError> {
        self.write_by(run, |transaction| {
            let id = run.submission();
            let old = state_among(transaction, id, from)?;
            ensure_approved(transaction, id)?;
            self.store_taken_up(transaction, id, at)?;
            set_state(transaction, id, old, SubmissionState::Running, at, None)
        })
    }

    /// From the next batch on.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn set_batch_size(&self, run: &Run, batch_size: u32) -> Result<(), JournalError> {
        self.write_by(run, |transaction| {
            let sql = "UPDATE submission SET batch_size = ?2 WHERE id = ?1";
            transaction.execute(sql, params![run.submission(), batch_size.max(1)])?;
            Ok(())
        })
    }

    /// Adds running time that no attempt carried, for example the wait for a rate limit.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn add_active_time(&self, run: &Run, milliseconds: u32) -> Result<(), JournalError> {
        self.write_by(run, |transaction| {
            let sql = "UPDATE submission SET active_ms = active_ms + ?2 WHERE id = ?1";
            transaction.execute(sql, params![run.submission(), milliseconds])?;
            Ok(())
        })
    }
}

/// Its state, which is one of these.
fn state_among(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    from: &[SubmissionState],
) -> Result<SubmissionState, JournalError> {
    let sql = "SELECT state FROM submission WHERE id = ?1 AND NOT preparing";
    let found: Option<String> = transaction.query_row(sql, [id], |row| row.get(0)).optional()?;
    let state = SubmissionState::from_word(&found.ok_or(JournalError::UnknownSubmission(id))?)?;
    if from.contains(&state) { Ok(state) } else { Err(JournalError::LostRace { submission: id, what: "the state" }) }
}
