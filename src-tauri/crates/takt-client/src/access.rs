//! What it takes to talk to a site. Its client secret isn't part of it: that lies in the vault.

use std::{env, fs, path::PathBuf, time::Duration};

use sha2::{Digest, Sha256};
use takt_contract::form::ErrorForm;

use crate::{
    address::{is_local, origin},
    provider_settings::ProviderSettings,
    proxy::environment_needs_none,
};

const RETRY_WAIT_VARIABLE: &str = "TAKT_RETRY_WAIT";

/// How long to wait for a connection, for a request as a whole, and between requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    pub whole: Duration,
    /// Before a request that failed is repeated for the first time, where the service names no time. Later waits are multiples.
    pub retry_wait: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            whole: Duration::from_secs(60),
            retry_wait: Duration::from_millis(250),
        }
    }
}

impl Timeouts {
    /// The usual ones, with the wait before a repetition that `TAKT_RETRY_WAIT` names in milliseconds.
    #[must_use]
    pub fn from_environment() -> Self {
        let Ok(text) = env::var(RETRY_WAIT_VARIABLE) else { return Self::default() };
        match text.trim().parse() {
            Ok(milliseconds) => Self { retry_wait: Duration::from_millis(milliseconds), ..Self::default() },
            Err(_) => {
                tracing::warn!(text, "{RETRY_WAIT_VARIABLE} isn't a number of milliseconds");
                Self::default()
            }
        }
    }

    /// After a refusal for lack of rate, and before a list is read once more: a service needs longer for these to pass.
    #[must_use]
    pub fn long_retry_wait(&self) -> Duration {
        self.retry_wait * 4
    }
}

/// By what a site knows this computer. A PKCS#12 file's passphrase is a secret of its own, and no part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// PEM or PKCS#12.
    pub file: PathBuf,
    /// PEM, where the key doesn't stand in the file of the certificate.
    pub key_file: Option<PathBuf>,
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
    /// Its password is a secret of its own, and no part of it. Without it the system's settings count.
    pub proxy: Option<String>,
    /// No proxy at all, whatever the system's settings say.
    pub no_proxy: bool,
    /// A PEM file with further certificate authorities.
    pub ca_file: Option<PathBuf>,
    pub client_certificate: Option<ClientCertificate>,
    /// A file by which several processes renew tokens one after the other; without it only this process takes turns.
    pub lock_file: Option<PathBuf>,
    pub timeouts: Timeouts,
    /// Where the service's errors carry its words.
    pub errors: ErrorForm,
}

/// A secret belongs to an origin: to scheme, host and port of where it goes, by the way on which it goes there. It is given
/// out to no other.
impl SiteAccess {
    /// Where the client secret goes: to the identity provider.
    #[must_use]
    pub fn secret_origin(&self) -> String {
        format!("{}{}", origin(&self.auth_url), self.way())
    }

    /// Where the tokens go: to the service and to the identity provider, as the client that they were given to.
    #[must_use]
    pub fn token_origin(&self) -> String {
        format!("{} {} {}{}", origin(&self.base_url), origin(&self.auth_url), self.client_id, self.way())
    }

    /// Where the proxy's password goes; none without a proxy.
    #[must_use]
    pub fn proxy_origin(&self) -> Option<String> {
        let proxy = self.own_proxy()?;
        // Whose password it is stands in the address, too.
        Some(format!("{} {}", origin(proxy), proxy.split('@').next().unwrap_or_default()))
    }

    /// What the client certificate's passphrase opens; none without such a file.
    #[must_use]
    pub fn certificate_origin(&self) -> Option<String> {
        self.client_certificate.as_ref().map(|files| files.file.display().to_string())
    }

    /// The site's own proxy.
    pub(crate) fn own_proxy(&self) -> Option<&str> {
        self.proxy.as_deref().map(str::trim).filter(|proxy| !proxy.is_empty() && !self.no_proxy)
    }

    /// The proxy, the further authorities and addresses of the provider's that a setting moves: whoever sets them can read
    /// what is sent. The system's proxy changes with the network that a computer is in, and its settings are the computer's as
    /// its keychain is: that it is used counts, its address doesn't.
    fn way(&self) -> String {
        let proxy = if self.no_proxy { Some("none".to_owned()) } else { self.own_proxy().map(origin) };
        let authorities = self.ca_file.as_ref().map(|file| match fs::read(file) {
            Ok(bytes) => Sha256::digest(bytes).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}")),
            Err(_) => file.display().to_string(),
        });
        let part =
            |name: &str, value: Option<String>| value.map_or_else(String::new, |value| format!(" {name}={value}"));
        let elsewhere =
            |address: &Option<String>| address.as_deref().filter(|address| address.contains("://")).map(origin);
        let (token, revocation) = (elsewhere(&self.provider.token), elsewhere(&self.provider.revocation));
        let moved = format!("{}{}", part("token", token), part("revocation", revocation));
        format!("{}{}{moved}", part("proxy", proxy), part("ca", authorities))
    }
}

/// True where the site's own proxy or the system's may stand between: not where a person chose none, and the system's not where the
/// whole site is on this computer, or `NO_PROXY` names everything.
pub(crate) fn is_proxied(access: &SiteAccess) -> bool {
    let is_local = || is_local(&access.base_url) && is_local(&access.auth_url);
    !access.no_proxy && (access.own_proxy().is_some() || !(is_local() || environment_needs_none()))
}
