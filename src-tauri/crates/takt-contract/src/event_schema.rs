//! JSON schemas for checking the payloads of events.
//!
//! Each schema is self-contained and includes a site's changes. It applies to events in Takt's names and formats
//! ([`Contract::decode_event`]). Receivers of events validate with it.

use serde_json::{Map, Value, json};

use crate::{Contract, Field, FieldKind, Limits, reader};

/// The maximum number of nested references. Deeper values aren't checked.
const MAX_DEPTH: usize = 12;
/// The format of ISO 8601 date-times, with or without an offset.
pub const DATE_TIME_FORMAT: &str = "iso-date-time";
/// The format of durations that [`wire::duration`](crate::wire::duration) reads.
pub const DURATION_FORMAT: &str = "duration-hms";
/// Members of a schema that don't affect validation.
const DOCUMENTATION_MEMBERS: [&str; 4] = ["description", "title", "examples", "example"];

impl Contract {
    /// Returns the JSON schema (draft 2020-12) of each event's payload, by event number.
    #[must_use]
    pub fn event_schemas(&self) -> Vec<(i32, Value)> {
        let builtin = reader::read_events(self.document()).unwrap_or_default();
        let schema = |kind: &crate::EventKind| {
            let payload =
                inline_references(self.document(), reader::payload_schema(self.document(), &kind.name)?, MAX_DEPTH);
            let original = builtin.iter().find(|known| known.id == kind.id)?;
            let is_own = original.fields == kind.fields;
            Some((kind.id, if is_own { payload } else { object_schema(&kind.fields, &original.fields, &payload) }))
        };
        self.events().iter().filter_map(schema).collect()
    }
}

/// Returns a schema with its references replaced by their targets, without documentation.
fn inline_references(document: &Value, node: &Value, remaining_depth: usize) -> Value {
    let Value::Object(members) = node else { return node.clone() };
    if remaining_depth == 0 {
        return Value::Bool(true);
    }
    let mut own = Map::new();
    for (name, value) in members {
        if name == "$ref" || name.starts_with("x-takt-") || DOCUMENTATION_MEMBERS.contains(&name.as_str()) {
            continue;
        }
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let inline = |(name, value): (&String, &Value)| {
                    (name.clone(), inline_references(document, value, remaining_depth - 1))
                };
                properties.iter().map(inline).collect()
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                parts.iter().map(|part| inline_references(document, part, remaining_depth - 1)).collect()
            }
            ("items" | "not" | "additionalProperties", part) => inline_references(document, part, remaining_depth - 1),
            _ => value.clone(),
        };
        own.insert(name.clone(), value);
    }
    // The format is stricter than the pattern, so the pattern is removed.
    if own
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| [DATE_TIME_FORMAT, DURATION_FORMAT].contains(&format))
    {
        own.remove("pattern");
    }
    let referred = members
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    match referred.map(|referred| inline_references(document, referred, remaining_depth - 1)) {
        Some(referred) if own.is_empty() => referred,
        Some(referred) => json!({ "allOf": [referred, own] }),
        None => merge_null(own),
    }
}

/// Replaces `anyOf` of a type and null with a list of types, which improves validation errors.
fn merge_null(schema: Map<String, Value>) -> Value {
    let one = match schema.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([one, none] | [none, one]) if schema.len() == 1 && *none == json!({ "type": "null" }) => one,
        _ => return Value::Object(schema),
    };
    match one.get("type").and_then(Value::as_str) {
        Some(kind) if one.get("enum").is_none() && one.get("const").is_none() => {
            let mut one = one.clone();
            one["type"] = json!([kind, "null"]);
            one
        }
        _ => Value::Object(schema),
    }
}

/// Returns the schema of an object. Fields without changes have the document's schemas.
fn object_schema(fields: &[Field], original: &[Field], schema: &Value) -> Value {
    let property = |field: &Field| {
        let known = original.iter().find(|known| known.name == field.name);
        let own = property_schemas(schema, &field.name);
        let schema = match own.as_slice() {
            [one] if known == Some(field) => (*one).clone(),
            [] => field_schema(field, &[], &Value::Null),
            parts if known == Some(field) => json!({ "allOf": parts }),
            parts => {
                let part = json!({ "allOf": parts });
                field_schema(field, known.map_or(&[], |known| &known.fields), &part)
            }
        };
        (field.name.clone(), schema)
    };
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Returns the schemas of a property in all parts of an object's schema.
fn property_schemas<'a>(schema: &'a Value, name: &str) -> Vec<&'a Value> {
    let own = schema.get("properties").and_then(|properties| properties.get(name));
    let parts = ["allOf", "anyOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    parts.flat_map(|part| property_schemas(part, name)).chain(own).collect()
}

/// Returns the schema of a list's elements.
fn item_schema(schema: &Value) -> Option<&Value> {
    let parts = ["allOf", "anyOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    schema.get("items").or_else(|| parts.filter_map(item_schema).next())
}

/// Returns the schema of a field that a site changed.
fn field_schema(field: &Field, original: &[Field], schema: &Value) -> Value {
    let typed = |kind: &str| if field.nullable { json!([kind, "null"]) } else { json!(kind) };
    let mut own = match field.kind {
        FieldKind::Text => json!({ "type": typed("string") }),
        FieldKind::Integer => json!({ "type": typed("integer") }),
        FieldKind::Number => json!({ "type": typed("number") }),
        FieldKind::Boolean => json!({ "type": typed("boolean") }),
        FieldKind::DateTime => json!({ "type": typed("string"), "format": DATE_TIME_FORMAT }),
        FieldKind::Duration => json!({ "type": typed("string"), "format": DURATION_FORMAT }),
        FieldKind::TimeSpan => json!({ "type": typed("object") }),
        FieldKind::List if field.fields.is_empty() => json!({ "type": typed("array") }),
        FieldKind::List => {
            let parts = object_schema(&field.fields, original, item_schema(schema).unwrap_or(&Value::Null));
            json!({ "type": typed("array"), "items": parts })
        }
        FieldKind::Object => {
            let mut own = object_schema(&field.fields, original, schema);
            own["type"] = typed("object");
            own
        }
    };
    let Limits { minimum, exclusive_minimum, maximum, max_length, pattern, values } = &field.limits;
    for (keyword, bound) in [("minimum", minimum), ("exclusiveMinimum", exclusive_minimum), ("maximum", maximum)] {
        if let Some(bound) = bound {
            own[keyword] = json!(bound);
        }
    }
    if let Some(most) = max_length {
        own["maxLength"] = json!(most);
    }
    if let Some(pattern) = pattern {
        own["pattern"] = json!(pattern);
    }
    if !values.is_empty() {
        let none = field.nullable.then_some(Value::Null);
        own["enum"] = values.iter().map(|value| json!(value)).chain(none).collect();
    }
    own
}
