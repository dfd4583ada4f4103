//! The addresses and credentials that a client needs to reach a service.

use std::fmt;

/// The addresses of a service, and a client registered with its identity provider.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceAccess {
    pub base_url: String,
    /// The address of the identity provider.
    pub auth_url: String,
    pub client_id: String,
    pub client_secret: String,
    pub redirect_uris: Vec<String>,
    /// The IANA time zone of date-times without an offset.
    pub time_zone: String,
}

impl fmt::Debug for ServiceAccess {
    /// Shows only the base URL, since other fields include the client secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ServiceAccess").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}
