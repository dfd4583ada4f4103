//! Each moment on the floor sends exactly its events.

use serde_json::{Value, json};
use takt_plant::{Move, OrderName};

use super::{hasty, payloads::letter};
use crate::{
    receiver::Receiver,
    stage::{Stage, find},
};

/// Which events a move sends, once it is clear that no more follow.
async fn sends(stage: &Stage, receiver: &Receiver, wanted: Move, expected: &[i64]) {
    let before = receiver.received().len();
    let moved = stage.plant.plant().act(wanted.clone()).await;
    assert!(moved.is_ok(), "{wanted:?} {moved:?}");
    // What follows in the same queue: nothing comes after it any more.
    stage.fire(0).await;
    let received = receiver.wait_for(before + expected.len() + 1).await;
    let events: Vec<i64> = received[before..].iter().map(crate::receiver::Received::event).collect();
    assert_eq!(events, [expected, &[0]].concat(), "{wanted:?}");
    received[before..].iter().for_each(|received| letter(&received.json()));
}

async fn order(stage: &Stage, state: &str) -> (OrderName, Value) {
    let orders = stage.state("work-orders").await;
    let row = find(&orders, &[("statusDescription", state)]).unwrap().clone();
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    (OrderName { code: text("code"), operation: Some(text("operationCode")) }, row)
}

#[tokio::test]
async fn each_moment_sends_its_event() {
    let stage = hasty().await;
    let receiver = Receiver::new().await;
    stage.tell(&receiver.url);
    let (order, row) = order(&stage, "In execution").await;
    let material = row["rawMaterials"][0]["code"].as_str().unwrap().to_owned();
    let of = || order.clone();
    sends(&stage, &receiver, Move::Pause { order: of(), reason: None }, &[3]).await;
    sends(&stage, &receiver, Move::Resume { order: of() }, &[7]).await;
    sends(&stage, &receiver, Move::Track { order: of(), good: 2.0, bad: 1.0 }, &[11, 9]).await;
    let lot = Move::Consume { order: of(), material, quantity: 1.5, serial_number: "LOT-X".to_owned() };
    sends(&stage, &receiver, lot, &[6]).await;
    sends(&stage, &receiver, Move::End { order: of() }, &[10, 4]).await;
    sends(&stage, &receiver, Move::Reset { order: of() }, &[5]).await;
    sends(&stage, &receiver, Move::Begin { order: of() }, &[2]).await;
}

#[tokio::test]
async fn planning_alerts_and_supplies_send_theirs() {
    let stage = hasty().await;
    let receiver = Receiver::new().await;
    stage.tell(&receiver.url);
    let (planned, row) = order(&stage, "Planned").await;
    let plan = Move::Plan {
        order: planned.clone(),
        begin: Some("2026-12-01T06:00:00".to_owned()),
        end: Some("2026-12-01T07:00:00".to_owned()),
        station: None,
    };
    sends(&stage, &receiver, plan, &[1]).await;
    sends(&stage, &receiver, Move::Plan { order: planned, begin: None, end: None, station: None }, &[1]).await;
    let unscheduled = receiver.received().iter().rev().nth(1).unwrap().json();
    assert_eq!(unscheduled["WorkOrders"][0]["BeginPlanned"], "0001-01-01T00:00:00");
    let station = row["workStationCode"].as_str().unwrap().to_owned();
    let note = "<em>Jam</em>".to_owned();
    let alert = Move::RaiseAlert { station, kind: None, note: Some(note.clone()) };
    sends(&stage, &receiver, alert, &[0]).await;
    let raised = receiver.received().iter().rev().nth(1).unwrap().json();
    assert_eq!(raised["ProductionAlert"]["Note"], note);
    let supplies = stage.state("material-supplies").await;
    let open = supplies.iter().find(|supply| supply["isCompleted"] == false).unwrap();
    sends(&stage, &receiver, Move::PaySupply { id: open["id"].as_i64().unwrap() }, &[8]).await;
    let paid = receiver.received().iter().rev().nth(1).unwrap().json();
    assert_eq!(paid["MaterialSupplies"][0]["IsCompleted"], true);
    assert_eq!(paid.get("EmployeeBadge"), None);
}

#[tokio::test]
async fn a_batch_tells_what_it_changed() {
    let stage = hasty().await;
    let receiver = Receiver::new().await;
    stage.tell(&receiver.url);
    let (planned, row) = order(&stage, "Planned").await;
    let (code, operation) = (planned.code, planned.operation.unwrap());
    let dates = json!([{ "code": code, "operationCode": operation,
        "beginPlanned": "2026-12-01T06:00:00Z", "endPlanned": "2026-12-01T07:00:00Z" }]);
    assert_eq!(stage.send("work-orders.planning-dates", dates.clone()).await.status, 200);
    let told = receiver.wait_for(1).await.remove(0).json();
    assert_eq!(
        (&told["Id"], &told["UserTrigger"], &told["EmployeeBadge"]),
        (&json!(1), &json!("planner"), &Value::Null)
    );
    assert_eq!(told["WorkOrders"][0]["BeginPlanned"], "2026-12-01T06:00:00Z", "as it was sent, with its Z");
    letter(&told);
    assert_eq!(stage.send("work-orders.planning-dates", dates).await.status, 200);
    let lot = json!([{ "workOrderCode": code, "operationCode": operation, "materialCode": row["rawMaterials"][0]["code"], "quantity": 1 }]);
    assert_eq!(stage.send("consumed-lots.sync", lot).await.status, 200);
    assert_eq!(receiver.wait_for(2).await[1].event(), 6, "dates that stay the same tell nothing");
}
