//! Tests of the effects of a sync on the store: inserts, updates, references and log entries.

use serde_json::{Value, json};

use crate::fixture::{Fixture, applied_item, find_row};

#[tokio::test]
async fn an_upsert_keeps_what_it_does_not_name() {
    let fixture = Fixture::new().await;
    let before = fixture.resource_rows("materials").await;
    let item =
        json!({"code": "MAT-1001", "description": "Renamed", "properties": [{"key": "DRAWING", "value": "D-1"}]});
    assert_eq!(fixture.send_batch("materials.sync", json!([item])).await.status, 200);
    let after = fixture.resource_rows("materials").await;
    assert_eq!(after.len(), before.len());
    assert_eq!(after[0]["description"], "Renamed");
    assert_eq!(after[0]["family"], before[0]["family"]);
    assert_eq!(
        after[0]["properties"],
        json!([{"key": "DRAWING", "value": "D-1", "name": "Drawing", "isLocked": false}])
    );
    assert_eq!(after[1..], before[1..]);
    let new = json!({"code": "0042", "description": "Leading zeros stay"});
    fixture.send_batch("materials.sync", json!([new, new])).await;
    let rows = fixture.resource_rows("materials").await;
    assert_eq!(rows.len(), before.len() + 1);
    assert_eq!((&rows[before.len()]["code"], &rows[before.len()]["isActive"]), (&json!("0042"), &json!(true)));
}

#[tokio::test]
async fn a_locked_property_is_refused_by_the_row_as_by_its_own_operation() {
    let fixture = Fixture::new().await;
    let rows = fixture.resource_rows("work-orders").await;
    let is_locked =
        |row: &&Value| row["properties"].as_array().is_some_and(|all| all.iter().any(|one| one["isLocked"] == true));
    let row = rows.iter().find(is_locked).unwrap();
    let (code, operation) = (&row["code"], &row["operationCode"]);
    let locked = row["properties"].as_array().unwrap().iter().find(|one| one["isLocked"] == true).unwrap();
    let key = locked["key"].as_str().unwrap();
    let order = |properties: Value| {
        json!([{"code": code, "operationCode": operation, "materialCode": row["materialCode"],
            "requestedQuantity": row["requestedQuantity"], "properties": properties}])
    };
    let own = json!([{"workOrderCode": code, "operationCode": operation, "key": key, "value": "other"}]);
    let refused = fixture.send_batch("work-orders.properties", own).await;
    assert_eq!(refused.body["results"][0]["errors"], json!([format!("key: the property {key} is locked.")]));
    let refused = fixture.send_batch("work-orders.sync", order(json!([{"key": key, "value": "other"}]))).await;
    assert_eq!((refused.status, &refused.body["errorCount"]), (207, &json!(1)));
    assert_eq!(refused.body["results"][0]["errors"], json!([format!("properties: the property {key} is locked.")]));
    for properties in
        [json!([{"key": "NEW", "value": "1"}]), json!([{"key": key, "value": locked["value"]}]), json!([])]
    {
        assert_eq!(fixture.send_batch("work-orders.sync", order(properties)).await.status, 200);
        let rows = fixture.resource_rows("work-orders").await;
        let now = find_row(&rows, &[("code", code.as_str().unwrap()), ("operationCode", operation.as_str().unwrap())])
            .unwrap();
        assert!(now["properties"].as_array().unwrap().contains(locked), "it stays, its lock included: {now}");
    }
}

