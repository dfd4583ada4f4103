//! Compares charts with a list written by hand, and checks that roles without a suitable field are rejected.

use serde_json::{Value, json};
use takt_contract::{Contract, ContractError, ProvenanceLevel, picture::PictureKind};

use super::document;

fn pictures_of<'a>(document: &'a mut Value, id: &str) -> &'a mut Value {
    let paths = document["paths"].as_object_mut().unwrap();
    let operation = paths.values_mut().find(|item| item["get"]["operationId"] == id).unwrap();
    &mut operation["get"]["x-takt-picture"]
}

/// Reads the built-in document after replacing one member of a chart.
fn contract_with_picture(id: &str, at: usize, pointer: &str, value: Value) -> Result<Contract, ContractError> {
    let mut document = document();
    *pictures_of(&mut document, id)[at].pointer_mut(pointer).unwrap() = value;
    Contract::from_document(document)
}

#[test]
fn each_list_has_the_pictures_that_were_decided() {
    let contract = Contract::builtin().unwrap();
    let found: Vec<(&str, String)> = contract
        .operations()
        .iter()
        .filter(|operation| !operation.pictures.is_empty())
        .map(|operation| {
            let ids: Vec<&str> = operation.pictures.iter().map(|picture| picture.id.as_str()).collect();
            (operation.id.as_str(), ids.join(" "))
        })
        .collect();
    let expected = [
        ("templates.processes", "predicted"),
        ("work-orders.list", "plan produced consumed"),
        ("work-orders.details", "plan produced consumed labor machine"),
        ("alerts.list", "time count"),
        ("labor-times.list", "spent"),
        ("inspections.list", "plan produced"),
        ("inspection-processes.list", "predicted"),
        ("consumed-lots.list", "consumed"),
        ("work-stations.list", "calendar"),
    ];
    let mut expected = expected.map(|(id, pictures)| (id, pictures.to_owned())).to_vec();
    let mut found = found;
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    let all = contract.operations().iter().flat_map(|operation| &operation.pictures);
    assert!(all.clone().all(|picture| picture.provenance.level == ProvenanceLevel::Assumed));
    assert!(all.clone().all(|picture| {
        [&picture.names.en, &picture.names.de, &picture.names.es, &picture.names.pt].iter().all(|name| !name.is_empty())
    }));
}

#[test]
fn a_plan_knows_its_roles() {
    let contract = Contract::builtin().unwrap();
    let PictureKind::Plan { lane, label, planned, real, status, words, calendar, moves } =
        contract.operation("work-orders.list").unwrap().pictures[0].draw.clone()
    else {
        panic!("no plan")
    };
    assert_eq!((lane.as_str(), label.join(" ").as_str()), ("workStationCode", "code operationCode"));
    let real = real.unwrap();
    let span = (planned.begin.as_str(), planned.end.as_str(), real.begin.as_str(), real.end.as_str());
    assert_eq!(span, ("beginPlanned", "endPlanned", "beginReal", "endReal"));
    assert_eq!((status.as_deref(), calendar.as_deref()), (Some("statusDescription"), Some("work-stations.list")));
    assert_eq!(words.unwrap().paused, ["Paused"]);
    let moves = moves.unwrap();
    assert_eq!(
        (moves.operation.as_str(), moves.lane.as_deref()),
        ("work-orders.planning-dates", Some("workStationCode"))
    );
}

#[test]
fn a_sites_own_document_may_have_none() {
    let mut document = document();
    document["paths"]["/api/v1/WorkOrders"]["get"].as_object_mut().unwrap().remove("x-takt-picture");
    let contract = Contract::from_document(document).unwrap();
    assert!(contract.operation("work-orders.list").unwrap().pictures.is_empty());
}

#[test]
fn a_role_without_a_fitting_field_is_an_error() {
    let wrong = [
        ("work-orders.list", 0, "/draw/lane", json!("station")),
        ("work-orders.list", 0, "/draw/lane", json!("rawMaterials")),
        ("work-orders.list", 0, "/draw/planned/begin", json!("code")),
        ("work-orders.list", 0, "/draw/real/end", json!("requestedQuantity")),
        ("work-orders.list", 0, "/draw/calendar", json!("materials.list")),
        ("work-orders.list", 0, "/draw/moves/operation", json!("work-orders.list")),
        ("work-orders.list", 0, "/draw/moves/begin", json!("beginReal")),
        ("work-orders.list", 0, "/draw/moves/lane", json!("endPlanned")),
        ("work-orders.list", 1, "/draw/good", json!("laborPredictedTime")),
        ("work-orders.list", 1, "/draw/by", json!([])),
        ("work-orders.list", 1, "/draw/by/0/fields", json!([])),
        ("work-orders.list", 1, "/id", json!("plan")),
        ("work-orders.list", 1, "/draw/kind", json!("pie")),
        ("work-orders.list", 2, "/draw/list", json!("code")),
        ("work-orders.list", 2, "/draw/consumed", json!("rawMaterials.code")),
        ("work-orders.details", 3, "/draw/predicted", json!([])),
        ("work-orders.details", 3, "/draw/spent/0", json!("beginReal")),
        ("alerts.list", 0, "/draw/closed", json!("status")),
        ("labor-times.list", 0, "/draw/time", json!("begin")),
        ("labor-times.list", 0, "/draw/by/0/stack", json!(["nobody"])),
        ("work-stations.list", 0, "/draw/shifts/list", json!("shifts")),
        ("work-stations.list", 0, "/draw/shifts/name", json!("nothing")),
        ("work-stations.list", 0, "/draw/stoppages/begin", json!("description")),
    ];
    for (id, at, pointer, value) in wrong {
        let told = contract_with_picture(id, at, pointer, value.clone());
        let refused = matches!(&told, Err(ContractError::Unusable { member, .. }) if member == "x-takt-picture");
        assert!(refused, "{id} {pointer} {value}: {:?}", told.err());
    }
}

#[test]
fn only_what_a_read_answers_is_drawn() {
    let mut document = document();
    let pictures = pictures_of(&mut document, "work-orders.list").clone();
    document["paths"]["/api/v1/WorkOrders/batch"]["post"]["x-takt-picture"] = pictures;
    assert!(matches!(Contract::from_document(document), Err(ContractError::Unusable { .. })));
}
