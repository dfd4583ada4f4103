//! Whether the file is whole, and how much it holds, for support.

use rusqlite::Connection;

use crate::{Journal, JournalError};

/// What was found in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Soundness {
    /// What SQLite finds odd; nothing where the file is whole.
    pub oddities: Vec<String>,
    /// Rows by table.
    pub tables: Vec<(String, u64)>,
    pub schema: u32,
    pub sqlite: &'static str,
}

const MAX_ODDITIES: u32 = 20;

impl Journal {
    /// Reads the whole file on its own connection, so other work doesn't wait for it.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn soundness(&self) -> Result<Soundness, JournalError> {
        let mut reader = self.another_reader()?;
        let connection = reader.current();
        let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MAX_ODDITIES})"))?;
        let found = statement.query_map([], |row| row.get::<_, String>(0))?;
        // What can't even be looked through is as odd as what is found.
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
    // The names are the schema's own. What can't be counted is among the oddities.
    let size = |name: String| {
        let sql = format!("SELECT COUNT(*) FROM \"{name}\"");
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0)).ok()?;
        Some((name, rows.unsigned_abs()))
    };
    Ok(names.into_iter().filter_map(size).collect())
}
