//! The views of a submission's requests for the window and the command line.

use serde::{Deserialize, Serialize};

use takt_journal::ResultCounts;

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum RequestClass {
    /// The service processed it and returned a result for each item.
    Answered,
    /// The service refused the whole request.
    Refused,
    /// The service asked for a retry later, or with fewer items.
    Deferred,
    /// It wasn't sent.
    NotSent,
    /// Whether it was applied isn't known.
    Unknown,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SentRequest {
    /// 1-based.
    pub number: u32,
    /// ISO 8601 with Z.
    pub started: String,
    /// Absent while it is in flight.
    pub ended: Option<String>,
    pub class: Option<RequestClass>,
    pub status: Option<u16>,
    pub milliseconds: Option<u32>,
    pub items: u32,
    pub rows: u32,
    pub counts: ResultCounts,
    /// The service's log ID, if there is one.
    pub log_id: Option<String>,
    /// The beginning of a response that didn't accept everything. Not trusted.
    pub answer: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RequestPage {
    pub total: u32,
    pub offset: u32,
    /// The newest first.
    pub requests: Vec<SentRequest>,
}

/// The content of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RequestBody {
    pub method: String,
    /// Relative to the site's base address.
    pub path: String,
    /// JSON, truncated if it is very long.
    pub body: String,
    pub characters: u32,
    /// Whether it is exactly what was sent.
    pub exact: bool,
}
