//! Stores moved bars of a plan that weren't sent yet, per site and list.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use serde_json::json;
use takt_core::{Code, Problem};
use takt_journal::JournalError;

use super::list_reader::Browse;

/// Far more than can be moved by hand.
const MAX_MOVED_BARS: usize = 10_000;
const MAX_NAME_LENGTH: usize = 1_000;
/// The prefix of the settings' names.
pub(super) const MOVED_BARS_KEY_PREFIX: &str = "moved-bars/";

/// The position of a bar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BarPlace {
    /// In milliseconds of the site's local time, as if it were UTC.
    pub begin: f64,
    pub end: f64,
    /// The lane's name on the service.
    pub lane: String,
}

/// A bar that was moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MovedBar {
    /// The bar's label, because row positions differ between reads.
    pub label: String,
    pub to: BarPlace,
    /// The bar's position on the service when it was moved.
    pub from: BarPlace,
}

impl Browse {
    /// Returns the stored moves, in order.
    ///
    /// # Errors
    ///
    /// - [`Code::JournalDamaged`] (`moved-bars`): the stored moves can't be read. They stay stored until they are
    ///   discarded.
    /// - Another [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn moved_bars(&self, site: &str, operation: &str) -> Result<Vec<MovedBar>, Problem> {
        let stored = match self.journal.settings().get(&setting_name(site, operation)) {
            Err(JournalError::Json(error)) => return Err(unreadable(error)),
            stored => stored?,
        };
        stored.map_or_else(|| Ok(Vec::new()), |stored| serde_json::from_value(stored).map_err(unreadable))
    }

    /// Replaces the stored moves. An empty list discards them, even if they can't be read.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: there are too many, or a name is too long.
    /// - [`Code::JournalDamaged`] (`moved-bars`): the stored moves can't be read, and stay stored.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_moved_bars(&self, site: &str, operation: &str, bars: &[MovedBar]) -> Result<(), Problem> {
        self.sites.find(site)?;
        let is_short = |text: &str| text.len() <= MAX_NAME_LENGTH;
        let are_short =
            bars.iter().all(|bar| is_short(&bar.label) && is_short(&bar.to.lane) && is_short(&bar.from.lane));
        if bars.len() > MAX_MOVED_BARS || !are_short || !is_short(operation) {
            return Err(Problem::new(Code::InvalidInput).parameter("what", operation));
        }
        let setting = setting_name(site, operation);
        if bars.is_empty() {
            self.journal.settings().remove(&setting)?;
            return Ok(());
        }
        self.moved_bars(site, operation)?;
        Ok(self.journal.settings().set(&setting, &json!(bars))?)
    }
}

fn setting_name(site: &str, operation: &str) -> String {
    format!("{MOVED_BARS_KEY_PREFIX}{operation}/{site}")
}

fn unreadable(error: impl Display) -> Problem {
    Problem::new(Code::JournalDamaged).parameter("case", "moved-bars").details(error)
}
