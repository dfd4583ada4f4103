//! Compares references and plausibility rules with a list written by hand, and checks that invalid ones are rejected.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use takt_contract::{Contract, ContractError, FieldPair, ListRow, ReferenceCheck, RefersTo, UnknownReference};

fn pairs_text(pairs: &[FieldPair]) -> String {
    pairs.iter().map(|pair| format!("{}={}", pair.theirs, pair.own)).collect::<Vec<_>>().join("&")
}

fn reference_text(refers_to: &RefersTo) -> String {
    let list = refers_to.list.as_ref().or(refers_to.single.as_ref()).unwrap();
    let within =
        if refers_to.within.is_empty() { String::new() } else { format!("?{}", pairs_text(&refers_to.within)) };
    let kept = if refers_to.unknown == UnknownReference::Kept { " kept" } else { "" };
    let made = refers_to.sync.as_deref().unwrap_or("-");
    format!("{list}{within}#{} by {made}{kept}", refers_to.field)
}

fn row_text(row: &ListRow) -> String {
    format!("{}?{}", row.list, pairs_text(&row.key))
}

fn check_text(check: &ReferenceCheck) -> String {
    match check {
        ReferenceCheck::NotPast { .. } => "not past".to_owned(),
        ReferenceCheck::NotBelow { row: list_row, fields, .. } => {
            format!("not below {}#{}", row_text(list_row), fields.join("+"))
        }
        ReferenceCheck::InShifts { station, intervals, .. } => format!("in {intervals} of {station}"),
        ReferenceCheck::NotLocked { row: list_row, key, lock, .. } => {
            format!("{key} not locked in {}{}", row_text(list_row), if lock.is_some() { " or opened" } else { "" })
        }
        ReferenceCheck::NotReserved { assumption, .. } => format!("not {assumption}"),
    }
}

#[test]
fn what_refers_to_what_is_as_it_was_decided() {
    let order = "work-orders.list#code by work-orders.sync";
    let operation = |own: &str| format!("work-orders.list?code={own}#operationCode by work-orders.sync");
    let inspection = "inspections.list#code by inspections.sync";
    let material = "materials.list#code by materials.sync";
    let station = "work-stations.list#code by -";
    let process = "inspection-processes.list#code by inspection-processes.sync";
    let template = "templates.processes#templateId by -";
    let table: BTreeSet<(String, String)> = [
        ("work-orders.sync materialCode", material.to_owned()),
        ("work-orders.sync workStationCode", station.to_owned()),
        ("work-orders.sync templateId", template.to_owned()),
        ("work-orders.sync rawMaterials.code", format!("{material} kept")),
        ("work-orders.execution code", order.to_owned()),
        ("work-orders.execution operationCode", operation("code")),
        ("work-orders.execution workStationCode", station.to_owned()),
        ("work-orders.planning-dates code", order.to_owned()),
        ("work-orders.planning-dates operationCode", operation("code")),
        ("work-orders.planning-dates workStationCode", station.to_owned()),
        ("work-orders.properties workOrderCode", order.to_owned()),
        ("work-orders.properties operationCode", operation("workOrderCode")),
        ("stock.sync materialCode", material.to_owned()),
        ("inspections.sync workOrderCode", order.to_owned()),
        ("inspections.sync operationCode", operation("workOrderCode")),
        ("inspections.sync processCode", process.to_owned()),
        ("inspections.sync workStationCode", station.to_owned()),
        ("inspections.execution code", inspection.to_owned()),
        (
            "inspections.execution operationCode",
            "inspections.list?code=code#operationCode by inspections.sync".to_owned(),
        ),
        ("inspections.execution workStationCode", station.to_owned()),
        ("inspections.properties workOrderCode", order.to_owned()),
        ("inspections.properties operationCode", operation("workOrderCode")),
        ("consumed-lots.sync workOrderCode", order.to_owned()),
        ("consumed-lots.sync operationCode", operation("workOrderCode")),
        ("consumed-lots.sync materialCode", material.to_owned()),
        ("template-processes.delete templateId", template.to_owned()),
        ("template-processes.delete processCode", format!("{process} kept")),
    ]
    .into_iter()
    .map(|(field, said)| (field.to_owned(), said))
    .collect();
    let contract = Contract::builtin().unwrap();
    let mut found = BTreeSet::new();
    for operation in contract.operations() {
        for (path, field) in operation.request.iter().flat_map(takt_contract::RowSchema::fields_with_paths) {
            if let Some(refers_to) = &field.refers_to {
                assert!(!refers_to.provenance.source.is_empty(), "{path}");
                found.insert((format!("{} {path}", operation.id), reference_text(refers_to)));
            }
        }
        for (path, field) in operation.answer.iter().flat_map(takt_contract::RowSchema::fields_with_paths) {
            assert!(field.refers_to.is_none() && field.reference_checks.is_empty(), "{}: {path}", operation.id);
        }
    }
    assert_eq!(found, table);
}

