//! A site's own description of its interface, fetched from the site itself.
//!
//! Owns the requests. Leaves to others: which places are tried, and reading what comes.

use reqwest::{Method, Request, Url};

use crate::{Client, ClientError};

/// Bytes of a document that are taken on.
pub const MAX_DOCUMENT_BYTES: usize = 64 * 1024 * 1024;

/// The service refuses requests without a token.
const NEEDS_TOKEN: [u16; 2] = [401, 403];

/// What lies at an address of the site.
#[derive(Debug, Clone)]
pub struct FetchedDocument {
    pub address: String,
    pub bytes: Vec<u8>,
}

impl Client {
    /// The addresses that a place such as `/openapi.json` stands for: below the base URL, and below its host.
    ///
    /// # Errors
    /// Where the place leads away from the site's origin.
    pub fn document_addresses(&self, place: &str) -> Result<Vec<String>, ClientError> {
        let base = self.base()?;
        let leads_away = || ClientError::Settings {
            setting: "document's address",
            reason: format!("it leads away from {}", base.origin().ascii_serialization()),
        };
        if let Ok(whole) = Url::parse(place) {
            return if whole.origin() == base.origin() { Ok(vec![whole.into()]) } else { Err(leads_away()) };
        }
        let path = place.trim_start_matches('/');
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

    /// Asks one of [`Client::document_addresses`]: without a token first, and with one where the service wants it and somebody
    /// is signed in. Nothing where the service has nothing there.
    ///
    /// # Errors
    /// Where the service can't be reached, doesn't answer in time, or sends more than [`MAX_DOCUMENT_BYTES`].
    pub async fn document(&self, address: &str) -> Result<Option<FetchedDocument>, ClientError> {
        let url = Url::parse(address)
            .map_err(|cause| ClientError::Settings { setting: "document's address", reason: cause.to_string() })?;
        let open = self.transport().fetch(Request::new(Method::GET, url.clone()), MAX_DOCUMENT_BYTES).await?;
        let received = if NEEDS_TOKEN.contains(&open.status) && self.signed_in() {
            self.fetch_with_token(Request::new(Method::GET, url), MAX_DOCUMENT_BYTES).await?
        } else {
            open
        };
        let is_there = received.status == 200 && !received.body.is_empty();
        Ok(is_there.then(|| FetchedDocument { address: address.to_owned(), bytes: received.body }))
    }
}
