//! Exports fields as schemas, with the marks for reading them again.

use serde_json::{Map, Value, json};
use takt_contract::{Field, FieldKind, Limits, form::ValueForm};

/// Returns the schema of an object with these fields.
pub(super) fn object_schema(fields: &[Field], name: Option<&str>) -> Value {
    let wire = |field: &Field| field.wire.clone().unwrap_or_else(|| field.name.clone());
    let properties: Map<String, Value> = fields.iter().map(|field| (wire(field), member_schema(field))).collect();
    let required: Vec<String> = fields.iter().filter(|field| field.required).map(wire).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "required": required });
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        schema["x-takt-schema"] = json!(name);
    }
    schema
}

/// Returns the schema of one member.
fn member_schema(field: &Field) -> Value {
    let mut schema = field_schema(field.kind, &field.form);
    if !field.fields.is_empty() {
        let part = object_schema(&field.fields, None);
        if field.kind == FieldKind::List {
            schema["items"] = part;
        } else if field.kind == FieldKind::Object {
            schema = part;
            add_marks(&mut schema, field.kind, &field.form);
        }
    }
    add_limits(&mut schema, &field.limits);
    schema["x-takt-field"] = json!(field.name);
    schema["x-takt-names"] = json!(field.names);
    schema["x-takt-provenance"] = json!(field.provenance);
    schema["x-takt-limits"] = json!(field.limits);
    schema["x-takt-nullable"] = json!(field.nullable);
    if field.nullable
        && let Some(kind) = schema.get("type").cloned().filter(Value::is_string)
    {
        schema["type"] = json!([kind, "null"]);
    }
    if let Some(example) = &field.example {
        schema["examples"] = json!([example]);
    }
    schema
}

/// Returns the schema of a value by kind and form.
pub(super) fn field_schema(kind: FieldKind, form: &ValueForm) -> Value {
    let mut schema = match form {
        ValueForm::Codes { codes } => {
            let values: Vec<Value> = codes.iter().map(|code| code.wire.to_json()).collect();
            let names: Vec<&String> = codes.iter().map(|code| &code.name).collect();
            json!({ "enum": values, "x-enumNames": names })
        }
        ValueForm::TimeSpanObject => time_span_schema(),
        ValueForm::DurationIso => json!({ "type": "string", "format": "duration" }),
        ValueForm::DurationNumber { unit } => json!({ "type": "number", "description": unit }),
        ValueForm::OffsetDateTime | ValueForm::UtcDateTime => json!({ "type": "string", "format": "date-time" }),
        ValueForm::DateOnly => json!({ "type": "string", "format": "date" }),
        ValueForm::Epoch { .. } => json!({ "type": "integer" }),
        ValueForm::Quoted => json!({ "type": "string" }),
        ValueForm::AsIs => kind_schema(kind),
    };
    add_marks(&mut schema, kind, form);
    schema
}

fn add_marks(schema: &mut Value, kind: FieldKind, form: &ValueForm) {
    schema["x-takt-kind"] = json!(kind);
    schema["x-takt-form"] = json!(form);
}

fn kind_schema(kind: FieldKind) -> Value {
    match kind {
        FieldKind::Text => json!({ "type": "string" }),
        FieldKind::Integer => json!({ "type": "integer" }),
        FieldKind::Number => json!({ "type": "number" }),
        FieldKind::Boolean => json!({ "type": "boolean" }),
        FieldKind::DateTime => json!({ "type": "string", "format": "iso-date-time" }),
        FieldKind::Duration => json!({ "type": "string", "format": "duration-hms" }),
        FieldKind::TimeSpan => time_span_schema(),
        FieldKind::List => json!({ "type": "array", "items": {} }),
        FieldKind::Object => json!({ "type": "object" }),
    }
}

fn time_span_schema() -> Value {
    let number = json!({ "type": "number" });
    json!({ "type": "object", "properties": { "ticks": { "type": "integer" }, "totalSeconds": number } })
}

fn add_limits(schema: &mut Value, limits: &Limits) {
    let bounds = [
        ("minimum", limits.minimum),
        ("exclusiveMinimum", limits.exclusive_minimum),
        ("maximum", limits.maximum),
        ("maxLength", limits.max_length.map(f64::from)),
    ];
    for (name, bound) in bounds {
        if let Some(bound) = bound {
            schema[name] = if name == "maxLength" { json!(limits.max_length) } else { json!(bound) };
        }
    }
    if let Some(pattern) = &limits.pattern {
        schema["pattern"] = json!(pattern);
    }
    if !limits.values.is_empty() && schema.get("enum").is_none() {
        schema["enum"] = json!(limits.values);
    }
}

/// Returns the schema of a body with a list at a dotted path. If the path is empty, the body is the list.
pub(super) fn list_schema(path: &str, item: &Value) -> Value {
    let list = json!({ "type": "array", "items": item, "x-takt-list": true });
    if path.is_empty() {
        return list;
    }
    let mut body = json!({ "type": "object", "properties": {} });
    set_at_path(&mut body, path, list);
    body
}

/// Sets the schema at a dotted path through objects. Does nothing if the body is a list.
pub(super) fn set_at_path(body: &mut Value, path: &str, schema: Value) {
    if body.get("properties").is_none() {
        return;
    }
    let mut node = body;
    for step in path.split('.') {
        if node.get("type").is_none() {
            *node = json!({ "type": "object", "properties": {} });
        }
        node = &mut node["properties"][step];
    }
    *node = schema;
}
