//! Checks the payloads of events against the tables in the specification and the webhooks in the contract.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use takt_plant::EventKind;

use super::start_with_short_waits;
use crate::{contract_check::event_violations, event_receiver::Receiver, fixture::Fixture};

const UNSET_DATE: &str = "0001-01-01T00:00:00";

/// The members and types in the specification's tables. `?` allows null. A `date` is never empty, a `date-or-empty` may
/// be.
const ENVELOPE_MEMBERS: [(&str, &str); 9] = [
    ("Id", "integer"),
    ("Description", "string"),
    ("WorkStation", "string"),
    ("WorkStationCode", "string"),
    ("UserTrigger", "string?"),
    ("EmployeeBadge", "string?"),
    ("WorkOrders", "array?"),
    ("ProductionAlert", "object?"),
    ("MaterialSupplies", "array?"),
];
const ORDER_MEMBERS: [(&str, &str); 28] = [
    ("Id", "integer"),
    ("Type", "string"),
    ("WorkOrderGrouper", "string"),
    ("Code", "string"),
    ("MaterialCode", "string"),
    ("Customer", "string?"),
    ("PromiseDate", "date-or-empty"),
    ("OperationCode", "string"),
    ("ProducedQuantityHistory", "array"),
    ("Note", "string?"),
    ("StatusDescription", "string?"),
    ("StatusAdditionalDescription", "string?"),
    ("StatusNote", "string?"),
    ("RequestedQuantity", "number"),
    ("ProducedGoodQuantity", "number"),
    ("ProducedBadQuantity", "number"),
    ("BeginReal", "date"),
    ("EndReal", "date?"),
    ("BeginPlanned", "date"),
    ("EndPlanned", "date"),
    ("RawMaterials", "array"),
    ("Properties", "array"),
    ("LaborPredictedTime", "duration"),
    ("LaborValueAddedTime", "duration"),
    ("LaborNonValueAddedTime", "duration"),
    ("MachinePredictedTime", "duration"),
    ("MachineValueAddedTime", "duration"),
    ("MachineNonValueAddedTime", "duration"),
];
const PRODUCED_QUANTITY_MEMBERS: [(&str, &str); 4] =
    [("Id", "integer"), ("Date", "date"), ("ProducedGoodQuantity", "number"), ("ProducedBadQuantity", "number")];
const RAW_MATERIAL_MEMBERS: [(&str, &str); 7] = [
    ("Code", "string"),
    ("Description", "string"),
    ("Sequence", "integer"),
    ("Quantity", "number"),
    ("QuantityConsumed", "number"),
    ("UoM", "string"),
    ("ConsumedRawMaterials", "array"),
];
const CONSUMED_MEMBERS: [(&str, &str); 2] = [("Quantity", "number"), ("SerialNumber", "string")];
const PROPERTY_MEMBERS: [(&str, &str); 4] =
    [("Key", "string"), ("Value", "string"), ("Name", "string?"), ("IsLocked", "boolean?")];
const ALERT_MEMBERS: [(&str, &str); 7] = [
    ("Id", "integer"),
    ("Type", "string"),
    ("Note", "string"),
    ("Status", "integer"),
    ("Opened", "date"),
    ("Acknowledged", "date"),
    ("Closed", "date"),
];
const SUPPLY_MEMBERS: [(&str, &str); 7] = [
    ("Id", "integer"),
    ("WorkOrderCode", "string"),
    ("OperationCode", "string?"),
    ("Code", "string"),
    ("Description", "string"),
    ("Quantity", "number"),
    ("IsCompleted", "boolean"),
];

