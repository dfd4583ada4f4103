//! Guards the start of runs: production sites need their typed name, and data for one address are never sent to
//! another.
//!
//! A run requires a [`SendPermit`], and only [`grant_permit`] creates one. So sending, resuming and undoing always
//! check the site.

use takt_client::{is_same_address, normalize_address};
use takt_core::{Code, Problem};
use takt_journal::{Journal, SiteAddress, SubmissionId, SubmissionRecord};
use takt_sites::{PRACTICE, Site, SiteConnection, SiteKind, Sites};

use super::{practice_plant, submissions_state::Submissions};

impl Submissions {
    /// Checks that the user may write to a site now. For a production site, `confirmed` must be its name.
    ///
    /// # Errors
    ///
    /// - [`Code::ConfirmationNeeded`]: the site is a production site, and
    ///   `confirmed` isn't its name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn may_write(&self, site: &str, confirmed: Option<&str>) -> Result<(), Problem> {
        grant_permit(&self.shared.sites, &self.shared.journal, site, confirmed).map(drop)
    }

    /// Creates the permit to continue a submission, at the address that it was stored for.
    pub(super) fn request_permit(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<SendPermit, Problem> {
        let record = self.shared.journal.submission(id)?;
        let permit = grant_permit(&self.shared.sites, &self.shared.journal, &record.site, confirmed)?;
        check_address(&self.shared.sites, &self.shared.journal, &record)?;
        Ok(permit)
    }
}

/// The permit to write to one site, for one request of the user.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent without it"]
pub(super) struct SendPermit {
    site: String,
    /// The site's address when the permit was created.
    address: SiteAddress,
}

impl SendPermit {
    /// Checks that the submission was stored for this site at this address.
    pub(super) fn check(&self, record: &SubmissionRecord) -> Result<(), Problem> {
        if self.site != record.site {
            return Err(Problem::new(Code::ConfirmationNeeded).parameter("site", &record.site));
        }
        require_same_address(&record.site, &record.address, &self.address)
    }

    /// Opens a connection to the permit's site. Fails if the site has another address by now.
    pub(super) fn open_connection(&self, journal: &Journal, sites: &Sites) -> Result<SiteConnection, Problem> {
        let connection = SiteConnection::open(sites, &self.site)?;
        // Checked afterwards, so that the connection goes to the checked address.
        let now = load_address(sites, journal, &self.site)?.unwrap_or_default();
        require_same_address(&self.site, &self.address, &now)?;
        Ok(connection)
    }

    /// Returns the address that the permit is for.
    pub(super) fn address(&self) -> &SiteAddress {
        &self.address
    }
}

/// Creates a permit. For a production site `confirmed` must be its name as in the settings.
pub(super) fn grant_permit(
    sites: &Sites,
    journal: &Journal,
    site: &str,
    confirmed: Option<&str>,
) -> Result<SendPermit, Problem> {
    if !is_production(journal, site)? || confirmed.is_some_and(|typed| typed.trim() == site) {
        return Ok(SendPermit {
            site: site.to_owned(),
            address: load_address(sites, journal, site)?.unwrap_or_default(),
        });
    }
    Err(Problem::new(Code::ConfirmationNeeded).parameter("site", site))
}

/// Checks that the submission's site still has the address that the submission was stored for.
pub(super) fn check_address(sites: &Sites, journal: &Journal, record: &SubmissionRecord) -> Result<(), Problem> {
    match load_address(sites, journal, &record.site)? {
        Some(address) => require_same_address(&record.site, &record.address, &address),
        // A missing site is reported when its client is created.
        None => Ok(()),
    }
}

fn require_same_address(site: &str, before: &SiteAddress, now: &SiteAddress) -> Result<(), Problem> {
    if site == PRACTICE {
        return if before == now { Ok(()) } else { Err(Problem::obstacle("plant-gone")) };
    }
    if is_same_address(&before.base_url, &now.base_url) && is_same_address(&before.auth_url, &now.auth_url) {
        return Ok(());
    }
    let format_address = |address: &SiteAddress| match (address.base_url.as_str(), address.auth_url.as_str()) {
        ("", _) => "?".to_owned(),
        (base, auth) if is_same_address(&before.auth_url, &now.auth_url) || base == auth => base.to_owned(),
        (base, auth) => format!("{base} ({auth})"),
    };
    Err(Problem::new(Code::AddressChanged)
        .parameter("site", site)
        .parameter("before", format_address(before))
        .parameter("now", format_address(now)))
}

/// Returns the site's current address. `None` if the site doesn't exist.
fn load_address(sites: &Sites, journal: &Journal, site: &str) -> Result<Option<SiteAddress>, Problem> {
    if site == PRACTICE {
        return Ok(Some(practice_plant::address(sites)));
    }
    let Some(record) = journal.sites().list()?.into_iter().find(|record| record.name == site) else { return Ok(None) };
    let site: Site =
        serde_json::from_value(record.body).map_err(|error| Problem::new(Code::JournalFailed).details(error))?;
    // Desks of a team may write the same address differently.
    Ok(Some(SiteAddress { base_url: normalize_address(&site.base_url), auth_url: site.auth_url }))
}

/// Returns whether the site is a production site. An unreadable site is treated as one, to be safe.
fn is_production(journal: &Journal, site: &str) -> Result<bool, Problem> {
    let record = journal.sites().list()?.into_iter().find(|record| record.name == site);
    Ok(record.is_some_and(|record| {
        serde_json::from_value::<Site>(record.body).map_or(true, |site| site.kind == SiteKind::Production)
    }))
}
