//! Inserts many rows with one statement.

use rusqlite::{CachedStatement, Connection};

use super::parameters::Parameters;
use crate::many_rows::multi_row_insert;

/// The number of rows that one statement inserts into a file.
const ROWS_PER_STATEMENT: usize = 50;

/// Runs a statement on a file once for each set of values. Inserts are combined into statements of many rows.
pub(super) fn execute<P: Parameters>(
    connection: &Connection,
    sql: &str,
    single: &mut CachedStatement<'_>,
    sets: impl Iterator<Item = P>,
) -> rusqlite::Result<()> {
    let mut sets = sets.peekable();
    let columns = single.parameter_count();
    let Some(many) = multi_row_insert(sql, columns, ROWS_PER_STATEMENT) else {
        return sets.try_for_each(|set| set.with(|values| single.execute(values)).map(drop));
    };
    let mut prepared = None;
    while sets.peek().is_some() {
        let chunk: Vec<P> = sets.by_ref().take(ROWS_PER_STATEMENT).collect();
        if chunk.len() < ROWS_PER_STATEMENT {
            return chunk.into_iter().try_for_each(|set| set.with(|values| single.execute(values)).map(drop));
        }
        let statement = match &mut prepared {
            Some(statement) => statement,
            none => none.insert(connection.prepare_cached(&many)?),
        };
        for (row, set) in chunk.into_iter().enumerate() {
            set.with(|values| {
                let mut numbered = (row * columns + 1..).zip(values);
                numbered.try_for_each(|(number, value)| statement.raw_bind_parameter(number, value))
            })?;
        }
        statement.raw_execute()?;
    }
    // A cached statement would keep the last rows in memory.
    prepared.iter_mut().for_each(|statement| statement.clear_bindings());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_there_once_however_many_go_together() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE one (number INTEGER PRIMARY KEY, text TEXT)").unwrap();
        let sql = "INSERT INTO one (number, text) VALUES (?1, ?2)";
        for (from, count) in [(0, 0), (0, 1), (1, 50), (51, 149), (200, 200)] {
            let mut one = connection.prepare_cached(sql).unwrap();
            let sets = (from..from + count).map(|number: i64| (number, format!("{number}")));
            execute(&connection, sql, &mut one, sets).unwrap();
        }
        let mut found = connection.prepare("SELECT number, text FROM one ORDER BY number").unwrap();
        let found = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let found: Vec<(i64, String)> = found.collect::<Result<_, _>>().unwrap();
        assert_eq!(found, (0..400).map(|number| (number, number.to_string())).collect::<Vec<_>>());
        let mut one = connection.prepare_cached(sql).unwrap();
        let again = (300..460).map(|number: i64| (number, String::new()));
        assert!(execute(&connection, sql, &mut one, again).is_err(), "two rows have one number");
    }
}
