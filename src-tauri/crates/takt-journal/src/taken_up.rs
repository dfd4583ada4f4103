//! The desk that last continued a submission of a team. A desk that lost it can show who continues it.

use jiff::Timestamp;

use crate::database::{OptionalExtension, Transaction, params};
use crate::{Journal, JournalError, Plans, SubmissionId};

/// The person who continued a submission, and the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenUp {
    /// The person and the computer.
    pub person: String,
    pub at: Timestamp,
}

impl Journal {
    /// Records the desk that runs the submission, in the same transaction. Does nothing in a file, which belongs to one
    /// desk.
    pub(crate) fn store_taken_up(
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
    /// Returns the desk that last took the submission over. Absent if it still runs where it was started, or in a file.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn taken_up(&self, submission: SubmissionId) -> Result<Option<TakenUp>, JournalError> {
        if self.0.team().is_none() {
            return Ok(None);
        }
        let found: Option<(String, String)> = self.0.read(|connection| {
            let sql = "SELECT person, at FROM taken_up WHERE submission = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row([submission], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
        })?;
        found.map(|(person, at)| Ok(TakenUp { person, at: at.parse()? })).transpose()
    }
}
