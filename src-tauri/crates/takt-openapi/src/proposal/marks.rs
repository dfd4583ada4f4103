//! Reads Takt's marks. Documents exported by Takt have them, and they take precedence over the rest of the document.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use takt_contract::{FieldKind, form::ValueForm};

use crate::{schema::Schema, value::Value};

/// Reads a mark of a JSON value. Returns None if it is absent or has another type.
pub(super) fn read<T: DeserializeOwned>(node: Option<&Json>, name: &str) -> Option<T> {
    T::deserialize(node?.get(name)?).ok()
}

/// Reads a mark of a schema.
pub(super) fn read_schema<T: DeserializeOwned>(schema: &Schema<'_>, name: &str) -> Option<T> {
    T::deserialize(schema.mark(name)?).ok()
}

/// Returns kind and form of a value if both are marked.
pub(super) fn read_value(schema: &Schema<'_>) -> Option<Value> {
    let kind: FieldKind = read_schema(schema, "x-takt-kind")?;
    let form: ValueForm = read_schema(schema, "x-takt-form")?;
    Some(Value { kind, form, doubt: None })
}
