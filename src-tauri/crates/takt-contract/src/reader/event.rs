//! Reads webhooks as [`EventKind`]s, and the data for rules about their replies.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    node::{
        JSON_BODY, Members, Resolved, as_members, member, missing_error, optional_member, parsed_member, resolve,
        text_member, unusable_error,
    },
    schema::SchemaReader,
};
use crate::{ContractError, EventKind, Field, ReplyRules};

/// Reads the events, ordered by number. Empty if the document has no webhooks.
pub(crate) fn read_events(document: &Value) -> Result<Vec<EventKind>, ContractError> {
    let mut events = Vec::new();
    let Some(webhooks) = document.get("webhooks") else { return Ok(events) };
    let mut schemas = SchemaReader::new(document);
    for (name, item) in as_members(webhooks, "webhooks")? {
        let at = format!("webhook {name}");
        let node = as_members(member(as_members(item, &at)?, "post", &at)?, &at)?;
        let id: i32 = parsed_member(node, "x-takt-event-id", &at)?;
        if events.iter().any(|known: &EventKind| known.id == id) {
            return Err(unusable_error(&at, "x-takt-event-id", format!("`{id}` stands twice")));
        }
        events.push(EventKind {
            id,
            name: name.clone(),
            fired: text_member(node, "summary", &at)?.to_owned(),
            payload: text_member(node, "x-takt-payload", &at)?.to_owned(),
            asks: node.get("responses").and_then(|answers| answers.pointer("/200/content")).is_some(),
            fields: read_payload_fields(document, &mut schemas, node, &at)?,
            floor: optional_member(node, "x-takt-floor", &at)?,
            names: parsed_member(node, "x-takt-names", &at)?,
            provenance: parsed_member(node, "x-takt-provenance", &at)?,
        });
    }
    events.sort_by_key(|event| event.id);
    Ok(events)
}

/// Reads the data for rules about replies. Empty if the document has none.
pub(crate) fn read_reply_rules(document: &Value) -> Result<ReplyRules, ContractError> {
    let root = as_members(document, "the document")?;
    Ok(optional_member(root, "x-takt-answering", "the document")?.unwrap_or_default())
}

pub(crate) fn payload_schema<'a>(document: &'a Value, name: &str) -> Option<&'a Value> {
    document.get("webhooks")?.get(name)?.get("post")?.get("requestBody")?.get("content")?.get(JSON_BODY)?.get("schema")
}

/// Reads the fields of a payload. The fields of schemas that it extends come first.
fn read_payload_fields(
    document: &Value,
    schemas: &mut SchemaReader<'_>,
    node: &Members,
    at: &str,
) -> Result<Vec<Field>, ContractError> {
    let schema = node.get("requestBody").and_then(|body| body.get("content")?.get(JSON_BODY)?.get("schema"));
    let own = resolve(document, schema.ok_or_else(|| missing_error(at, "requestBody"))?, at)?;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for part in own.members.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        let part = resolve(document, part, at)?;
        add_properties(&part.members, &mut properties, &mut required);
    }
    add_properties(&own.members, &mut properties, &mut required);
    let merged = Members::from_iter([
        ("properties".to_owned(), Value::Object(properties)),
        ("required".to_owned(), Value::Array(required)),
    ]);
    schemas.read_response_fields(&Resolved { members: Cow::Owned(merged), name: None, nullable: false }, at)
}

/// Adds the properties of a schema. Existing properties are kept, since an extension only narrows them.
fn add_properties(schema: &Members, properties: &mut Members, required: &mut Vec<Value>) {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        properties.entry(name).or_insert_with(|| property.clone());
    }
    required.extend(schema.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
}
