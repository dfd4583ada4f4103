//! Finds the user's data that a changed contract affects: saved mappings and pictures.

use std::collections::BTreeSet;

use serde::Serialize;
use takt_contract::{Contract, Names};
use takt_core::Problem;
use takt_import::RememberedMappings;
use takt_openapi::comparison::{DifferenceKind, FieldDifference, FieldPlace, OperationDifference};

/// The effect of a changed contract in one operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContractEffect {
    pub operation: String,
    /// Saved mappings for a field that was removed, or that has another type.
    pub mappings: u32,
    /// Pictures that can no longer be drawn, because a field is missing.
    pub pictures: Vec<Names>,
}

/// Returns the effects of these differences, without operations that have none. Only Takt's internal names count, so
/// renamed members have no effect.
pub(super) fn effects(
    differences: &[OperationDifference],
    before: &Contract,
    after: &Contract,
    mappings: &RememberedMappings,
) -> Result<Vec<ContractEffect>, Problem> {
    let mut effects = Vec::new();
    for difference in differences {
        let fields: Vec<&str> =
            difference.fields.iter().filter(|field| is_type_changed(field)).map(|field| field.path.as_str()).collect();
        let mapping_count = if fields.is_empty() { 0 } else { mappings.filling(&difference.id, &fields)? };
        let pictures = lost_pictures(&difference.id, before, after);
        if mapping_count > 0 || !pictures.is_empty() {
            let mappings = u32::try_from(mapping_count).unwrap_or(u32::MAX);
            effects.push(ContractEffect { operation: difference.id.clone(), mappings, pictures });
        }
    }
    Ok(effects)
}

fn is_type_changed(field: &FieldDifference) -> bool {
    let kinds = (field.before.as_ref().map(|state| state.kind), field.after.as_ref().map(|state| state.kind));
    let is_sent = field.place == FieldPlace::Request;
    is_sent && (field.kind == DifferenceKind::Gone || field.kind == DifferenceKind::Changed && kinds.0 != kinds.1)
}

fn lost_pictures(operation: &str, before: &Contract, after: &Contract) -> Vec<Names> {
    let pictures = |contract: &Contract| {
        contract.operation(operation).map(|operation| operation.pictures.clone()).unwrap_or_default()
    };
    let remaining: BTreeSet<String> = pictures(after).into_iter().map(|picture| picture.id).collect();
    let lost = pictures(before).into_iter().filter(|picture| !remaining.contains(&picture.id));
    lost.map(|picture| picture.names).collect()
}
