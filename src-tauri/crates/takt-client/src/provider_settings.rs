//! What a person can set about a site's identity provider, in place of what it says of itself.

use serde::{Deserialize, Serialize};

/// How client id and secret go to the token address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientAuthentication {
    /// Among the form's fields (`client_secret_post`), as the specification has it.
    Post,
    /// In the `Authorization` header (`client_secret_basic`).
    Basic,
}

/// What a site's settings say of its provider; what is absent is found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderSettings {
    pub client_authentication: Option<ClientAuthentication>,
    /// An address, or a path below the provider's.
    pub authorize: Option<String>,
    pub token: Option<String>,
    pub revocation: Option<String>,
}
