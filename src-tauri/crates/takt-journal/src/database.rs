//! A common interface to SQLite files and a team's PostgreSQL database.
//!
//! Statements are written once, in SQL that both databases accept, with placeholders `?1`, `?2` and so on. Values are
//! converted by rusqlite's [`ToSql`] and [`FromSql`]. A value is an integer, a real number, a text, bytes or null.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::Arc;

use rusqlite::types::FromSql;
use rusqlite::{CachedStatement, ToSql};

use crate::bulk_insert::{copy_statement, multi_row_insert};
use crate::postgres::{
    COPY_MIN_ROWS, CopyRows, Pipeline, PipelineMark, PostgresError, Step, StepResult, StoredValue, StoredValues,
    stored_value,
};

pub(crate) use rusqlite::{params, types::Value as SqlValue};

/// An error of SQLite or of a team's database.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the team's database failed")]
    Postgres(#[from] PostgresError),
}

impl DatabaseError {
    /// Returns whether the statement failed because a row with the same primary or unique key already exists.
    pub(crate) fn is_duplicate(&self) -> bool {
        const KEYS: [i32; 2] = [rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY, rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE];
        match self {
            Self::Sqlite(error) => error.sqlite_error().is_some_and(|error| KEYS.contains(&error.extended_code)),
            Self::Postgres(error) => error.has_state("23505"),
        }
    }
}

/// Values in the order of their placeholders.
pub(crate) trait Parameters {
    /// Calls `use_values` with the values as one list.
    fn with_values<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R;
}

impl Parameters for &[&dyn ToSql] {
    fn with_values<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_values(self)
    }
}

/// Allows `[]` for no values. The type of its elements can't be inferred, so the implementation fixes one.
impl Parameters for [&(dyn ToSql + Send + Sync); 0] {
    fn with_values<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_values(&[])
    }
}

macro_rules! array_parameters {
    ($($length:literal)+) => {$(
        impl<T: ToSql> Parameters for [T; $length] {
            fn with_values<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
                use_values(&self.each_ref().map(|value| value as &dyn ToSql))
            }
        }
    )+};
}
array_parameters!(1 2 3 4);

impl<const LENGTH: usize> Parameters for &[&dyn ToSql; LENGTH] {
    fn with_values<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_values(self)
    }
}

/// Values that [`params_from_iter`] collected.
pub(crate) struct CollectedValues<T>(Vec<T>);

/// Collects the items of an iterator as values.
pub(crate) fn params_from_iter<I: IntoIterator>(values: I) -> CollectedValues<I::Item>
where
    I::Item: ToSql,
{
    CollectedValues(values.into_iter().collect())
}

impl<T: ToSql> Parameters for CollectedValues<T> {
    fn with_values<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        let values: Vec<&dyn ToSql> = self.0.iter().map(|value| value as &dyn ToSql).collect();
        use_values(&values)
    }
}

macro_rules! tuple_parameters {
    ($($name:ident)+) => {
        impl<$($name: ToSql),+> Parameters for ($($name,)+) {
            fn with_values<R>(self, use_values: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
                #[expect(non_snake_case, reason = "named as their types are")]
                let ($($name,)+) = &self;
                use_values(&[$($name as &dyn ToSql),+])
            }
        }
    };
}
tuple_parameters!(A B);
tuple_parameters!(A B C);
tuple_parameters!(A B C D);
tuple_parameters!(A B C D E);
tuple_parameters!(A B C D E F G H);

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

    /// Makes the commit notify the other desks of the team.
    pub(crate) fn notify_desks(&self) {
        self.notifies.set(true);
    }

    pub(crate) fn notifies_desks(&self) -> bool {
        self.notifies.get()
    }

    /// Returns whether the transaction changes a file rather than a team's database.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.connection, Connection::Sqlite(_))
    }

    /// Makes a change, in a team's database without waiting for its result. If it fails, the next query or at the
    /// latest the commit fails with its error.
    pub(crate) fn execute_later(&self, sql: &str, parameters: impl Parameters) -> Result<(), DatabaseError> {
        match self.connection {
            Connection::Sqlite(_) => self.connection.execute(sql, parameters).map(drop),
            Connection::Postgres(pipeline) => {
                pipeline.push(PreparedChange::new(sql, parameters)?.into_step());
                Ok(())
            }
        }
    }

    /// Waits for the results of all earlier changes. Fails with the first error.
    pub(crate) fn wait(&self) -> Result<(), DatabaseError> {
        match self.connection {
            Connection::Sqlite(_) => Ok(()),
            Connection::Postgres(pipeline) => Ok(pipeline.wait()?),
        }
    }

    /// Makes changes that don't depend on each other's results. Returns the number of changed rows for each of them.
    pub(crate) fn execute_all(&self, changes: Vec<PreparedChange>) -> Result<Vec<usize>, DatabaseError> {
        match self.connection {
            Connection::Sqlite(connection) => changes.into_iter().map(|change| change.execute(connection)).collect(),
            Connection::Postgres(pipeline) => {
                let answers = pipeline.run(changes.into_iter().map(PreparedChange::into_step))?;
                Ok(answers.iter().map(StepResult::count).collect())
            }
        }
    }

    /// Returns the number of the database session, or none for a file.
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

    /// Releases the savepoint, so that its changes stay. Fails if a change fails. The savepoint must then still be
    /// rolled back.
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

