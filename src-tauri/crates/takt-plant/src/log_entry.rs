//! An entry of the request log, and its stored line.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::PlantError;

/// The text of an entry's status while the request isn't answered. Quotes inside a member's text are escaped, so only
/// such entries contain it.
const UNANSWERED: &str = ",\"status\":null,";

/// A request in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Counts from 1 and never restarts while the plant runs. With a data folder it continues after a restart.
    pub number: u64,
    pub at: Timestamp,
    pub method: String,
    /// The path with its query, except at the sign-in endpoints.
    pub path: String,
    /// The operation's ID, or `connect/…` for the identity provider. Null if no operation matched.
    pub operation: Option<String>,
    pub user: Option<String>,
    /// The response's status. Null if a fault suppressed the response, or if the plant was killed before it.
    pub status: Option<u16>,
    /// The injected fault.
    pub fault: Option<String>,
    /// The items of a batch in request order: key members and `success`, as really applied.
    pub applied: Vec<Map<String, Value>>,
}

/// A request extension with the original address, if a site's contract translated it.
#[derive(Debug, Clone)]
pub(crate) struct OriginalAddress(pub(crate) String);

/// The ring of an entry. Entries only push out others of the same ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogRing {
    /// Requests that can't change anything, and refused ones.
    Reads,
    /// Admitted batches, whatever their outcome.
    Writes,
}

/// An entry in the form in which it is stored and returned.
#[derive(Debug, Clone)]
pub(crate) struct LogLine {
    pub(crate) number: u64,
    pub(crate) text: Box<str>,
}

impl LogLine {
    /// Adds the status of the later response.
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

/// Numbers an entry and returns its line.
pub(crate) fn assign_number(entry: &mut LogEntry, numbers: &AtomicU64) -> Result<LogLine, PlantError> {
    entry.number = numbers.fetch_add(1, Ordering::Relaxed) + 1;
    Ok(LogLine { number: entry.number, text: serde_json::to_string(entry)?.into() })
}
