//! What a person already has that another contract touches: saved mappings and pictures.

use std::collections::BTreeSet;

use serde::Serialize;
use takt_contract::{Contract, Names};
use takt_core::Problem;
use takt_import::RememberedMappings;
use takt_openapi::comparison::{DifferenceKind, FieldDifference, FieldPlace, OperationDifference};

/// What another contract touches in one operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContractEffect {
    pub operation: String,
    /// Saved mappings that fill a field which is gone, or takes other values.
    pub mappings: u32,
    /// Pictures that can't be drawn any more, for want of a field.
    pub pictures: Vec<Names>,
}

/// The effects of these differences, operations without any left out. Names inside Takt stay, so that a member with another name
/// touches nothing.
pub(super) fn effects(
    differences: &[OperationDifference],
    before: &Contract,
    after: &Contract,
    mappings: &RememberedMappings,
) -> Result<Vec<ContractEffect>, Problem> {
    let mut effects = Vec::new();
    for difference in differences {
        let fields: Vec<&str> = difference
            .fields
            .iter()
            .filter(|field| takes_other_values(field))
            .map(|field| field.path.as_str())
            .collect();
        let filling = if fields.is_empty() { 0 } else { mappings.filling(&difference.id, &fields)? };
        let pictures = lost_pictures(&difference.id, before, after);
        if filling > 0 || !pictures.is_empty() {
            let mappings = u32::try_from(filling).unwrap_or(u32::MAX);
            effects.push(ContractEffect { operation: difference.id.clone(), mappings, pictures });
        }
    }
    Ok(effects)
}

fn takes_other_values(field: &FieldDifference) -> bool {
    let kinds = (field.before.as_ref().map(|state| state.kind), field.after.as_ref().map(|state| state.kind));
    let is_sent = field.place == FieldPlace::Request;
    is_sent && (field.kind == DifferenceKind::Gone || field.kind == DifferenceKind::Changed && kinds.0 != kinds.1)
}

fn lost_pictures(operation: &str, before: &Contract, after: &Contract) -> Vec<Names> {
    let pictures = |contract: &Contract| {
        contract.operation(operation).map(|operation| operation.pictures.clone()).unwrap_or_default()
    };
    let kept: BTreeSet<String> = pictures(after).into_iter().map(|picture| picture.id).collect();
    let lost = pictures(before).into_iter().filter(|picture| !kept.contains(&picture.id));
    lost.map(|picture| picture.names).collect()
}
