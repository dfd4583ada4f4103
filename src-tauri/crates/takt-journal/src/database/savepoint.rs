//! Changes within a transaction that are undone by themselves.

use super::{Connection, DatabaseError, Transaction};
use crate::postgres::{PipelineMark, Step};

/// Up to here a transaction can be undone.
#[derive(Debug)]
#[must_use = "it is kept or undone"]
pub(crate) struct Savepoint {
    /// Before the savepoint itself; absent for a file.
    mark: Option<PipelineMark>,
}

impl Transaction<'_> {
    /// Only one at a time.
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

    /// Keeps what was changed since. Fails where one of these changes does; then it is still to be undone.
    pub(crate) fn keep(&self, savepoint: &Savepoint) -> Result<(), DatabaseError> {
        const RELEASE: &str = "RELEASE change";
        match (self.connection, savepoint.mark) {
            (Connection::Postgres(pipeline), Some(mark)) if !pipeline.has_unsent_since(mark) => {
                // All of it is answered.
                pipeline.push(Step::Batch(RELEASE.into()));
                Ok(())
            }
            (Connection::Sqlite(_), _) => self.execute(RELEASE, []).map(drop),
            _ => self.execute_batch(RELEASE),
        }
    }

    /// Undoes what was changed since. Fails where the store has already given the whole transaction up.
    pub(crate) fn undo(&self, savepoint: &Savepoint) -> Result<(), DatabaseError> {
        match (self.connection, savepoint.mark) {
            (Connection::Postgres(pipeline), Some(mark)) if pipeline.forget_since(mark) => Ok(()),
            _ => self.execute_batch("ROLLBACK TO change; RELEASE change"),
        }
    }
}
