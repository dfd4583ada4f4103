//! The contract in force at each site: the built-in one, and what the site's newest version says otherwise.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use takt_contract::{Contract, overlay::Overlay};
use takt_core::{Code, Problem};
use takt_journal::contract_version::{ContractVersionRecord, NewContractVersion};

use super::Sites;

/// A contract, and what it was made from.
pub(super) struct CurrentContract {
    version: Option<u32>,
    zone: String,
    contract: Arc<Contract>,
}

/// A version of a site's contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContractVersion {
    /// Counted from 1 for each site; the greatest is in force.
    pub number: u32,
    /// ISO 8601.
    pub at: String,
    /// Who took it.
    pub person: String,
    /// The document's name or address, or what else it came from.
    pub source: String,
}

impl From<ContractVersionRecord> for ContractVersion {
    fn from(record: ContractVersionRecord) -> Self {
        let ContractVersionRecord { number, at, person, source } = record;
        Self { number, at: at.to_string(), person, source }
    }
}

impl Sites {
    /// The contract in force at a site; the built-in one where the site says nothing otherwise.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the versions can't be read.
    pub fn contract(&self, site: &str) -> Result<Arc<Contract>, Problem> {
        let Some(version) = self.journal.contract_versions().current(site)? else {
            return Ok(Arc::clone(&self.contract));
        };
        let zone = self.zone(site);
        let mut contracts = self.contracts.lock();
        if let Some(current) = contracts.get(site).filter(|held| held.version == Some(version) && held.zone == zone) {
            return Ok(Arc::clone(&current.contract));
        }
        let overlay = self.overlay_version(site, version)?;
        let contract = Arc::new(self.contract.with_overlay(&overlay, &self.time_zone(site)));
        let current = CurrentContract { version: Some(version), zone, contract: Arc::clone(&contract) };
        contracts.insert(site.to_owned(), current);
        Ok(contract)
    }

    /// The contract that Takt brings.
    pub fn builtin_contract(&self) -> &Arc<Contract> {
        &self.contract
    }

    /// What a site says otherwise, as it is in force; nothing where it says nothing.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn overlay(&self, site: &str) -> Result<Overlay, Problem> {
        match self.journal.contract_versions().current(site)? {
            Some(version) => self.overlay_version(site, version),
            None => Ok(Overlay::default()),
        }
    }

    /// Every version of a site's contract, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn contract_versions(&self, site: &str) -> Result<Vec<ContractVersion>, Problem> {
        Ok(self.journal.contract_versions().list(site)?.into_iter().map(ContractVersion::from).collect())
    }

    /// Takes what a site says otherwise; gives the version's number. Versions of before are kept.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
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

    /// Puts an earlier version in force again, as a new version; 0 is the built-in contract.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub fn restore_contract(&self, site: &str, number: u32, person: &str) -> Result<u32, Problem> {
        if number == 0 {
            return self.set_overlay(site, &Overlay::default(), "", person);
        }
        let versions = self.journal.contract_versions().list(site)?;
        let unknown = || Problem::new(Code::Unknown).parameter("what", number.to_string());
        let version = versions.into_iter().find(|version| version.number == number).ok_or_else(unknown)?;
        self.set_overlay(site, &self.overlay_version(site, number)?, &version.source, person)
    }

    /// A version's overlay.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the site has no such version.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn overlay_version(&self, site: &str, number: u32) -> Result<Overlay, Problem> {
        let body = self.journal.contract_versions().body(site, number)?;
        let body = body.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", number.to_string()))?;
        serde_json::from_value(body).map_err(|error| Problem::new(Code::JournalFailed).details(error))
    }
}
