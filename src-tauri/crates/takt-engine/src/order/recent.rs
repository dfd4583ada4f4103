//! The orders that were looked at last, per site.

use serde_json::json;
use takt_client::Canceller;
use takt_core::Problem;

use super::Orders;

/// How many are remembered.
const MAX_RECENT: usize = 12;

impl Orders {
    /// The orders that were looked at last at a site, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn recent(&self, site: &str) -> Result<Vec<String>, Problem> {
        let kept = self.journal.settings().get(&setting(site))?;
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    /// Remembers that an order was looked at.
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

    /// Forgets the orders that were looked at: the site was removed.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        self.journal.settings().remove(&setting(site))?;
        Ok(())
    }

    /// Whether a site has an order of that code.
    ///
    /// # Errors
    ///
    /// As [`Orders::rows`].
    pub async fn exists(&self, site: &str, code: &str, canceller: &Canceller) -> Result<bool, Problem> {
        let Some(own) = self.lists().parts.into_iter().find(|part| part.own) else { return Ok(false) };
        Ok(!self.rows(site, code, &own.operation, None, canceller).await?.rows.is_empty())
    }
}

fn setting(site: &str) -> String {
    format!("recent orders/{site}")
}
