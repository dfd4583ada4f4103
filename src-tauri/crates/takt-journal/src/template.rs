//! Template ids that a person looked at, per site: no operation lists templates.

use jiff::Timestamp;
use rusqlite::params;

use crate::{Journal, JournalError};

impl Journal {
    /// Ascending.
    pub fn remembered_templates(&self, site: &str) -> Result<Vec<i64>, JournalError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT template FROM template_remembered WHERE site = ?1 ORDER BY template")?;
            let templates = statement.query_map([site], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(templates)
        })
    }

    pub fn remember_templates(&self, site: &str, templates: &[i64], at: Timestamp) -> Result<(), JournalError> {
        self.write(|transaction| {
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
    pub fn forget_template(&self, site: &str, template: i64) -> Result<bool, JournalError> {
        self.write(|transaction| {
            let sql = "DELETE FROM template_remembered WHERE site = ?1 AND template = ?2";
            Ok(transaction.execute(sql, params![site, template])? > 0)
        })
    }
}
