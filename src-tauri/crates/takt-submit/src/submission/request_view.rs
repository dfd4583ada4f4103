//! What the window and the command line see of the requests that a submission made.

use serde::{Deserialize, Serialize};

use takt_journal::ResultCounts;

/// What kind of end a request had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum RequestClass {
    /// The service processed it and said what became of each item.
    Answered,
    /// The service refused it as a whole.
    Refused,
    /// The service asked to come back later, or with less.
    Deferred,
    /// It never left.
    NotSent,
    /// Whether it was applied wasn't known.
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
    /// Absent while it is on its way.
    pub ended: Option<String>,
    pub class: Option<RequestClass>,
    pub status: Option<u16>,
    pub milliseconds: Option<u32>,
    pub items: u32,
    pub rows: u32,
    pub counts: ResultCounts,
    /// The service's log identifier, where it gave one.
    pub log_id: Option<String>,
    /// The beginning of an answer that wasn't a plain yes. Not trusted.
    pub answer: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RequestPage {
    pub total: u32,
    pub offset: u32,
    /// Newest first.
    pub requests: Vec<SentRequest>,
}

/// What a request carried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RequestBody {
    pub method: String,
    /// Under the site's base address.
    pub path: String,
    /// JSON; no more than its beginning where it is very long.
    pub body: String,
    pub characters: u32,
    /// True where it is, to the letter, what was sent.
    pub exact: bool,
}