/// Checks a payload against the tables in the specification.
pub(super) fn check_payload(payload: &Value) {
    let id = payload["Id"].as_i64().unwrap();
    let supply = id == 8;
    let members: Vec<_> =
        ENVELOPE_MEMBERS.into_iter().filter(|(name, _)| !(supply && *name == "EmployeeBadge")).collect();
    check_members(payload, &members);
    let filled = |name: &str| !payload[name].is_null();
    let expected = (id != 0 && !supply, id == 0, supply);
    assert_eq!((filled("WorkOrders"), filled("ProductionAlert"), filled("MaterialSupplies")), expected, "{payload}");
    assert!(!payload["Description"].as_str().unwrap().is_empty());
    match id {
        0 => check_members(&payload["ProductionAlert"], &ALERT_MEMBERS),
        8 => check_each(&payload["MaterialSupplies"], |supply| check_members(supply, &SUPPLY_MEMBERS)),
        _ => check_each(&payload["WorkOrders"], check_order),
    }
    let name = EventKind::with_id(id).unwrap().name();
    assert_eq!(event_violations(name, payload), Vec::<String>::new(), "{payload}");
}

fn check_order(order: &Value) {
    check_members(order, &ORDER_MEMBERS);
    check_each(&order["ProducedQuantityHistory"], |part| check_members(part, &PRODUCED_QUANTITY_MEMBERS));
    check_each(&order["Properties"], |part| check_members(part, &PROPERTY_MEMBERS));
    check_each(&order["RawMaterials"], |part| {
        check_members(part, &RAW_MATERIAL_MEMBERS);
        check_each(&part["ConsumedRawMaterials"], |lot| check_members(lot, &CONSUMED_MEMBERS));
    });
}

fn check_each(list: &Value, check: impl Fn(&Value)) {
    list.as_array().unwrap().iter().for_each(check);
}

/// Checks that an object has exactly these members with these types, in this order.
fn check_members(value: &Value, members: &[(&str, &str)]) {
    let found: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let expected: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, expected);
    for (name, kind) in members {
        let member = &value[*name];
        let nullable = kind.ends_with('?');
        assert!(
            has_type(member, kind.trim_end_matches('?')) || nullable && member.is_null(),
            "{name} is {member}, not {kind}"
        );
    }
}

