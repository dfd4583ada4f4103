//! What is sent, to whom, and what came of it: the same for everybody who sends.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bench::batches;

/// Orders per request.
pub(in crate::bench) const SIZE: u32 = 100;

/// What a process is to send.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::bench) struct SendRequest {
    /// The plant's own line about itself.
    pub(in crate::bench) plant: Value,
    pub(in crate::bench) token: String,
    pub(in crate::bench) items: u32,
    /// After so many numbers they begin anew, so that orders are changed instead of made.
    pub(in crate::bench) around: u32,
    pub(in crate::bench) size: u32,
    /// Absent: until all are sent.
    pub(in crate::bench) seconds: Option<f64>,
    /// The address of a team's database; absent: a file of one's own.
    pub(in crate::bench) team: Option<String>,
}

/// What came of it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::bench) struct Done {
    /// From the first request to the last answer.
    pub(in crate::bench) seconds: f64,
    /// What the process itself took of the processors meanwhile, in seconds.
    pub(in crate::bench) processor: Option<f64>,
    pub(in crate::bench) accepted: u32,
    /// Requests, and those of them that settled items.
    pub(in crate::bench) requests: u32,
    pub(in crate::bench) settled: u32,
    /// Until everything was written down.
    pub(in crate::bench) written: f64,
    /// Memory at its most, in MB.
    pub(in crate::bench) peak: Option<f64>,
}

impl SendRequest {
    pub(in crate::bench) fn member(&self, name: &str) -> String {
        self.plant[name].as_str().unwrap_or_default().to_owned()
    }

    /// The orders, one after the other.
    pub(in crate::bench) fn orders(&self) -> impl Iterator<Item = Value> + Send + 'static {
        let around = self.around.max(1);
        let order = batches::order();
        (0..self.items).map(move |place| {
            let mut order = order.clone();
            order["code"] = json!(format!("WO-{:08}", place % around));
            order
        })
    }
}