/// A statement that is prepared on a connection.
pub(crate) enum Statement<'a> {
    Sqlite { connection: &'a rusqlite::Connection, sql: Arc<str>, statement: rusqlite::CachedStatement<'a> },
    Postgres { pipeline: &'a Pipeline<'a>, sql: Arc<str> },
}

impl Statement<'_> {
    /// Runs the statement and returns the number of changed rows.
    pub(crate) fn execute(&mut self, parameters: impl Parameters) -> Result<usize, DatabaseError> {
        parameters.with_values(|values| match self {
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
                execute_many(connection, sql, statement, sets.into_iter()).map_err(DatabaseError::from)
            }
            Self::Postgres { pipeline, sql } => {
                let sets =
                    sets.into_iter().map(|set| set.with_values(convert_values)).collect::<Result<Vec<_>, _>>()?;
                Ok(pipeline.execute_each(sql, sets)?)
            }
        }
    }

    /// Inserts rows, in a team's database without waiting for the result: see
    /// [`Transaction::wait`](Transaction::wait). The statement must be an insert of its placeholders and nothing
    /// else. Its columns must have the types `BIGINT`, `DOUBLE PRECISION`, `TEXT` and `BYTEA`.
    pub(crate) fn insert_later<P: Parameters>(
        &mut self,
        rows: impl IntoIterator<Item = P>,
    ) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite { connection, sql, statement } => {
                execute_many(connection, sql, statement, rows.into_iter()).map_err(DatabaseError::from)
            }
            Self::Postgres { pipeline, sql } => {
                insert_step(sql, rows.into_iter())?.into_iter().for_each(|step| pipeline.push(step));
                Ok(())
            }
        }
    }

    pub(crate) fn query(&mut self, parameters: impl Parameters) -> Result<Rows<'_>, DatabaseError> {
        parameters.with_values(|values| match self {
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

    /// Returns the first row. Without one, fails with the error that [`OptionalExtension`] turns into `None`.
    pub(crate) fn query_row<T>(
        &mut self,
        parameters: impl Parameters,
        read: impl FnOnce(Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let mut rows = self.query(parameters)?;
        rows.next()?.map_or(Err(rusqlite::Error::QueryReturnedNoRows.into()), read)
    }

    /// Runs the query once for each set of values, and returns the rows of each.
    pub(crate) fn query_each<P: Parameters, T>(
        &mut self,
        sets: impl IntoIterator<Item = P>,
        read: impl Fn(Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Vec<Vec<T>>, DatabaseError> {
        match self {
            Self::Sqlite { .. } => sets.into_iter().map(|set| self.query_map(set, &read)?.collect()).collect(),
            Self::Postgres { pipeline, sql } => {
                let step = |set: P| Ok(Step::Query(Arc::clone(sql), set.with_values(convert_values)?));
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
        Ok(Self { sql: sql.into(), values: parameters.with_values(convert_values)? })
    }

    fn into_step(self) -> Step {
        Step::Execute(self.sql, self.values)
    }

    fn execute(self, connection: &rusqlite::Connection) -> Result<usize, DatabaseError> {
        Ok(connection.prepare_cached(&self.sql)?.execute(rusqlite::params_from_iter(self.values))?)
    }
}

/// Returns the step that inserts the rows, or none without rows. A few rows are values of one statement. Many rows are
/// sent with `COPY`, which the server writes page by page instead of row by row.
fn insert_step<P: Parameters>(sql: &str, mut rows: impl Iterator<Item = P>) -> Result<Option<Step>, DatabaseError> {
    let first =
        rows.by_ref().take(COPY_MIN_ROWS).map(|row| row.with_values(convert_values)).collect::<Result<Vec<_>, _>>()?;
    let Some(columns) = first.first().map(Vec::len) else { return Ok(None) };
    if first.len() < COPY_MIN_ROWS {
        let insert = multi_row_insert(sql, columns, first.len()).ok_or(rusqlite::Error::InvalidQuery)?;
        return Ok(Some(Step::Execute(insert.into(), first.into_iter().flatten().collect())));
    }
    let copy = copy_statement(sql, columns).ok_or(rusqlite::Error::InvalidQuery)?;
    let mut copy_rows = CopyRows::new();
    first.into_iter().try_for_each(|row| params_from_iter(row).with_values(|values| copy_rows.push(values)))?;
    rows.try_for_each(|row| row.with_values(|values| copy_rows.push(values)))?;
    Ok(Some(Step::Copy(copy.into(), copy_rows.finish())))
}

fn convert_values(values: &[&dyn ToSql]) -> Result<Vec<StoredValue>, DatabaseError> {
    values.iter().map(|value| Ok(stored_value(*value)?)).collect()
}

/// The number of rows that one statement inserts into a file.
const ROWS_PER_STATEMENT: usize = 50;

/// Runs a statement on a file once for each set of values. Inserts are combined into statements of many rows.
fn execute_many<P: Parameters>(
    connection: &rusqlite::Connection,
    sql: &str,
    single: &mut CachedStatement<'_>,
    sets: impl Iterator<Item = P>,
) -> rusqlite::Result<()> {
    let mut sets = sets.peekable();
    let columns = single.parameter_count();
    let Some(many) = multi_row_insert(sql, columns, ROWS_PER_STATEMENT) else {
        return sets.try_for_each(|set| set.with_values(|values| single.execute(values)).map(drop));
    };
    let mut prepared = None;
    while sets.peek().is_some() {
        let chunk: Vec<P> = sets.by_ref().take(ROWS_PER_STATEMENT).collect();
        if chunk.len() < ROWS_PER_STATEMENT {
            return chunk.into_iter().try_for_each(|set| set.with_values(|values| single.execute(values)).map(drop));
        }
        let statement = match &mut prepared {
            Some(statement) => statement,
            none => none.insert(connection.prepare_cached(&many)?),
        };
        for (row, set) in chunk.into_iter().enumerate() {
            set.with_values(|values| {
                let mut numbered = (row * columns + 1..).zip(values);
                numbered.try_for_each(|(number, value)| statement.raw_bind_parameter(number, value))
            })?;
        }
        statement.raw_execute()?;
    }
    // Otherwise, the cached statement would keep the last rows in memory.
    prepared.iter_mut().for_each(|statement| statement.clear_bindings());
    Ok(())
}

/// A row that a statement returned.
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
    /// Returns the value of a column. Fails if the column is missing or its value can't be converted.
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
    rows: Rows<'a>,
    read: F,
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

/// Handles queries whose row may be missing.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_there_once_however_many_go_together() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE one (number INTEGER PRIMARY KEY, text TEXT)").unwrap();
        let sql = "INSERT INTO one (number, text) VALUES (?1, ?2)";
        for (from, count) in [(0, 0), (0, 1), (1, 50), (51, 149), (200, 200)] {
            let mut one = connection.prepare_cached(sql).unwrap();
            let sets = (from..from + count).map(|number: i64| (number, format!("{number}")));
            execute_many(&connection, sql, &mut one, sets).unwrap();
        }
        let mut found = connection.prepare("SELECT number, text FROM one ORDER BY number").unwrap();
        let found = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let found: Vec<(i64, String)> = found.collect::<Result<_, _>>().unwrap();
        assert_eq!(found, (0..400).map(|number| (number, number.to_string())).collect::<Vec<_>>());
        let mut one = connection.prepare_cached(sql).unwrap();
        let again = (300..460).map(|number: i64| (number, String::new()));
        assert!(execute_many(&connection, sql, &mut one, again).is_err(), "two rows have one number");
    }
}
