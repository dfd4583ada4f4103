//! The secret part of the address at which all receivers of a team accept a site's events.

use super::store::Inbox;
use crate::JournalError;
use crate::database::{OptionalExtension, params};

impl Inbox {
    /// Returns the team's path for a site, which becomes `proposed` if it has none. Returns none without a team.
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