#[tokio::test]
async fn a_partial_success_applies_exactly_the_good_items() {
    let fixture = Fixture::new().await;
    let before = fixture.resource_rows("work-orders").await.len();
    let order = |code: &str, material: &str, quantity: f64| {
        json!({"code": code, "operationCode": "010", "materialCode": material, "requestedQuantity": quantity,
            "beginPlanned": "2026-12-02T06:00:00", "endPlanned": "2026-12-01T06:00:00"})
    };
    let good = json!({"code": "WO-1", "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 1.5});
    let nowhere = json!({"code": "WO-2", "operationCode": "010", "materialCode": "NONE", "requestedQuantity": 1,
        "workStationCode": "WS-99", "templateId": 99});
    let answer = fixture.send_batch("work-orders.sync", json!([order("WO-3", "MAT-1001", 0.0), good, nowhere])).await;
    assert_eq!(answer.status, 207);
    let expected = json!({"totalItems": 3, "successCount": 1, "errorCount": 2, "results": [
        {"code": "WO-3", "operationCode": "010", "success": false,
            "errors": ["requestedQuantity must be above 0.", "beginPlanned must be before endPlanned."]},
        {"code": "WO-1", "operationCode": "010", "success": true},
        {"code": "WO-2", "operationCode": "010", "success": false, "errors": ["materialCode: there is no material NONE.",
            "workStationCode: there is no work station WS-99.", "templateId: there is no template 99."]},
    ]});
    assert_eq!(answer.body, expected);
    let rows = fixture.resource_rows("work-orders").await;
    assert_eq!(rows.len(), before + 1);
    assert_eq!(rows[before]["requestedQuantity"], 1.5);
    let entry = fixture.last_log_entry();
    let success =
        |code: &str, success: bool| applied_item(json!({"code": code, "operationCode": "010", "success": success}));
    assert_eq!(entry.applied, [success("WO-3", false), success("WO-1", true), success("WO-2", false)]);
    assert_eq!((entry.status, entry.operation.as_deref()), (Some(207), Some("work-orders.sync")));
    assert_eq!((entry.user.as_deref(), entry.fault), (Some("planner"), None));
}

#[tokio::test]
async fn execution_moves_the_order_and_leaves_history() {
    let fixture = Fixture::new().await;
    let before = fixture.resource_rows("order-history").await.len();
    let item = json!({"code": "WO-260300", "operationCode": "010", "producedGoodQuantity": 8, "producedBadQuantity": 1,
        "beginReal": "2026-11-20T08:00:00"});
    assert_eq!(fixture.send_batch("work-orders.execution", json!([item])).await.status, 200);
    let answer = fixture.read("work-orders.details", "?code=WO-260300").await;
    let row = find_row(answer.rows(), &[("operationCode", "010")]).unwrap().clone();
    assert_eq!((&row["statusDescription"], &row["producedGoodQuantity"]), (&json!("In execution"), &json!(8)));
    let tracked = &row["producedQuantityHistory"][0];
    assert_eq!((&tracked["producedGoodQuantity"], &tracked["date"]), (&json!(8), &json!("2026-11-20T10:00:00")));
    let lines: Vec<Value> = fixture.resource_rows("order-history").await.split_off(before);
    let events: Vec<&Value> = lines.iter().map(|line| &line["event"]).collect();
    assert_eq!(events, ["WorkOrderExecutionBegin", "WorkOrderProducedQuantityUpdated"]);
    fixture.send_batch("work-orders.execution", json!([item])).await;
    assert_eq!(fixture.resource_rows("order-history").await.len(), before + 2, "sent twice, nothing happens twice");
    let done = json!({"code": "WO-260300", "operationCode": "010", "endReal": "2026-11-20T09:30:00"});
    fixture.send_batch("work-orders.execution", json!([done])).await;
    let answer = fixture.read("order-history.list", "?code=WO-260300").await;
    assert_eq!(answer.rows().last().unwrap()["event"], "WorkOrderExecutionEnded");
}

#[tokio::test]
async fn lots_reach_the_raw_materials_of_their_order() {
    let fixture = Fixture::new().await;
    let order = json!({"code": "WO-L", "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 1,
        "rawMaterials": [{"code": "RAW-2001", "quantity": 10}]});
    fixture.send_batch("work-orders.sync", json!([order])).await;
    let lot = |serial: &str, quantity: f64| json!({"workOrderCode": "WO-L", "operationCode": "010", "materialCode": "RAW-2001", "serialNumber": serial, "quantity": quantity});
    fixture.send_batch("consumed-lots.sync", json!([lot("A", 2.5), lot("B", 4.0)])).await;
    fixture.send_batch("consumed-lots.sync", json!([lot("A", 3.5)])).await;
    let answer = fixture.read("work-orders.list", "?code=WO-L").await;
    let part = &answer.rows()[0]["rawMaterials"][0];
    assert_eq!(part["quantityConsumed"], 7.5.to_string().parse::<f64>().unwrap());
    assert_eq!(
        part["consumedRawMaterials"],
        json!([{"quantity": 3.5, "serialNumber": "A"}, {"quantity": 4.0, "serialNumber": "B"}])
    );
    let lots = fixture.read("consumed-lots.list", "?code=WO-L").await;
    assert_eq!((lots.rows().len(), lots.header("x-pagination-total")), (2, "2"));
}

#[tokio::test]
async fn properties_reach_every_operation_of_the_order_and_locks_hold() {
    let fixture = Fixture::new().await;
    let value = |rows: &[Value], key: &str| -> Vec<Value> {
        let of = |row: &Value| {
            find_row(row["properties"].as_array().unwrap(), &[("key", key)]).map(|found| found["value"].clone())
        };
        rows.iter().filter_map(of).collect()
    };
    let item = json!({"workOrderCode": "WO-260003", "key": "COLOUR", "value": "<i>red</i>"});
    fixture.send_batch("work-orders.properties", json!([item])).await;
    let answer = fixture.read("work-orders.list", "?code=WO-260003").await;
    assert_eq!(value(answer.rows(), "COLOUR"), ["<i>red</i>", "<i>red</i>"]);
    let locked = json!({"workOrderCode": "WO-260001", "operationCode": "010", "key": "RELEASE", "value": "no"});
    let answer = fixture.send_batch("work-orders.properties", json!([locked])).await;
    assert_eq!(answer.body["results"][0]["errors"], json!(["key: the property RELEASE is locked."]));
    let unlocked = json!({"workOrderCode": "WO-260001", "operationCode": "010", "key": "RELEASE", "value": "no", "isLocked": false});
    assert_eq!(fixture.send_batch("work-orders.properties", json!([unlocked])).await.status, 200);
    let of_inspection = json!({"workOrderCode": "WO-260001", "key": "GAUGE", "value": "Caliper"});
    assert_eq!(fixture.send_batch("inspections.properties", json!([of_inspection])).await.status, 200);
    assert_eq!(value(fixture.read("inspections.list", "?code=WO-260001").await.rows(), "GAUGE")[0], "Caliper");
}

#[tokio::test]
async fn rules_are_told_one_by_one_and_keys_come_back() {
    let fixture = Fixture::new().await;
    let items = json!([
        {"code": 7, "operationCode": "010", "beginPlanned": "yesterday", "endPlanned": "2026-12-01"},
        "no object",
        {"code": "", "operationCode": "010", "beginPlanned": "2026-12-01T06:00:00Z", "endPlanned": "2026-12-01T06:30:00+01:00"},
    ]);
    let answer = fixture.send_batch("work-orders.planning-dates", items).await;
    let results = &answer.body["results"];
    assert_eq!((answer.status, &results[0]["code"]), (207, &json!("7")));
    let first = [
        "code must be string.",
        "beginPlanned must be an ISO 8601 date-time.",
        "endPlanned must be an ISO 8601 date-time.",
    ];
    assert_eq!(results[0]["errors"], json!(first));
    assert_eq!(
        results[1],
        json!({"code": "", "operationCode": "", "success": false, "errors": ["The item must be object."]})
    );
    assert_eq!(results[2]["errors"], json!(["code is required.", "beginPlanned must be before endPlanned."]));
}
