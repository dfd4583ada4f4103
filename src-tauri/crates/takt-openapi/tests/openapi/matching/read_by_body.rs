//! Lists that a site reads by `POST`.

use serde_json::{Value, json};
use takt_contract::{Contract, ParameterPlace};
use takt_openapi::{
    Document, export,
    matching::{MATCH_THRESHOLD, MatchReason, match_operations},
    proposal::propose_overlay,
};

use super::{SECOND_PLANT, contract, proposal::proposed_contract};

const ORDERS_PATH: &str = "/mes/v2/production-orders";

/// Returns the second plant with this operation for reading the list of orders.
fn document_with_list_operation(path: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut value = Document::read(SECOND_PLANT).unwrap().value().clone();
    let mut list = value["paths"][ORDERS_PATH].as_object_mut().unwrap().remove("get").unwrap();
    let member = |parameter: &Value| (parameter["name"].as_str().unwrap().to_owned(), parameter["schema"].clone());
    let asked: Vec<(String, Value)> = list["parameters"].as_array().unwrap().iter().map(member).collect();
    let (pages, filters): (Vec<_>, Vec<_>) = asked.into_iter().partition(|(name, _)| name.starts_with("Page"));
    let mut body = json!({ "type": "object", "properties": serde_json::Map::from_iter(pages) });
    body["properties"]["Filter"] = json!({ "type": "object", "properties": serde_json::Map::from_iter(filters) });
    list.as_object_mut().unwrap().remove("parameters");
    list["requestBody"] = json!({ "content": { "application/json": { "schema": body } } });
    change(&mut list);
    value["paths"][path]["post"] = list;
    value
}

fn list_match(value: &Value, contract: &Contract) -> takt_openapi::matching::OperationMatch {
    let document = Document::read(value.to_string().as_bytes()).unwrap();
    match_operations(&document, contract).into_iter().find(|one| one.operation == "work-orders.list").unwrap()
}

#[test]
fn a_search_by_post_is_a_list() {
    let value = document_with_list_operation("/mes/v2/production-orders/search", |_| {});
    let found = list_match(&value, &contract());
    let best = found.matched().unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!((best.method.as_str(), best.path.as_str()), ("POST", "/mes/v2/production-orders/search"));
    assert!(best.reasons.contains(&MatchReason::ReadByBody), "{best:?}");
    let by_get = list_match(&Document::read(SECOND_PLANT).unwrap().value().clone(), &contract());
    assert!(best.score < by_get.best.unwrap().score);

    let before = proposed_contract(value.to_string().as_bytes());
    let list = before.operation("work-orders.list").unwrap();
    assert_eq!((list.method.as_str(), list.paging.in_body), ("POST", true));
    assert_eq!((list.paging.page.as_str(), list.paging.limit.as_deref()), ("PageIndex", Some("PageSize")));
    let code = list.parameters.iter().find(|one| one.name == "code").unwrap();
    assert_eq!((code.wire_name(), code.place), ("Filter.OrderNumber", ParameterPlace::Body));
    let after = proposed_contract(export::document(&before).to_string().as_bytes());
    let again = after.operation("work-orders.list").unwrap();
    assert_eq!((&again.method, &again.path, &again.paging), (&list.method, &list.path, &list.paging));
    let places = |operation: &takt_contract::Operation| {
        let place = |one: &takt_contract::Parameter| (one.name.clone(), one.wire_name().to_owned(), one.place);
        operation.parameters.iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(places(list), places(again));
}

/// An operation that changes data and returns a list must not be sent for browsing.
#[test]
fn what_may_change_something_is_no_list() {
    let contract = contract();
    let bare = |list: &mut Value| {
        list.as_object_mut().unwrap().remove("requestBody");
    };
    for path in [
        "/mes/v2/production-orders/{id}/close",
        "/mes/v2/production-orders/today",
        "/mes/v2/production-orders/reset-search",
    ] {
        let value = document_with_list_operation(path, bare);
        let found = list_match(&value, &contract);
        assert!(found.matched().is_none_or(|best| best.path != path), "{found:?}");
        let scores = [&found.best, &found.runner_up].into_iter().flatten().filter(|one| one.path == path);
        assert!(scores.map(|one| one.score).all(|score| score < MATCH_THRESHOLD), "{found:?}");
        let document = Document::read(value.to_string().as_bytes()).unwrap();
        let added = propose_overlay(&document, &match_operations(&document, &contract), &contract).overlay;
        assert!(added.operations.iter().all(|one| one.path.as_deref() != Some(path)), "{path}");
    }
}
