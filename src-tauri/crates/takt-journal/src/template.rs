//! Template ids that a person looked at, per site: no operation lists templates.

use jiff::Timestamp;

use crate::database::params;
use crate::{Journal, JournalError};

/// Ids of templates that were read on a site.
#[derive(Debug, Clone, Copy)]
pub struct Templates<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Ids of templates that were read on a site.
    #[must_use]
    pub fn templates(&self) -> Templates<'_> {
        Templates(self)
    }
}

impl Templates<'_> {
    /// Ascending.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self, site: &str) -> Result<Vec<i64>, JournalError> {
        self.0.read_or_own(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT template FROM template_remembered WHERE site = ?1 ORDER BY template")?;
            let templates = statement.query_map([site], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(templates)
        })
    }

    /// Stores a template.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn remember(&self, site: &str, templates: &[i64], at: Timestamp) -> Result<(), JournalError> {
        self.0.write_and_own(|transaction| {
            let mut statement = transaction.prepare_cached(
                "INSERT INTO template_remembered (site, template, at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (site, template) DO UPDATE SET at = excluded.at",
            )?;
            for template in templates {
                statement.execute(params![site, template, at.to_string()])?;
            }
            Ok(())
        })
    }

    /// False where it wasn't remembered.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, site: &str, template: i64) -> Result<bool, JournalError> {
        self.0.write_and_own(|transaction| {
            let sql = "DELETE FROM template_remembered WHERE site = ?1 AND template = ?2";
            Ok(transaction.execute(sql, params![site, template])? > 0)
        })
    }
}
