//! The integrity check of the journal's file, with row counts, for support.

use rusqlite::Connection;

use crate::{Journal, JournalError};

/// The result of the integrity check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Soundness {
    /// The problems that SQLite finds. Empty if the file is intact.
    pub oddities: Vec<String>,
    /// The number of rows of each table.
    pub tables: Vec<(String, u64)>,
    pub schema: u32,
    pub sqlite: &'static str,
}

const MAX_ODDITIES: u32 = 20;

impl Journal {
    /// Checks the whole file on a separate connection, so that other work doesn't wait. If it has problems, the next
    /// start replaces it.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn soundness(&self) -> Result<Soundness, JournalError> {
        let mut reader = self.open_reader()?;
        let connection = reader.current();
        let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MAX_ODDITIES})"))?;
        let found = statement.query_map([], |row| row.get::<_, String>(0))?;
        // An error of the check is also a problem.
        let found = found.map(|line| line.unwrap_or_else(|error| error.to_string()));
        let oddities: Vec<String> = found.filter(|line| line != "ok").take(MAX_ODDITIES as usize).collect();
        if !oddities.is_empty() {
            self.mark_damaged();
        }
        Ok(Soundness {
            oddities,
            tables: tables(connection)?,
            schema: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            sqlite: rusqlite::version(),
        })
    }
}

fn tables(connection: &Connection) -> Result<Vec<(String, u64)>, JournalError> {
    let mut statement = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    // The names are the schema's own. A table that can't be counted is one of the problems.
    let size = |name: String| {
        let sql = format!("SELECT COUNT(*) FROM \"{name}\"");
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0)).ok()?;
        Some((name, rows.unsigned_abs()))
    };
    Ok(names.into_iter().filter_map(size).collect())
}
