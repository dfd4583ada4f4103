//! What a document says instead of assumptions: `x-takt-assumptions`, a list of ids with their values.

use serde::Deserialize;
use serde_json::Value;
use takt_contract::{AssumptionError, Contract, Provenance, ProvenanceLevel, overlay::AssumptionOverlay};

use super::marks;
use crate::Document;

#[derive(Deserialize)]
struct Replaced {
    id: String,
    #[serde(default)]
    value: Option<Value>,
}

/// The values that differ from those of the contract, as far as they can be theirs.
pub(super) fn replaced(document: &Document, contract: &Contract) -> Vec<AssumptionOverlay> {
    let source = format!("{} {}", document.title(), document.version()).trim().to_owned();
    let provenance = Provenance { level: ProvenanceLevel::Site, source };
    let overlay = |(id, value)| AssumptionOverlay { id, value, provenance: provenance.clone() };
    let usable = said(document, contract).filter(|(id, value)| contract.check_assumption(id, value).is_ok());
    usable.map(overlay).collect()
}

/// Why values that the document has can't be those of the contract's assumptions.
#[must_use]
pub fn errors(document: &Document, contract: &Contract) -> Vec<AssumptionError> {
    said(document, contract).filter_map(|(id, value)| contract.check_assumption(&id, &value).err()).collect()
}

/// The values of known assumptions that differ from the contract's.
fn said(document: &Document, contract: &Contract) -> impl Iterator<Item = (String, Value)> {
    let said: Option<Vec<Replaced>> = marks::of(Some(document.value()), "x-takt-assumptions");
    said.into_iter().flatten().filter_map(|Replaced { id, value }| {
        let known = contract.assumption(&id)?;
        Some((id, value.filter(|value| value != known)?))
    })
}
