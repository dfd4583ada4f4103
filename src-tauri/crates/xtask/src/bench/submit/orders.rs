//! What is sent, to whom, and what came of it: the same for everybody who sends.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bench::batches;

/// Orders per request.
pub(super) const SIZE: u32 = 100;

/// What a process is to send.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SendRequest {
    /// The plant's own line about itself.
    pub(super) plant: Value,
    pub(super) token: String,
    pub(super) items: u32,
    /// After so many numbers they begin anew, so that orders are changed instead of made.
    pub(super) around: u32,
    pub(super) size: u32,
    /// Absent: until all are sent.
    pub(super) seconds: Option<f64>,
}

/// What came of it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Done {
    /// From the first request to the last answer.
    pub(super) seconds: f64,
    pub(super) accepted: u32,
    /// Requests, and those of them that settled items.
    pub(super) requests: u32,
    pub(super) settled: u32,
    /// Until everything was written down.
    pub(super) written: f64,
    /// Memory at its most, in MB.
    pub(super) peak: Option<f64>,
}

impl SendRequest {
    pub(super) fn member(&self, name: &str) -> String {
        self.plant[name].as_str().unwrap_or_default().to_owned()
    }

    /// The orders, one after the other.
    pub(super) fn orders(&self) -> impl Iterator<Item = Value> + Send + 'static {
        let around = self.around.max(1);
        let order = batches::order();
        (0..self.items).map(move |place| {
            let mut order = order.clone();
            order["code"] = json!(format!("WO-{:08}", place % around));
            order
        })
    }
}