fn has_type(value: &Value, kind: &str) -> bool {
    let text = value.as_str();
    match kind {
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "string" => text.is_some(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "date" => text.is_some_and(is_date),
        "date-or-empty" => text.is_some_and(|text| text.is_empty() || is_date(text)),
        "duration" => text.is_some_and(is_duration),
        other => unreachable!("{other}"),
    }
}

fn is_date(text: &str) -> bool {
    text.contains('T') && text.trim_end_matches('Z').parse::<jiff::civil::DateTime>().is_ok()
}

/// Returns whether a text is `hh:mm:ss` without days, optionally with a fraction of up to seven digits.
fn is_duration(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let [hours, minutes, seconds] = parts[..] else { return false };
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let digits = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    digits(hours, 2..=9) && digits(minutes, 2..=2) && digits(seconds, 2..=2) && digits(fraction, 1..=7)
}

/// Sends an event about an order. Returns the order in the received payload, and the raw payload.
async fn receive_event_about(fixture: &Fixture, receiver: &Receiver, event: i64, code: &str) -> (Value, String) {
    let before = receiver.received().len();
    let answer = fixture.post_control("/events", json!({ "event": event, "workOrderCode": code })).await;
    assert_eq!((answer.status, &answer.body), (202, &json!({ "event": event, "deliveries": 1 })));
    let received = receiver.wait_for(before + 1).await.pop().unwrap();
    check_payload(&received.json());
    (received.json()["WorkOrders"][0].clone(), String::from_utf8(received.bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn all_twelve_are_to_the_letter() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::new().await;
    fixture.add_target(&receiver.url);
    let mut descriptions = BTreeMap::new();
    for kind in EventKind::ALL {
        fixture.plant.plant().send_event(kind, None).unwrap();
    }
    for (kind, received) in EventKind::ALL.into_iter().zip(receiver.wait_for(12).await) {
        let payload = received.json();
        assert_eq!(payload["Id"], kind.id());
        check_payload(&payload);
        assert!(
            descriptions.insert(payload["Description"].to_string(), kind).is_none(),
            "each has its own description"
        );
        assert_eq!(received.header("content-type"), "application/json");
        assert_eq!(received.header("x-takt-event"), kind.id().to_string());
        let station = (payload["WorkStation"].as_str().unwrap(), payload["WorkStationCode"].as_str().unwrap());
        assert!(!station.0.is_empty() && station.1.starts_with("WS-"), "{station:?}");
    }
    assert_eq!(descriptions.len(), 12);
    let delivered = fixture.wait_for("delivered", 12).await;
    let names: Vec<&str> = delivered.iter().map(|delivery| delivery["name"].as_str().unwrap()).collect();
    assert_eq!(names, EventKind::ALL.map(EventKind::name));
}

#[tokio::test]
async fn every_order_alert_and_supply_of_the_seed_is_to_the_letter() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::new().await;
    fixture.add_target(&receiver.url);
    let orders = fixture.resource_rows("work-orders").await;
    for (index, order) in orders.iter().enumerate() {
        let post_control =
            json!({ "event": 1 + index % 7, "workOrderCode": order["code"], "operationCode": order["operationCode"] });
        assert_eq!(fixture.post_control("/events", post_control).await.status, 202);
    }
    let alerts = fixture.resource_rows("alerts").await;
    for alert in &alerts {
        assert_eq!(fixture.post_control("/events", json!({ "id": 0, "alertId": alert["id"] })).await.status, 202);
    }
    let supplies = fixture.resource_rows("material-supplies").await;
    for supply in &supplies {
        let post_control = json!({ "event": "MaterialSupplyUpdated", "supplyId": supply["id"] });
        assert_eq!(fixture.post_control("/events", post_control).await.status, 202);
    }
    let received = receiver.wait_for(orders.len() + alerts.len() + supplies.len()).await;
    received.iter().for_each(|received| check_payload(&received.json()));
    let texts: Vec<String> = received.iter().map(|one| String::from_utf8(one.bytes.to_vec()).unwrap()).collect();
    let all = texts.join("\n");
    for shown in [
        "\"Customer\":\"\"",
        "\"PromiseDate\":\"\"",
        "\"EndReal\":null",
        "\"Name\":null",
        "\"IsLocked\":null",
        "<script>alert(1)</script>",
        "Bar stock <b>missing</b> at the machine",
    ] {
        assert!(all.contains(shown), "{shown} occurs");
    }
    let zulu =
        received.iter().filter(|one| one.json()["ProductionAlert"]["Opened"].as_str().unwrap_or("").ends_with('Z'));
    let zulu = zulu.count();
    assert!(zulu > 0 && zulu < alerts.len(), "dates come with and without Z");
}

#[tokio::test]
async fn what_was_synchronized_is_told_byte_by_byte() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::new().await;
    fixture.add_target(&receiver.url);
    let note = "<p onclick=\"x('é')\">Überlänge &amp; \u{1F600} </p>\u{2028}\n\t\\";
    let item = json!([{
        "code": "WO-990001", "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 2.5,
        "laborPredictedTime": "30:00:01.5", "machinePredictedTime": "00:00:00.0000001", "note": note, "customer": "",
        "promiseDate": "2026-12-01T06:00:00Z",
        "rawMaterials": [{"code": "RAW-2001", "quantity": 2, "uoM": ""}],
        "properties": [{"key": "<k>", "value": "<script>alert(\"1\")</script>"}],
    }]);
    assert_eq!(fixture.send_batch("work-orders.sync", item).await.status, 200);
    let (order, raw) = receive_event_about(&fixture, &receiver, 2, "WO-990001").await;
    assert_eq!(order["Note"], note);
    assert!(raw.contains(&serde_json::to_string(note).unwrap()), "the note is not written otherwise");
    assert_eq!(
        (&order["LaborPredictedTime"], &order["MachinePredictedTime"]),
        (&json!("30:00:01.5000000"), &json!("00:00:00.0000001"))
    );
    assert_eq!((&order["Customer"], &order["PromiseDate"]), (&json!(""), &json!("2026-12-01T06:00:00Z")));
    assert_eq!((&order["RequestedQuantity"], &order["ProducedGoodQuantity"]), (&json!(2.5), &json!(0)));
    assert_eq!((&order["BeginReal"], &order["EndReal"]), (&json!(UNSET_DATE), &Value::Null));
    assert_eq!((&order["BeginPlanned"], &order["EndPlanned"]), (&json!(UNSET_DATE), &json!(UNSET_DATE)));
    assert_eq!((&order["Type"], &order["WorkOrderGrouper"]), (&json!(""), &json!("")));
    assert_eq!(order["RawMaterials"][0]["UoM"], "");
    assert_eq!(order["Properties"][0]["Value"], "<script>alert(\"1\")</script>");
    let received = receiver.received().pop().unwrap().json();
    assert_eq!((&received["WorkStation"], &received["WorkStationCode"]), (&json!(""), &json!("")), "it has no station");
}

#[tokio::test]
async fn the_rows_and_the_payload_say_the_same() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::new().await;
    fixture.add_target(&receiver.url);
    let orders = fixture.resource_rows("work-orders").await;
    let ended = orders.iter().find(|order| order["statusDescription"] == "Ended").unwrap();
    let (order, _) = receive_event_about(&fixture, &receiver, 4, ended["code"].as_str().unwrap()).await;
    for (member, source) in [
        ("BeginReal", "beginReal"),
        ("EndReal", "endReal"),
        ("BeginPlanned", "beginPlanned"),
        ("Id", "id"),
        ("Note", "note"),
    ] {
        assert_eq!(order[member], ended[source], "{member}");
    }
    assert_eq!(order["RawMaterials"][0]["Code"], ended["rawMaterials"][0]["code"]);
    assert_eq!(
        order["ProducedQuantityHistory"].as_array().map(Vec::len),
        ended["producedQuantityHistory"].as_array().map(Vec::len)
    );
    let alerts = fixture.resource_rows("alerts").await;
    let open = alerts.iter().find(|alert| alert["acknowledged"].is_null()).unwrap();
    assert_eq!(fixture.post_control("/events", json!({ "event": 0, "alertId": open["id"] })).await.status, 202);
    let alert = receiver.wait_for(2).await.pop().unwrap().json()["ProductionAlert"].clone();
    assert_eq!((&alert["Acknowledged"], &alert["Closed"]), (&json!(UNSET_DATE), &json!(UNSET_DATE)));
    assert_eq!((&alert["Opened"], &alert["Note"], &alert["Status"]), (&open["opened"], &open["note"], &json!(0)));
}

