//! Matching of a document's webhooks with the contract's events.

use serde_json::{Map, Value, json};
use takt_contract::{Contract, EventKind};
use takt_openapi::{Document, export, matching::match_operations, proposal::propose_overlay};

use super::contract;

fn proposed_contract(document: &Value) -> Contract {
    let (contract, document) = (contract(), Document::read(document.to_string().as_bytes()).unwrap());
    let proposal = propose_overlay(&document, &match_operations(&document, &contract), &contract);
    contract.with_overlay(&proposal.overlay, &jiff::tz::TimeZone::UTC)
}

fn wire_names(event: &EventKind) -> Vec<(String, String)> {
    let flat = takt_contract::RowSchema { fields: event.fields.clone(), ..Default::default() };
    let names = flat.fields_with_paths().into_iter().map(|(path, field)| (path, field.wire_name().to_owned()));
    names.collect()
}

/// Returns the document of a site with other names for events and members.
fn document_with_other_names() -> Value {
    let text = json!({ "type": "string" });
    let order = json!({ "type": "object", "properties": {
        "orderNumber": text, "operationNo": text, "articleNumber": text, "actualStart": text, "actualEnd": text,
        "requestedQuantity": { "type": "number" }, "shiftCode": text } });
    let envelope = json!({ "type": "object", "properties": {
        "id": { "type": "integer" }, "description": text, "workStation": text, "workStationCode": text,
        "userTrigger": text, "employeeBadge": text, "workOrders": { "type": "array", "items": order },
        "productionAlert": { "type": "object", "properties": { "id": { "type": "integer" }, "openedAt": text } },
        "materialSupplies": { "type": "array", "items": { "type": "object", "properties": { "id": { "type": "integer" } } } } } });
    let post = |schema: Value| {
        let content = json!({ "application/json": { "schema": schema } });
        json!({ "requestBody": { "content": content }, "responses": { "200": { "description": "OK" } } })
    };
    let webhooks = Map::from_iter([
        ("production-alert-raised".to_owned(), json!({ "post": post(envelope.clone()) })),
        ("WorkOrderExecutionEnd".to_owned(), json!({ "post": post(envelope.clone()) })),
        ("somethingElse".to_owned(), json!({ "post": post(json!({ "type": "object", "properties": { "a": text } })) })),
    ]);
    let called = json!({ "workOrderExecutionPaused": { "{$request.body#/url}": { "post": post(envelope) } } });
    json!({ "openapi": "3.1.0", "info": { "title": "Works", "version": "1" }, "webhooks": webhooks,
        "paths": { "/subscriptions": { "post": { "callbacks": called, "responses": {} } } } })
}

#[test]
fn webhooks_and_callbacks_are_events_with_the_sites_names() {
    let contract = proposed_contract(&document_with_other_names());
    let of = |name: &str| contract.events().iter().find(|event| event.name == name).unwrap().clone();
    for name in ["ProductionAlert", "WorkOrderExecutionEnded", "WorkOrderExecutionPaused"] {
        let event = of(name);
        let names = wire_names(&event);
        let on_wire = |path: &str| names.iter().find(|(own, _)| own == path).map(|(_, wire)| wire.clone()).unwrap();
        assert_eq!(on_wire("Id"), "id", "{name}: {names:?}");
        assert_eq!(
            (on_wire("WorkStationCode"), on_wire("UserTrigger")),
            ("workStationCode".to_owned(), "userTrigger".to_owned())
        );
        assert!(names.iter().all(|(own, _)| !own.contains("shiftCode")), "{names:?}");
    }
    let names = wire_names(&of("WorkOrderExecutionEnded"));
    let on_wire = |path: &str| names.iter().find(|(own, _)| own == path).map(|(_, wire)| wire.as_str()).unwrap();
    assert_eq!((on_wire("WorkOrders"), on_wire("WorkOrders.Code")), ("workOrders", "orderNumber"), "{names:?}");
    assert!(wire_names(&of("WorkOrderReset")).iter().all(|(own, wire)| own.ends_with(wire)), "what isn't named stays");

    let id = of("WorkOrderExecutionEnded").id;
    let sent = json!({ "id": id, "workOrders": [{ "orderNumber": "O-1", "operationNo": "010", "shiftCode": "S" }] })
        .to_string();
    let read: Value = serde_json::from_slice(&contract.decode_event(sent.as_bytes())).unwrap();
    let order = json!({ "Code": "O-1", "OperationCode": "010", "shiftCode": "S" });
    assert_eq!(read, json!({ "Id": id, "WorkOrders": [order] }));
    let foreign = br#"{"id":999}"#;
    assert_eq!(contract.decode_event(foreign).as_ref(), foreign);
}

#[test]
fn one_address_for_all_events_is_every_event() {
    let mut document = document_with_other_names();
    let alert = document["webhooks"]["production-alert-raised"].clone();
    document["webhooks"] = json!({ "notification": alert });
    document["paths"] = json!({});
    let contract = proposed_contract(&document);
    assert!(contract.events().iter().all(|event| wire_names(event).contains(&("Id".to_owned(), "id".to_owned()))));
}

#[test]
fn exported_events_are_read_again() {
    let before = proposed_contract(&document_with_other_names());
    let exported = export::document(&before);
    assert_eq!(exported["webhooks"].as_object().map(Map::len), Some(before.events().len()));
    let after = proposed_contract(&exported);
    for (before, after) in before.events().iter().zip(after.events()) {
        assert_eq!(wire_names(before), wire_names(after), "{}", before.name);
        assert!(after.provenance.source.contains(&before.name), "{:?}", after.provenance);
    }
}
