//! Manages the contract in force at each site: the built-in contract with the overlay of the site's newest version.
//! Also returns the deviations of the site's responses from it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use takt_contract::{Contract, overlay::Overlay};
use takt_core::{Code, Problem};
use takt_journal::contract_version::{ContractVersionRecord, NewContractVersion};

use crate::{drift::DriftEntry, site_list::Sites};

/// A stored version of a site's contract, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContractVersion {
    /// Numbered from 1 for each site. The highest number is in force.
    pub number: u32,
    /// In ISO 8601.
    pub at: String,
    /// The user who applied it.
    pub person: String,
    /// The document's name or address, or another source.
    pub source: String,
}

impl From<ContractVersionRecord> for ContractVersion {
    fn from(record: ContractVersionRecord) -> Self {
        let ContractVersionRecord { number, at, person, source } = record;
        Self { number, at: at.to_string(), person, source }
    }
}

impl Sites {
    /// Returns the contract in force at a site, or the built-in one if the site has no version.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the versions can't be read.
    pub fn contract(&self, site: &str) -> Result<Arc<Contract>, Problem> {
        let Some(version) = self.journal.contract_versions().current(site)? else {
            return Ok(Arc::clone(&self.contract));
        };
        self.contracts.contract(site, version, self.time_zone_name(site)?, || {
            let overlay = self.overlay_version(site, version)?;
            Ok(self.contract.with_overlay(&overlay, &self.time_zone(site)?))
        })
    }

    /// Returns the built-in contract.
    pub fn builtin_contract(&self) -> &Arc<Contract> {
        &self.contract
    }

    /// Returns a site's overlay in force, or an empty one.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the overlay can't be read.
    pub fn overlay(&self, site: &str) -> Result<Overlay, Problem> {
        match self.journal.contract_versions().current(site)? {
            Some(version) => self.overlay_version(site, version),
            None => Ok(Overlay::default()),
        }
    }

    /// Returns every version of a site's contract, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the versions can't be read.
    pub fn contract_versions(&self, site: &str) -> Result<Vec<ContractVersion>, Problem> {
        Ok(self.journal.contract_versions().list(site)?.into_iter().map(ContractVersion::from).collect())
    }

    /// Adds an overlay as a new version, and returns its number. Earlier versions stay stored.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the version can't be written.
    pub fn set_overlay(&self, site: &str, overlay: &Overlay, source: &str, person: &str) -> Result<u32, Problem> {
        self.find(site)?;
        let body = serde_json::to_value(overlay).map_err(|error| Problem::new(Code::Bug).details(error))?;
        let version = NewContractVersion {
            site: site.to_owned(),
            at: (self.clock)(),
            person: person.to_owned(),
            source: source.to_owned(),
            body,
        };
        let number = self.journal.contract_versions().add(&version)?;
        self.drift.forget(site);
        Ok(number)
    }

    /// Restores an earlier version as a new version. 0 restores the built-in contract.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): a version can't be read or written.
    pub fn restore_contract(&self, site: &str, number: u32, person: &str) -> Result<u32, Problem> {
        if number == 0 {
            return self.set_overlay(site, &Overlay::default(), "", person);
        }
        let versions = self.journal.contract_versions().list(site)?;
        let unknown = || Problem::new(Code::Unknown).parameter("what", number.to_string());
        let version = versions.into_iter().find(|version| version.number == number).ok_or_else(unknown)?;
        self.set_overlay(site, &self.overlay_version(site, number)?, &version.source, person)
    }

    /// Returns the overlay that a version stored.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): the version can't be read.
    pub fn overlay_version(&self, site: &str, number: u32) -> Result<Overlay, Problem> {
        let body = self.journal.contract_versions().body(site, number)?;
        let body = body.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", number.to_string()))?;
        serde_json::from_value(body).map_err(|error| Problem::new(Code::JournalFailed).details(error))
    }

    /// Returns the deviations of a site's responses from its contract in force, as far as responses were checked.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the deviations can't be read.
    pub fn drift(&self, site: &str) -> Result<Vec<DriftEntry>, Problem> {
        Ok(self.drift.entries(site)?)
    }
}

/// Writes the counts of deviations that aren't written yet. Must be called before the process ends.
pub fn flush_drift(sites: &Sites) {
    sites.drift.flush();
}
