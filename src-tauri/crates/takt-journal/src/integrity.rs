//! Checks the integrity of the journal's file, and counts its rows, for support.

use rusqlite::Connection;

use crate::{Journal, JournalError};

/// The result of the integrity check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntegrityReport {
    /// The problems that SQLite finds. Empty if the file is intact.
    pub problems: Vec<String>,
    /// The number of rows of each table.
    pub tables: Vec<(String, u64)>,
    pub schema: u32,
    pub sqlite: &'static str,
}

const MAX_PROBLEMS: u32 = 20;

impl Journal {
    /// Checks the whole file on a separate connection, so that other work doesn't wait. If it has problems, the next
    /// start replaces it.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn check_integrity(&self) -> Result<IntegrityReport, JournalError> {
        let mut reader = self.open_reader()?;
        let connection = reader.current();
        let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MAX_PROBLEMS})"))?;
        let found = statement.query_map([], |row| row.get::<_, String>(0))?;
        // An error of the check counts as a problem.
        let found = found.map(|line| line.unwrap_or_else(|error| error.to_string()));
        let problems: Vec<String> = found.filter(|line| line != "ok").take(MAX_PROBLEMS as usize).collect();
        if !problems.is_empty() {
            self.mark_damaged();
        }
        Ok(IntegrityReport {
            problems,
            tables: count_table_rows(connection)?,
            schema: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            sqlite: rusqlite::version(),
        })
    }
}

fn count_table_rows(connection: &Connection) -> Result<Vec<(String, u64)>, JournalError> {
    let mut statement = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    // The names come from the schema, so they need no escaping. The integrity check reports uncountable tables.
    let size = |name: String| {
        let sql = format!("SELECT COUNT(*) FROM \"{name}\"");
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0)).ok()?;
        Some((name, rows.unsigned_abs()))
    };
    Ok(names.into_iter().filter_map(size).collect())
}
