//! A connection to a store, and a transaction on it.

use std::cell::Cell;
use std::ops::Deref;

use super::error::DatabaseError;
use super::parameters::Parameters;
use super::row::Row;
use super::statement::{PreparedChange, Statement};
use crate::postgres::{Pipeline, Step, StepResult};

/// A connection to a store.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Connection<'a> {
    Sqlite(&'a rusqlite::Connection),
    Postgres(&'a Pipeline<'a>),
}

impl<'a> Connection<'a> {
    /// Prepares a statement, which the connection caches.
    pub(crate) fn prepare_cached(&self, sql: &str) -> Result<Statement<'a>, DatabaseError> {
        Ok(match self {
            Self::Sqlite(connection) => {
                Statement::Sqlite { connection, sql: sql.into(), statement: connection.prepare_cached(sql)? }
            }
            Self::Postgres(pipeline) => Statement::Postgres { pipeline, sql: sql.into() },
        })
    }

    /// Runs a statement and returns the number of changed rows.
    pub(crate) fn execute(&self, sql: &str, parameters: impl Parameters) -> Result<usize, DatabaseError> {
        self.prepare_cached(sql)?.execute(parameters)
    }

    /// Runs several statements without values.
    pub(crate) fn execute_batch(&self, sql: &str) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Self::Postgres(pipeline) => Ok(pipeline.execute_batch(sql)?),
        }
    }

    /// Returns the first row. Without one, fails with the error that [`OptionalExtension`](super::OptionalExtension) turns into `None`.
    pub(crate) fn query_row<T>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        read: impl FnOnce(Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        self.prepare_cached(sql)?.query_row(parameters, read)
    }

    /// Runs several queries on one snapshot.
    pub(crate) fn with_snapshot<T, E: From<DatabaseError>>(
        &self,
        queries: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Self::Sqlite(connection) => {
                let _snapshot = connection.unchecked_transaction().map_err(DatabaseError::from)?;
                queries(self)
            }
            Self::Postgres(pipeline) => {
                pipeline.push(Step::Batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".into()));
                let result = queries(self);
                pipeline.execute_batch("COMMIT").map_err(DatabaseError::from)?;
                result
            }
        }
    }
}

/// A connection with an open transaction, which the store ends.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    pub(super) connection: Connection<'a>,
    notifies: Cell<bool>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(connection: Connection<'a>) -> Self {
        Self { connection, notifies: Cell::new(false) }
    }

    /// Has the commit notify the other desks of the team.
    pub(crate) fn notify_desks(&self) {
        self.notifies.set(true);
    }

    pub(crate) fn notifies_desks(&self) -> bool {
        self.notifies.get()
    }

    /// Returns whether the transaction is on a file, and not on a team's database.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.connection, Connection::Sqlite(_))
    }

    /// Makes a change without waiting for its result. If it fails, the next query fails with its error, at the latest
    /// the commit.
    pub(crate) fn execute_later(&self, sql: &str, parameters: impl Parameters) -> Result<(), DatabaseError> {
        match self.connection {
            Connection::Sqlite(_) => self.connection.execute(sql, parameters).map(drop),
            Connection::Postgres(pipeline) => {
                pipeline.push(PreparedChange::new(sql, parameters)?.into_step());
                Ok(())
            }
        }
    }

    /// Waits for the results of the changes that weren't waited for. Fails with the first error.
    pub(crate) fn wait(&self) -> Result<(), DatabaseError> {
        match self.connection {
            Connection::Sqlite(_) => Ok(()),
            Connection::Postgres(pipeline) => Ok(pipeline.wait()?),
        }
    }

    /// Makes changes that don't depend on each other's results. Returns how many rows each of them changed.
    pub(crate) fn execute_all(&self, changes: Vec<PreparedChange>) -> Result<Vec<usize>, DatabaseError> {
        match self.connection {
            Connection::Sqlite(connection) => changes.into_iter().map(|change| change.execute(connection)).collect(),
            Connection::Postgres(pipeline) => {
                let answers = pipeline.run(changes.into_iter().map(PreparedChange::into_step))?;
                Ok(answers.iter().map(StepResult::count).collect())
            }
        }
    }

    /// Returns the number of the session, or none for a file.
    pub(crate) fn session(&self) -> Option<u64> {
        match self.connection {
            Connection::Sqlite(_) => None,
            Connection::Postgres(pipeline) => Some(pipeline.session().number()),
        }
    }
}

impl<'a> Deref for Transaction<'a> {
    type Target = Connection<'a>;

    fn deref(&self) -> &Connection<'a> {
        &self.connection
    }
}
