//! The shape of rows, from the contract: which members a row has, in which order, and what stands where nothing is known.

use serde_json::{Value, json};
use takt_contract::{
    Contract, Field, FieldKind,
    wire::{TimeSpan, duration::parse_ticks},
};

use crate::{PlantError, store::Members};

/// How a row is laid out.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    brief: Option<Vec<String>>,
}

impl Layout {
    /// The rows of an operation's answer; of its request where its answer has none of its own.
    pub(super) fn of(contract: &Contract, operation: &str, brief: Option<&str>) -> Result<Self, PlantError> {
        let fields = |id: &str| {
            let operation = contract.operation(id)?;
            let shape = operation.request.as_ref().or(operation.answer.as_ref())?;
            (!shape.fields.is_empty()).then(|| shape.fields.clone())
        };
        let missing = |id: &str| PlantError::Operation(id.to_owned());
        let brief = match brief {
            Some(id) => Some(fields(id).ok_or_else(|| missing(id))?.into_iter().map(|field| field.name).collect()),
            None => None,
        };
        Ok(Self { fields: fields(operation).ok_or_else(|| missing(operation))?, brief })
    }

    /// Gives a row every member of the contract, in its order, and no other.
    pub(crate) fn complete(&self, row: &mut Members) {
        complete(&self.fields, row);
    }

    /// The row without its production details, where the brief view differs.
    pub(super) fn brief(&self, row: &Members) -> Option<Members> {
        let names = self.brief.as_ref()?;
        let member = |name: &String| row.get(name).map(|value| (name.clone(), value.clone()));
        Some(names.iter().filter_map(member).collect())
    }

    /// Writes the item's members over the row's. Members that the item doesn't name stay as they were.
    pub(super) fn merge(&self, row: &mut Members, item: &Members) {
        merge(&self.fields, row, item);
    }
}

fn complete(fields: &[Field], row: &mut Members) {
    let mut given = std::mem::take(row);
    for field in fields {
        let value = given.remove(&field.name).filter(|value| field.nullable || !value.is_null());
        row.insert(field.name.clone(), shaped(field, value));
    }
}

/// A value as the contract answers it; a blank one where there is none.
fn shaped(field: &Field, value: Option<Value>) -> Value {
    match (field.kind, value) {
        (FieldKind::TimeSpan, Some(Value::String(text))) => {
            parse_ticks(&text).map_or_else(|| shaped(field, None), time_span)
        }
        (FieldKind::List, Some(Value::Array(mut parts))) => {
            for part in &mut parts {
                if let Value::Object(members) = part {
                    complete(&field.fields, members);
                }
            }
            Value::Array(parts)
        }
        (FieldKind::Object, Some(Value::Object(mut members))) => {
            complete(&field.fields, &mut members);
            Value::Object(members)
        }
        (_, Some(value)) => value,
        (FieldKind::List, None) => json!([]),
        (_, None) if field.nullable || !field.required => Value::Null,
        (FieldKind::Text | FieldKind::DateTime | FieldKind::Duration, None) => json!(""),
        (FieldKind::Integer | FieldKind::Number, None) => json!(0),
        // Only `isActive` and the like are flags that nobody gave: what exists is in use.
        (FieldKind::Boolean, None) => json!(field.name == "isActive"),
        (FieldKind::TimeSpan, None) => time_span(0),
        (FieldKind::Object, None) => json!({}),
    }
}

fn merge(fields: &[Field], row: &mut Members, item: &Members) {
    for field in fields {
        let Some(value) = item.get(&field.name) else { continue };
        let merged = match (field.kind, value, row.get(&field.name)) {
            (FieldKind::List, Value::Array(parts), Some(Value::Array(known))) => {
                Value::Array(parts.iter().map(|part| merged_part(field, part, known)).collect())
            }
            _ => value.clone(),
        };
        row.insert(field.name.clone(), merged);
    }
}

/// A part of a list over the part with the same code or key that was there: what only the plant knows of it stays.
fn merged_part(field: &Field, part: &Value, known: &[Value]) -> Value {
    let identity = ["key", "code"].into_iter().find(|name| field.fields.iter().any(|field| field.name == *name));
    let (Value::Object(part), Some(identity)) = (part, identity) else { return part.clone() };
    let same = known.iter().find(|known| known.get(identity) == part.get(identity));
    let mut merged = same.and_then(Value::as_object).cloned().unwrap_or_default();
    merge(&field.fields, &mut merged, part);
    Value::Object(merged)
}

/// The time span object.
pub(crate) fn time_span(ticks: i64) -> Value {
    serde_json::to_value(TimeSpan::from_ticks(ticks)).unwrap_or_default()
}
