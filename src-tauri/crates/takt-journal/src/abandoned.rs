//! How a submission reads whose Takt ended without a word, as long as recovery hasn't settled it: somewhere that is only
//! looked at, or where nothing can be written.
//!
//! What was being sent is unconfirmed, what was running is interrupted, and what was being prepared was never there.

use std::collections::BTreeMap;

use crate::database::Connection;
use crate::submission_record::one;
use crate::{Journal, JournalError, Reason, ResultCounts, RowResult, SubmissionId, SubmissionRecord, SubmissionState};

/// The reason code of rows that were being sent when Takt ended.
pub const ENDED_WHILE_SENDING: &str = "ended-while-sending";

impl Journal {
    /// Whether its run, or its preparation, ended without a word.
    pub(crate) fn is_abandoned(&self, connection: &Connection<'_>, id: SubmissionId) -> Result<bool, JournalError> {
        // Whoever ends in order writes that down and lets go then: seen the other way round it would look like an end without a word.
        Ok(is_open(&one(connection, id)?) && !self.is_claimed(connection, id)? && is_open(&one(connection, id)?))
    }

    /// A record as it reads now; none where nothing of it was ever sent.
    pub(crate) fn read_as_left(
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
        record.counts = counts_as_left(record.counts);
        Ok(Some(record))
    }

    /// Those that were being prepared when their Takt ended.
    pub(crate) fn left_in_preparation(&self, connection: &Connection<'_>) -> Result<Vec<SubmissionId>, JournalError> {
        let mut statement = connection.prepare_cached("SELECT id FROM submission WHERE preparing ORDER BY id")?;
        let submissions: Vec<SubmissionId> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        self.unclaimed(connection, submissions)
    }

    fn unclaimed(
        &self,
        connection: &Connection<'_>,
        submissions: Vec<SubmissionId>,
    ) -> Result<Vec<SubmissionId>, JournalError> {
        let mut left = Vec::new();
        for id in submissions {
            if !self.is_claimed(connection, id)? {
                left.push(id);
            }
        }
        Ok(left)
    }

    /// The numbers of those that were sending when their Takt ended, as SQL: a list that is never empty.
    pub(crate) fn left_sending(&self, connection: &Connection<'_>) -> Result<String, JournalError> {
        let mut statement =
            connection.prepare_cached("SELECT id FROM submission WHERE ended IS NULL AND sending > 0")?;
        let submissions: Vec<SubmissionId> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let left: Vec<String> = self.unclaimed(connection, submissions)?.iter().map(SubmissionId::to_string).collect();
        Ok(if left.is_empty() { "NULL".to_owned() } else { left.join(", ") })
    }
}

fn is_open(record: &SubmissionRecord) -> bool {
    matches!(record.state, SubmissionState::Running | SubmissionState::Preparing) || record.counts.sending > 0
}

pub(crate) fn counts_as_left(counts: ResultCounts) -> ResultCounts {
    ResultCounts { sending: 0, unconfirmed: counts.unconfirmed + counts.sending, ..counts }
}

/// The result as it reads.
pub(crate) fn result_as_left(result: RowResult) -> RowResult {
    if result == RowResult::Sending { RowResult::Unconfirmed } else { result }
}

/// Why rows are unconfirmed that were being sent when Takt ended.
pub(crate) fn ended_while_sending() -> Reason {
    Reason::Because { code: ENDED_WHILE_SENDING.to_owned(), parameters: BTreeMap::new() }
}
