//! Tests that each change on the floor sends exactly its events.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{payloads::check_payload, start_with_short_waits};
use crate::{
    event_receiver::{ReceivedRequest, Receiver, Reply},
    fixture::{Answer, Fixture, find_row},
};

/// A plant with one receiver, which accepts all events.
struct ObservedFixture {
    fixture: Fixture,
    receiver: Receiver,
}

impl ObservedFixture {
    async fn new() -> Self {
        let (fixture, receiver) = (start_with_short_waits().await, Receiver::new().await);
        fixture.add_target(&receiver.url);
        Self { fixture, receiver }
    }

    /// Makes a move through the control interface and checks that it sends exactly these events. Returns the payload of
    /// the last one.
    async fn assert_move_sends(&self, path: &str, body: Value, expected: &[i64]) -> Value {
        let before = self.receiver.received().len();
        let moved = self.fixture.post_control(path, body).await;
        assert_eq!(moved.status, 200, "{path} {}", moved.body);
        // If a later event arrives next, the move sent no more events.
        self.fixture.fire_event(0).await;
        let received = self.receiver.wait_for(before + expected.len() + 1).await;
        let events: Vec<i64> = received[before..].iter().map(ReceivedRequest::event).collect();
        assert_eq!(events, [expected, &[0]].concat(), "{path}");
        received[before..].iter().for_each(|received| check_payload(&received.json()));
        received[before + expected.len() - 1].json()
    }

    /// Returns the first order with this state.
    async fn first_order(&self, state: &str) -> Value {
        find_row(&self.fixture.resource_rows("work-orders").await, &[("statusDescription", state)]).unwrap().clone()
    }
}

#[tokio::test]
async fn each_moment_of_an_order_sends_its_event() {
    let scene = ObservedFixture::new().await;
    let row = scene.first_order("In execution").await;
    let path = |verb: &str| format!("/work-orders/{}/{verb}", row["code"].as_str().unwrap());
    let operation = json!({ "operationCode": row["operationCode"] });
    let with = |more: Value| {
        let mut body = operation.as_object().unwrap().clone();
        body.extend(more.as_object().unwrap().clone());
        Value::Object(body)
    };
    let paused = scene.assert_move_sends(&path("pause"), with(json!({ "reason": "Tool <b>broken</b>" })), &[3]).await;
    assert_eq!(paused["WorkOrders"][0]["StatusDescription"], "Paused");
    let resumed = scene.assert_move_sends(&path("resume"), operation.clone(), &[7]).await;
    assert_eq!(resumed["WorkOrders"][0]["StatusDescription"], "In execution");
    let tracked = scene.assert_move_sends(&path("track"), with(json!({ "good": 2, "bad": 1 })), &[11, 9]).await;
    let history = tracked["WorkOrders"][0]["ProducedQuantityHistory"].as_array().unwrap().clone();
    let last = history.last().unwrap();
    assert_eq!((&last["ProducedGoodQuantity"], &last["ProducedBadQuantity"]), (&json!(2), &json!(1)));
    let lot = json!({ "materialCode": row["rawMaterials"][0]["code"], "quantity": 1.5, "serialNumber": "LOT-X" });
    let consumed = scene.assert_move_sends(&path("consume"), with(lot), &[6]).await;
    let lots = consumed["WorkOrders"][0]["RawMaterials"][0]["ConsumedRawMaterials"].as_array().unwrap().clone();
    assert!(lots.contains(&json!({ "Quantity": 1.5, "SerialNumber": "LOT-X" })), "{lots:?}");
    let ended = scene.assert_move_sends(&path("end"), operation.clone(), &[10, 4]).await;
    assert!(ended["WorkOrders"][0]["EndReal"].is_string());
    let reset = scene.assert_move_sends(&path("reset"), operation.clone(), &[5]).await;
    let order = &reset["WorkOrders"][0];
    assert_eq!((&order["BeginReal"], &order["EndReal"]), (&json!("0001-01-01T00:00:00"), &Value::Null));
    let begun = scene.assert_move_sends(&path("begin"), operation.clone(), &[2]).await;
    assert_eq!((&begun["WorkOrders"][0]["EndReal"], begun["UserTrigger"].is_null()), (&Value::Null, true));
    assert!(begun["EmployeeBadge"].is_string(), "an operator began it");
    // A rejected move sends no event.
    let again = scene.fixture.post_control(&path("begin"), operation).await;
    assert_eq!(again.status, 409);
    assert_eq!(scene.fixture.post_control("/work-orders/WO-9/begin", json!({})).await.status, 404);
    assert_eq!(scene.fixture.deliveries("waiting").await, Vec::<Value>::new());
}

