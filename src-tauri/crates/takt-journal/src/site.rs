//! The sites, in the order in which they were added. The engine defines the form of their descriptions. Never stores a
//! secret.

use serde_json::Value;

use crate::database::params;
use crate::{Journal, JournalError};

/// A site's name and its description as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteRecord {
    pub name: String,
    pub body: Value,
}

/// Reads and changes the stored sites.
#[derive(Debug, Clone, Copy)]
pub struct SiteRecords<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the stored sites.
    #[must_use]
    pub fn sites(&self) -> SiteRecords<'_> {
        SiteRecords(self)
    }
}

impl SiteRecords<'_> {
    /// Returns every site, in the order in which they were added.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self) -> Result<Vec<SiteRecord>, JournalError> {
        self.0.read_own(|connection| {
            let mut statement = connection.prepare_cached("SELECT name, body FROM site ORDER BY position, name")?;
            let mut rows = statement.query([])?;
            let mut sites = Vec::new();
            while let Some(row) = rows.next()? {
                sites.push(SiteRecord { name: row.get(0)?, body: serde_json::from_str(&row.get::<_, String>(1)?)? });
            }
            Ok(sites)
        })
    }

    /// Adds the site at the end, or replaces the site with the same name.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn save(&self, site: &SiteRecord) -> Result<(), JournalError> {
        let body = serde_json::to_string(&site.body)?;
        self.0.write_own(|transaction| {
            transaction.execute(
                "INSERT INTO site (name, body, position)
                 VALUES (?1, ?2, (SELECT COALESCE(MAX(position), 0) + 1 FROM site))
                 ON CONFLICT (name) DO UPDATE SET body = excluded.body",
                params![site.name, body],
            )?;
            Ok(())
        })
    }

    /// Removes a site, whose submissions stay in the history. Returns false if there was none.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn remove(&self, name: &str) -> Result<bool, JournalError> {
        self.0.write_own(|transaction| Ok(transaction.execute("DELETE FROM site WHERE name = ?1", [name])? > 0))
    }
}
