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
    /// The number of orders after which their numbers restart, so that orders are changed instead of created.
    pub(crate) around: u32,
    /// The number of orders per request.
    pub(crate) size: u32,
    /// The time in seconds after which sending ends. Absent if all orders are sent.
    pub(crate) seconds: Option<f64>,
    /// The address of a team's database. Absent for a local file.
    pub(crate) team: Option<String>,
}

/// The result of a hidden program.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SendResult {
    /// The time in seconds from the first request to the last response.
    pub(crate) seconds: f64,
    /// The process's own processor time in seconds.
    pub(crate) processor: Option<f64>,
    /// The number of accepted items. For a preview, the number of changed items.
    pub(crate) accepted: u32,
    /// The number of all requests.
    pub(crate) requests: u32,
    /// The number of requests that settled items. For a preview, the number of unchanged items.
    pub(crate) settled: u32,
    /// Seconds until all items were stored.
    pub(crate) written: f64,
    /// Peak memory in MB.
    pub(crate) peak: Option<f64>,
}
