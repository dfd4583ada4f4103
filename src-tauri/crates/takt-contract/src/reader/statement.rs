//! Reads `x-takt-statements`, `x-takt-statuses` and `x-takt-assumed` as [`Statement`]s.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    members::{JSON_BODY, Members, members, optional},
    reference::resolve,
};
use crate::{ContractError, Provenance, ProvenanceLevel, Statement, StatementAbout};

const OWN: [(&str, StatementAbout); 5] = [
    ("area", StatementAbout::Area),
    ("method", StatementAbout::Method),
    ("path", StatementAbout::Path),
    ("purpose", StatementAbout::Purpose),
    ("schema", StatementAbout::Schema),
];

/// Reads the statements about an operation and its parameters. A document without the marks has none.
pub(super) fn statements(
    document: &Value,
    item: &Members,
    node: &Members,
    at: &str,
) -> Result<Vec<Statement>, ContractError> {
    let mut found = Vec::new();
    let own: BTreeMap<String, Provenance> = optional(node, "x-takt-statements", at)?.unwrap_or_default();
    for (name, about) in OWN {
        let statement =
            own.get(name).map(|provenance| Statement { about, at: String::new(), provenance: provenance.clone() });
        found.extend(statement);
    }
    let statuses: BTreeMap<String, Provenance> = optional(node, "x-takt-statuses", at)?.unwrap_or_default();
    let status = |(at, provenance)| Statement { about: StatementAbout::Status, at, provenance };
    found.extend(statuses.into_iter().map(status));
    let lists = [item.get("parameters"), node.get("parameters")];
    for raw in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let parameter = resolve(document, raw, at)?.members;
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        found.extend(keywords(&parameter, name, at)?);
    }
    for (front, body) in bodies(node) {
        let schema = resolve(document, body, at)?.members;
        found.extend(keywords(&schema, front, at)?);
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            found.extend(keywords(members(property, at)?, &format!("{front} {name}"), at)?);
            let Some(items) = property.get("items") else { continue };
            found.extend(keywords(&resolve(document, items, at)?.members, &format!("{front} {name}[]"), at)?);
        }
    }
    Ok(found)
}

/// Returns the schemas of the request and of the response with status 200.
fn bodies(node: &Members) -> impl Iterator<Item = (&'static str, &Value)> {
    let request = node.get("requestBody").map(|body| ("request", body));
    let answer = node.get("responses").and_then(|all| all.get("200")).map(|body| ("answer", body));
    let both = request.into_iter().chain(answer);
    both.filter_map(|(front, body)| Some((front, body.get("content")?.get(JSON_BODY)?.get("schema")?)))
}

/// Reads the assumed keywords of a node.
fn keywords(node: &Members, front: &str, at: &str) -> Result<Vec<Statement>, ContractError> {
    let assumed: BTreeMap<String, String> = optional(node, "x-takt-assumed", at)?.unwrap_or_default();
    let statement = |(keyword, source)| Statement {
        about: StatementAbout::Keyword,
        at: format!("{front} {keyword}"),
        provenance: Provenance { level: ProvenanceLevel::Assumed, source },
    };
    Ok(assumed.into_iter().map(statement).collect())
}
