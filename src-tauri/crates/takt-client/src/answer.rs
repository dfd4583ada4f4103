//! Answers: status, body, and what the headers say.

use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::Value;
use takt_contract::wire::{X_PAGINATION_CURRENT, X_PAGINATION_PAGES, X_PAGINATION_TOTAL};

use crate::{ClientError, RateLimit, odd_header::OddHeaders, refusal::excerpt};

/// The pagination headers. A claim of the service: a walk doesn't rely on it to end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pagination {
    pub total: Option<u32>,
    pub pages: Option<u32>,
    pub current: Option<u32>,
}

impl Pagination {
    /// What can't be is as good as unsaid.
    pub(crate) fn from_headers(headers: &HeaderMap, odd: &mut OddHeaders) -> Self {
        let mut number = |name, least: u32| {
            odd.read(headers, name, |text| text.parse().ok().filter(|number: &u32| *number >= least))
        };
        Self {
            total: number(X_PAGINATION_TOTAL, 0),
            pages: number(X_PAGINATION_PAGES, 0),
            current: number(X_PAGINATION_CURRENT, 1),
        }
    }
}

/// A complete answer with a 2xx status.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    pub pagination: Pagination,
    pub limit: Option<RateLimit>,
    /// From the first byte sent to the last one received.
    pub milliseconds: u32,
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Errors
    /// Where the body isn't JSON.
    pub fn json(&self) -> Result<Value, ClientError> {
        self.read()
    }

    /// The body as a type of the wire.
    ///
    /// # Errors
    /// Where the body isn't what was asked for.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body)
            .map_err(|cause| self.not_understood(format!("its body can't be read: {cause}")))
    }

    /// An error that carries this answer.
    #[must_use]
    pub fn not_understood(&self, reason: String) -> ClientError {
        ClientError::NotUnderstood { status: self.status, reason, body: excerpt(&self.body) }
    }
}
