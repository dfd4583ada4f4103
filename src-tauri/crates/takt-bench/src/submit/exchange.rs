//! The request to a hidden program and its result.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The input of a hidden program.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SendRequest {
    /// The line that the plant printed at its start.
    pub(crate) plant: Value,
    pub(crate) token: String,
    pub(crate) items: u32,
    /// Numbers restart after this many, so that orders are changed instead of created.
    pub(crate) around: u32,
    pub(crate) size: u32,
    /// Ends after this many seconds. Absent: sends all orders.
    pub(crate) seconds: Option<f64>,
    /// The address of a team's database. Absent: a local file.
    pub(crate) team: Option<String>,
}

/// The result of a hidden program.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Done {
    /// From the first request to the last response.
    pub(crate) seconds: f64,
    /// The process's own processor time in seconds.
    pub(crate) processor: Option<f64>,
    pub(crate) accepted: u32,
    /// All requests, and those that settled items.
    pub(crate) requests: u32,
    pub(crate) settled: u32,
    /// Seconds until all items were stored.
    pub(crate) written: f64,
    /// Peak memory in MB.
    pub(crate) peak: Option<f64>,
}
