//! What a client has to know to reach a service: where it and its identity provider are, and who the client is.

use std::fmt;

/// Addresses of a service, and the client that was registered with its identity provider.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceAccess {
    pub base_url: String,
    /// The identity provider's.
    pub auth_url: String,
    pub client_id: String,
    pub client_secret: String,
    pub redirect_uris: Vec<String>,
    /// IANA name; date-times without an offset are in it.
    pub time_zone: String,
}

impl fmt::Debug for ServiceAccess {
    /// Without the secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ServiceAccess").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}
