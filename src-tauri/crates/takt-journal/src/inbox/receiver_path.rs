//! The secret part of the address at which all receivers of a team take a site's events.

use crate::database::{OptionalExtension, params};
use crate::{Inbox, JournalError};

impl Inbox {
    /// The one that the team has for a site; `proposed` from here on where it has none. Nothing where the events are the desk's own: then
    /// the path is, too.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn shared_path(&self, site: &str, proposed: &str) -> Result<Option<String>, JournalError> {
        if !self.is_shared() {
            return Ok(None);
        }
        self.store.write(|transaction| {
            let sql = "INSERT INTO event_path (site, path) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            transaction.prepare_cached(sql)?.execute(params![site, proposed])?;
            let sql = "SELECT path FROM event_path WHERE site = ?1";
            Ok(transaction.prepare_cached(sql)?.query_row([site], |row| row.get(0)).optional()?)
        })
    }
}
