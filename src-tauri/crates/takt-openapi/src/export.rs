//! Exports a contract in force as an OpenAPI 3.1 document with the site's names.
//!
//! Takt's marks (`x-takt-operation`, `x-takt-field`, `x-takt-form`, …) add properties that OpenAPI can't express.
//! Reading the exported document results in the same contract. The module `schema` writes fields as schemas.

mod schema;

use serde_json::{Map, Value, json};
use takt_contract::{
    Contract, Operation, OperationKind, Parameter, ParameterPlace, StatementAbout,
    form::{BatchForm, CountPlace, Paging},
};

use schema::{field_schema, list_schema, object_schema, set_at_path};

/// Returns the contract as a document. It contains no secrets and no addresses.
#[must_use]
pub fn document(contract: &Contract) -> Value {
    let mut paths = Map::new();
    for operation in contract.operations() {
        let item = paths.entry(operation.path.clone()).or_insert_with(|| json!({}));
        if let Some(methods) = item.as_object_mut() {
            methods.entry(operation.method.to_lowercase()).or_insert_with(|| operation_object(contract, operation));
        }
    }
    let info = contract.document().get("info");
    let info_member = |name: &str| info.and_then(|info| info.get(name)).cloned().unwrap_or_else(|| Value::from("1"));
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": info_member("title"), "version": info_member("version") },
        "paths": paths,
        "webhooks": webhook_objects(contract),
        "components": shared_components(contract),
        "x-takt-errors": contract.error_form(),
        "x-takt-reply": contract.reply_form(),
        "x-takt-assumptions": contract.assumptions(),
    });
    if let Some(security) = contract.document().get("security") {
        document["security"] = security.clone();
    }
    document
}

fn operation_object(contract: &Contract, operation: &Operation) -> Value {
    let in_address = |one: &&Parameter| one.place != ParameterPlace::Body;
    let mut parameters: Vec<Value> = operation.parameters.iter().filter(in_address).map(parameter_object).collect();
    let mut node = json!({
        "operationId": operation.id,
        "tags": [operation.area],
        "summary": operation.purpose,
        "x-takt-operation": operation.id,
        "x-takt-kind": operation.kind,
        "x-takt-names": operation.names,
        "x-takt-key": operation.key,
        "x-takt-absent": operation.absent,
        "x-takt-provenance": operation.provenance,
        "x-takt-statements": own_statements(operation),
    });
    if let Some(nouns) = &operation.nouns {
        node["x-takt-nouns"] = json!(nouns);
    }
    let paging = operation.paged.then_some(&operation.paging);
    if let Some(paging) = paging.filter(|paging| !paging.in_body) {
        parameters.extend(page_parameters(paging));
    }
    let mut answer = json!({});
    match operation.kind {
        OperationKind::Read => {
            node["x-takt-paging"] = json!(paging);
            if operation.method != "GET" {
                node["requestBody"] =
                    json!({ "required": true, "content": json_content(&read_body_schema(operation)) });
            }
            if let Some(shape) = &operation.answer {
                answer = list_schema(&shape.member, &object_schema(&shape.fields, Some(&shape.schema)));
            }
        }
        OperationKind::Sync | OperationKind::Delete => {
            node["x-takt-batch"] = json!(operation.batch);
            node["x-takt-batch-size"] = json!(operation.batch_size);
            if let Some(shape) = &operation.request {
                let body = list_schema(&shape.member, &object_schema(&shape.fields, Some(&shape.schema)));
                node["requestBody"] = json!({ "required": true, "content": json_content(&body) });
            }
            answer = batch_schema(&operation.batch);
        }
        OperationKind::Query => {
            let text = json!({ "type": "string" });
            let body = json!({ "type": "object", "properties": { "query": text, "variables": { "type": "object" } } });
            node["requestBody"] = json!({ "content": json_content(&body) });
        }
    }
    let mut headers = paging.map(count_headers).unwrap_or_default();
    headers.extend(rate_limit_headers(contract));
    node["parameters"] = Value::Array(parameters);
    let mut responses = error_responses(contract, operation);
    let success = json!({ "description": "OK", "headers": headers, "content": json_content(&answer) });
    responses.insert("200".to_owned(), success);
    node["responses"] = Value::Object(responses);
    node["x-takt-statuses"] = status_statements(operation);
    node
}

/// Returns the contract's events as webhooks.
fn webhook_objects(contract: &Contract) -> Map<String, Value> {
    let events = contract.events().iter().map(|event| {
        let mut response = json!({ "description": "OK" });
        if event.asks {
            response["content"] = json_content(&json!({ "type": "object" }));
        }
        let node = json!({
            "operationId": format!("events.{}", event.name),
            "summary": event.fired,
            "x-takt-event-id": event.id,
            "x-takt-payload": event.payload,
            "x-takt-floor": event.floor,
            "x-takt-names": event.names,
            "x-takt-provenance": event.provenance,
            "requestBody": { "required": true, "content": json_content(&object_schema(&event.fields, None)) },
            "responses": { "200": response },
        });
        (event.name.clone(), json!({ "post": node }))
    });
    events.collect()
}

