//! An entry of the request log, and its serialized form.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::PlantError;

/// The serialized status of an entry before the response. Quotes in values are escaped, so other entries don't contain
/// this text.
const UNANSWERED: &str = ",\"status\":null,";

/// A request in the log, with its applied items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Starts at 1 and increases with each entry. With a data folder, numbering continues after a restart.
    pub number: u64,
    pub at: Timestamp,
    pub method: String,
    /// The path with its query, but without the query at sign-in endpoints.
    pub path: String,
    /// The ID of the operation, or `connect/…` for the identity provider. Null if no operation has this address.
    pub operation: Option<String>,
    pub user: Option<String>,
    /// The status of the response. Null if a fault prevented the response, or if the plant was killed before
    /// responding.
    pub status: Option<u16>,
    /// The name of the fault that was injected.
    pub fault: Option<String>,
    /// The items of a batch in the order of the request, each with its key and `success`. They show the real result,
    /// not an altered one.
    pub applied: Vec<Map<String, Value>>,
}

/// A request extension with the address before a translation from a site's contract.
#[derive(Debug, Clone)]
pub(crate) struct OriginalAddress(pub(crate) String);

/// The ring of an entry. Each ring removes its own oldest entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogRing {
    /// Requests without changes, and rejected requests.
    Reads,
    /// Batches that were admitted, with any result.
    Writes,
}

/// An entry as JSON, as it is stored and returned.
#[derive(Debug, Clone)]
pub(crate) struct LogLine {
    pub(crate) number: u64,
    pub(crate) text: Box<str>,
}

impl LogLine {
    /// Adds the status of the response, if there is one.
    pub(crate) fn with_status(self, status: Option<u16>) -> Self {
        match status {
            Some(status) => {
                let text = self.text.replacen(UNANSWERED, &format!(",\"status\":{status},"), 1);
                Self { number: self.number, text: text.into() }
            }
            None => self,
        }
    }
}

/// Assigns a number to an entry and serializes it.
pub(crate) fn assign_number(entry: &mut LogEntry, number_counter: &AtomicU64) -> Result<LogLine, PlantError> {
    entry.number = number_counter.fetch_add(1, Ordering::Relaxed) + 1;
    Ok(LogLine { number: entry.number, text: serde_json::to_string(entry)?.into() })
}
