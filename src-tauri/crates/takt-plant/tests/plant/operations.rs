//! Tests of all operations in the contract. [`Answer::read`](crate::fixture::Answer::read) checks each response against
//! the contract.

use serde_json::{Value, json};
use takt_contract::OperationKind;

use crate::fixture::{Answer, Fixture};

/// Returns an item that a new plant accepts, and an item that it rejects.
pub(crate) fn sample_items(id: &str) -> (Value, Value) {
    match id {
        "materials.sync" => (json!({"code": "NEW-1", "description": "Pin 8"}), json!({"code": "NEW-2"})),
        "work-orders.sync" => (
            json!({"code": "WO-990001", "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 5,
                "laborPredictedTime": "01:30:00", "rawMaterials": [{"code": "RAW-2001", "quantity": 2}]}),
            json!({"code": "WO-990002", "operationCode": "010", "materialCode": "MAT-9", "requestedQuantity": 5}),
        ),
        "work-orders.execution" => (
            json!({"code": "WO-260001", "operationCode": "010", "producedGoodQuantity": 7}),
            json!({"code": "WO-9", "operationCode": "010", "producedGoodQuantity": 7}),
        ),
        "work-orders.properties" | "inspections.properties" => (
            json!({"workOrderCode": "WO-260001", "key": "COLOUR", "value": "<b>red</b>"}),
            json!({"workOrderCode": "WO-9", "key": "COLOUR", "value": "red"}),
        ),
        "work-orders.planning-dates" => (
            json!({"code": "WO-260001", "operationCode": "010", "beginPlanned": "2026-12-01T06:00:00", "endPlanned": "2026-12-01T07:00:00"}),
            json!({"code": "WO-260001", "operationCode": "010", "beginPlanned": "2026-12-01T07:00:00", "endPlanned": "2026-12-01T06:00:00"}),
        ),
        "stock.sync" => {
            (json!({"materialCode": "MAT-1001", "quantity": 0}), json!({"materialCode": "MAT-1001", "quantity": -1}))
        }
        "inspections.sync" => (
            json!({"code": "INS-9", "workOrderCode": "WO-260001", "processCode": "IP-16"}),
            json!({"code": "INS-9", "workOrderCode": "WO-260001", "processCode": "IP-99"}),
        ),
        "inspections.execution" => (
            json!({"code": "INS-00001", "operationCode": "010", "producedGoodQuantity": 1}),
            json!({"code": "INS-9", "operationCode": "010", "producedGoodQuantity": 1}),
        ),
        "inspection-processes.sync" => (
            json!({"code": "IP-90", "description": "Leak test", "predictedLaborTime": "00:10:00"}),
            json!({"code": "IP-91", "description": "Leak test", "predictedLaborTime": "ten"}),
        ),
        "consumed-lots.sync" => (
            json!({"workOrderCode": "WO-260001", "materialCode": "RAW-2001", "quantity": 1}),
            json!({"workOrderCode": "WO-260001", "materialCode": "RAW-2001", "quantity": 0}),
        ),
        "template-processes.delete" => {
            (Value::Null, json!({"templateId": 1, "processCode": "IP-99", "operationCode": "010"}))
        }
        other => unreachable!("{other} has no sample"),
    }
}

#[tokio::test]
async fn every_read_is_answered_to_the_contract() {
    let fixture = Fixture::new().await;
    let mut reads = 0;
    for operation in fixture.contract.operations().iter().filter(|operation| operation.kind == OperationKind::Read) {
        let path = operation.path.replace("{templateId}", "3");
        let answer = fixture.get(&path).await;
        assert_eq!(answer.status, 200, "{}", operation.id);
        let rows = &operation.answer.as_ref().unwrap().member;
        assert!(answer.body[rows].as_array().is_some_and(|rows| rows.len() > 2), "{} has rows", operation.id);
        reads += 1;
    }
    assert_eq!(reads, 12);
}

#[tokio::test]
async fn every_batch_is_answered_to_the_contract() {
    let fixture = Fixture::new().await;
    let mut batches = 0;
    for operation in fixture.contract.operations().iter().filter(|operation| operation.kind == OperationKind::Sync) {
        let (good, bad) = sample_items(&operation.id);
        let full = fixture.send_batch(&operation.id, json!([good])).await;
        assert_eq!((full.status, &full.body["successCount"]), (200, &json!(1)), "{} {:?}", operation.id, full.body);
        let partial = fixture.send_batch(&operation.id, json!([bad, good])).await;
        assert_eq!(partial.status, 207, "{} {:?}", operation.id, partial.body);
        let none = fixture.send_batch(&operation.id, json!([bad])).await;
        assert_eq!((none.status, &none.body["errorCount"]), (207, &json!(1)), "{}", operation.id);
        let outcomes: Vec<_> =
            partial.body["results"].as_array().unwrap().iter().map(|result| &result["success"]).collect();
        assert_eq!(outcomes, [&json!(false), &json!(true)]);
        assert_eq!(partial.body["results"][0]["errors"].as_array().map(Vec::len), Some(1), "{:?}", partial.body);
        // Lists conform to the contract after the batch.
        for list in fixture.contract.operations().iter().filter(|list| list.area == operation.area && list.paged) {
            assert_eq!(fixture.get(&format!("{}?page=1&limit=100", list.path)).await.status, 200, "{}", list.id);
        }
        batches += 1;
    }
    assert_eq!(batches, 11);
}

#[tokio::test]
async fn the_whole_store_fits_the_contract() {
    let fixture = Fixture::new().await;
    for operation in fixture.contract.operations().iter().filter(|operation| operation.paged) {
        let mut page = 1;
        loop {
            let answer = fixture.get(&format!("{}?page={page}&limit=100", operation.path)).await;
            if answer.header("x-pagination-pages") == page.to_string() {
                break;
            }
            page += 1;
        }
    }
}

#[tokio::test]
async fn the_viewer_reads_but_never_writes() {
    let fixture = Fixture::new().await;
    for operation in fixture.contract.operations() {
        let path = operation.path.replace("{templateId}", "1");
        let request =
            fixture.client.request(operation.method.parse().unwrap(), fixture.url(&path)).bearer_auth(&fixture.viewer);
        let request = match operation.kind {
            OperationKind::Read => request,
            OperationKind::Query => request.json(&json!({ "query": "{ workOrders { total } }" })),
            OperationKind::Sync | OperationKind::Delete => {
                request.json(&json!({ "items": [sample_items(&operation.id).1] }))
            }
        };
        let answer = Answer::read(request.send().await.unwrap()).await;
        match operation.kind {
            OperationKind::Read | OperationKind::Query => assert_eq!(answer.status, 200, "{}", operation.id),
            OperationKind::Sync | OperationKind::Delete => {
                assert_eq!((answer.status, answer.body), (403, json!({ "error": "This user may only read." })));
                assert_eq!(fixture.last_log_entry().applied, []);
            }
        }
    }
}
