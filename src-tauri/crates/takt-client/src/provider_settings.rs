//! Settings of a site's identity provider that override its metadata.

use serde::{Deserialize, Serialize};

/// The way in which client ID and secret are sent to the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientAuthentication {
    /// In the form (`client_secret_post`), as specified.
    Post,
    /// In the `Authorization` header (`client_secret_basic`).
    Basic,
}

/// A site's settings for its provider. Missing ones are discovered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderSettings {
    pub client_authentication: Option<ClientAuthentication>,
    /// A URL, or a path relative to the provider's address.
    pub authorize: Option<String>,
    pub token: Option<String>,
    pub revocation: Option<String>,
}