#[tokio::test]
async fn what_is_unknown_is_not_fired() {
    let fixture = start_with_short_waits().await;
    for (body, status) in [
        (json!({ "event": 12 }), 400),
        (json!({ "event": "Begin" }), 400),
        (json!({ "event": 3.5 }), 400),
        (json!({}), 400),
        (json!({ "event": 3, "workOrderCode": "WO-9" }), 404),
        (json!({ "event": 3, "workOrderCode": "WO-260001", "operationCode": "999" }), 404),
        (json!({ "event": 3, "alertId": 1 }), 404),
        (json!({ "event": 0, "alertId": -1 }), 404),
        (json!({ "event": 8, "supplyId": -1 }), 404),
        (json!({ "event": 3, "operationCode": "010" }), 400),
        (json!({ "event": 3, "workorderCode": "WO-260001" }), 400),
        (json!({ "event": 3, "workOrderCode": "WO-260001", "alertId": 1 }), 400),
    ] {
        let answer = fixture.post_control("/events", body.clone()).await;
        assert_eq!(answer.status, status, "{body} {}", answer.body);
    }
    let untold = fixture
        .post_control("/events", json!({ "event": 3, "workOrderCode": "WO-260001", "operationCode": "010" }))
        .await;
    assert_eq!((untold.status, untold.body), (202, json!({ "event": 3, "deliveries": 0 })));
    let reported = fixture.get_control("/events").await.body["data"].clone();
    assert_eq!(reported.as_array().map(Vec::len), Some(1), "what was refused is not noted");
    assert_eq!((&reported[0]["state"], &reported[0]["subject"]), (&json!("untold"), &json!("WO-260001 010")));
}
