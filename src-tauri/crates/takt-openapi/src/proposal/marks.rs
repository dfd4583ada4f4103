//! What Takt's own marks say. They stand in documents that Takt exported, and count more than what can be read around them.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use takt_contract::{FieldKind, form::ValueForm};

use crate::{schema::Schema, value::Value};

/// A mark of a value. None where it isn't there or says something else.
pub(super) fn of<T: DeserializeOwned>(node: Option<&Json>, name: &str) -> Option<T> {
    T::deserialize(node?.get(name)?).ok()
}

/// A mark of a schema.
pub(super) fn of_schema<T: DeserializeOwned>(schema: &Schema<'_>, name: &str) -> Option<T> {
    T::deserialize(schema.mark(name)?).ok()
}

/// Kind and form of a value, where both are marked.
pub(super) fn value(schema: &Schema<'_>) -> Option<Value> {
    let kind: FieldKind = of_schema(schema, "x-takt-kind")?;
    let form: ValueForm = of_schema(schema, "x-takt-form")?;
    Some(Value { kind, form, doubt: None })
}
