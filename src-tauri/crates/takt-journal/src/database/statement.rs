//! A prepared statement, run with different values each time.

use std::sync::Arc;

use rusqlite::ToSql;

use super::error::DatabaseError;
use super::many_rows;
use super::parameters::{Parameters, params_from_iter};
use super::row::{MappedRows, Row, Rows};
use crate::many_rows::{copy_statement, multi_row_insert};
use crate::postgres::{COPY_MIN_ROWS, CopyRows, Pipeline, Step, StepResult, StoredValue, stored_value};

/// A statement of one connection.
pub(crate) enum Statement<'a> {
    Sqlite { connection: &'a rusqlite::Connection, sql: Arc<str>, statement: rusqlite::CachedStatement<'a> },
    Postgres { pipeline: &'a Pipeline<'a>, sql: Arc<str> },
}

impl Statement<'_> {
    /// Runs the statement and returns the number of changed rows.
    pub(crate) fn execute(&mut self, parameters: impl Parameters) -> Result<usize, DatabaseError> {
        parameters.with(|values| match self {
            Self::Sqlite { statement, .. } => Ok(statement.execute(values)?),
            Self::Postgres { pipeline, sql } => Ok(pipeline.execute(sql, convert_values(values)?)?),
        })
    }

    /// Runs the statement once for each set of values, in a team's database without waiting in between.
    pub(crate) fn execute_each<P: Parameters>(
        &mut self,
        sets: impl IntoIterator<Item = P>,
    ) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite { connection, sql, statement } => {
                many_rows::execute(connection, sql, statement, sets.into_iter()).map_err(DatabaseError::from)
            }
            Self::Postgres { pipeline, sql } => {
                let sets = sets.into_iter().map(|set| set.with(convert_values)).collect::<Result<Vec<_>, _>>()?;
                Ok(pipeline.execute_each(sql, sets)?)
            }
        }
    }

    /// Inserts rows, in a team's database without waiting for the result: see
    /// [`Transaction::wait`](super::Transaction::wait). The statement must be an insert of its placeholders and nothing
    /// else. Its columns must have the types `BIGINT`, `DOUBLE PRECISION`, `TEXT` and `BYTEA`.
    pub(crate) fn insert_later<P: Parameters>(
        &mut self,
        rows: impl IntoIterator<Item = P>,
    ) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite { connection, sql, statement } => {
                many_rows::execute(connection, sql, statement, rows.into_iter()).map_err(DatabaseError::from)
            }
            Self::Postgres { pipeline, sql } => {
                insert_step(sql, rows.into_iter())?.into_iter().for_each(|step| pipeline.push(step));
                Ok(())
            }
        }
    }

    pub(crate) fn query(&mut self, parameters: impl Parameters) -> Result<Rows<'_>, DatabaseError> {
        parameters.with(|values| match self {
            Self::Sqlite { statement, .. } => Ok(Rows::Sqlite(statement.query(values)?)),
            Self::Postgres { pipeline, sql } => {
                let rows = pipeline.query(sql, convert_values(values)?)?;
                Ok(Rows::Postgres { rows: rows.into_iter(), current: None })
            }
        })
    }

    pub(crate) fn query_map<T, F>(
        &mut self,
        parameters: impl Parameters,
        read: F,
    ) -> Result<MappedRows<'_, F>, DatabaseError>
    where
        F: FnMut(Row<'_>) -> Result<T, DatabaseError>,
    {
        Ok(MappedRows { rows: self.query(parameters)?, read })
    }

    /// Returns the first row. Without one, fails with the error that [`OptionalExtension`](super::OptionalExtension)
    /// turns into `None`.
    pub(crate) fn query_row<T>(
        &mut self,
        parameters: impl Parameters,
        read: impl FnOnce(Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let mut rows = self.query(parameters)?;
        rows.next()?.map_or(Err(rusqlite::Error::QueryReturnedNoRows.into()), read)
    }

    /// Returns the rows for each set of values.
    pub(crate) fn query_each<P: Parameters, T>(
        &mut self,
        sets: impl IntoIterator<Item = P>,
        read: impl Fn(Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Vec<Vec<T>>, DatabaseError> {
        match self {
            Self::Sqlite { .. } => sets.into_iter().map(|set| self.query_map(set, &read)?.collect()).collect(),
            Self::Postgres { pipeline, sql } => {
                let step = |set: P| Ok(Step::Query(Arc::clone(sql), set.with(convert_values)?));
                let answers = pipeline.run(sets.into_iter().map(step).collect::<Result<Vec<_>, DatabaseError>>()?)?;
                let rows = answers.into_iter().map(StepResult::into_rows);
                rows.map(|rows| rows.iter().map(|row| read(Row::Postgres(row))).collect()).collect()
            }
        }
    }

    /// Returns whether the statement returns any row.
    pub(crate) fn exists(&mut self, parameters: impl Parameters) -> Result<bool, DatabaseError> {
        Ok(self.query(parameters)?.next()?.is_some())
    }
}

/// A changing statement with its values.
#[derive(Debug)]
pub(crate) struct PreparedChange {
    sql: Arc<str>,
    values: Vec<StoredValue>,
}

impl PreparedChange {
    pub(crate) fn new(sql: &str, parameters: impl Parameters) -> Result<Self, DatabaseError> {
        Ok(Self { sql: sql.into(), values: parameters.with(convert_values)? })
    }

    pub(super) fn into_step(self) -> Step {
        Step::Execute(self.sql, self.values)
    }

    pub(super) fn execute(self, connection: &rusqlite::Connection) -> Result<usize, DatabaseError> {
        Ok(connection.prepare_cached(&self.sql)?.execute(rusqlite::params_from_iter(self.values))?)
    }
}

/// Returns the step that inserts the rows, or none without rows. A few rows are values of one statement. Many rows are
/// copied, which the server does page by page and not row by row.
fn insert_step<P: Parameters>(sql: &str, mut rows: impl Iterator<Item = P>) -> Result<Option<Step>, DatabaseError> {
    let first = rows.by_ref().take(COPY_MIN_ROWS).map(|row| row.with(convert_values)).collect::<Result<Vec<_>, _>>()?;
    let Some(columns) = first.first().map(Vec::len) else { return Ok(None) };
    if first.len() < COPY_MIN_ROWS {
        let insert = multi_row_insert(sql, columns, first.len()).ok_or(rusqlite::Error::InvalidQuery)?;
        return Ok(Some(Step::Execute(insert.into(), first.into_iter().flatten().collect())));
    }
    let copy = copy_statement(sql, columns).ok_or(rusqlite::Error::InvalidQuery)?;
    let mut copy_rows = CopyRows::new();
    first.into_iter().try_for_each(|row| params_from_iter(row).with(|values| copy_rows.push(values)))?;
    rows.try_for_each(|row| row.with(|values| copy_rows.push(values)))?;
    Ok(Some(Step::Copy(copy.into(), copy_rows.finish())))
}

fn convert_values(values: &[&dyn ToSql]) -> Result<Vec<StoredValue>, DatabaseError> {
    values.iter().map(|value| Ok(stored_value(*value)?)).collect()
}
