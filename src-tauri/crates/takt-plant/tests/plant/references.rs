//! Checks the contract's references between fields against the plant, which must reject exactly those missing rows.

use serde_json::{Value, json};
use takt_contract::{FieldKind, OperationKind, UnknownReference};

use crate::fixture::Fixture;

/// Returns a valid item for each sync, with all possible references.
async fn valid_items(fixture: &Fixture) -> Vec<(&'static str, Value)> {
    let order = fixture.resource_rows("work-orders").await[0].clone();
    let inspection = fixture.resource_rows("inspections").await[0].clone();
    let (code, operation) = (&order["code"], &order["operationCode"]);
    vec![
        ("materials.sync", json!({"code": "MAT-1001", "description": "A"})),
        (
            "work-orders.sync",
            json!({"code": code, "operationCode": operation, "materialCode": "MAT-1001", "requestedQuantity": 5,
                "workStationCode": "WS-01", "templateId": 1, "rawMaterials": [{"code": "MAT-1002", "quantity": 1}]}),
        ),
        ("work-orders.execution", json!({"code": code, "operationCode": operation, "workStationCode": "WS-01"})),
        (
            "work-orders.properties",
            json!({"workOrderCode": code, "operationCode": operation, "key": "NEW", "value": "1"}),
        ),
        (
            "work-orders.planning-dates",
            json!({"code": code, "operationCode": operation, "workStationCode": "WS-01",
                "beginPlanned": "2026-12-01T06:00:00", "endPlanned": "2026-12-01T08:00:00"}),
        ),
        (
            "stock.sync",
            json!({"materialCode": "MAT-1001", "quantity": 1, "warehouse": "W", "location": "L", "serialNumber": "S"}),
        ),
        (
            "inspections.sync",
            json!({"code": "I-1", "workOrderCode": code, "operationCode": operation, "processCode": "IP-01",
                "workStationCode": "WS-01"}),
        ),
        (
            "inspections.execution",
            json!({"code": inspection["code"], "operationCode": inspection["operationCode"], "workStationCode": "WS-01"}),
        ),
        (
            "inspections.properties",
            json!({"workOrderCode": inspection["workOrderCode"], "operationCode": inspection["operationCode"], "key": "NEW",
                "value": "1"}),
        ),
        ("inspection-processes.sync", json!({"code": "IP-01", "description": "A"})),
        (
            "consumed-lots.sync",
            json!({"workOrderCode": code, "operationCode": operation, "materialCode": "MAT-1001", "serialNumber": "S",
                "quantity": 1}),
        ),
    ]
}

fn set_member(item: &mut Value, path: &str, value: Value) {
    match path.split_once('.') {
        Some((list, name)) => item[list][0][name] = value,
        None => item[path] = value,
    }
}

#[tokio::test]
async fn an_unknown_code_is_refused_exactly_where_the_contract_says_so() {
    let fixture = Fixture::new().await;
    let items = valid_items(&fixture).await;
    let (mut tried, mut attempts) = (0, 0);
    for operation in fixture.contract.operations().iter().filter(|operation| operation.kind == OperationKind::Sync) {
        let (id, sound) = items.iter().find(|(id, _)| *id == operation.id).unwrap();
        let answer = fixture.send_batch(id, json!([sound])).await;
        assert_eq!(answer.status, 200, "{id}: {}", answer.body);
        for (path, field) in operation.request.as_ref().unwrap().fields_with_paths() {
            let named = sound.get(path.split('.').next().unwrap_or_default()).is_some();
            let unknown = match field.kind {
                FieldKind::Text if named => json!(format!("NOWHERE-{}", attempts)),
                FieldKind::Integer if named && field.refers_to.is_some() => json!(777_777),
                _ => {
                    assert!(field.refers_to.is_none(), "{id}: no sound item names {path}");
                    continue;
                }
            };
            // Each attempt uses a new code, since a code that was accepted exists afterwards.
            attempts += 1;
            let mut item = sound.clone();
            set_member(&mut item, &path, unknown);
            let refers_to = field.refers_to.as_ref();
            let refused = refers_to.is_some_and(|refers_to| refers_to.unknown == UnknownReference::Refused);
            let answer = fixture.send_batch(id, json!([item])).await;
            assert_eq!(answer.body["errorCount"], i32::from(refused), "{id}, {path}: {}", answer.body);
            tried += usize::from(refers_to.is_some());
        }
    }
    assert_eq!(tried, 25, "references that were tried");
}

#[tokio::test]
async fn a_template_that_is_unknown_is_answered_with_412() {
    let fixture = Fixture::new().await;
    let single = |id: &str| fixture.operation("templates.processes").path.replace("{templateId}", id);
    assert_eq!(fixture.get(&single("1")).await.status, 200);
    assert_eq!(fixture.get(&single("777777")).await.status, 412);
}
