//! A site with its contract and client, looked up once for each use case.

use std::sync::Arc;

use takt_client::Client;
use takt_contract::Contract;
use takt_core::Problem;
use takt_sites::Sites;

/// A site with its contract and client.
#[derive(Debug, Clone)]
pub(super) struct SiteConnection {
    pub(super) site: String,
    pub(super) contract: Arc<Contract>,
    pub(super) client: Client,
}

impl SiteConnection {
    pub(super) fn open(sites: &Sites, site: &str) -> Result<Self, Problem> {
        Ok(Self { site: site.to_owned(), contract: sites.contract(site)?, client: sites.client(site)? })
    }
}
