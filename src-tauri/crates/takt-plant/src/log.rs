//! The request log: what was asked, what was answered, and above all what was applied, item by item.
//! It is the record against which a client's own belief is checked, so it says the truth even where a fault lied.

use std::{collections::VecDeque, sync::Mutex};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lock::locked;

/// Entries kept; the oldest go first.
const ENTRIES_KEPT: usize = 50_000;
/// Bytes kept, counted on the serialised entries.
const BYTES_KEPT: usize = 32 * 1024 * 1024;

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Counts from 1 and never restarts while the plant runs.
    pub number: u64,
    pub at: Timestamp,
    pub method: String,
    /// With its query, but without one at the sign-in addresses.
    pub path: String,
    /// The operation's id; `connect/authorize` and `connect/token` for the identity provider; null where nothing matched.
    pub operation: Option<String>,
    pub user: Option<String>,
    /// What was answered; null where a fault let nothing be answered.
    pub status: Option<u16>,
    /// The fault that the request suffered.
    pub fault: Option<String>,
    /// Per item of a batch, in request order: its key members and `success`, as it was really applied.
    pub applied: Vec<Map<String, Value>>,
}

/// A bounded ring of entries, newest last.
#[derive(Debug, Default)]
pub(crate) struct RequestLog(Mutex<Ring>);

#[derive(Debug, Default)]
struct Ring {
    /// Serialised, because a hundred maps per request would weigh ten times as much.
    lines: VecDeque<Box<str>>,
    bytes: usize,
    written: u64,
}

impl RequestLog {
    /// Numbers the entry and keeps it.
    pub(crate) fn write(&self, mut entry: LogEntry) {
        let mut ring = locked(&self.0);
        ring.written += 1;
        entry.number = ring.written;
        let Ok(line) = serde_json::to_string(&entry) else { return };
        ring.bytes += line.len();
        ring.lines.push_back(line.into());
        while ring.lines.len() > ENTRIES_KEPT || (ring.bytes > BYTES_KEPT && ring.lines.len() > 1) {
            if let Some(oldest) = ring.lines.pop_front() {
                ring.bytes -= oldest.len();
            }
        }
    }

    /// The whole ring as a JSON array.
    pub(crate) fn json(&self) -> String {
        let ring = locked(&self.0);
        let mut text = String::with_capacity(ring.bytes + ring.lines.len() + 2);
        text.push('[');
        for (index, line) in ring.lines.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(line);
        }
        text.push(']');
        text
    }

    /// How many entries were ever written.
    pub(crate) fn written(&self) -> u64 {
        locked(&self.0).written
    }

    /// The last `count` entries, newest first.
    pub(crate) fn latest(&self, count: usize) -> Vec<LogEntry> {
        let ring = locked(&self.0);
        ring.lines.iter().rev().take(count).filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub(crate) fn entries(&self) -> Vec<LogEntry> {
        serde_json::from_str(&self.json()).unwrap_or_default()
    }

    pub(crate) fn clear(&self) {
        let mut ring = locked(&self.0);
        ring.lines.clear();
        ring.bytes = 0;
    }
}
