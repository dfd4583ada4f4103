//! The IDs of templates that people opened, by site. The service has no operation that lists templates.

use jiff::Timestamp;

use crate::database::{OptionalExtension, params};
use crate::own_change::OwnChange;
use crate::{Journal, JournalError};

/// Reads and changes the IDs of templates that people opened.
#[derive(Debug, Clone, Copy)]
pub struct Templates<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the remembered templates.
    #[must_use]
    pub fn templates(&self) -> Templates<'_> {
        Templates(self)
    }
}

impl Templates<'_> {
    /// Returns the IDs of a site's templates, ascending.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self, site: &str) -> Result<Vec<i64>, JournalError> {
        self.0.read_shared_or_copy(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT template FROM template_remembered WHERE site = ?1 ORDER BY template")?;
            let templates = statement.query_map([site], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(templates)
        })
    }

    /// Stores the IDs of templates that were opened.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn record_opened(&self, site: &str, templates: &[i64], at: Timestamp) -> Result<(), JournalError> {
        let own_change = OwnChange::Templates { site: site.to_owned(), templates: templates.to_vec() };
        self.0.write_shared_and_copy(&own_change, |transaction| {
            let mut statement = transaction.prepare_cached(STORE_SQL)?;
            for template in templates {
                statement.execute(params![site, template, at.to_string()])?;
            }
            Ok(())
        })
    }

    /// Removes a template. Returns false if it wasn't stored.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, site: &str, template: i64) -> Result<bool, JournalError> {
        let own_change = OwnChange::Templates { site: site.to_owned(), templates: vec![template] };
        self.0.write_shared_and_copy(&own_change, |transaction| {
            Ok(transaction.execute(REMOVE_SQL, params![site, template])? > 0)
        })
    }

    /// Stores or removes these templates in the team's database as in this desk's copy. Called after the database was
    /// unavailable.
    pub(crate) fn share_own_change(&self, site: &str, templates: &[i64]) -> Result<(), JournalError> {
        let own: Vec<(i64, Option<String>)> = self.0.read_own(|connection| {
            let sql = "SELECT at FROM template_remembered WHERE site = ?1 AND template = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let mut found = |template: i64| {
                let at = statement.query_row(params![site, template], |row| row.get(0)).optional()?;
                Ok::<_, JournalError>((template, at))
            };
            templates.iter().map(|template| found(*template)).collect()
        })?;
        self.0.write(|transaction| {
            let (existing, removed): (Vec<_>, Vec<_>) = own.iter().partition(|(_, at)| at.is_some());
            let existing = existing.into_iter().map(|(template, at)| (site, *template, at.clone()));
            transaction.prepare_cached(STORE_SQL)?.execute_each(existing)?;
            let removed = removed.into_iter().map(|(template, _)| (site, *template));
            Ok(transaction.prepare_cached(REMOVE_SQL)?.execute_each(removed)?)
        })
    }
}

const STORE_SQL: &str = "INSERT INTO template_remembered (site, template, at) VALUES (?1, ?2, ?3)
    ON CONFLICT (site, template) DO UPDATE SET at = excluded.at";
const REMOVE_SQL: &str = "DELETE FROM template_remembered WHERE site = ?1 AND template = ?2";
