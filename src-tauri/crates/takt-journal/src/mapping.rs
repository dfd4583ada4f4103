//! Mappings that a person used, found again by operation and headings.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use serde_json::Value;

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

impl Journal {
    pub fn mapping(&self, operation: &str, headings: &str) -> Result<Option<MappingRecord>, JournalError> {
        let found: Option<(String, String)> = self.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT body, at FROM mapping WHERE operation = ?1 AND headings = ?2")?
                .query_row([operation, headings], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?)
        })?;
        let Some((body, at)) = found else { return Ok(None) };
        Ok(Some(MappingRecord {
            operation: operation.to_owned(),
            headings: headings.to_owned(),
            body: serde_json::from_str(&body)?,
            at: at.parse()?,
        }))
    }

    /// Keeps it, in place of an earlier one for the same operation and headings.
    pub fn keep_mapping(&self, mapping: &MappingRecord) -> Result<(), JournalError> {
        let body = serde_json::to_string(&mapping.body)?;
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO mapping (operation, headings, body, at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (operation, headings) DO UPDATE SET body = excluded.body, at = excluded.at",
                params![mapping.operation, mapping.headings, body, mapping.at.to_string()],
            )?;
            Ok(())
        })
    }

    /// False where none was kept.
    pub fn forget_mapping(&self, operation: &str, headings: &str) -> Result<bool, JournalError> {
        self.write(|transaction| {
            let sql = "DELETE FROM mapping WHERE operation = ?1 AND headings = ?2";
            Ok(transaction.execute(sql, [operation, headings])? > 0)
        })
    }
}
