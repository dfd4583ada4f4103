//! Mappings that a person used, found again by operation and headings.

use jiff::Timestamp;
use serde_json::Value;

use crate::database::{OptionalExtension, params};
use crate::{Journal, JournalError};

/// A mapping, as the engine wrote it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingRecord {
    pub operation: String,
    /// A fingerprint of the sheet's headings.
    pub headings: String,
    pub body: Value,
    pub at: Timestamp,
}

/// Layouts of one operation that are looked through for a similar one.
const MOST_LISTED: u32 = 100;

/// Mappings that a person used.
#[derive(Debug, Clone, Copy)]
pub struct Mappings<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Mappings that a person used.
    #[must_use]
    pub fn mappings(&self) -> Mappings<'_> {
        Mappings(self)
    }
}

impl Mappings<'_> {
    /// The mapping for an operation and headings.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find(&self, operation: &str, headings: &str) -> Result<Option<MappingRecord>, JournalError> {
        let row: Option<(String, String)> = self.0.read_or_own(|connection| {
            Ok(connection
                .prepare_cached("SELECT body, at FROM mapping WHERE operation = ?1 AND headings = ?2")?
                .query_row([operation, headings], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?)
        })?;
        row.map(|(body, at)| record(operation.to_owned(), headings.to_owned(), &body, &at)).transpose()
    }

    /// An operation's mappings, newest first, at most `MOST_LISTED`.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn of(&self, operation: &str) -> Result<Vec<MappingRecord>, JournalError> {
        let rows: Vec<(String, String, String)> = self.0.read_or_own(|connection| {
            let sql = "SELECT headings, body, at FROM mapping WHERE operation = ?1 ORDER BY at DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement
                .query_map(params![operation, MOST_LISTED], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        rows.into_iter().map(|(headings, body, at)| record(operation.to_owned(), headings, &body, &at)).collect()
    }

    /// Every mapping, newest first, at most `MOST_LISTED` of each operation.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn all(&self) -> Result<Vec<MappingRecord>, JournalError> {
        let operations: Vec<String> = self.0.read_or_own(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT DISTINCT operation FROM mapping ORDER BY operation")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        let mut mappings = Vec::new();
        for operation in operations {
            mappings.extend(self.of(&operation)?);
        }
        Ok(mappings)
    }

    /// The mapping that was kept last for these headings, whatever its operation.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last(&self, headings: &str) -> Result<Option<MappingRecord>, JournalError> {
        let row: Option<(String, String, String)> = self.0.read_or_own(|connection| {
            Ok(connection
                .prepare_cached("SELECT operation, body, at FROM mapping WHERE headings = ?1 ORDER BY at DESC LIMIT 1")?
                .query_row([headings], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?)
        })?;
        row.map(|(operation, body, at)| record(operation, headings.to_owned(), &body, &at)).transpose()
    }

    /// Keeps it, in place of an earlier one for the same operation and headings.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, mapping: &MappingRecord) -> Result<(), JournalError> {
        let body = serde_json::to_string(&mapping.body)?;
        self.0.write_and_own(|transaction| {
            transaction.execute(
                "INSERT INTO mapping (operation, headings, body, at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (operation, headings) DO UPDATE SET body = excluded.body, at = excluded.at",
                params![mapping.operation, mapping.headings, body, mapping.at.to_string()],
            )?;
            Ok(())
        })
    }

    /// False where none was kept.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, operation: &str, headings: &str) -> Result<bool, JournalError> {
        self.0.write_and_own(|transaction| {
            let sql = "DELETE FROM mapping WHERE operation = ?1 AND headings = ?2";
            Ok(transaction.execute(sql, [operation, headings])? > 0)
        })
    }
}

fn record(operation: String, headings: String, body: &str, at: &str) -> Result<MappingRecord, JournalError> {
    Ok(MappingRecord { operation, headings, body: serde_json::from_str(body)?, at: at.parse()? })
}
