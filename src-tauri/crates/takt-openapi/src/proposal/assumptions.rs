//! Reads replacements for assumptions: `x-takt-assumptions`, a list of ids with their values.

use serde::Deserialize;
use serde_json::Value;
use takt_contract::{AssumptionError, Contract, Provenance, ProvenanceLevel, overlay::AssumptionOverlay};

use super::proposer::read_mark;
use crate::Document;

#[derive(Deserialize)]
struct StatedAssumption {
    id: String,
    #[serde(default)]
    value: Option<Value>,
}

/// Returns the valid values that differ from the contract's.
pub(super) fn assumption_overlays(document: &Document, contract: &Contract) -> Vec<AssumptionOverlay> {
    let source = format!("{} {}", document.title(), document.version()).trim().to_owned();
    let provenance = Provenance { level: ProvenanceLevel::Site, source };
    let overlay = |(id, value)| AssumptionOverlay { id, value, provenance: provenance.clone() };
    let usable =
        differing_values(document, contract).filter(|(id, value)| contract.check_assumption(id, value).is_ok());
    usable.map(overlay).collect()
}

/// Returns the errors of values that the contract's assumptions can't have.
#[must_use]
pub fn errors(document: &Document, contract: &Contract) -> Vec<AssumptionError> {
    differing_values(document, contract)
        .filter_map(|(id, value)| contract.check_assumption(&id, &value).err())
        .collect()
}

/// Returns the values of known assumptions that differ from the contract's.
fn differing_values(document: &Document, contract: &Contract) -> impl Iterator<Item = (String, Value)> {
    let stated: Option<Vec<StatedAssumption>> = read_mark(Some(document.value()), "x-takt-assumptions");
    stated.into_iter().flatten().filter_map(|StatedAssumption { id, value }| {
        let known = contract.assumption(&id)?;
        Some((id, value.filter(|value| value != known)?))
    })
}
