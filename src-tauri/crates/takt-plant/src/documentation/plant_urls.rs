//! Addresses of the plant and its parts.

use axum::http::{HeaderMap, header};

use crate::plant::{CONTROL, IDENTITY};

/// The plant's address as the reader reached it.
#[derive(Debug)]
pub(crate) struct PlantUrls {
    pub(super) base: String,
}

impl PlantUrls {
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        // The reader controls this header, so only characters of a host and port get onto the page.
        let usable = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte);
        let host = if !host.is_empty() && host.bytes().all(usable) { host } else { "127.0.0.1" };
        Self { base: format!("http://{host}") }
    }

    pub(crate) fn identity(&self) -> String {
        format!("{}{IDENTITY}", self.base)
    }

    pub(super) fn control(&self) -> String {
        format!("{}{CONTROL}", self.base)
    }
}
