//! Caches the contract in force at each site.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use takt_contract::Contract;
use takt_core::Problem;

/// The contracts in force, by site.
#[derive(Default)]
pub(crate) struct ContractCache(Mutex<HashMap<String, CurrentContract>>);

/// A cached contract with the version and time zone it was built from.
struct CurrentContract {
    version: u32,
    zone: String,
    contract: Arc<Contract>,
}

impl ContractCache {
    /// Returns the contract of a site's version in a time zone. `build` is called if it isn't cached.
    pub(crate) fn contract(
        &self,
        site: &str,
        version: u32,
        zone: String,
        build: impl FnOnce() -> Result<Contract, Problem>,
    ) -> Result<Arc<Contract>, Problem> {
        let mut contracts = self.0.lock();
        if let Some(current) = contracts.get(site).filter(|cached| cached.version == version && cached.zone == zone) {
            return Ok(Arc::clone(&current.contract));
        }
        let contract = Arc::new(build()?);
        contracts.insert(site.to_owned(), CurrentContract { version, zone, contract: Arc::clone(&contract) });
        Ok(contract)
    }
}
