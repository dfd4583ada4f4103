//! What a document says instead of assumptions: `x-takt-assumptions`, a list of ids with their values.

use serde::Deserialize;
use serde_json::Value;
use takt_contract::{Contract, Provenance, ProvenanceLevel, overlay::AssumptionOverlay};

use super::marks;
use crate::Document;

#[derive(Deserialize)]
struct Replaced {
    id: String,
    #[serde(default)]
    value: Option<Value>,
}

/// The values that differ from those of the contract.
pub(super) fn replaced(document: &Document, contract: &Contract) -> Vec<AssumptionOverlay> {
    let said: Option<Vec<Replaced>> = marks::of(Some(document.value()), "x-takt-assumptions");
    let source = format!("{} {}", document.title(), document.version()).trim().to_owned();
    let provenance = Provenance { level: ProvenanceLevel::Site, source };
    let replaced = said.into_iter().flatten().filter_map(|Replaced { id, value }| {
        let known = contract.assumptions().iter().find(|known| known.id == id)?;
        let value = value.filter(|value| known.value.as_ref().is_some_and(|known| known != value))?;
        Some(AssumptionOverlay { id, value, provenance: provenance.clone() })
    });
    replaced.collect()
}