fn json_content(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

fn parameter_object(parameter: &Parameter) -> Value {
    let place = match parameter.place {
        ParameterPlace::Path => "path",
        ParameterPlace::Query | ParameterPlace::Body => "query",
    };
    json!({
        "name": parameter.wire_name(),
        "in": place,
        "required": parameter.required,
        "schema": field_schema(parameter.kind, &parameter.form),
        "x-takt-field": parameter.name,
        "x-takt-names": parameter.names,
        "x-takt-provenance": parameter.provenance,
    })
}

/// Returns the schema of a read's body: filters and pages.
fn read_body_schema(operation: &Operation) -> Value {
    let mut body = json!({ "type": "object", "properties": {} });
    for parameter in operation.parameters.iter().filter(|one| one.place == ParameterPlace::Body) {
        let mut schema = field_schema(parameter.kind, &parameter.form);
        schema["x-takt-field"] = json!(parameter.name);
        schema["x-takt-names"] = json!(parameter.names);
        schema["x-takt-required"] = json!(parameter.required);
        set_at_path(&mut body, parameter.wire_name(), schema);
    }
    let paging = (operation.paged && operation.paging.in_body).then_some(&operation.paging);
    for name in paging.into_iter().flat_map(|paging| std::iter::once(&paging.page).chain(&paging.limit)) {
        set_at_path(&mut body, name, json!({ "type": "integer" }));
    }
    body
}

fn page_parameters(paging: &Paging) -> Vec<Value> {
    let query_parameter = |name: &str, schema: Value| json!({ "name": name, "in": "query", "schema": schema });
    let page = query_parameter(&paging.page, json!({ "type": "integer", "minimum": paging.first }));
    let mut limit = json!({ "type": "integer" });
    if paging.rows > 0 {
        limit["maximum"] = json!(paging.rows);
    }
    let limit = paging.limit.as_ref().map(|name| query_parameter(name, limit));
    std::iter::once(page).chain(limit).collect()
}

/// Returns the headers that contain the numbers of rows and pages.
fn count_headers(paging: &Paging) -> Map<String, Value> {
    let places = [&paging.total, &paging.pages, &paging.current].into_iter().flatten();
    let names = places.filter_map(|place| match place {
        CountPlace::Header(name) => Some(name.clone()),
        CountPlace::Member(_) => None,
    });
    names.map(|name| (name, json!({ "schema": { "type": "integer" } }))).collect()
}

/// Returns the schema of a batch's response: its counts and its list of results.
fn batch_schema(batch: &BatchForm) -> Value {
    let mut members = Map::new();
    if let Some(success) = &batch.success {
        let values: Vec<Value> =
            success.accepted.iter().chain(&success.rejected).map(|value| value.to_json()).collect();
        members.insert(success.name.clone(), json!({ "enum": values }));
    }
    if let Some(index) = &batch.index {
        members.insert(index.name.clone(), json!({ "type": "integer", "minimum": index.first }));
    }
    for reason in &batch.reasons {
        members.insert(reason.clone(), json!({}));
    }
    let result = json!({ "type": "object", "properties": members });
    let mut body = list_schema(&batch.results, &result);
    for path in [&batch.total, &batch.accepted, &batch.rejected].into_iter().flatten() {
        set_at_path(&mut body, path, json!({ "type": "integer" }));
    }
    body
}

/// Returns the shared components as the contract document has them.
fn shared_components(contract: &Contract) -> Value {
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
fn error_responses(contract: &Contract, operation: &Operation) -> Map<String, Value> {
    let responses = find_operation_node(contract, &operation.id).and_then(|node| node.get("responses")?.as_object());
    let errors = responses.into_iter().flatten().filter(|(status, _)| status.starts_with(['4', '5']));
    errors.map(|(status, response)| (status.clone(), response.clone())).collect()
}

/// Returns the headers of the rate limit.
fn rate_limit_headers(contract: &Contract) -> Map<String, Value> {
    let headers = contract.document().pointer("/components/headers").and_then(Value::as_object);
    let name = |header: &Value| header.get("x-takt-header").and_then(Value::as_str).map(str::to_owned);
    let limits = headers.into_iter().flatten().filter_map(|(component, header)| {
        let name = name(header).filter(|name| name.starts_with("X-RateLimit-"))?;
        Some((name, json!({ "$ref": format!("#/components/headers/{component}") })))
    });
    limits.collect()
}

/// Returns the provenance of the statements about an operation as a whole.
fn own_statements(operation: &Operation) -> Value {
    let about_whole = operation.statements.iter().filter(|statement| statement.at.is_empty());
    let provenances = about_whole
        .filter_map(|statement| Some((json!(statement.about).as_str()?.to_owned(), json!(statement.provenance))));
    Value::Object(provenances.collect())
}

/// Returns the provenance of an operation's statuses.
fn status_statements(operation: &Operation) -> Value {
    let by_status = operation.statements.iter().filter(|statement| statement.about == StatementAbout::Status);
    Value::Object(by_status.map(|statement| (statement.at.clone(), json!(statement.provenance))).collect())
}

/// Returns the operation in the contract document. None for an operation that only the site has.
fn find_operation_node<'a>(contract: &'a Contract, id: &str) -> Option<&'a Value> {
    let paths = contract.document().get("paths").and_then(Value::as_object);
    let mut nodes =
        paths.into_iter().flat_map(|paths| paths.values()).filter_map(Value::as_object).flat_map(Map::values);
    nodes.find(|node| node.get("operationId").and_then(Value::as_str) == Some(id))
}
