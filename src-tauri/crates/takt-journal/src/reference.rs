//! Reference lists: copies of a site's lists with the data that checks need. They can be read again at any time.

use jiff::Timestamp;
use serde_json::Value;

use crate::database::{Connection, OptionalExtension, Row, Transaction, params};
use crate::own_change::OwnChange;
use crate::{Journal, JournalError};

/// A copy of a list. The engine defines the form of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceRecord {
    pub site: String,
    /// The operation that reads the list.
    pub list: String,
    pub body: Value,
    /// The time at which the list was read.
    pub at: Timestamp,
}

/// Reads and changes the copies of sites' lists.
#[derive(Debug, Clone, Copy)]
pub struct References<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the copies of sites' lists.
    #[must_use]
    pub fn references(&self) -> References<'_> {
        References(self)
    }
}

impl References<'_> {
    /// Returns the copy of a list, or none if there is none.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn get(&self, site: &str, list: &str) -> Result<Option<ReferenceRecord>, JournalError> {
        let row = self.0.read_shared_or_copy(|connection| load(connection, site, list))?;
        row.map(|(body, at)| reference_record(site, list, &body, &at)).transpose()
    }

    /// Stores the copy of a list, and replaces the earlier copy.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, reference: &ReferenceRecord) -> Result<(), JournalError> {
        let body = serde_json::to_string(&reference.body)?;
        let own_change = OwnChange::Reference { site: reference.site.clone(), list: reference.list.clone() };
        self.0.write_shared_and_copy(&own_change, |transaction| {
            replace(transaction, &reference.site, &reference.list, &body, &reference.at.to_string())
        })
    }

    /// Removes all copies of a site's lists.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, site: &str) -> Result<(), JournalError> {
        let own_change = OwnChange::References { site: site.to_owned() };
        self.0.write_shared_and_copy(&own_change, |transaction| forget(transaction, site))
    }

    /// Shares this desk's copy with the team after the database was unavailable. A colleague's newer copy stays.
    pub(crate) fn share_own_change(&self, site: &str, list: &str) -> Result<(), JournalError> {
        let Some((body, at)) = self.0.read_own(|connection| load(connection, site, list))? else { return Ok(()) };
        let read: Timestamp = at.parse()?;
        self.0.write(|transaction| {
            let newest = load(transaction, site, list)?.map(|(_, at)| at.parse::<Timestamp>()).transpose()?;
            if newest.is_some_and(|newest| newest > read) {
                Ok(())
            } else {
                replace(transaction, site, list, &body, &at)
            }
        })
    }

    /// Removes the copies in the team's database only.
    pub(crate) fn forget_shared(&self, site: &str) -> Result<(), JournalError> {
        self.0.write(|transaction| forget(transaction, site))
    }

    /// Returns the time of an operation's last request to a site, or none if there was none.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last_sent(&self, site: &str, operation: &str) -> Result<Option<Timestamp>, JournalError> {
        let text: Option<String> = self.0.read_shared_or_copy(|connection| {
            Ok(connection
                .prepare_cached(
                    "SELECT COALESCE(attempt.ended, attempt.started) FROM attempt
                     JOIN submission ON submission.id = attempt.submission
                     WHERE submission.site = ?1 AND submission.operation = ?2
                     ORDER BY attempt.submission DESC, attempt.batch DESC LIMIT 1",
                )?
                .query_row([site, operation], |row| row.get(0))
                .optional()?)
        })?;
        Ok(text.map(|at| at.parse()).transpose()?)
    }
}

/// Returns the body of a copy, and the time at which the list was read.
fn load(connection: &Connection<'_>, site: &str, list: &str) -> Result<Option<(String, String)>, JournalError> {
    let sql = "SELECT body, at FROM reference WHERE site = ?1 AND list = ?2";
    let read = |row: Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(connection.prepare_cached(sql)?.query_row([site, list], read).optional()?)
}

fn replace(transaction: &Transaction<'_>, site: &str, list: &str, body: &str, at: &str) -> Result<(), JournalError> {
    let sql = "INSERT INTO reference (site, list, body, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (site, list) DO UPDATE SET body = excluded.body, at = excluded.at";
    transaction.execute(sql, params![site, list, body, at])?;
    Ok(())
}

fn forget(transaction: &Transaction<'_>, site: &str) -> Result<(), JournalError> {
    transaction.execute("DELETE FROM reference WHERE site = ?1", [site])?;
    Ok(())
}

fn reference_record(site: &str, list: &str, body: &str, at: &str) -> Result<ReferenceRecord, JournalError> {
    let (site, list) = (site.to_owned(), list.to_owned());
    Ok(ReferenceRecord { site, list, body: serde_json::from_str(body)?, at: at.parse()? })
}