#[tokio::test]
async fn planning_alerts_and_supplies_send_theirs() {
    let scene = ObservedFixture::new().await;
    let row = scene.first_order("Planned").await;
    let path = format!("/work-orders/{}/plan", row["code"].as_str().unwrap());
    let operation = &row["operationCode"];
    let dates = json!({ "operationCode": operation, "beginPlanned": "2026-12-01T06:00:00", "endPlanned": "2026-12-01T07:00:00" });
    let planned = scene.assert_move_sends(&path, dates, &[1]).await;
    assert_eq!(planned["WorkOrders"][0]["BeginPlanned"], "2026-12-01T06:00:00");
    let unscheduled = scene.assert_move_sends(&path, json!({ "operationCode": operation }), &[1]).await;
    assert_eq!(unscheduled["WorkOrders"][0]["BeginPlanned"], "0001-01-01T00:00:00");
    let alert = json!({ "workStationCode": row["workStationCode"], "note": "<em>Jam</em>" });
    let raised = scene.assert_move_sends("/alerts", alert, &[0]).await;
    assert_eq!(raised["ProductionAlert"]["Note"], "<em>Jam</em>");
    assert_eq!(raised["WorkStationCode"], row["workStationCode"]);
    let supplies = scene.fixture.resource_rows("material-supplies").await;
    let open = supplies.iter().find(|supply| supply["isCompleted"] == false).unwrap();
    let paid = scene.assert_move_sends(&format!("/supplies/{}/pay", open["id"]), json!({}), &[8]).await;
    assert_eq!(paid["MaterialSupplies"][0]["IsCompleted"], true);
    assert_eq!(paid.get("EmployeeBadge"), None);
}

#[tokio::test]
async fn a_receiver_that_refuses_keeps_an_order_running() {
    let scene = ObservedFixture::new().await;
    let row = scene.first_order("In execution").await;
    let path = format!("/work-orders/{}/end", row["code"].as_str().unwrap());
    let body = json!({ "operationCode": row["operationCode"] });
    scene.receiver.set_reply(Reply::Body(json!({ "errors": ["Lot 7 is blocked.", "No inspection."] }).to_string()));
    let refused: Answer = scene.fixture.post_control(&path, body.clone()).await;
    assert_eq!((refused.status, refused.body), (412, json!({ "errors": ["Lot 7 is blocked.", "No inspection."] })));
    assert_eq!(scene.first_order("In execution").await, row);
    assert_eq!(scene.receiver.events(), [10], "no event of an end follows");
    let reported = scene.fixture.wait_for("delivered", 1).await;
    assert_eq!(reported[0]["reason"], "Lot 7 is blocked. No inspection.");
    scene.receiver.set_reply(Reply::Status(200));
    assert_eq!(scene.fixture.post_control(&path, body).await.status, 200);
    assert_eq!(scene.receiver.wait_for(3).await[2].event(), 4);
}

