//! An entry of the request log, and the line that is stored of it.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::PlantError;

/// As it stands in every entry that wasn't answered when it was kept. In a text the quotes would be escaped.
const UNANSWERED: &str = ",\"status\":null,";

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Counts from 1 and never restarts while the plant runs; with a folder for its data, nor when it is started again.
    pub number: u64,
    pub at: Timestamp,
    pub method: String,
    /// With its query, but without one at the sign-in addresses.
    pub path: String,
    /// The operation's id; `connect/authorize` and `connect/token` for the identity provider; null where nothing matched.
    pub operation: Option<String>,
    pub user: Option<String>,
    /// What was answered; null where a fault let nothing be answered, or where the plant was killed before it could.
    pub status: Option<u16>,
    /// The fault that the request suffered.
    pub fault: Option<String>,
    /// Per item of a batch, in request order: its key members and `success`, as it was really applied.
    pub applied: Vec<Map<String, Value>>,
}

/// The address as it was asked for, where the plant's inside has another one.
#[derive(Debug, Clone)]
pub(crate) struct AskedAddress(pub(crate) String);

/// Which requests push each other out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogRing {
    /// Those that can't change anything, and those that weren't let in.
    Reads,
    /// Batches that were let in, whatever became of them.
    Writes,
}

/// An entry as it is kept and answered.
#[derive(Debug, Clone)]
pub(crate) struct LogLine {
    pub(crate) number: u64,
    pub(crate) text: Box<str>,
}

impl LogLine {
    /// The line with the status that was answered later.
    pub(crate) fn answered(self, status: Option<u16>) -> Self {
        match status {
            Some(status) => {
                let text = self.text.replacen(UNANSWERED, &format!(",\"status\":{status},"), 1);
                Self { number: self.number, text: text.into() }
            }
            None => self,
        }
    }
}

/// Gives the entry the next number; the line that is kept of it.
pub(crate) fn numbered(entry: &mut LogEntry, numbers: &AtomicU64) -> Result<LogLine, PlantError> {
    entry.number = numbers.fetch_add(1, Ordering::Relaxed) + 1;
    Ok(LogLine { number: entry.number, text: serde_json::to_string(entry)?.into() })
}
