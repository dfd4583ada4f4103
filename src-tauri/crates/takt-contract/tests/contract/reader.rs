//! Tests that invalid or hostile documents cause a clear error within limits.

use serde_json::{Value, json};
use takt_contract::{Contract, ContractError, Field, FieldKind};

fn provenance_and_names() -> Value {
    json!({"x-takt-provenance": {"level": "site", "source": "test"},
        "x-takt-names": {"en": "a", "de": "b", "es": "c", "pt": "d"}})
}

fn with_provenance_and_names(mut node: Value) -> Value {
    for (name, value) in provenance_and_names().as_object().unwrap() {
        node[name] = value.clone();
    }
    node
}

/// Returns a document with a single list, whose rows are the component `Row`.
fn document(schemas: &Value) -> Value {
    let mut operation = with_provenance_and_names(
        json!({"operationId": "things.list", "tags": ["Things"], "summary": "get things",
        "x-takt-kind": "read", "responses": {"200": {"description": "success", "content": {"application/json": {"schema":
            {"x-takt-rows": "data", "properties": {"data": {"items": {"$ref": "#/components/schemas/Row"}}}}}}}}}),
    );
    operation["parameters"] = json!([{"name": "X-Anything", "in": "header"}]);
    json!({"openapi": "3.1.0", "paths": {"/things": {"get": operation}}, "components": {"schemas": schemas}})
}

fn read_contract(schemas: &Value) -> Result<Contract, ContractError> {
    Contract::from_document(document(schemas))
}

#[test]
fn kinds_limits_and_null_are_read() {
    let contract = read_contract(&json!({
        "Span": {"type": "object", "properties": {"ticks": {"type": "number"}, "totalSeconds": {"type": "number"}}},
        "Row": {"type": "object", "required": ["count"], "properties": {
            "count": with_provenance_and_names(json!({"type": "integer", "minimum": 1, "maximum": 9})),
            "when": with_provenance_and_names(json!({"type": ["string", "null"], "format": "date-time"})),
            "span": with_provenance_and_names(json!({"anyOf": [{"type": "null"}, {"$ref": "#/components/schemas/Span"}]})),
            "state": with_provenance_and_names(json!({"type": "string", "enum": ["on", "off"], "maxLength": 3})),
            "tags": with_provenance_and_names(json!({"type": "array", "items": {"type": "string"}}))}}}))
    .unwrap();
    let answer = contract.operation("things.list").unwrap().answer.clone().unwrap();
    let kinds: Vec<_> = answer.fields.iter().map(|field| (field.kind, field.required, field.nullable)).collect();
    assert_eq!(
        kinds,
        [
            (FieldKind::Integer, true, false),
            (FieldKind::DateTime, false, true),
            (FieldKind::TimeSpan, false, true),
            (FieldKind::Text, false, false),
            (FieldKind::List, false, false),
        ]
    );
    assert_eq!((answer.fields[0].limits.minimum, answer.fields[0].limits.maximum), (Some(1.0), Some(9.0)));
    assert_eq!((answer.fields[3].limits.values.len(), answer.fields[3].limits.max_length), (2, Some(3)));
    assert!(answer.fields[2].fields.is_empty(), "a time span is one value");
    assert!(contract.operation("things.list").unwrap().parameters.is_empty(), "headers are no parameters of a read");
}

#[test]
fn references_in_a_circle_are_an_error() {
    let schemas = json!({"Row": {"$ref": "#/components/schemas/Other"}, "Other": {"$ref": "#/components/schemas/Row"}});
    assert!(matches!(read_contract(&schemas), Err(ContractError::Unusable { member, .. }) if member == "$ref"));
}

#[test]
fn a_schema_that_contains_itself_ends() {
    let child = with_provenance_and_names(json!({"type": "array", "items": {"$ref": "#/components/schemas/Row"}}));
    let contract = read_contract(&json!({"Row": {"type": "object", "properties": {"children": child}}})).unwrap();
    let answer = contract.operation("things.list").unwrap().answer.clone().unwrap();
    assert_eq!(answer.fields_with_paths().len(), 1);
}

#[test]
fn a_schema_that_unfolds_a_billionfold_is_an_error() {
    let level = |next: usize| {
        let part =
            with_provenance_and_names(json!({"type": "object", "$ref": format!("#/components/schemas/L{next}")}));
        let properties: serde_json::Map<String, Value> = (0..30).map(|i| (format!("p{i}"), part.clone())).collect();
        json!({"type": "object", "properties": properties})
    };
    let mut schemas = json!({"Row": level(1), "L9": {"type": "object"}});
    for depth in 1..9 {
        schemas[format!("L{depth}")] = level(depth + 1);
    }
    assert!(
        matches!(read_contract(&schemas), Err(ContractError::Unusable { reason, .. }) if reason.contains("fields"))
    );
}