#[tokio::test]
async fn a_day_that_plays_tells_what_happens_in_order() {
    let scene = ObservedFixture::new().await;
    let moved = scene.fixture.post_control("/clock", json!({ "advance": "04:00:00" })).await;
    assert!(moved.status < 300, "{}", moved.body);
    let reported = scene.fixture.wait_for("delivered", 20).await;
    let received = scene.receiver.wait_for(reported.len()).await;
    received.iter().for_each(|received| check_payload(&received.json()));
    let mut states: BTreeMap<String, i64> = BTreeMap::new();
    for payload in received.iter().map(ReceivedRequest::json).filter(|payload| payload["WorkOrders"].is_array()) {
        let order = &payload["WorkOrders"][0];
        let (event, key) = (payload["Id"].as_i64().unwrap(), format!("{} {}", order["Code"], order["OperationCode"]));
        let next: &[i64] = match states.get(&key) {
            Some(2 | 7) => &[3, 4, 5],
            Some(3) => &[7, 4, 5],
            Some(4) => &[5],
            Some(5) => &[2],
            _ => &[2, 3, 4, 5, 7],
        };
        if matches!(event, 2..=5 | 7) {
            assert!(next.contains(&event), "{key}: {event} after {:?}", states.get(&key));
            states.insert(key, event);
        }
    }
    assert!(states.values().any(|event| *event == 4), "orders ended: {states:?}");
    assert_eq!(scene.fixture.deliveries("failed").await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_batch_tells_what_it_changed() {
    let scene = ObservedFixture::new().await;
    let row = scene.first_order("Planned").await;
    let (fixture, receiver, code, operation) = (&scene.fixture, &scene.receiver, &row["code"], &row["operationCode"]);
    let dates = json!([{ "code": code, "operationCode": operation,
        "beginPlanned": "2026-12-01T06:00:00Z", "endPlanned": "2026-12-01T07:00:00Z" }]);
    assert_eq!(fixture.send_batch("work-orders.planning-dates", dates.clone()).await.status, 200);
    let reported = receiver.wait_for(1).await.remove(0).json();
    assert_eq!(
        (&reported["Id"], &reported["UserTrigger"], &reported["EmployeeBadge"]),
        (&json!(1), &json!("planner"), &Value::Null)
    );
    assert_eq!(reported["WorkOrders"][0]["BeginPlanned"], "2026-12-01T06:00:00Z", "as it was sent, with its Z");
    check_payload(&reported);
    assert_eq!(fixture.send_batch("work-orders.planning-dates", dates).await.status, 200);
    let lot = json!([{ "workOrderCode": code, "operationCode": operation, "materialCode": row["rawMaterials"][0]["code"], "quantity": 1 }]);
    assert_eq!(fixture.send_batch("consumed-lots.sync", lot).await.status, 200);
    assert_eq!(receiver.wait_for(2).await[1].event(), 6, "dates that stay the same tell nothing");
}

/// The specification has "A paused work order is resumed". Orders in other states begin again instead.
#[tokio::test]
async fn only_what_was_paused_is_resumed() {
    let scene = ObservedFixture::new().await;
    let row = scene.first_order("Ended").await;
    let (fixture, receiver, code, operation) = (&scene.fixture, &scene.receiver, &row["code"], &row["operationCode"]);
    for (count, (status, event)) in [("In execution", 2), ("Paused", 3), ("In execution", 7)].into_iter().enumerate() {
        let item = json!([{ "code": code, "operationCode": operation, "statusDescription": status }]);
        assert_eq!(fixture.send_batch("work-orders.execution", item).await.status, 200, "{status}");
        assert_eq!(receiver.wait_for(count + 1).await[count].event(), event, "{status}");
    }
}

/// The specification has "A material supply is paid". This also applies to an event on demand.
#[tokio::test]
async fn a_supply_that_is_told_of_is_paid() {
    let scene = ObservedFixture::new().await;
    let supplies = scene.fixture.resource_rows("material-supplies").await;
    let open = supplies.iter().find(|supply| supply["isCompleted"] == false).unwrap();
    let answer = scene.fixture.post_control("/events", json!({ "event": 8, "supplyId": open["id"] })).await;
    assert_eq!(answer.status, 202);
    let fired = scene.receiver.wait_for(1).await.remove(0).json();
    let reported = (&fired["MaterialSupplies"][0]["Id"], &fired["MaterialSupplies"][0]["IsCompleted"]);
    assert_eq!(reported, (&open["id"], &json!(true)));
    check_payload(&fired);
}
