//! What is decided for the service as a whole where the specification is silent, and what a site says instead.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ContractError, Provenance};

/// One decision (`x-takt-assumptions`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Assumption {
    /// For example `retry-after-unit`.
    pub id: String,
    /// What the specification leaves open.
    pub subject: String,
    /// What holds instead, in a sentence.
    pub decision: String,
    /// The decision as data, where programs follow it. A site may replace it.
    #[serde(default)]
    pub value: Option<Value>,
    pub provenance: Provenance,
}

pub(crate) fn assumptions(document: &Value) -> Result<Vec<Assumption>, ContractError> {
    let Some(listed) = document.get("x-takt-assumptions") else { return Ok(Vec::new()) };
    Vec::deserialize(listed).map_err(|cause| ContractError::Unusable {
        at: "the document".to_owned(),
        member: "x-takt-assumptions".to_owned(),
        reason: cause.to_string(),
    })
}
