//! The guard before a run: nothing is written to a production site before a person has typed its name, and what belongs to
//! one address is never sent to another.
//!
//! Owns these two questions alone. A run can only begin with a [`SendPermit`] in hand, and only [`permit`] makes one, so whatever
//! is added to send, resume or undo has to pass here.

use takt_client::{normal_address, same_address};
use takt_core::{Code, Problem};
use takt_journal::{Journal, SiteAddress, SubmissionRecord};
use takt_sites::{Site, SiteKind, sites::PRACTICE};

/// The right to write to one site, for one order of a person.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent without it"]
pub(super) struct SendPermit {
    site: String,
    /// Where the site was when it was given.
    address: SiteAddress,
}

impl SendPermit {
    /// Refuses what was written down for another site, or for the same one when it was elsewhere.
    pub(super) fn check(&self, record: &SubmissionRecord) -> Result<(), Problem> {
        if self.site != record.site {
            return Err(Problem::new(Code::ConfirmationNeeded).parameter("site", &record.site));
        }
        same_place(record, &self.address)
    }

    /// Where it may be sent.
    pub(super) fn address(&self) -> &SiteAddress {
        &self.address
    }
}

/// Practice and test sites need no word; of a production site `confirmed` must be the name, as it is written in the settings.
pub(super) fn permit(journal: &Journal, site: &str, confirmed: Option<&str>) -> Result<SendPermit, Problem> {
    if !is_production(journal, site)? || confirmed.is_some_and(|typed| typed.trim() == site) {
        return Ok(SendPermit { site: site.to_owned(), address: address(journal, site)?.unwrap_or_default() });
    }
    Err(Problem::new(Code::ConfirmationNeeded).parameter("site", site))
}

/// Refuses to go on with a submission, or to use what was kept of it, where its site is elsewhere by now.
pub(super) fn check_place(journal: &Journal, record: &SubmissionRecord) -> Result<(), Problem> {
    match address(journal, &record.site)? {
        Some(address) => same_place(record, &address),
        // A missing site is reported where its client is made.
        None => Ok(()),
    }
}

fn same_place(record: &SubmissionRecord, now: &SiteAddress) -> Result<(), Problem> {
    let before = &record.address;
    let same = same_address(&before.base_url, &now.base_url) && same_address(&before.auth_url, &now.auth_url);
    if same || record.site == PRACTICE {
        return Ok(());
    }
    let told = |address: &SiteAddress| match (address.base_url.as_str(), address.auth_url.as_str()) {
        ("", _) => "?".to_owned(),
        (base, auth) if same_address(&before.auth_url, &now.auth_url) || base == auth => base.to_owned(),
        (base, auth) => format!("{base} ({auth})"),
    };
    Err(Problem::new(Code::AddressChanged)
        .parameter("site", &record.site)
        .parameter("before", told(before))
        .parameter("now", told(now)))
}

/// Where a site is now; none where it doesn't exist, and for the practice plant.
fn address(journal: &Journal, site: &str) -> Result<Option<SiteAddress>, Problem> {
    let Some(record) = journal.sites().list()?.into_iter().find(|record| record.name == site) else { return Ok(None) };
    let site: Site =
        serde_json::from_value(record.body).map_err(|error| Problem::new(Code::JournalFailed).details(error))?;
    // Desks of a team write the same address in their own ways.
    Ok(Some(SiteAddress { base_url: normal_address(&site.base_url), auth_url: site.auth_url }))
}

/// What can't be read is taken for production: a guard that fails keeps the gate shut.
fn is_production(journal: &Journal, site: &str) -> Result<bool, Problem> {
    let record = journal.sites().list()?.into_iter().find(|record| record.name == site);
    Ok(record.is_some_and(|record| {
        serde_json::from_value::<Site>(record.body).map_or(true, |site| site.kind == SiteKind::Production)
    }))
}
