//! A statement that is ready to be run, with other values each time.

use std::sync::Arc;

use rusqlite::ToSql;

use super::row::{MappedRows, Row, Rows};
use super::{DatabaseError, Parameters};
use crate::postgres::{Session, StoredValue, stored_value};

/// A statement of one connection.
pub(crate) enum Statement<'a> {
    Sqlite(rusqlite::CachedStatement<'a>),
    Postgres { session: &'a Session, sql: Arc<str> },
}

impl Statement<'_> {
    /// Gives how many rows were changed.
    pub(crate) fn execute(&mut self, parameters: impl Parameters) -> Result<usize, DatabaseError> {
        parameters.with(|values| match self {
            Self::Sqlite(statement) => Ok(statement.execute(values)?),
            Self::Postgres { session, sql } => Ok(session.execute(sql, stored(values)?)?),
        })
    }

    /// Runs it once for each set of values: without a wait between them where each wait is one for the network.
    pub(crate) fn execute_each<P: Parameters>(
        &mut self,
        sets: impl IntoIterator<Item = P>,
    ) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite(_) => sets.into_iter().try_for_each(|set| self.execute(set).map(drop)),
            Self::Postgres { session, sql } => {
                let sets = sets.into_iter().map(|set| set.with(stored)).collect::<Result<Vec<_>, _>>()?;
                Ok(session.execute_each(sql, sets)?)
            }
        }
    }

    pub(crate) fn query(&mut self, parameters: impl Parameters) -> Result<Rows<'_>, DatabaseError> {
        parameters.with(|values| match self {
            Self::Sqlite(statement) => Ok(Rows::Sqlite(statement.query(values)?)),
            Self::Postgres { session, sql } => {
                let rows = session.query(sql, stored(values)?)?;
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

    /// The first row; without one, what [`OptionalExtension`](super::OptionalExtension) makes nothing of.
    pub(crate) fn query_row<T>(
        &mut self,
        parameters: impl Parameters,
        read: impl FnOnce(Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let mut rows = self.query(parameters)?;
        rows.next()?.map_or(Err(rusqlite::Error::QueryReturnedNoRows.into()), read)
    }

    /// Whether it finds anything.
    pub(crate) fn exists(&mut self, parameters: impl Parameters) -> Result<bool, DatabaseError> {
        Ok(self.query(parameters)?.next()?.is_some())
    }
}

fn stored(values: &[&dyn ToSql]) -> Result<Vec<StoredValue>, DatabaseError> {
    values.iter().map(|value| Ok(stored_value(*value)?)).collect()
}
