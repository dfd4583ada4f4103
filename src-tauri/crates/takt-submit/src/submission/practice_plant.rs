//! Distinguishes the practice plants that submissions were sent to.
//!
//! The plant's port differs after each start, so its rows are identified by an ID, which a reset replaces. It is stored
//! as the address of the identity provider, which is part of the plant.

use takt_journal::{SiteAddress, SubmissionRecord};
use takt_sites::{PRACTICE, Sites};

/// Returns the address to store for the practice plant. Empty if the plant ends with its process.
pub(super) fn address(sites: &Sites) -> SiteAddress {
    SiteAddress { base_url: String::new(), auth_url: sites.practice().state_id().unwrap_or_default() }
}

/// Returns whether a submission went to another practice plant than the current one, or to rows that were reset since.
pub(super) fn is_from_former_plant(sites: &Sites, record: &SubmissionRecord) -> bool {
    record.site == PRACTICE && record.address != address(sites)
}