#[test]
fn a_reference_to_nothing_or_elsewhere_is_named() {
    for target in ["#/components/schemas/Missing", "https://example.invalid/schema.json", "file:///etc/passwd"] {
        let schemas = json!({"Row": {"$ref": target}});
        assert!(matches!(read_contract(&schemas), Err(ContractError::DanglingReference(name)) if name == target));
    }
}

#[test]
fn what_is_missing_is_named_with_its_place() {
    let missing = |schemas: &Value| match read_contract(schemas) {
        Err(ContractError::Missing { at, member }) => (at, member),
        other => panic!("{other:?}"),
    };
    let no_type = json!({"Row": {"type": "object", "properties": {"a": with_provenance_and_names(json!({}))}}});
    assert_eq!(missing(&no_type), ("Row.a".to_owned(), "type".to_owned()));
    let no_names = json!({"Row": {"type": "object", "properties": {"a": {"type": "string"}}}});
    assert_eq!(missing(&no_names), ("Row.a".to_owned(), "x-takt-names".to_owned()));
}

#[test]
fn a_rule_about_a_field_that_is_not_there_is_an_error() {
    let provenance = &provenance_and_names()["x-takt-provenance"];
    let rules = json!([{"rule": "before", "first": "begin", "second": "end", "provenance": provenance}]);
    let begin = with_provenance_and_names(json!({"type": "string", "format": "date-time"}));
    let schemas = json!({"Row": {"type": "object", "x-takt-rules": rules, "properties": {"begin": begin}}});
    assert!(matches!(read_contract(&schemas), Err(ContractError::Unusable { reason, .. }) if reason.contains("end")));
}

#[test]
fn odd_documents_are_errors_not_panics() {
    let mut twice = document(&json!({"Row": {"type": "object"}}));
    twice["paths"]["/more"] = twice["paths"]["/things"].clone();
    assert!(
        matches!(Contract::from_document(twice), Err(ContractError::Unusable { member, .. }) if member == "operationId")
    );
    for odd in [
        json!(null),
        json!([]),
        json!({}),
        json!({"openapi": "2.0", "paths": {}}),
        json!({"openapi": "3.1.0", "paths": []}),
        json!({"openapi": "3.1.0", "paths": {"/a": 5}}),
        json!({"openapi": "3.1.0", "paths": {"/a": {"get": null}}}),
        json!({"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a", "tags": "a", "x-takt-kind": "read"}}}}),
    ] {
        assert!(Contract::from_document(odd.clone()).is_err(), "{odd}");
    }
}

#[test]
fn an_event_says_what_it_carries_and_examples_are_for_events_that_ask() {
    let contract = Contract::builtin().unwrap();
    for event in contract.events() {
        let names: Vec<_> = event.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names.len(), 9, "{}: {names:?}", event.name);
    }
    let answering = contract.reply_rules();
    let asks: Vec<_> = contract.events().iter().filter(|event| event.asks).collect();
    assert_eq!(asks.iter().map(|event| event.id).collect::<Vec<_>>(), [10, 11]);
    let order = answering.order.as_deref();
    let orders = asks[0].fields.iter().find(|field| Some(field.name.as_str()) == order).unwrap();
    assert_eq!((orders.kind, orders.nullable), (FieldKind::List, true));
    assert!(orders.fields.iter().any(|field| field.name == "RawMaterials" && !field.fields.is_empty()));
    assert!(answering.examples.len() >= 6);
    for example in &answering.examples {
        assert!(example.events.iter().all(|id| asks.iter().any(|event| event.id == *id)), "{}", example.id);
    }
}

#[test]
fn what_is_assumed_of_a_field_or_parameter_is_told_keyword_by_keyword() {
    let contract = Contract::builtin().unwrap();
    let orders = |field: &Field| field.fields.iter().any(|inner| !inner.assumed.is_empty());
    let listed = contract.events().iter().flat_map(|event| &event.fields).find(|field| orders(field)).unwrap();
    let assumed = |name: &str| &listed.fields.iter().find(|field| field.name == name).unwrap().assumed;
    assert!(assumed("Id").contains_key("format"), "{listed:?}");
    assert!(assumed("Code").is_empty());
    let parameters: Vec<_> = contract.operations().iter().flat_map(|operation| &operation.parameters).collect();
    let is_assumed = |keyword: &str| parameters.iter().any(|parameter| parameter.assumed.contains_key(keyword));
    assert!(is_assumed("required") && is_assumed("schema.format"));
}
