//! Downloads the OpenAPI document of a site. Callers choose the address and parse the document.

use reqwest::{Method, Request, Url};

use crate::{Client, ClientError};

/// In bytes.
pub const MAX_DOCUMENT_BYTES: usize = 64 * 1024 * 1024;

/// The statuses with which a service refuses a request without a token.
const TOKEN_REQUIRED_STATUSES: [u16; 2] = [401, 403];

/// The content of an address, which may not be an OpenAPI document.
#[derive(Debug, Clone)]
pub struct FetchedDocument {
    pub address: String,
    pub bytes: Vec<u8>,
}

impl Client {
    /// Returns the addresses to try for a location such as `/openapi.json`. The location may be relative to the base URL
    /// or to its host.
    ///
    /// # Errors
    /// Fails if the location has another origin than the site.
    pub fn document_addresses(&self, location: &str) -> Result<Vec<String>, ClientError> {
        let base = self.base_url()?;
        let leads_away = || ClientError::Settings {
            setting: "document's address",
            reason: format!("it leads away from {}", base.origin().ascii_serialization()),
        };
        if let Ok(whole) = Url::parse(location) {
            return if whole.origin() == base.origin() { Ok(vec![whole.into()]) } else { Err(leads_away()) };
        }
        let path = location.trim_start_matches('/');
        let below = Url::parse(&format!("{}/{path}", base.as_str().trim_end_matches('/')));
        let mut addresses = Vec::new();
        for url in [below, base.join(&format!("/{path}"))] {
            let url = url.map_err(|_| leads_away())?;
            if url.origin() != base.origin() {
                return Err(leads_away());
            }
            let address = String::from(url);
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        Ok(addresses)
    }

    /// Requests one of [`Client::document_addresses`]. A token is sent only if the service requires one and a user is
    /// signed in. Returns None if the service has no document there.
    ///
    /// # Errors
    /// Fails if the service can't be reached, doesn't respond in time, or sends more than [`MAX_DOCUMENT_BYTES`].
    pub async fn fetch_document(&self, address: &str) -> Result<Option<FetchedDocument>, ClientError> {
        let url = Url::parse(address)
            .map_err(|cause| ClientError::Settings { setting: "document's address", reason: cause.to_string() })?;
        let open = self.transport().fetch(Request::new(Method::GET, url.clone()), MAX_DOCUMENT_BYTES).await?;
        let received = if TOKEN_REQUIRED_STATUSES.contains(&open.status) && self.is_signed_in() {
            self.fetch_with_token(Request::new(Method::GET, url), MAX_DOCUMENT_BYTES).await?
        } else {
            open
        };
        let is_there = received.status == 200 && !received.body.is_empty();
        Ok(is_there.then(|| FetchedDocument { address: address.to_owned(), bytes: received.body }))
    }
}
