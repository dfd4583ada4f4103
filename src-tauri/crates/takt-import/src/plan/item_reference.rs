//! The references of an operation's items, as in the contract.

use takt_contract::Contract;

/// A field whose value names an item of another operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemReference {
    /// The field's path in the item that refers, for example `rawMaterials.code`.
    pub(super) path: String,
    /// The synchronization that creates the other items.
    pub(super) sync: String,
    /// The field of the other items with the same value.
    pub(super) field: String,
    /// Pairs of fields whose values must be equal if both items have them. The other item's field comes first.
    pub(super) scope_fields: Vec<(String, String)>,
}

/// Returns every reference of an operation's items to items of another synchronization.
pub(super) fn item_references(contract: &Contract, operation: &str) -> Vec<ItemReference> {
    let Some(shape) = contract.operation(operation).and_then(|operation| operation.request.as_ref()) else {
        return Vec::new();
    };
    let found = shape.fields_with_paths().into_iter().filter_map(|(path, field)| {
        let refers_to = field.refers_to.as_ref()?;
        let scope_fields = refers_to.within.iter().map(|pair| (pair.theirs.clone(), pair.own.clone())).collect();
        Some(ItemReference { path, sync: refers_to.sync.clone()?, field: refers_to.field.clone(), scope_fields })
    });
    found.collect()
}
