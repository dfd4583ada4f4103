//! Exports what several operations share: sign-in, headers, errors and provenance.

use serde_json::{Map, Value, json};
use takt_contract::{Contract, Operation, StatementAbout};

/// Returns the shared components as the contract document has them.
pub(super) fn components(contract: &Contract) -> Value {
    let known = contract.document().get("components");
    let member = |name: &str| Some((name.to_owned(), known?.get(name)?.clone()));
    let mut components: Map<String, Value> =
        ["securitySchemes", "headers", "responses"].into_iter().filter_map(member).collect();
    // The schemas of error bodies.
    let schemas = known.and_then(|known| known.get("schemas")).and_then(Value::as_object);
    let bodies = schemas.into_iter().flatten().filter(|(name, _)| name.ends_with("Body"));
    let bodies: Map<String, Value> = bodies.map(|(name, schema)| (name.clone(), schema.clone())).collect();
    components.insert("schemas".to_owned(), Value::Object(bodies));
    Value::Object(components)
}

/// Returns the errors of an operation from the contract document. Empty for operations that only the site has.
pub(super) fn errors(contract: &Contract, operation: &Operation) -> Map<String, Value> {
    let responses = node(contract, &operation.id).and_then(|node| node.get("responses")?.as_object());
    let errors = responses.into_iter().flatten().filter(|(status, _)| status.starts_with(['4', '5']));
    errors.map(|(status, response)| (status.clone(), response.clone())).collect()
}

/// Returns the headers of the rate limit.
pub(super) fn limit_headers(contract: &Contract) -> Map<String, Value> {
    let headers = contract.document().pointer("/components/headers").and_then(Value::as_object);
    let name = |header: &Value| header.get("x-takt-header").and_then(Value::as_str).map(str::to_owned);
    let limits = headers.into_iter().flatten().filter_map(|(component, header)| {
        let name = name(header).filter(|name| name.starts_with("X-RateLimit-"))?;
        Some((name, json!({ "$ref": format!("#/components/headers/{component}") })))
    });
    limits.collect()
}

/// Returns the provenance of the statements about an operation as a whole.
pub(super) fn own_statements(operation: &Operation) -> Value {
    let about_whole = operation.statements.iter().filter(|statement| statement.at.is_empty());
    let provenances = about_whole
        .filter_map(|statement| Some((json!(statement.about).as_str()?.to_owned(), json!(statement.provenance))));
    Value::Object(provenances.collect())
}

/// Returns the provenance of an operation's statuses.
pub(super) fn statuses(operation: &Operation) -> Value {
    let status_statements = operation.statements.iter().filter(|statement| statement.about == StatementAbout::Status);
    Value::Object(status_statements.map(|statement| (statement.at.clone(), json!(statement.provenance))).collect())
}

/// Returns the operation in the contract document. None for an operation that only the site has.
fn node<'a>(contract: &'a Contract, id: &str) -> Option<&'a Value> {
    let paths = contract.document().get("paths").and_then(Value::as_object);
    let mut nodes =
        paths.into_iter().flat_map(|paths| paths.values()).filter_map(Value::as_object).flat_map(Map::values);
    nodes.find(|node| node.get("operationId").and_then(Value::as_str) == Some(id))
}
