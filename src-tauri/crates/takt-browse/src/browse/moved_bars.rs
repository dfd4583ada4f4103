//! Bars of a plan that a person moved and hasn't sent, per site and list.

use serde::{Deserialize, Serialize};
use serde_json::json;
use takt_core::{Code, Problem};

use crate::Browse;

/// Far more than anybody moves by hand.
const MAX_MOVED_BARS: usize = 10_000;
const LONGEST_NAME: usize = 1_000;

/// Where a bar lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BarPlace {
    /// In milliseconds of the site's wall time, counted as if it were UTC.
    pub begin: f64,
    pub end: f64,
    /// The lane's name as the service has it.
    pub lane: String,
}

/// A bar that was moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MovedBar {
    /// What it is called: rows of another reading stand elsewhere.
    pub label: String,
    pub to: BarPlace,
    /// Where the service had it when it was moved.
    pub from: BarPlace,
}

impl Browse {
    /// The moves that were kept, in their order.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn moved_bars(&self, site: &str, operation: &str) -> Result<Vec<MovedBar>, Problem> {
        let kept = self.journal.settings().get(&name(site, operation))?;
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    /// Keeps moves until they are sent or discarded, in place of those that were kept before.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: there are too many, or a name is too long.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_moved_bars(&self, site: &str, operation: &str, bars: &[MovedBar]) -> Result<(), Problem> {
        self.sites.find(site)?;
        let is_short = |text: &str| text.len() <= LONGEST_NAME;
        let are_short =
            bars.iter().all(|bar| is_short(&bar.label) && is_short(&bar.to.lane) && is_short(&bar.from.lane));
        if bars.len() > MAX_MOVED_BARS || !are_short || !is_short(operation) {
            return Err(Problem::new(Code::InvalidInput).parameter("what", operation));
        }
        let name = name(site, operation);
        if bars.is_empty() {
            self.journal.settings().remove(&name)?;
            return Ok(());
        }
        Ok(self.journal.settings().set(&name, &json!(bars))?)
    }
}

fn name(site: &str, operation: &str) -> String {
    format!("moved-bars/{operation}/{site}")
}
