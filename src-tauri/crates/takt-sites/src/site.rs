//! Sites: the services that Takt can talk to. The practice plant is one, always there.

use serde::{Deserialize, Serialize};
use takt_client::is_unencrypted;

/// Which band the window shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// The embedded plant. Exactly one site has it.
    Practice,
    Test,
    Production,
}

/// Where secrets and tokens are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum VaultPlace {
    /// The operating system's keychain.
    Keychain,
    /// A Linux without a keychain: the kernel's keyring, until the computer restarts.
    Kernel,
    /// In a file that a passphrase opens.
    Passphrase,
    /// In the same file, which isn't opened yet.
    Locked,
    /// In memory, until Takt is closed.
    Memory,
}

/// A site as a person edits it. The client secret never leaves the keychain; it is only ever set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Site {
    pub name: String,
    pub kind: SiteKind,
    pub base_url: String,
    pub auth_url: String,
    pub client_id: String,
    /// Tried in this order; a port of 0 means any free port.
    pub redirect_uris: Vec<String>,
    /// Space-separated.
    pub scope: String,
    /// An IANA name; the zone of date-times without an offset.
    pub time_zone: String,
    /// Items per request; the contract's number where absent.
    pub batch_size: Option<u32>,
    pub proxy: Option<String>,
    /// A PEM file with further certificate authorities.
    pub ca_file: Option<String>,
    /// How property keys begin that the platform keeps for itself; what the contract assumes where absent.
    #[serde(default)]
    pub reserved_prefix: Option<String>,
    /// A person's choice: addresses elsewhere may begin with http, so that others can read on the way what is sent there.
    #[serde(default)]
    pub allow_http: bool,
    /// How its identity provider is asked, where that can't be found out.
    #[serde(default)]
    pub sign_in: SignInSettings,
    /// How it is reached, where that isn't as the system has it.
    #[serde(default)]
    pub network: NetworkSettings,
    /// The site whose copy it is, for rehearsals.
    #[serde(default)]
    pub rehearsal_of: Option<String>,
}

impl Site {
    /// The first of its addresses whose way others can read.
    pub(crate) fn unencrypted(&self) -> Option<&str> {
        let SignInSettings { authorize_address, token_address, revocation_address, .. } = &self.sign_in;
        let chosen = [authorize_address, token_address, revocation_address].into_iter().flatten();
        let all = [&self.base_url, &self.auth_url].into_iter().chain(chosen);
        all.map(String::as_str).find(|address| is_unencrypted(address))
    }
}

/// How client id and secret go to the token address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ClientAuthentication {
    /// Among the form's fields (`client_secret_post`), as the specification has it.
    Post,
    /// In the `Authorization` header (`client_secret_basic`).
    Basic,
}

/// What a person says of a site's identity provider. What is absent is what the provider says of itself, else what the
/// specification says. Addresses are whole, or paths below the provider's address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct SignInSettings {
    pub client_authentication: Option<ClientAuthentication>,
    pub authorize_address: Option<String>,
    pub token_address: Option<String>,
    pub revocation_address: Option<String>,
}

/// What a site's network asks for beside a proxy of its own and further authorities. What is absent is as usual.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkSettings {
    /// Requests go through no proxy, whatever the system's settings say.
    pub no_proxy: bool,
    /// By which the site knows this computer: a PEM or PKCS#12 file.
    pub client_certificate: Option<String>,
    /// A PEM file with its key, where that stands elsewhere.
    pub client_key: Option<String>,
    /// In seconds.
    pub connect_timeout: Option<u32>,
    /// In seconds: until an answer comes, or the next part of one.
    pub read_timeout: Option<u32>,
}

/// Secrets that come with a site's settings. Absent leaves one as it is, empty removes it.
#[derive(Clone, Default, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct SiteSecrets {
    pub client: Option<String>,
    /// As it is, not percent-encoded as in an address.
    pub proxy_password: Option<String>,
    pub certificate_passphrase: Option<String>,
}

takt_core::opaque_debug!(SiteSecrets);

/// The client secret alone.
impl From<Option<String>> for SiteSecrets {
    fn from(client: Option<String>) -> Self {
        Self { client, ..Self::default() }
    }
}

/// A site with what is known about it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SiteView {
    pub site: Site,
    pub chosen: bool,
    /// Also where that isn't known.
    pub signed_in: bool,
    /// The keychain doesn't answer: whether somebody is signed in isn't known.
    pub keychain_failed: bool,
    /// True where a client secret is kept.
    pub has_secret: bool,
    /// The same of its proxy's password.
    pub has_proxy_password: bool,
    /// The same of the passphrase of its client certificate's file.
    pub has_certificate_passphrase: bool,
    /// Others can read on the way what is sent there.
    pub unencrypted: bool,
    /// IT has set it up: only its secrets are a person's to set.
    pub managed: bool,
}

/// What saving a site did beside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SiteSaveResult {
    /// The client secret was for other addresses, another proxy or other authorities: it is forgotten, and needed again.
    pub secret_forgotten: bool,
    /// The same of the proxy's password.
    pub proxy_password_forgotten: bool,
    /// The client certificate's passphrase was for another file.
    pub certificate_passphrase_forgotten: bool,
    /// Likewise: somebody has to sign in again.
    pub signed_out: bool,
}

/// The service's rate limit as its last answer stated it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LimitView {
    pub limit: u32,
    pub remaining: u32,
    /// ISO 8601.
    pub reset: Option<String>,
}

/// A header of the service whose value can't be, and is ignored. Not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IgnoredHeader {
    pub name: String,
    pub value: String,
}

/// What a site test found, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SiteTest {
    /// The service answered at its base URL, whatever it said.
    pub service_reached: bool,
    /// The identity provider answered at its authorize address.
    pub provider_reached: bool,
    /// A read with the stored token succeeded. Absent if no person is signed in.
    pub token_accepted: Option<bool>,
    /// By how many seconds this computer's clock is ahead of the service's; absent where the service doesn't tell its time.
    pub clock_ahead_seconds: Option<i32>,
    /// What its headers say that can't be.
    pub odd_headers: Vec<IgnoredHeader>,
    pub problem: Option<takt_core::Problem>,
}
