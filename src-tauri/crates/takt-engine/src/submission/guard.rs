//! The guard before production: nothing is written to such a site before a person has typed its name.
//!
//! Owns the question alone. A run can only begin with a [`Leave`] in hand, and only [`leave`] makes one, so whatever is added
//! to send, resume or undo has to pass here.

use takt_journal::Journal;

use crate::{Code, Problem, Site, SiteKind};

/// The right to write to one site, for one order of a person.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent without it"]
pub(super) struct Leave {
    site: String,
}

impl Leave {
    /// True where it was given for this site.
    pub(super) fn is_for(&self, site: &str) -> bool {
        self.site == site
    }
}

/// Practice and test sites need no word; of a production site `confirmed` must be the name, as it is written in the settings.
pub(super) fn leave(journal: &Journal, site: &str, confirmed: Option<&str>) -> Result<Leave, Problem> {
    let given = || Ok(Leave { site: site.to_owned() });
    if !is_production(journal, site)? || confirmed.is_some_and(|typed| typed.trim() == site) {
        return given();
    }
    Err(Problem::new(Code::ConfirmationNeeded).parameter("site", site))
}

/// What can't be read is taken for production: a guard that fails keeps the gate shut.
fn is_production(journal: &Journal, site: &str) -> Result<bool, Problem> {
    let kept = journal.sites()?.into_iter().find(|record| record.name == site);
    Ok(kept.is_some_and(|record| {
        serde_json::from_value::<Site>(record.body).map_or(true, |site| site.kind == SiteKind::Production)
    }))
}
