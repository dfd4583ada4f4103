//! The addresses and settings of a site and its identity provider.
//!
//! The client secret isn't part of the settings. It is stored in the vault.

use std::{env, fs, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use takt_contract::form::ErrorForm;

use crate::{
    address::{is_local, origin},
    proxy::is_disabled_by_environment,
};

const RETRY_WAIT_VARIABLE: &str = "TAKT_RETRY_WAIT";

/// Timeouts for connections and requests, and waits between retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// The limit for connecting, sending, and receiving the response.
    pub request: Duration,
    /// The wait before the first retry of a failed request if the service states none. Later waits are multiples.
    pub retry_wait: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            request: Duration::from_secs(60),
            retry_wait: Duration::from_millis(250),
        }
    }
}

impl Timeouts {
    /// Returns the defaults, except that `TAKT_RETRY_WAIT` sets the wait before a retry in milliseconds.
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

    /// Returns the wait after a 429 without a stated time, and before a list is read again. A service needs longer to
    /// recover in these cases.
    #[must_use]
    pub fn long_retry_wait(&self) -> Duration {
        self.retry_wait * 4
    }
}

/// The files with the client certificate for a site. The passphrase of a PKCS#12 file is a separate secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// A PEM or PKCS#12 file.
    pub file: PathBuf,
    /// A PEM file with the key, if the certificate's file has none.
    pub key_file: Option<PathBuf>,
}

/// The method of sending client ID and secret to the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientAuthentication {
    /// In the form (`client_secret_post`), as specified.
    Post,
    /// In the `Authorization` header (`client_secret_basic`).
    Basic,
}

/// A site's settings for its provider. Unset endpoints are discovered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderSettings {
    pub client_authentication: Option<ClientAuthentication>,
    /// A URL, or a path relative to the provider's address.
    pub authorize: Option<String>,
    pub token: Option<String>,
    pub revocation: Option<String>,
}

/// The addresses and settings that the client of a site needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteAccess {
    /// The name of the site's entries in the vault.
    pub name: String,
    pub base_url: String,
    pub auth_url: String,
    pub client_id: String,
    /// Space-separated scopes.
    pub scope: String,
    /// Tried in this order. Port 0 means any free port.
    pub redirect_uris: Vec<String>,
    pub provider: ProviderSettings,
    /// The proxy's address without its password, which is a separate secret. Without an address, the system's settings
    /// apply.
    pub proxy: Option<String>,
    /// Whether no proxy is used, regardless of the system's settings.
    pub no_proxy: bool,
    /// A PEM file with additional certificate authorities.
    pub ca_file: Option<PathBuf>,
    pub client_certificate: Option<ClientCertificate>,
    /// A lock file for refreshing tokens in one process at a time. Without it, the lock is per process.
    pub lock_file: Option<PathBuf>,
    pub timeouts: Timeouts,
    /// The paths of reasons and log IDs in the service's error bodies.
    pub errors: ErrorForm,
}

/// Secrets are bound to an origin: scheme, host and port of their destination, and the route to it. They aren't sent to
/// any other origin.
impl SiteAccess {
    /// Returns the origin of the client secret, which is the identity provider's.
    #[must_use]
    pub fn secret_origin(&self) -> String {
        format!("{}{}", origin(&self.auth_url), self.route_suffix())
    }

    /// Returns the origin of the tokens, made from the service, the identity provider and the client ID.
    #[must_use]
    pub fn token_origin(&self) -> String {
        format!("{} {} {}{}", origin(&self.base_url), origin(&self.auth_url), self.client_id, self.route_suffix())
    }

    /// Returns the origin of the proxy's password. None without a proxy.
    #[must_use]
    pub fn proxy_origin(&self) -> Option<String> {
        let proxy = self.own_proxy()?;
        // The part before `@` includes the user name.
        Some(format!("{} {}", origin(proxy), proxy.split('@').next().unwrap_or_default()))
    }

    /// Returns the origin of the client certificate's passphrase. None without a certificate.
    #[must_use]
    pub fn certificate_origin(&self) -> Option<String> {
        self.client_certificate.as_ref().map(|files| files.file.display().to_string())
    }

    /// Returns the site's own proxy, unless proxies are disabled.
    pub(crate) fn own_proxy(&self) -> Option<&str> {
        self.proxy.as_deref().map(str::trim).filter(|proxy| !proxy.is_empty() && !self.no_proxy)
    }

    /// Returns the settings that decide which computers can read the traffic. These are the proxy, additional
    /// authorities, and token or revocation endpoints on other hosts. The system's proxy isn't included, because it
    /// changes with the network.
    fn route_suffix(&self) -> String {
        let proxy = if self.no_proxy { Some("none".to_owned()) } else { self.own_proxy().map(origin) };
        let authorities = self.ca_file.as_ref().map(|file| match fs::read(file) {
            Ok(bytes) => Sha256::digest(bytes).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}")),
            Err(_) => file.display().to_string(),
        });
        let part =
            |name: &str, value: Option<String>| value.map_or_else(String::new, |value| format!(" {name}={value}"));
        let absolute_origin =
            |address: &Option<String>| address.as_deref().filter(|address| address.contains("://")).map(origin);
        let (token, revocation) = (absolute_origin(&self.provider.token), absolute_origin(&self.provider.revocation));
        let moved_endpoints = format!("{}{}", part("token", token), part("revocation", revocation));
        format!("{}{}{moved_endpoints}", part("proxy", proxy), part("ca", authorities))
    }
}

/// Returns whether the site's or the system's proxy may be used. The system's proxy isn't used if service and provider
/// are on this computer, or if `NO_PROXY` contains `*`.
pub(crate) fn is_proxied(access: &SiteAccess) -> bool {
    let is_local = || is_local(&access.base_url) && is_local(&access.auth_url);
    !access.no_proxy && (access.own_proxy().is_some() || !(is_local() || is_disabled_by_environment()))
}
