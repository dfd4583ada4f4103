//! Savepoints: changes within a transaction that can be undone alone.

use super::connection::{Connection, Transaction};
use super::error::DatabaseError;
use crate::postgres::{PipelineMark, Step};

/// A point to which a transaction can be undone.
#[derive(Debug)]
#[must_use = "it is kept or undone"]
pub(crate) struct Savepoint {
    /// The position before the savepoint itself. Absent for a file.
    mark: Option<PipelineMark>,
}

impl Transaction<'_> {
    /// Begins a savepoint. Only one can be open at a time.
    pub(crate) fn savepoint(&self) -> Result<Savepoint, DatabaseError> {
        match self.connection {
            Connection::Sqlite(_) => {
                self.execute("SAVEPOINT change", [])?;
                Ok(Savepoint { mark: None })
            }
            Connection::Postgres(pipeline) => {
                let mark = pipeline.mark();
                pipeline.push(Step::Batch("SAVEPOINT change".into()));
                Ok(Savepoint { mark: Some(mark) })
            }
        }
    }

    /// Releases the savepoint, so that its changes stay. Fails if one of them fails, and then it still has to be
    /// undone.
    pub(crate) fn release(&self, savepoint: &Savepoint) -> Result<(), DatabaseError> {
        const RELEASE: &str = "RELEASE change";
        match (self.connection, savepoint.mark) {
            (Connection::Postgres(pipeline), Some(mark)) if !pipeline.has_unsent_since(mark) => {
                // The server has already answered every change since the savepoint, so the release needn't wait.
                pipeline.push(Step::Batch(RELEASE.into()));
                Ok(())
            }
            (Connection::Sqlite(_), _) => self.execute(RELEASE, []).map(drop),
            _ => self.execute_batch(RELEASE),
        }
    }

    /// Undoes the changes since the savepoint. Fails if the store has already aborted the whole transaction.
    pub(crate) fn roll_back(&self, savepoint: &Savepoint) -> Result<(), DatabaseError> {
        match (self.connection, savepoint.mark) {
            (Connection::Postgres(pipeline), Some(mark)) if pipeline.discard_since(mark) => Ok(()),
            _ => self.execute_batch("ROLLBACK TO change; RELEASE change"),
        }
    }
}