#[test]
fn what_makes_sense_of_what_is_as_it_was_decided() {
    let order = "work-orders.list?code=code&operationCode=operationCode";
    let inspection = "inspections.list?code=code&operationCode=operationCode";
    let reserved = |path: &str| (path.to_owned(), "not reserved-prefix".to_owned());
    let said = |path: &str, check: String| (path.to_owned(), check);
    let table: BTreeSet<(String, String)> = [
        said("materials.sync properties", "properties.key not locked in materials.list?code=code".to_owned()),
        reserved("materials.sync properties.key"),
        said("work-orders.sync requestedQuantity", format!("not below {order}#producedGoodQuantity")),
        said("work-orders.sync promiseDate", "not past".to_owned()),
        said("work-orders.sync beginPlanned", "in shifts.intervals of workStationCode".to_owned()),
        said("work-orders.sync endPlanned", "not past".to_owned()),
        said("work-orders.sync properties", format!("properties.key not locked in {order}")),
        reserved("work-orders.sync properties.key"),
        said("work-orders.planning-dates beginPlanned", "in shifts.intervals of workStationCode".to_owned()),
        said("work-orders.planning-dates endPlanned", "not past".to_owned()),
        reserved("work-orders.properties key"),
        said(
            "work-orders.properties key",
            "key not locked in work-orders.list?code=workOrderCode&operationCode=operationCode or opened".to_owned(),
        ),
        said("inspections.sync quantity", format!("not below {inspection}#producedGoodQuantity+producedBadQuantity")),
        said("inspections.sync beginPlanned", "in shifts.intervals of workStationCode".to_owned()),
        said("inspections.sync endPlanned", "not past".to_owned()),
        said("inspections.sync properties", format!("properties.key not locked in {inspection}")),
        reserved("inspections.sync properties.key"),
        reserved("inspections.properties key"),
        said(
            "inspections.properties key",
            "key not locked in inspections.list?workOrderCode=workOrderCode&operationCode=operationCode or opened"
                .to_owned(),
        ),
    ]
    .into_iter()
    .collect();
    let contract = Contract::builtin().unwrap();
    let mut found = BTreeSet::new();
    for operation in contract.operations() {
        for (path, field) in operation.request.iter().flat_map(takt_contract::RowSchema::fields_with_paths) {
            found
                .extend(field.reference_checks.iter().map(|one| (format!("{} {path}", operation.id), check_text(one))));
        }
    }
    assert_eq!(found, table);
}

/// Reads the built-in document after replacing one member of a request's field.
fn contract_with_field(schema: &str, field: &str, member: &str, value: Value) -> Result<Contract, ContractError> {
    let mut document = Contract::builtin().unwrap().document().clone();
    document["components"]["schemas"][schema]["properties"][field][member] = value;
    Contract::from_document(document)
}

