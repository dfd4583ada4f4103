//! What a site's lists held when they were last read, as far as checks need it. It can always be read again.

use jiff::Timestamp;
use serde_json::Value;

use crate::database::{Connection, OptionalExtension, Row, Transaction, params};
use crate::own_change::OwnChange;
use crate::{Journal, JournalError};

/// What one list held, as the engine wrote it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceRecord {
    pub site: String,
    /// The operation that reads the list.
    pub list: String,
    pub body: Value,
    /// When it was read.
    pub at: Timestamp,
}

/// What sites were seen to hold.
#[derive(Debug, Clone, Copy)]
pub struct References<'a>(pub(crate) &'a Journal);

impl Journal {
    /// What sites were seen to hold.
    #[must_use]
    pub fn references(&self) -> References<'_> {
        References(self)
    }
}

impl References<'_> {
    /// What is stored of a list.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn get(&self, site: &str, list: &str) -> Result<Option<ReferenceRecord>, JournalError> {
        let row = self.0.read_or_own(|connection| stored(connection, (site, list)))?;
        row.map(|(body, at)| record((site, list), &body, &at)).transpose()
    }

    /// Keeps it, in place of what the list held before.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, reference: &ReferenceRecord) -> Result<(), JournalError> {
        let body = serde_json::to_string(&reference.body)?;
        let what = OwnChange::Reference { site: reference.site.clone(), list: reference.list.clone() };
        self.0.write_and_own(&what, |transaction| {
            put(transaction, (&reference.site, &reference.list), (&body, &reference.at.to_string()))
        })
    }

    /// Everything that is known of a site.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, site: &str) -> Result<(), JournalError> {
        let what = OwnChange::References { site: site.to_owned() };
        self.0.write_and_own(&what, |transaction| forget(transaction, site))
    }

    /// Makes it the team's as this desk has it: it was read while the database was away. What a colleague read since stays.
    pub(crate) fn share_own(&self, site: &str, list: &str) -> Result<(), JournalError> {
        let Some((body, at)) = self.0.own_read(|connection| stored(connection, (site, list)))? else { return Ok(()) };
        let read: Timestamp = at.parse()?;
        self.0.write(|transaction| {
            let there = stored(transaction, (site, list))?.map(|(_, at)| at.parse::<Timestamp>()).transpose()?;
            if there.is_some_and(|there| there > read) { Ok(()) } else { put(transaction, (site, list), (&body, &at)) }
        })
    }

    /// In the team's database alone.
    pub(crate) fn forget_shared(&self, site: &str) -> Result<(), JournalError> {
        self.0.write(|transaction| forget(transaction, site))
    }

    /// When something was last sent to a site by an operation; absent where nothing ever was.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last_sent(&self, site: &str, operation: &str) -> Result<Option<Timestamp>, JournalError> {
        let text: Option<String> = self.0.read_or_own(|connection| {
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

/// What is stored of a list, and when it was read.
fn stored(connection: &Connection<'_>, (site, list): (&str, &str)) -> Result<Option<(String, String)>, JournalError> {
    let sql = "SELECT body, at FROM reference WHERE site = ?1 AND list = ?2";
    let read = |row: Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(connection.prepare_cached(sql)?.query_row([site, list], read).optional()?)
}

fn put(
    transaction: &Transaction<'_>,
    (site, list): (&str, &str),
    (body, at): (&str, &str),
) -> Result<(), JournalError> {
    let sql = "INSERT INTO reference (site, list, body, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (site, list) DO UPDATE SET body = excluded.body, at = excluded.at";
    transaction.execute(sql, params![site, list, body, at])?;
    Ok(())
}

fn forget(transaction: &Transaction<'_>, site: &str) -> Result<(), JournalError> {
    transaction.execute("DELETE FROM reference WHERE site = ?1", [site])?;
    Ok(())
}

fn record((site, list): (&str, &str), body: &str, at: &str) -> Result<ReferenceRecord, JournalError> {
    let (site, list) = (site.to_owned(), list.to_owned());
    Ok(ReferenceRecord { site, list, body: serde_json::from_str(body)?, at: at.parse()? })
}
