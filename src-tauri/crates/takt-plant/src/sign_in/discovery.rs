//! The metadata of the identity provider (RFC 8414).

use serde_json::{Value, json};

use crate::identity::SCOPES;

const CLIENT_METHODS: [&str; 2] = ["client_secret_basic", "client_secret_post"];

/// Returns the metadata of the provider at this address.
pub(crate) fn metadata(issuer: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/connect/authorize"),
        "token_endpoint": format!("{issuer}/connect/token"),
        "revocation_endpoint": format!("{issuer}/connect/revocation"),
        "scopes_supported": SCOPES,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": CLIENT_METHODS,
        "revocation_endpoint_auth_methods_supported": CLIENT_METHODS,
        "code_challenge_methods_supported": ["S256"],
    })
}
