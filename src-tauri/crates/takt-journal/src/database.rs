//! A common interface to SQLite files and a team's PostgreSQL database.
//!
//! Statements are written once, in SQL that both understand, with placeholders `?1`, `?2` and so on. Values are
//! converted by rusqlite's [`ToSql`](rusqlite::ToSql) and [`FromSql`](rusqlite::types::FromSql). A value is an integer,
//! a real number, a text, bytes or null.

mod many_rows;
mod parameters;
mod row;
mod savepoint;
mod statement;

use std::cell::Cell;
use std::ops::Deref;

pub(crate) use parameters::{Parameters, params_from_iter};
pub(crate) use row::{OptionalExtension, Row, Rows};
pub(crate) use rusqlite::{params, types::Value as SqlValue};
pub(crate) use statement::{PreparedChange, Statement};

use crate::postgres::{Pipeline, PostgresError, Step, StepResult};

/// The error of a store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the team's database failed")]
    Postgres(#[from] PostgresError),
}

impl DatabaseError {
    /// Returns whether a row with the same primary or unique key already exists.
    pub(crate) fn is_duplicate(&self) -> bool {
        const KEYS: [i32; 2] = [rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY, rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE];
        match self {
            Self::Sqlite(error) => error.sqlite_error().is_some_and(|error| KEYS.contains(&error.extended_code)),
            Self::Postgres(error) => error.has_state("23505"),
        }
    }
}

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

    /// Returns the first row. Without one, fails with the error that [`OptionalExtension`] turns into `None`.
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
    connection: Connection<'a>,
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
