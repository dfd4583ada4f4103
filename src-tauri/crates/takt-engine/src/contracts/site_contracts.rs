//! The contracts of sites: their versions, and the documents that were previewed.

use std::{collections::HashMap, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use takt_contract::{Contract, overlay::Overlay};
use takt_core::Problem;
use takt_import::RememberedMappings;
use takt_openapi::comparison::{AssumptionDifference, OperationDifference, compare_assumptions, compare_contracts};
use takt_sites::{ContractVersion, DriftEntry, Sites};

/// Previews, applies, compares and restores the contracts of sites.
pub struct Contracts {
    pub(super) sites: Arc<Sites>,
    pub(super) mappings: RememberedMappings,
    pub(super) person: String,
    /// Previewed documents that aren't applied yet, by site.
    previews: Mutex<HashMap<String, PendingContract>>,
}

takt_core::opaque_debug!(Contracts);

/// A previewed document and its overlay, or an overlay that was learned from responses.
pub(super) struct PendingContract {
    pub(super) source: String,
    pub(super) bytes: Vec<u8>,
    pub(super) overlay: Overlay,
}

/// The differences between two contracts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContractDifferences {
    pub operations: Vec<OperationDifference>,
    /// Differences in assumptions about the whole service.
    pub assumptions: Vec<AssumptionDifference>,
}

impl ContractDifferences {
    pub(super) fn between(before: &Contract, after: &Contract) -> Self {
        Self { operations: compare_contracts(before, after), assumptions: compare_assumptions(before, after) }
    }
}

impl Contracts {
    /// Creates the contracts of `sites`. `person` is recorded as the author of changes.
    #[must_use]
    pub fn new(sites: Arc<Sites>, mappings: RememberedMappings, person: String) -> Self {
        Self { sites, mappings, person, previews: Mutex::default() }
    }

    /// Returns the person who is recorded as the author of changes.
    pub(crate) fn person(&self) -> &str {
        &self.person
    }

    /// Applies the last previewed document of a site, and returns the version's number.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no document was previewed (`no-contract-preview`).
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn apply_preview(&self, site: &str) -> Result<u32, Problem> {
        let pending = self.lock_pending().remove(site);
        let pending = pending.ok_or_else(|| Problem::obstacle("no-contract-preview"))?;
        self.sites.set_overlay(site, &pending.overlay, &pending.source, &self.person)
    }

    /// Applies an overlay unchanged, and returns the version's number.
    pub(crate) fn apply_overlay(&self, site: &str, overlay: &Overlay, source: &str) -> Result<u32, Problem> {
        self.sites.set_overlay(site, overlay, source, &self.person)
    }

    /// Returns every version of a site's contract, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn versions(&self, site: &str) -> Result<Vec<ContractVersion>, Problem> {
        self.sites.contract_versions(site)
    }

    /// Puts an earlier version in force again, and returns the new version's number. 0 is the built-in contract.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub fn restore(&self, site: &str, number: u32) -> Result<u32, Problem> {
        self.sites.restore_contract(site, number, &self.person)
    }

    /// Returns the differences between a site's responses and its contract in force, as far as responses were checked.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn drift(&self, site: &str) -> Result<Vec<DriftEntry>, Problem> {
        self.sites.drift(site)
    }

    /// Returns the changes of a site's contract in force to the built-in contract.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn differences(&self, site: &str) -> Result<Vec<OperationDifference>, Problem> {
        Ok(compare_contracts(self.sites.builtin_contract(), &*self.sites.contract(site)?))
    }

    /// Compares two versions of a site's contract. 0 is the built-in contract.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn compare_versions(&self, site: &str, before: u32, after: u32) -> Result<ContractDifferences, Problem> {
        let (builtin, zone) = (self.sites.builtin_contract(), self.sites.time_zone(site)?);
        let contract = |number: u32| -> Result<Contract, Problem> {
            let overlay = if number == 0 { Overlay::default() } else { self.sites.overlay_version(site, number)? };
            Ok(builtin.with_overlay(&overlay, &zone))
        };
        Ok(ContractDifferences::between(&contract(before)?, &contract(after)?))
    }

    /// Compares the contract in force at a site to an earlier one.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn changes_since(&self, site: &str, before: &Contract) -> Result<ContractDifferences, Problem> {
        Ok(ContractDifferences::between(before, &*self.sites.contract(site)?))
    }

    /// Locks the previewed documents, by site.
    pub(super) fn lock_pending(&self) -> MutexGuard<'_, HashMap<String, PendingContract>> {
        self.previews.lock()
    }
}
