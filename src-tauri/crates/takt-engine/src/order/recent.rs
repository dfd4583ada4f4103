//! Stores the orders that were opened last, per site.

use serde_json::json;
use takt_client::Canceller;
use takt_core::Problem;

use super::order_rows::Orders;

/// The number of stored orders.
const MAX_RECENT: usize = 12;

impl Orders {
    /// Returns the orders that were opened last at a site, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn recent(&self, site: &str) -> Result<Vec<String>, Problem> {
        let stored = self.journal.settings().get(&setting(site))?;
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    /// Stores that an order was opened.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn remember(&self, site: &str, code: &str) -> Result<(), Problem> {
        let mut recent = self.recent(site)?;
        if recent.first().is_some_and(|newest| newest == code) {
            return Ok(());
        }
        recent.retain(|known| known != code);
        recent.insert(0, code.to_owned());
        recent.truncate(MAX_RECENT);
        Ok(self.journal.settings().set(&setting(site), &json!(recent))?)
    }

    /// Forgets the orders of a removed site.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        self.journal.settings().remove(&setting(site))?;
        Ok(())
    }

    /// Returns true if a site has an order with this code.
    ///
    /// # Errors
    ///
    /// As for [`Orders::rows`].
    pub async fn exists(&self, site: &str, code: &str, canceller: &Canceller) -> Result<bool, Problem> {
        let Some(own) = self.lists().parts.into_iter().find(|part| part.own) else { return Ok(false) };
        Ok(!self.rows(site, code, &own.operation, None, canceller).await?.rows.is_empty())
    }
}

fn setting(site: &str) -> String {
    format!("recent orders/{site}")
}
