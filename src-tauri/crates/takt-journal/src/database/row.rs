//! Rows that a statement returned.

use rusqlite::types::FromSql;

use super::error::DatabaseError;
use crate::postgres::StoredValues;

/// One row, borrowed while it is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a StoredValues),
}

/// A column by its 0-based index or its name.
pub(crate) trait Column: rusqlite::RowIndex + Copy {
    fn index(self, row: &StoredValues) -> Option<usize>;
}

impl Column for usize {
    fn index(self, _: &StoredValues) -> Option<usize> {
        Some(self)
    }
}

impl Column for &str {
    fn index(self, row: &StoredValues) -> Option<usize> {
        row.column_index(self)
    }
}

impl Row<'_> {
    /// Returns the value of a column.
    pub(crate) fn get<C: Column, T: FromSql>(&self, column: C) -> Result<T, DatabaseError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => {
                let index = column.index(row).ok_or(rusqlite::Error::InvalidColumnIndex(usize::MAX))?;
                let value = row.value(index)?;
                T::column_result((&value).into()).map_err(|error| {
                    rusqlite::Error::FromSqlConversionFailure(index, value.data_type(), Box::new(error)).into()
                })
            }
        }
    }
}

/// The rows that a statement returned, one after the other.
pub(crate) enum Rows<'a> {
    Sqlite(rusqlite::Rows<'a>),
    Postgres { rows: std::vec::IntoIter<StoredValues>, current: Option<StoredValues> },
}

impl Rows<'_> {
    /// Returns the next row, or none after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>, DatabaseError> {
        match self {
            Self::Sqlite(rows) => Ok(rows.next()?.map(Row::Sqlite)),
            Self::Postgres { rows, current } => {
                *current = rows.next();
                Ok(current.as_ref().map(Row::Postgres))
            }
        }
    }
}

/// Rows that are converted while they are iterated.
pub(crate) struct MappedRows<'a, F> {
    pub(super) rows: Rows<'a>,
    pub(super) read: F,
}

impl<T, F: FnMut(Row<'_>) -> Result<T, DatabaseError>> Iterator for MappedRows<'_, F> {
    type Item = Result<T, DatabaseError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.next() {
            Ok(Some(row)) => Some((self.read)(row)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// For queries whose row may be missing.
pub(crate) trait OptionalExtension<T> {
    /// Turns the error for a missing row into `None`.
    fn optional(self) -> Result<Option<T>, DatabaseError>;
}

impl<T> OptionalExtension<T> for Result<T, DatabaseError> {
    fn optional(self) -> Result<Option<T>, DatabaseError> {
        match self {
            Ok(found) => Ok(Some(found)),
            Err(DatabaseError::Sqlite(rusqlite::Error::QueryReturnedNoRows)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
