//! The document's webhooks into [`EventKind`]s.

use serde_json::Value;

use super::{member, members, parsed, text, unusable};
use crate::{ContractError, EventKind};

/// Every event of the document, by its number. A document without webhooks has none.
pub(crate) fn events(document: &Value) -> Result<Vec<EventKind>, ContractError> {
    let mut events = Vec::new();
    let Some(webhooks) = document.get("webhooks") else { return Ok(events) };
    for (name, item) in members(webhooks, "webhooks")? {
        let at = format!("webhook {name}");
        let node = members(member(members(item, &at)?, "post", &at)?, &at)?;
        let id: i32 = parsed(node, "x-takt-event-id", &at)?;
        if events.iter().any(|known: &EventKind| known.id == id) {
            return Err(unusable(&at, "x-takt-event-id", format!("`{id}` stands twice")));
        }
        events.push(EventKind {
            id,
            name: name.clone(),
            fired: text(node, "summary", &at)?.to_owned(),
            payload: text(node, "x-takt-payload", &at)?.to_owned(),
            asks: node.get("responses").and_then(|answers| answers.pointer("/200/content")).is_some(),
            names: parsed(node, "x-takt-names", &at)?,
            provenance: parsed(node, "x-takt-provenance", &at)?,
        });
    }
    events.sort_by_key(|event| event.id);
    Ok(events)
}
