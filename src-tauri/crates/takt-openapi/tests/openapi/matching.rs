//! Tests the matching of operations. Uses Takt's own document, with and without its `x-takt-…` marks, and documents of
//! sites that use other names.

mod events;
mod export;
mod mutation;
mod other_site;
mod proposal;
mod read_by_body;

use serde_json::Value;
use takt_contract::Contract;
use takt_openapi::{
    Document,
    matching::{MatchDecision, OperationMatch, match_operations},
};

const SECOND_PLANT: &[u8] = include_bytes!("../../../../../tests/data/second_plant.openapi.yaml");

pub(crate) fn contract() -> Contract {
    Contract::builtin().unwrap()
}

/// Returns the decisions as text for failure messages.
fn format_decisions(matches: &[OperationMatch]) -> String {
    let line = |one: &OperationMatch| {
        let best = one.best.as_ref().map_or_else(String::new, |best| {
            format!("{} {} {:.2} {:?}", best.method, best.path, best.score, best.reasons)
        });
        let next = one.runner_up.as_ref().map_or_else(String::new, |next| format!("{} {:.2}", next.path, next.score));
        format!("{:?} {} = {best} | {next}", one.decision, one.operation)
    };
    matches.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn remove_marks(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !name.starts_with("x-takt"));
            members.values_mut().for_each(remove_marks);
        }
        Value::Array(parts) => parts.iter_mut().for_each(remove_marks),
        _ => {}
    }
}

/// Checks that every operation is matched with the operation that has the same method and path.
fn assert_matches_itself(document: &Value) {
    let contract = contract();
    let document = Document::read(document.to_string().as_bytes()).unwrap();
    let matches = match_operations(&document, &contract);
    for (one, operation) in matches.iter().zip(contract.operations()) {
        let best = one.matched().unwrap_or_else(|| panic!("{}", format_decisions(&matches)));
        assert_eq!((&best.method, &best.path), (&operation.method, &operation.path), "{}", format_decisions(&matches));
    }
    assert_eq!(matches.len(), 25);
}

#[test]
fn our_own_document_matches() {
    assert_matches_itself(contract().document());
}

#[test]
fn our_own_document_matches_without_marks() {
    let mut document = contract().document().clone();
    remove_marks(&mut document);
    assert_matches_itself(&document);
}

/// No path is the same because of another prefix, and there is no operationId.
#[test]
fn our_own_document_matches_without_paths_that_are_the_same() {
    let mut document = contract().document().clone();
    remove_marks(&mut document);
    let paths = document["paths"].as_object().unwrap().clone();
    let moved = paths.into_iter().map(|(path, mut item)| {
        for operation in item.as_object_mut().unwrap().values_mut() {
            operation.as_object_mut().unwrap().remove("operationId");
        }
        (path.replace("/api/v1", "/plant/x"), item)
    });
    document["paths"] = Value::Object(moved.collect());
    let contract = contract();
    let document = Document::read(document.to_string().as_bytes()).unwrap();
    let matches = match_operations(&document, &contract);
    println!("{}", format_decisions(&matches));
    for (one, operation) in matches.iter().zip(contract.operations()) {
        let path = operation.path.replace("/api/v1", "/plant/x");
        if let Some(best) = one.matched() {
            assert_eq!((&best.method, &best.path), (&operation.method, &path));
        }
    }
    assert!(matches.iter().filter(|one| one.matched().is_some()).count() >= 23);
}

/// The expected matches of the second plant.
const SECOND_PLANT_MATCHES: [(&str, &str); 25] = [
    ("templates.processes", "GET /mes/v2/process-templates/{templateId}/processes"),
    ("template-processes.delete", "POST /mes/v2/process-templates/links/bulk-delete"),
    ("graphql", "POST /graphql"),
    ("materials.list", "GET /mes/v2/articles"),
    ("materials.sync", "POST /mes/v2/articles/import"),
    ("work-orders.list", "GET /mes/v2/production-orders"),
    ("work-orders.details", "GET /mes/v2/production-orders/details"),
    ("work-orders.sync", "PUT /mes/v2/production-orders"),
    ("work-orders.execution", "PUT /mes/v2/production-orders/progress"),
    ("work-orders.properties", "PUT /mes/v2/production-orders/attributes"),
    ("work-orders.planning-dates", "POST /mes/v2/production-orders/reschedule"),
    ("stock.sync", "POST /mes/v2/inventory/import"),
    ("alerts.list", "GET /mes/v2/alarms"),
    ("labor-times.list", "GET /mes/v2/time-tracking/entries"),
    ("inspections.list", "GET /mes/v2/inspection-orders"),
    ("inspections.sync", "POST /mes/v2/inspection-orders/import"),
    ("inspections.execution", "PUT /mes/v2/inspection-orders/progress"),
    ("inspections.properties", "PUT /mes/v2/inspection-orders/attributes"),
    ("inspection-processes.list", "GET /mes/v2/processes"),
    ("inspection-processes.sync", "POST /mes/v2/processes/import"),
    ("quality-checks.list", "GET /mes/v2/quality-checks"),
    ("consumed-lots.list", "GET /mes/v2/consumptions"),
    ("consumed-lots.sync", "POST /mes/v2/consumptions/import"),
    ("order-history.list", "GET /mes/v2/production-orders/history"),
    ("work-stations.list", "GET /mes/v2/work-centers"),
];

#[test]
fn the_second_plant_matches_without_a_hand() {
    let contract = contract();
    let document = Document::read(SECOND_PLANT).unwrap();
    let matches = match_operations(&document, &contract);
    println!("{}", format_decisions(&matches));
    assert_no_wrong_match(&matches);
    let right = matches.iter().filter(|one| one.decision == MatchDecision::Matched).count();
    assert!(right >= 23, "{right} of 25");
}

fn assert_no_wrong_match(matches: &[OperationMatch]) {
    for one in matches {
        let expected = SECOND_PLANT_MATCHES.iter().find(|(id, _)| *id == one.operation).unwrap().1;
        if let Some(best) = one.matched() {
            assert_eq!(
                format!("{} {}", best.method, best.path),
                expected,
                "{}\n{}",
                one.operation,
                format_decisions(matches)
            );
        }
    }
}

/// If a site lacks an operation, the next best one must not replace it.
#[test]
fn an_operation_that_is_gone_is_not_replaced_by_another() {
    let contract = contract();
    let whole = Document::read(SECOND_PLANT).unwrap().value().clone();
    for (id, address) in SECOND_PLANT_MATCHES {
        let (method, path) = address.split_once(' ').unwrap();
        let mut value = whole.clone();
        value["paths"][path].as_object_mut().unwrap().remove(&method.to_lowercase()).unwrap();
        let matches = match_operations(&Document::read(value.to_string().as_bytes()).unwrap(), &contract);
        assert_no_wrong_match(&matches);
        assert!(
            matches.iter().all(|one| one.operation != id || one.matched().is_none()),
            "{}",
            format_decisions(&matches)
        );
    }
}
