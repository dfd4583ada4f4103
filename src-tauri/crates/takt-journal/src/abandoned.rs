//! Computes the effective state of submissions whose process ended without recording it. Recovery settles them later,
//! except on read-only media or in a window that only reads.
//!
//! Items being sent are treated as unconfirmed, and a running submission as interrupted. A submission in preparation is
//! hidden.

use std::collections::BTreeMap;

use crate::database::Connection;
use crate::submission_record;
use crate::{Journal, JournalError, Reason, ResultCounts, RowResult, SubmissionId, SubmissionRecord, SubmissionState};

/// The reason code of rows that were being sent when Takt ended.
pub const ENDED_WHILE_SENDING: &str = "ended-while-sending";

impl Journal {
    /// Returns whether the process that ran or prepared the submission ended without recording it.
    pub(crate) fn is_abandoned(&self, connection: &Connection<'_>, id: SubmissionId) -> Result<bool, JournalError> {
        // Reads the state again after checking the lock, because a process records its end before it releases the lock.
        Ok(is_open(&submission_record::load(connection, id)?)
            && !self.is_claimed(connection, id)?
            && is_open(&submission_record::load(connection, id)?))
    }

    /// Returns a record in its effective state. Returns none if its process ended during preparation, before anything
    /// was sent.
    pub(crate) fn resolve_abandoned(
        &self,
        connection: &Connection<'_>,
        mut record: SubmissionRecord,
    ) -> Result<Option<SubmissionRecord>, JournalError> {
        if !is_open(&record) || !self.is_abandoned(connection, record.id)? {
            return Ok(Some(record));
        }
        match record.state {
            SubmissionState::Preparing => return Ok(None),
            SubmissionState::Running => record.state = SubmissionState::Interrupted,
            _ => {}
        }
        record.counts = abandoned_counts(record.counts);
        Ok(Some(record))
    }

    /// Returns submissions whose process ended during preparation.
    pub(crate) fn abandoned_in_preparation(
        &self,
        connection: &Connection<'_>,
    ) -> Result<Vec<SubmissionId>, JournalError> {
        let mut statement = connection.prepare_cached("SELECT id FROM submission WHERE preparing ORDER BY id")?;
        let submissions: Vec<SubmissionId> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        self.exclude_claimed(connection, submissions)
    }

    fn exclude_claimed(
        &self,
        connection: &Connection<'_>,
        submissions: Vec<SubmissionId>,
    ) -> Result<Vec<SubmissionId>, JournalError> {
        let mut unclaimed = Vec::new();
        for id in submissions {
            if !self.is_claimed(connection, id)? {
                unclaimed.push(id);
            }
        }
        Ok(unclaimed)
    }

    /// Returns the numbers of submissions whose process ended while sending, as a non-empty SQL list.
    pub(crate) fn abandoned_while_sending(&self, connection: &Connection<'_>) -> Result<String, JournalError> {
        let mut statement =
            connection.prepare_cached("SELECT id FROM submission WHERE ended IS NULL AND sending > 0")?;
        let submissions: Vec<SubmissionId> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let numbers: Vec<String> =
            self.exclude_claimed(connection, submissions)?.iter().map(SubmissionId::to_string).collect();
        Ok(if numbers.is_empty() { "NULL".to_owned() } else { numbers.join(", ") })
    }
}

fn is_open(record: &SubmissionRecord) -> bool {
    matches!(record.state, SubmissionState::Running | SubmissionState::Preparing) || record.counts.sending > 0
}

pub(crate) fn abandoned_counts(counts: ResultCounts) -> ResultCounts {
    ResultCounts { sending: 0, unconfirmed: counts.unconfirmed + counts.sending, ..counts }
}

/// Returns the effective result of an item in an abandoned submission.
pub(crate) fn abandoned_result(result: RowResult) -> RowResult {
    if result == RowResult::Sending { RowResult::Unconfirmed } else { result }
}

pub(crate) fn ended_while_sending() -> Reason {
    Reason::Because { code: ENDED_WHILE_SENDING.to_owned(), parameters: BTreeMap::new() }
}
