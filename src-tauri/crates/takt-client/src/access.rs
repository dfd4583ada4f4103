//! What it takes to talk to a site. Its client secret isn't part of it: that lies in the vault.

use std::{path::PathBuf, time::Duration};

use crate::ProviderSettings;

/// How long to wait for a connection, and for a request as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    pub whole: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), whole: Duration::from_secs(60) }
    }
}

/// Addresses and settings of one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteAccess {
    /// Under which its secrets lie in the vault.
    pub name: String,
    pub base_url: String,
    pub auth_url: String,
    pub client_id: String,
    /// Space-separated.
    pub scope: String,
    /// Tried in this order; a port of 0 means any free port.
    pub redirect_uris: Vec<String>,
    pub provider: ProviderSettings,
    pub proxy: Option<String>,
    /// A PEM file with further certificate authorities.
    pub ca_file: Option<PathBuf>,
    /// A file by which several processes renew tokens one after the other; without it only this process takes turns.
    pub lock_file: Option<PathBuf>,
    pub timeouts: Timeouts,
}
