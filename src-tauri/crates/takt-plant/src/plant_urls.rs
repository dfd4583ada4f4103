//! The addresses of the plant and its parts.

use axum::http::{HeaderMap, header};

/// The path of the identity provider under the base URL.
pub(crate) const IDENTITY_PATH: &str = "/identity";
/// The path of the control interface under the base URL.
pub(crate) const CONTROL_PATH: &str = "/control";

/// The address of the plant, as in the `Host` header of the request.
#[derive(Debug)]
pub(crate) struct PlantUrls {
    pub(crate) base_url: String,
}

impl PlantUrls {
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        // The client controls this header, so only characters of a host and a port are used.
        let usable = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte);
        let host = if !host.is_empty() && host.bytes().all(usable) { host } else { "127.0.0.1" };
        Self { base_url: format!("http://{host}") }
    }

    pub(crate) fn identity_url(&self) -> String {
        format!("{}{IDENTITY_PATH}", self.base_url)
    }

    pub(crate) fn control_url(&self) -> String {
        format!("{}{CONTROL_PATH}", self.base_url)
    }
}
