//! Successful responses of the service.

use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::Value;
use takt_contract::{
    form::{CountPlace, Paging, at_path},
    wire::{X_PAGINATION_CURRENT, X_PAGINATION_PAGES, X_PAGINATION_TOTAL},
};

use crate::{ClientError, RateLimit, ignored_header::IgnoredHeaders, refusal::excerpt};

/// The page and row counts of a response. They aren't trusted, so paging ends without them, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pagination {
    pub total: Option<u32>,
    pub pages: Option<u32>,
    pub current: Option<u32>,
}

impl Pagination {
    /// Notes pagination headers with invalid values.
    pub(crate) fn note_invalid_headers(headers: &HeaderMap, ignored: &mut IgnoredHeaders) {
        let mut number = |name, least: u32| {
            ignored.read(headers, name, |text| text.parse().ok().filter(|number: &u32| *number >= least));
        };
        number(X_PAGINATION_TOTAL, 0);
        number(X_PAGINATION_PAGES, 0);
        number(X_PAGINATION_CURRENT, 1);
    }
}

/// A complete response with a 2xx status.
#[derive(Debug, Clone)]
pub struct ServiceResponse {
    pub status: u16,
    pub body: Vec<u8>,
    pub(crate) headers: HeaderMap,
    pub limit: Option<RateLimit>,
    /// From the first byte sent to the last byte received.
    pub milliseconds: u32,
}

impl ServiceResponse {
    /// Returns the page and row counts, with 1-based pages. Invalid values are ignored.
    #[must_use]
    pub fn pagination(&self, paging: &Paging) -> Pagination {
        let places = [&paging.total, &paging.pages, &paging.current];
        let in_body = places.iter().any(|place| matches!(place, Some(CountPlace::Member(_))));
        let body: Value = if in_body { serde_json::from_slice(&self.body).unwrap_or_default() } else { Value::Null };
        let count = |place: &Option<CountPlace>| -> Option<u32> {
            match place.as_ref()? {
                CountPlace::Header(name) => self.headers.get(name)?.to_str().ok()?.trim().parse().ok(),
                CountPlace::Member(path) => at_path(&body, path)?.as_u64()?.try_into().ok(),
            }
        };
        let current = count(&paging.current).and_then(|current| (current + 1).checked_sub(paging.first));
        let current = current.filter(|current| *current > 0 && !paging.counts_rows);
        Pagination { total: count(&paging.total), pages: count(&paging.pages), current }
    }

    /// Parses the body as any JSON value.
    ///
    /// # Errors
    /// Fails if the body isn't JSON.
    pub fn json(&self) -> Result<Value, ClientError> {
        self.read()
    }

    /// Parses the body as a wire type.
    ///
    /// # Errors
    /// Fails if the body has another shape.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body)
            .map_err(|cause| self.invalid_response_error(format!("its body can't be read: {cause}")))
    }

    /// Returns an error that quotes this response.
    #[must_use]
    pub fn invalid_response_error(&self, reason: String) -> ClientError {
        ClientError::NotUnderstood { status: self.status, reason, body: excerpt(&self.body) }
    }
}