#[test]
fn a_reference_or_a_sense_that_leads_nowhere_is_an_error() {
    let provenance = json!({"level": "site", "source": "test"});
    let lists =
        |list: &str, field: &str| json!({"list": list, "field": field, "unknown": "kept", "provenance": provenance});
    let refers = |value: Value| contract_with_field("MaterialInventory", "materialCode", "x-takt-refers-to", value);
    assert!(refers(lists("materials.list", "code")).is_ok());
    for wrong in [
        lists("materials.lists", "code"),
        lists("materials.sync", "code"),
        lists("materials.list", "sku"),
        json!({"single": "templates.processes", "field": "id", "unknown": "kept", "provenance": provenance}),
        json!({"list": "materials.list", "sync": "materials.list", "field": "code", "unknown": "kept", "provenance": provenance}),
        json!({"list": "materials.list", "field": "code", "within": [{"theirs": "code", "own": "sku"}], "unknown": "kept",
            "provenance": provenance}),
        json!({"list": "materials.list", "field": "code", "unknown": "perhaps", "provenance": provenance}),
        json!({"list": "materials.list", "field": "code", "unknown": "kept"}),
    ] {
        assert!(matches!(refers(wrong.clone()), Err(ContractError::Unusable { .. })), "{wrong}");
    }
    let check = |field: &str, value: Value| contract_with_field("WorkOrder", field, "x-takt-sense", json!([value]));
    assert!(check("beginPlanned", json!({"sense": "notPast", "provenance": provenance})).is_ok());
    let shifts = |station: &str| {
        json!({"sense": "inShifts", "station": station, "intervals": "shifts.intervals", "weekday": "weekday", "begin": "begin",
            "end": "end", "provenance": provenance})
    };
    for (field, wrong) in [
        ("note", json!({"sense": "notPast", "provenance": provenance})),
        ("beginPlanned", json!({"sense": "likely", "provenance": provenance})),
        ("beginPlanned", shifts("templateId")),
        ("note", shifts("workStationCode")),
    ] {
        assert!(matches!(check(field, wrong.clone()), Err(ContractError::Unusable { .. })), "{wrong}");
    }
}

#[test]
fn a_parameter_says_which_field_of_the_rows_it_is_held_against() {
    let contract = Contract::builtin().unwrap();
    let narrowed = |id: &str| {
        let parameters = contract.operation(id).unwrap().parameters.clone();
        parameters.into_iter().filter_map(|parameter| Some((parameter.name, parameter.narrows?))).collect::<Vec<_>>()
    };
    let code = |field: &str| [("code".to_owned(), field.to_owned())];
    assert_eq!(narrowed("work-orders.list"), code("code"));
    for id in ["inspections.list", "quality-checks.list", "consumed-lots.list", "order-history.list"] {
        assert_eq!(narrowed(id), code("workOrderCode"), "{id}");
    }
    assert_eq!(narrowed("materials.list"), []);
    let mut document = contract.document().clone();
    document["paths"]["/api/v1/Inspections"]["get"]["x-takt-narrows"]["code"] = json!("order");
    assert!(matches!(Contract::from_document(document), Err(ContractError::Unusable { .. })));
}

#[test]
fn a_cleanup_names_what_there_is() {
    let contract = Contract::builtin().unwrap();
    let cleanups: Vec<_> = contract.operations().iter().filter_map(|operation| operation.cleanup.as_ref()).collect();
    let [cleanup] = cleanups.as_slice() else { panic!("{cleanups:?}") };
    assert_eq!((cleanup.labor.as_str(), cleanup.machine.as_str()), ("predictedLaborTime", "predictedMachineTime"));
    assert!(cleanup.zero_is_none);
    for (place, wrong) in [
        ("/template", "id"),
        ("/labor", "laborTime"),
        ("/every/code", "processCode"),
        ("/every/list", "inspection-processes.sync"),
        ("/delete/byPerson", "operation"),
        ("/delete/operation", "templates.processes"),
        ("/users/0/begun", "started"),
    ] {
        let mut document = contract.document().clone();
        let read = &mut document["paths"]["/api/v1/ProcessExecutionTemplates/{templateId}/Processes"]["get"];
        *read["x-takt-cleanup"].pointer_mut(place).unwrap() = json!(wrong);
        assert!(matches!(Contract::from_document(document), Err(ContractError::Unusable { .. })), "{place}");
    }
}
