//! Whether the file is whole, and how much it holds: for whoever is asked why something is odd.

use rusqlite::{Connection, OpenFlags};

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

const MOST_ODDITIES: u32 = 20;

impl Journal {
    /// Reads the whole file, on a connection of its own: nobody waits for it.
    pub fn soundness(&self) -> Result<Soundness, JournalError> {
        let path = self.read(|connection| Ok(connection.path().unwrap_or_default().to_owned()))?;
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MOST_ODDITIES})"))?;
        let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(Soundness {
            oddities: found.into_iter().filter(|line| line != "ok").collect(),
            tables: tables(&connection)?,
            schema: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            sqlite: rusqlite::version(),
        })
    }
}

fn tables(connection: &Connection) -> Result<Vec<(String, u64)>, JournalError> {
    let mut statement = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let size = |name: String| {
        // The names are the schema's own.
        let sql = format!("SELECT COUNT(*) FROM \"{name}\"");
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
        Ok((name, rows.unsigned_abs()))
    };
    names.into_iter().map(size).collect()
}
