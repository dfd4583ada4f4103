//! Reads schemas as [`Field`]s, within limits, since a document could expand without end.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::node::{Members, Resolved, missing_error, optional_member, parsed_member, resolve, unusable_error};
use crate::{ContractError, Field, FieldKind, Limits, form::ValueForm};

/// The maximum number of fields in all operations. The built-in contract has a few hundred.
const MAX_FIELDS: usize = 10_000;
/// The maximum number of nested objects and lists. Deeper fields are ignored.
const MAX_DEPTH: usize = 8;
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Reads fields and limits their number over the whole document.
#[derive(Debug)]
pub(super) struct SchemaReader<'a> {
    document: &'a Value,
    remaining_fields: usize,
    /// Whether a request is being read. Only its fields are mapped to columns and checked.
    is_request: bool,
    /// The components that are being read, so that recursive ones aren't expanded again.
    open_components: Vec<String>,
}

impl<'a> SchemaReader<'a> {
    pub(super) fn new(document: &'a Value) -> Self {
        Self { document, remaining_fields: MAX_FIELDS, is_request: true, open_components: Vec::new() }
    }

    /// Reads the fields of a request, with their synonyms, references and rules.
    pub(super) fn read_request_fields(&mut self, schema: &Resolved<'_>, at: &str) -> Result<Vec<Field>, ContractError> {
        self.is_request = true;
        self.read_fields(schema, at)
    }

    /// Reads the fields of a response, without members that only requests have.
    pub(super) fn read_response_fields(
        &mut self,
        schema: &Resolved<'_>,
        at: &str,
    ) -> Result<Vec<Field>, ContractError> {
        self.is_request = false;
        self.read_fields(schema, at)
    }

    /// Reads the properties of an object schema in order. Empty if it has none, is recursive, or is nested too deeply.
    fn read_fields(&mut self, schema: &Resolved<'_>, at: &str) -> Result<Vec<Field>, ContractError> {
        let name = schema.name.clone().unwrap_or_default();
        let repeated = !name.is_empty() && self.open_components.contains(&name);
        let Some(properties) = schema.members.get("properties").and_then(Value::as_object) else {
            return Ok(Vec::new());
        };
        if repeated || self.open_components.len() >= MAX_DEPTH {
            return Ok(Vec::new());
        }
        let required: Vec<String> = optional_member(&schema.members, "required", at)?.unwrap_or_default();
        self.open_components.push(name);
        let mut fields = Vec::with_capacity(properties.len().min(MAX_FIELDS));
        for (property, node) in properties {
            let at = format!("{at}.{property}");
            let node = resolve(self.document, node, &at)?;
            fields.push(self.read_field(property, &node, required.contains(property), &at)?);
        }
        self.open_components.pop();
        Ok(fields)
    }

    fn read_field(
        &mut self,
        name: &str,
        node: &Resolved<'_>,
        required: bool,
        at: &str,
    ) -> Result<Field, ContractError> {
        let too_many = || unusable_error(at, "properties", format!("more than {MAX_FIELDS} fields"));
        self.remaining_fields = self.remaining_fields.checked_sub(1).ok_or_else(too_many)?;
        let kind = read_kind(&node.members, at)?;
        let fields = match (kind, node.members.get("items")) {
            (FieldKind::List, Some(items)) => {
                let part = resolve(self.document, items, at)?;
                self.read_fields(&part, at)?
            }
            (FieldKind::Object, _) => self.read_fields(node, at)?,
            _ => Vec::new(),
        };
        Ok(Field {
            name: name.to_owned(),
            wire: None,
            form: ValueForm::default(),
            kind,
            required,
            nullable: node.nullable,
            names: parsed_member(&node.members, "x-takt-names", at)?,
            synonyms: self.read_request_member(&node.members, "x-takt-synonyms", at)?.unwrap_or_default(),
            limits: read_limits(&node.members, at)?,
            labels: optional_member(&node.members, "x-takt-labels", at)?.unwrap_or_default(),
            example: read_example(&node.members),
            provenance: parsed_member(&node.members, "x-takt-provenance", at)?,
            assumed: optional_member(&node.members, "x-takt-assumed", at)?.unwrap_or_default(),
            refers_to: self.read_request_member(&node.members, "x-takt-refers-to", at)?,
            reference_checks: self.read_request_member(&node.members, "x-takt-sense", at)?.unwrap_or_default(),
            fields,
        })
    }

    /// Reads a member that applies only to requests.
    fn read_request_member<T: DeserializeOwned>(
        &self,
        members: &Members,
        name: &str,
        at: &str,
    ) -> Result<Option<T>, ContractError> {
        if self.is_request { optional_member(members, name, at) } else { Ok(None) }
    }
}

/// Returns the kind of the values that a schema allows.
pub(super) fn read_kind(schema: &Members, at: &str) -> Result<FieldKind, ContractError> {
    let type_name = match schema.get("type") {
        Some(Value::String(name)) => Some(name.as_str()),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    };
    let name = type_name.ok_or_else(|| missing_error(at, "type"))?;
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
        other => Err(unusable_error(at, "type", format!("`{other}` is not a type that a field can have"))),
    }
}

/// Returns whether a schema is a time span. It is recognized by its members, since a site may name it differently.
fn is_time_span(schema: &Members) -> bool {
    let has = |member| schema.get("properties").is_some_and(|properties| properties.get(member).is_some());
    has("ticks") && has("totalSeconds")
}

fn read_example(schema: &Members) -> Option<String> {
    match schema.get("examples")?.get(0)? {
        Value::String(text) => Some(text.clone()),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn read_limits(schema: &Members, at: &str) -> Result<Limits, ContractError> {
    let values: Vec<Value> = optional_member(schema, "enum", at)?.unwrap_or_default();
    // A bound at the end of the 64-bit range only reflects the number's format, so users don't need it.
    let bound = |name: &str| -> Result<Option<f64>, ContractError> {
        Ok(optional_member(schema, name, at)?.filter(|bound: &f64| bound.abs() < TWO_TO_63))
    };
    Ok(Limits {
        minimum: bound("minimum")?,
        exclusive_minimum: optional_member(schema, "exclusiveMinimum", at)?,
        maximum: bound("maximum")?,
        max_length: optional_member(schema, "maxLength", at)?,
        pattern: optional_member(schema, "pattern", at)?,
        values: values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}
