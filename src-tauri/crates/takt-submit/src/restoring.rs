//! Determines the earlier values of an item that can be sent back. A preview promises an undo only for these values.

use serde_json::{Map, Value};
use takt_browse::read_back::ReadBack;
use takt_contract::{Contract, Field, FieldKind, RowSchema};
use takt_journal::Reason;

use crate::result_reason::coded_reason;

/// The operation that sends earlier values.
pub(crate) struct RestoringOperation {
    pub(crate) id: String,
    pub(crate) schema: RowSchema,
}

impl RestoringOperation {
    /// Returns the contract's operation that restores the changes of `operation`, or none if nothing restores them.
    pub(crate) fn find(contract: &Contract, operation: &str) -> Option<Self> {
        let restoring = contract.restoring_operation(contract.operation(operation)?)?;
        Some(Self { id: restoring.id.clone(), schema: restoring.request.clone()? })
    }
}

/// An item that was sent or would be sent, and the service's values before it.
#[derive(Clone, Copy)]
pub(crate) struct ChangedItem<'a> {
    pub(crate) schema: &'a RowSchema,
    /// The names of the fields that identify the item. They are never restored.
    pub(crate) key: &'a [String],
    pub(crate) read_back: &'a ReadBack,
    pub(crate) sent: &'a Value,
    pub(crate) before: &'a Value,
}

impl<'a> ChangedItem<'a> {
    /// Returns the fields whose values differ from the earlier ones.
    pub(crate) fn changed_fields(self) -> Vec<&'a Field> {
        let is_changed = |field: &&Field| {
            let sent = self.sent.get(&field.name).filter(|_| !self.key.contains(&field.name));
            sent.is_some_and(|sent| {
                let only = |value: Value| Value::Object(Map::from_iter([(field.name.clone(), value)]));
                let earlier = self.before.get(&field.name).cloned();
                earlier.is_some_and(|earlier| !self.read_back.matches_stored(&only(sent.clone()), &only(earlier)))
            })
        };
        self.schema.fields.iter().filter(is_changed).collect()
    }

    /// Returns whether sending the earlier values would undo the change, if nothing else changes meanwhile.
    pub(crate) fn can_be_restored(self) -> bool {
        let changed = self.changed_fields();
        let (before, after) = (pick_fields(&changed, self.before), pick_fields(&changed, self.sent));
        self.read_back.irremovable_lists(&before, &after).is_empty()
            && changed.iter().all(|field| restored_value(field, self.before.get(&field.name)).is_ok())
    }
}

/// Returns an object with only these fields. A missing one is null.
pub(crate) fn pick_fields(fields: &[&Field], from: &Value) -> Value {
    let value = |field: &&Field| (field.name.clone(), from.get(&field.name).cloned().unwrap_or_default());
    fields.iter().map(value).collect::<Map<_, _>>().into()
}

/// Returns the earlier value. If there was none, returns the empty value that the contract allows.
///
/// # Errors
///
/// The field had no value, and the contract has no way to send none.
pub(crate) fn restored_value(field: &Field, before: Option<&Value>) -> Result<Value, Reason> {
    match before {
        Some(before) if !before.is_null() => Ok(before.clone()),
        _ if field.nullable => Ok(Value::Null),
        _ if field.kind == FieldKind::List => Ok(Value::Array(Vec::new())),
        _ if field.kind == FieldKind::Text && !field.required => Ok(Value::String(String::new())),
        _ => Err(coded_reason("cannot-be-emptied", [("field", field.name.clone())])),
    }
}
