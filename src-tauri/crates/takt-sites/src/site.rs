//! Sites are the services that Takt connects to. The practice plant is a site that always exists.

use serde::{Deserialize, Serialize};
use takt_client::is_unencrypted;

/// The name of the practice plant's site.
pub const PRACTICE: &str = "practice";

/// The kind of a site, which determines the window's banner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// The embedded plant. Exactly one site has this kind.
    Practice,
    Test,
    Production,
}

/// The place where secrets and tokens are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum VaultStorage {
    /// The operating system's keychain.
    Keychain,
    /// The kernel's keyring, on a Linux without a keychain. Lost when the computer restarts.
    Kernel,
    /// An encrypted file, unlocked by a passphrase.
    Passphrase,
    /// An encrypted file that isn't unlocked yet.
    Locked,
    /// In memory, until Takt exits.
    Memory,
}

/// The settings of a site that the user edits. The client secret never leaves the keychain, and can only be set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Site {
    pub name: String,
    pub kind: SiteKind,
    pub base_url: String,
    pub auth_url: String,
    pub client_id: String,
    /// Tried in this order. A port of 0 means any free port.
    pub redirect_uris: Vec<String>,
    /// Space-separated.
    pub scope: String,
    /// An IANA name, for date-times without an offset.
    pub time_zone: String,
    /// Items per request. The contract's number if `None`.
    pub batch_size: Option<u32>,
    pub proxy: Option<String>,
    /// A PEM file with further certificate authorities.
    pub ca_file: Option<String>,
    /// The prefix of property keys that the platform reserves. The contract's assumption if `None`.
    #[serde(default)]
    pub reserved_prefix: Option<String>,
    /// True if the user allows unencrypted http addresses, on which others can read the traffic.
    #[serde(default)]
    pub allow_http: bool,
    /// The settings of the identity provider, if they can't be discovered.
    #[serde(default)]
    pub sign_in: SignInSettings,
    /// The network settings, if they differ from the system's.
    #[serde(default)]
    pub network: NetworkSettings,
    /// The site that this rehearsal copy was made from.
    #[serde(default)]
    pub rehearsal_of: Option<String>,
}

impl Site {
    /// Returns the first unencrypted address of the site or its identity provider.
    pub(crate) fn first_unencrypted_address(&self) -> Option<&str> {
        let SignInSettings { authorize_address, token_address, revocation_address, .. } = &self.sign_in;
        let overrides = [authorize_address, token_address, revocation_address].into_iter().flatten();
        let all = [&self.base_url, &self.auth_url].into_iter().chain(overrides);
        all.map(String::as_str).find(|address| is_unencrypted(address))
    }
}

/// The method of sending client ID and secret to the token address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ClientAuthentication {
    /// As form fields (`client_secret_post`), as specified.
    Post,
    /// In the `Authorization` header (`client_secret_basic`).
    Basic,
}

/// The settings of a site's identity provider. Values that are `None` come from the provider's discovery, or from the
/// specification. Addresses are absolute, or paths below the provider's address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct SignInSettings {
    pub client_authentication: Option<ClientAuthentication>,
    pub authorize_address: Option<String>,
    pub token_address: Option<String>,
    pub revocation_address: Option<String>,
}

/// The network settings of a site, except its proxy and certificate authorities. `None` means the system's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkSettings {
    /// True if requests never use a proxy, even if the system has one.
    pub no_proxy: bool,
    /// The client certificate, a PEM or PKCS#12 file.
    pub client_certificate: Option<String>,
    /// The PEM file with the certificate's key, if it is in a separate file.
    pub client_key: Option<String>,
    /// In seconds.
    pub connect_timeout: Option<u32>,
    /// In seconds, until a response or its next part arrives.
    pub read_timeout: Option<u32>,
}

/// The secrets that are saved with a site's settings. `None` leaves a secret unchanged, an empty text removes it.
#[derive(Clone, Default, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct SiteSecrets {
    pub client: Option<String>,
    /// As typed, not percent-encoded as in an address.
    pub proxy_password: Option<String>,
    pub certificate_passphrase: Option<String>,
}

takt_core::opaque_debug!(SiteSecrets);

/// Creates secrets with only a client secret.
impl From<Option<String>> for SiteSecrets {
    fn from(client: Option<String>) -> Self {
        Self { client, ..Self::default() }
    }
}

/// A site's settings with its current state, for the window and the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SiteView {
    pub site: Site,
    pub chosen: bool,
    /// True if tokens are stored. Also true if `keychain_failed`, since the state is unknown then.
    pub signed_in: bool,
    /// True if the keychain doesn't respond, so that the sign-in state is unknown.
    pub keychain_failed: bool,
    /// True if a client secret is stored.
    pub has_secret: bool,
    /// True if its proxy's password is stored.
    pub has_proxy_password: bool,
    /// True if the passphrase of its client certificate is stored.
    pub has_certificate_passphrase: bool,
    /// True if an address is unencrypted, so that others can read the traffic.
    pub unencrypted: bool,
    /// True if the policy sets up the site, so that the user can only set its secrets.
    pub managed: bool,
}

/// The secrets and tokens that were removed when a site was saved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SiteSaveResult {
    /// True if the client secret was forgotten, because it was for other addresses, another proxy or other authorities.
    /// It must be entered again.
    pub secret_forgotten: bool,
    /// True if the proxy's password was forgotten for the same reasons.
    pub proxy_password_forgotten: bool,
    /// True if the passphrase was forgotten, because it was for another certificate file.
    pub certificate_passphrase_forgotten: bool,
    /// True if the user was signed out, and must sign in again.
    pub signed_out: bool,
}

/// The service's rate limit in its last response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LimitView {
    pub limit: u32,
    pub remaining: u32,
    /// In ISO 8601.
    pub reset: Option<String>,
}

/// A response header that is ignored, because its value is invalid. Not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IgnoredHeader {
    pub name: String,
    pub value: String,
}

/// The result of a site test, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SiteTest {
    /// True if the service responded at its base URL, with any status.
    pub service_reached: bool,
    /// True if the identity provider responded at its authorize address.
    pub provider_reached: bool,
    /// True if the service accepted the stored token. `None` if no user is signed in, or no read could be tested.
    pub token_accepted: Option<bool>,
    /// The seconds by which this computer's clock is ahead of the service's. `None` if the service doesn't send its
    /// time.
    pub clock_ahead_seconds: Option<i32>,
    /// Response headers that were ignored because of invalid values. Empty if no read was tested.
    pub odd_headers: Vec<IgnoredHeader>,
    pub problem: Option<takt_core::Problem>,
}
