//! One way to ask both stores: SQLite files and a team's PostgreSQL database.
//!
//! Statements are written once, in the SQL that both understand, with places `?1`, `?2` and so on. Values go in and come out by
//! rusqlite's own conversions ([`ToSql`](rusqlite::ToSql), [`FromSql`](rusqlite::types::FromSql)): an integer, a real number, a
//! text, bytes, or nothing.

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

use crate::postgres::{Pipeline, PostgresError, Step, StepAnswer};

/// What a store answered instead of rows.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the team's database failed")]
    Postgres(#[from] PostgresError),
}

impl DatabaseError {
    /// What was to be written is there already, by one of the schema's keys.
    pub(crate) fn is_duplicate(&self) -> bool {
        const KEYS: [i32; 2] = [rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY, rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE];
        match self {
            Self::Sqlite(error) => error.sqlite_error().is_some_and(|error| KEYS.contains(&error.extended_code)),
            Self::Postgres(error) => error.has_state("23505"),
        }
    }
}

/// Where statements are run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Connection<'a> {
    Sqlite(&'a rusqlite::Connection),
    Postgres(&'a Pipeline<'a>),
}

impl<'a> Connection<'a> {
    /// The connection keeps the statement for the next time.
    pub(crate) fn prepare_cached(&self, sql: &str) -> Result<Statement<'a>, DatabaseError> {
        Ok(match self {
            Self::Sqlite(connection) => {
                Statement::Sqlite { connection, sql: sql.into(), statement: connection.prepare_cached(sql)? }
            }
            Self::Postgres(pipeline) => Statement::Postgres { pipeline, sql: sql.into() },
        })
    }

    /// Gives how many rows were changed.
    pub(crate) fn execute(&self, sql: &str, parameters: impl Parameters) -> Result<usize, DatabaseError> {
        self.prepare_cached(sql)?.execute(parameters)
    }

    /// Several statements without values.
    pub(crate) fn execute_batch(&self, sql: &str) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Self::Postgres(pipeline) => Ok(pipeline.execute_batch(sql)?),
        }
    }

    /// The first row; without one, what [`OptionalExtension`] makes nothing of.
    pub(crate) fn query_row<T>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        read: impl FnOnce(Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        self.prepare_cached(sql)?.query_row(parameters, read)
    }

    /// Several questions about one moment.
    pub(crate) fn at_one_moment<T, E: From<DatabaseError>>(
        &self,
        questions: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Self::Sqlite(connection) => {
                let _moment = connection.unchecked_transaction().map_err(DatabaseError::from)?;
                questions(self)
            }
            Self::Postgres(pipeline) => {
                pipeline.push(Step::Batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".into()));
                let answer = questions(self);
                pipeline.execute_batch("COMMIT").map_err(DatabaseError::from)?;
                answer
            }
        }
    }
}

/// A connection with a transaction that is open. The store ends it.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    connection: Connection<'a>,
    tells: Cell<bool>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn on(connection: Connection<'a>) -> Self {
        Self { connection, tells: Cell::new(false) }
    }

    /// Other desks of the team hear of it with its commit.
    pub(crate) fn tell(&self) {
        self.tells.set(true);
    }

    pub(crate) fn tells(&self) -> bool {
        self.tells.get()
    }

    /// Whether it is one of a file, and not of a team's database.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.connection, Connection::Sqlite(_))
    }

    /// Makes a change without a wait for its answer. Where it fails, what is asked next tells so, and the commit at the latest.
    pub(crate) fn execute_later(&self, sql: &str, parameters: impl Parameters) -> Result<(), DatabaseError> {
        match self.connection {
            Connection::Sqlite(_) => self.connection.execute(sql, parameters).map(drop),
            Connection::Postgres(pipeline) => {
                pipeline.push(PreparedChange::of(sql, parameters)?.into_step());
                Ok(())
            }
        }
    }

    /// The answers to what was changed without a wait; the first that fails is told.
    pub(crate) fn wait(&self) -> Result<(), DatabaseError> {
        match self.connection {
            Connection::Sqlite(_) => Ok(()),
            Connection::Postgres(pipeline) => Ok(pipeline.wait()?),
        }
    }

    /// Makes changes that don't need each other's answers, and gives how many rows each of them changed.
    pub(crate) fn execute_all(&self, changes: Vec<PreparedChange>) -> Result<Vec<usize>, DatabaseError> {
        match self.connection {
            Connection::Sqlite(connection) => changes.into_iter().map(|change| change.execute(connection)).collect(),
            Connection::Postgres(pipeline) => {
                let answers = pipeline.run(changes.into_iter().map(PreparedChange::into_step))?;
                Ok(answers.iter().map(StepAnswer::count).collect())
            }
        }
    }

    /// The number of the session that it is open in; absent for a file.
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
