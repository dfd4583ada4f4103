//! A site with its contract and client, looked up once for each use case.

use std::sync::Arc;

use takt_client::Client;
use takt_contract::Contract;
use takt_core::{Problem, blocking::run_blocking};

use crate::site_list::Sites;

/// A site's name with its contract and client.
#[derive(Debug, Clone)]
pub struct SiteConnection {
    pub site: String,
    pub contract: Arc<Contract>,
    /// The site's IANA time zone.
    pub time_zone: String,
    pub client: Client,
}

impl SiteConnection {
    /// Looks up a site. This may wait for the journal, for certificate files and for the keychain. Nothing is sent.
    ///
    /// # Errors
    ///
    /// The errors of [`Sites::client`].
    pub fn open(sites: &Sites, site: &str) -> Result<Self, Problem> {
        Ok(Self {
            site: site.to_owned(),
            contract: sites.contract(site)?,
            time_zone: sites.time_zone_name(site)?,
            client: sites.client(site)?,
        })
    }

    /// Looks up a site like [`Self::open`], for async callers.
    ///
    /// # Errors
    ///
    /// The errors of [`Sites::client`].
    pub async fn connect(sites: &Arc<Sites>, site: &str) -> Result<Self, Problem> {
        let (sites, site) = (Arc::clone(sites), site.to_owned());
        run_blocking(move || Self::open(&sites, &site)).await
    }
}
