//! Small settings by name, for example the chosen site. Never stores a secret.

use serde_json::Value;

use crate::database::{OptionalExtension, params};
use crate::{Journal, JournalError};

/// Reads and changes small settings by name.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the small settings.
    #[must_use]
    pub fn settings(&self) -> Settings<'_> {
        Settings(self)
    }
}

impl Settings<'_> {
    /// Returns a setting, or none if it isn't set.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn get(&self, name: &str) -> Result<Option<Value>, JournalError> {
        let text: Option<String> = self.0.read_own(|connection| {
            Ok(connection
                .prepare_cached("SELECT value FROM setting WHERE name = ?1")?
                .query_row([name], |row| row.get(0))
                .optional()?)
        })?;
        Ok(text.as_deref().map(serde_json::from_str).transpose()?)
    }

    /// Returns the names of all settings that begin with `beginning`.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn names(&self, beginning: &str) -> Result<Vec<String>, JournalError> {
        self.0.read_own(|connection| {
            let sql = "SELECT name FROM setting WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_map([beginning], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    /// Stores a setting, and replaces its earlier value.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn set(&self, name: &str, value: &Value) -> Result<(), JournalError> {
        let text = serde_json::to_string(value)?;
        self.0.write_own(|transaction| {
            transaction.execute(
                "INSERT INTO setting (name, value) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                params![name, text],
            )?;
            Ok(())
        })
    }

    /// Removes a setting. Returns false if it wasn't set.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn remove(&self, name: &str) -> Result<bool, JournalError> {
        self.0.write_own(|transaction| Ok(transaction.execute("DELETE FROM setting WHERE name = ?1", [name])? > 0))
    }
}
