//! Reads schemas as [`Field`]s, with limits against documents that unfold endlessly.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    members::{Members, missing, optional, parsed, unusable},
    reference::{Resolved, resolve},
};
use crate::{ContractError, Field, FieldKind, Limits, form::ValueForm};

/// The maximum number of fields of all operations. The built-in contract has a few hundred.
const MAX_FIELDS: usize = 10_000;
/// The maximum levels of nested objects and lists. Deeper ones are ignored.
const MAX_DEPTH: usize = 8;
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Reads fields and counts them over the whole document.
#[derive(Debug)]
pub(super) struct SchemaReader<'a> {
    document: &'a Value,
    fields_left: usize,
    /// Whether the schema of a request is being read. Only a request's fields are matched with columns and checked.
    is_request: bool,
    /// Components that are being read, so that a recursive one isn't unfolded again.
    open_components: Vec<String>,
}

impl<'a> SchemaReader<'a> {
    pub(super) fn new(document: &'a Value) -> Self {
        Self { document, fields_left: MAX_FIELDS, is_request: true, open_components: Vec::new() }
    }

    /// Reads the fields of a request, with synonyms, references and rules.
    pub(super) fn sent(&mut self, schema: &Resolved<'_>, at: &str) -> Result<Vec<Field>, ContractError> {
        self.is_request = true;
        self.fields(schema, at)
    }

    /// Reads the fields of a response.
    pub(super) fn answered(&mut self, schema: &Resolved<'_>, at: &str) -> Result<Vec<Field>, ContractError> {
        self.is_request = false;
        self.fields(schema, at)
    }

    /// Reads the properties of an object schema in order. Empty if it has none, contains itself or is nested too
    /// deeply.
    fn fields(&mut self, schema: &Resolved<'_>, at: &str) -> Result<Vec<Field>, ContractError> {
        let name = schema.name.clone().unwrap_or_default();
        let repeated = !name.is_empty() && self.open_components.contains(&name);
        let Some(properties) = schema.members.get("properties").and_then(Value::as_object) else {
            return Ok(Vec::new());
        };
        if repeated || self.open_components.len() >= MAX_DEPTH {
            return Ok(Vec::new());
        }
        let required: Vec<String> = optional(&schema.members, "required", at)?.unwrap_or_default();
        self.open_components.push(name);
        let mut fields = Vec::with_capacity(properties.len().min(MAX_FIELDS));
        for (property, node) in properties {
            let at = format!("{at}.{property}");
            let node = resolve(self.document, node, &at)?;
            fields.push(self.field(property, &node, required.contains(property), &at)?);
        }
        self.open_components.pop();
        Ok(fields)
    }

    fn field(&mut self, name: &str, node: &Resolved<'_>, required: bool, at: &str) -> Result<Field, ContractError> {
        let too_many = || unusable(at, "properties", format!("more than {MAX_FIELDS} fields"));
        self.fields_left = self.fields_left.checked_sub(1).ok_or_else(too_many)?;
        let kind = kind(&node.members, at)?;
        let fields = match (kind, node.members.get("items")) {
            (FieldKind::List, Some(items)) => {
                let part = resolve(self.document, items, at)?;
                self.fields(&part, at)?
            }
            (FieldKind::Object, _) => self.fields(node, at)?,
            _ => Vec::new(),
        };
        Ok(Field {
            name: name.to_owned(),
            wire: None,
            form: ValueForm::default(),
            kind,
            required,
            nullable: node.nullable,
            names: parsed(&node.members, "x-takt-names", at)?,
            synonyms: self.request_member(&node.members, "x-takt-synonyms", at)?.unwrap_or_default(),
            limits: limits(&node.members, at)?,
            labels: optional(&node.members, "x-takt-labels", at)?.unwrap_or_default(),
            example: example(&node.members),
            provenance: parsed(&node.members, "x-takt-provenance", at)?,
            assumed: optional(&node.members, "x-takt-assumed", at)?.unwrap_or_default(),
            refers_to: self.request_member(&node.members, "x-takt-refers-to", at)?,
            reference_checks: self.request_member(&node.members, "x-takt-sense", at)?.unwrap_or_default(),
            fields,
        })
    }
}

impl SchemaReader<'_> {
    /// Reads a member that only requests have.
    fn request_member<T: DeserializeOwned>(
        &self,
        members: &Members,
        name: &str,
        at: &str,
    ) -> Result<Option<T>, ContractError> {
        if self.is_request { optional(members, name, at) } else { Ok(None) }
    }
}

/// Returns the kind of a schema's values.
pub(super) fn kind(schema: &Members, at: &str) -> Result<FieldKind, ContractError> {
    let type_name = match schema.get("type") {
        Some(Value::String(name)) => Some(name.as_str()),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    };
    let name = type_name.ok_or_else(|| missing(at, "type"))?;
    match name {
        "string" => Ok(match schema.get("format").and_then(Value::as_str) {
            Some("date-time" | "iso-date-time") => FieldKind::DateTime,
            Some("duration-hms") => FieldKind::Duration,
            _ => FieldKind::Text,
        }),
        "integer" => Ok(FieldKind::Integer),
        "number" => Ok(FieldKind::Number),
        "boolean" => Ok(FieldKind::Boolean),
        "array" => Ok(FieldKind::List),
        "object" if is_time_span(schema) => Ok(FieldKind::TimeSpan),
        "object" => Ok(FieldKind::Object),
        other => Err(unusable(at, "type", format!("`{other}` is not a type that a field can have"))),
    }
}

/// Recognizes a time span by its members, since a site's component may have another name.
fn is_time_span(schema: &Members) -> bool {
    let has = |member| schema.get("properties").is_some_and(|properties| properties.get(member).is_some());
    has("ticks") && has("totalSeconds")
}

fn example(schema: &Members) -> Option<String> {
    match schema.get("examples")?.get(0)? {
        Value::String(text) => Some(text.clone()),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn limits(schema: &Members, at: &str) -> Result<Limits, ContractError> {
    let values: Vec<Value> = optional(schema, "enum", at)?.unwrap_or_default();
    // A bound at the end of the 64-bit range comes from the number's format, and doesn't help users.
    let bound = |name: &str| -> Result<Option<f64>, ContractError> {
        Ok(optional(schema, name, at)?.filter(|bound: &f64| bound.abs() < TWO_TO_63))
    };
    Ok(Limits {
        minimum: bound("minimum")?,
        exclusive_minimum: optional(schema, "exclusiveMinimum", at)?,
        maximum: bound("maximum")?,
        max_length: optional(schema, "maxLength", at)?,
        pattern: optional(schema, "pattern", at)?,
        values: values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}
