//! Tests of all moves on the floor, with their effects and errors.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use takt_contract::wire::duration::TICKS_PER_SECOND;

use crate::{
    event_receiver::{Receiver, Reply},
    fixture::{Answer, Fixture, find_row},
};

/// Adds an order that is planned for today at a station without other orders.
async fn add_planned_order(fixture: &Fixture) {
    let order = json!({"code": "WO-F", "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 100,
        "workStationCode": "WS-12", "beginPlanned": "2026-11-20T10:00:00", "endPlanned": "2026-11-20T14:00:00",
        "rawMaterials": [{"code": "RAW-2001", "quantity": 12.5}]});
    assert_eq!(fixture.send_batch("work-orders.sync", json!([order])).await.status, 200);
}

async fn post_control(fixture: &Fixture, path: &str, body: Value) -> Answer {
    Answer::read(fixture.control_request(Method::POST, path).json(&body).send().await.unwrap()).await
}

async fn make_order_move(fixture: &Fixture, verb: &str, body: Value) -> Value {
    let answer = post_control(fixture, &format!("/work-orders/WO-F/{verb}"), body).await;
    assert_eq!(answer.status, 200, "{verb} {:?}", answer.body);
    answer.body["data"].clone()
}

/// Returns the history of the order, oldest first.
async fn order_history(fixture: &Fixture) -> Vec<Value> {
    let mut lines = fixture.resource_rows("order-history").await;
    lines.retain(|line| line["workOrderCode"] == "WO-F");
    lines
}

fn event_names(history: &[Value]) -> Vec<&str> {
    history.iter().filter_map(|line| line["event"].as_str()).collect()
}

fn read_seconds(row: &Value, name: &str) -> f64 {
    row[name]["totalSeconds"].as_f64().unwrap()
}

#[tokio::test]
async fn an_order_goes_its_whole_way() {
    let fixture = Fixture::new().await;
    add_planned_order(&fixture).await;
    let begun = make_order_move(&fixture, "begin", json!({})).await;
    assert_eq!(
        (&begun["statusDescription"], &begun["beginReal"]),
        (&json!("In execution"), &json!("2026-11-20T10:00:00"))
    );
    assert_eq!((&begun["endReal"], read_seconds(&begun, "machineValueAddedTime")), (&Value::Null, 0.0));
    fixture.advance_clock(1801);
    let tracked = make_order_move(&fixture, "track", json!({"good": 40, "bad": 2})).await;
    assert_eq!((&tracked["producedGoodQuantity"], &tracked["producedBadQuantity"]), (&json!(40), &json!(2)));
    fixture.advance_clock(1800);
    let paused = make_order_move(&fixture, "pause", json!({"reason": "Tool <b>change</b>"})).await;
    assert_eq!(paused["statusDescription"], "Paused");
    assert_eq!(paused["statusAdditionalDescription"], "Tool <b>change</b>");
    assert_eq!(
        read_seconds(&paused, "machineValueAddedTime") + read_seconds(&paused, "machineNonValueAddedTime"),
        3601.0
    );
    assert!(read_seconds(&paused, "laborValueAddedTime") > 0.0);
    assert_ne!(paused["machineValueAddedTime"]["ticks"].as_i64().unwrap() % TICKS_PER_SECOND, 0, "a fraction");
    fixture.advance_clock(599);
    let resumed = make_order_move(&fixture, "resume", json!({})).await;
    assert_eq!(
        (&resumed["statusDescription"], &resumed["statusAdditionalDescription"]),
        (&json!("In execution"), &Value::Null)
    );
    assert_eq!(resumed["machineValueAddedTime"], paused["machineValueAddedTime"], "a pause adds no value");
    assert_eq!(
        read_seconds(&resumed, "machineValueAddedTime") + read_seconds(&resumed, "machineNonValueAddedTime"),
        4200.0
    );
    fixture.advance_clock(600);
    make_order_move(&fixture, "track", json!({"good": 60})).await;
    let ended = make_order_move(&fixture, "end", json!({})).await;
    assert_eq!((&ended["statusDescription"], &ended["endReal"]), (&json!("Ended"), &json!("2026-11-20T11:20:00")));
    let sums: Vec<(f64, f64)> = ended["producedQuantityHistory"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["producedGoodQuantity"].as_f64().unwrap(), entry["producedBadQuantity"].as_f64().unwrap()))
        .collect();
    assert_eq!(sums, [(40.0, 2.0), (60.0, 0.0)]);
    let history = order_history(&fixture).await;
    let expected = [
        "WorkOrderPlanned",
        "WorkOrderExecutionBegin",
        "WorkOrderProducedQuantityUpdated",
        "WorkOrderExecutionPaused",
        "WorkOrderExecutionResumed",
        "WorkOrderProducedQuantityUpdated",
        "WorkOrderExecutionEnded",
    ];
    assert_eq!(event_names(&history), expected);
    assert_eq!(
        (&history[3]["note"], &history[6]["duration"]["totalMinutes"]),
        (&json!("Tool <b>change</b>"), &json!(80))
    );
    assert_eq!((&history[6]["producedGoodQuantity"], &history[6]["userTrigger"]), (&json!(100), &Value::Null));
    let hours: Vec<Value> = fixture.resource_rows("labor-times").await;
    let hours: Vec<&Value> = hours.iter().filter(|row| row["workOrderCode"] == "WO-F").collect();
    let worked: Vec<_> =
        hours.iter().map(|row| (row["begin"].as_str().unwrap(), row["end"].as_str().unwrap())).collect();
    let expected = [("2026-11-20T10:00:00", "2026-11-20T11:00:01"), ("2026-11-20T11:10:00", "2026-11-20T11:20:00")];
    assert_eq!(worked, expected);
    assert_eq!(
        (&hours[0]["duration"]["totalSeconds"], &hours[0]["workStation"]),
        (&json!(3601), &json!("Measuring room"))
    );
    assert_eq!(hours[0]["employeeBadge"], history[1]["employeeBadge"]);
}

#[tokio::test]
async fn lots_follow_and_a_reset_gives_them_back() {
    let fixture = Fixture::new().await;
    add_planned_order(&fixture).await;
    make_order_move(&fixture, "begin", json!({})).await;
    make_order_move(&fixture, "track", json!({"bad": 1})).await;
    let lot = |quantity: f64| json!({"materialCode": "RAW-2001", "quantity": quantity, "serialNumber": "S-1", "operationCode": "010"});
    make_order_move(&fixture, "consume", lot(0.1)).await;
    make_order_move(&fixture, "end", json!({})).await;
    let consumed = make_order_move(&fixture, "consume", lot(0.2)).await;
    let part = &consumed["rawMaterials"][0];
    assert_eq!(
        (&part["quantityConsumed"], &part["consumedRawMaterials"]),
        (&json!(0.3), &json!([{"quantity": 0.3, "serialNumber": "S-1"}]))
    );
    let reset = make_order_move(&fixture, "reset", json!({})).await;
    assert_eq!(
        (&reset["statusDescription"], &reset["beginReal"], &reset["endReal"]),
        (&json!("Planned"), &Value::Null, &Value::Null)
    );
    assert_eq!((&reset["producedBadQuantity"], &reset["producedQuantityHistory"]), (&json!(0), &json!([])));
    assert_eq!(reset["rawMaterials"][0]["quantityConsumed"], 0);
    let lots = fixture.read("consumed-lots.list", "?code=WO-F").await;
    assert_eq!((lots.rows().len(), &lots.rows()[0]["quantity"]), (1, &json!(0)));
    make_order_move(&fixture, "begin", json!({})).await;
    let again = make_order_move(&fixture, "consume", lot(2.0)).await;
    assert_eq!(again["rawMaterials"][0]["quantityConsumed"], 2);
    let history = order_history(&fixture).await;
    assert_eq!(event_names(&history)[4..], ["WorkOrderReset", "WorkOrderExecutionBegin"]);
}

#[tokio::test]
async fn plans_are_made_shifted_and_withdrawn() {
    let fixture = Fixture::new().await;
    add_planned_order(&fixture).await;
    let shifted =
        make_order_move(&fixture, "plan", json!({"beginPlanned": "2026-11-23T05:00:00Z", "workStationCode": "WS-01"}))
            .await;
    assert_eq!(
        (&shifted["beginPlanned"], &shifted["endPlanned"]),
        (&json!("2026-11-23T06:00:00"), &json!("2026-11-23T10:00:00"))
    );
    assert_eq!(shifted["workStationCode"], "WS-01");
    let moved = make_order_move(&fixture, "plan", json!({"workStationCode": "WS-02"})).await;
    assert_eq!((&moved["beginPlanned"], &moved["workStationCode"]), (&shifted["beginPlanned"], &json!("WS-02")));
    let withdrawn = make_order_move(&fixture, "plan", json!({})).await;
    assert_eq!((&withdrawn["beginPlanned"], &withdrawn["endPlanned"]), (&Value::Null, &Value::Null));
    let history = order_history(&fixture).await;
    assert_eq!(event_names(&history), ["WorkOrderPlanned"; 4]);
    assert_eq!((&history[1]["kind"], &history[1]["userTrigger"]), (&json!("planning"), &json!("planner")));
    for (body, reason) in [
        (json!({"beginPlanned": "soon"}), "beginPlanned must be an ISO 8601 date-time."),
        (json!({"endPlanned": "2026-11-23T06:00:00"}), "beginPlanned must be before endPlanned."),
        (
            json!({"beginPlanned": "2026-11-23T06:00:00", "endPlanned": "2026-11-23T06:00:00"}),
            "beginPlanned must be before endPlanned.",
        ),
    ] {
        let answer = post_control(&fixture, "/work-orders/WO-F/plan", body).await;
        assert_eq!((answer.status, answer.body), (400, json!({"errors": [reason]})));
    }
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_changes_nothing() {
    let fixture = Fixture::new().await;
    add_planned_order(&fixture).await;
    let refused = async |verb: &str, body: Value, status: u16, reason: &str| {
        let before = (
            fixture.resource_rows("work-orders").await,
            fixture.resource_rows("order-history").await,
            fixture.resource_rows("labor-times").await,
        );
        let answer = post_control(&fixture, &format!("/work-orders/{verb}"), body).await;
        let said = answer.body["error"].as_str().or(answer.body["errors"][0].as_str()).unwrap_or_default().to_owned();
        assert_eq!((answer.status, said.as_str()), (status, reason), "{verb}");
        let after = (
            fixture.resource_rows("work-orders").await,
            fixture.resource_rows("order-history").await,
            fixture.resource_rows("labor-times").await,
        );
        assert_eq!(before, after, "{verb}");
    };
    let is = |done: &str, state: &str| format!("Work order WO-F can't be {done}: operation 010 is {state}.");
    for (verb, done) in [("pause", "paused"), ("resume", "resumed"), ("end", "ended"), ("reset", "reset")] {
        refused(&format!("WO-F/{verb}"), json!({}), 409, &is(done, "planned")).await;
    }
    refused("WO-F/track", json!({"good": 1}), 409, &is("produced for", "planned")).await;
    refused("WO-F/track", json!({}), 400, "The quantities must be 0 or above, and one of them above 0.").await;
    refused(
        "WO-F/track",
        json!({"good": -1, "bad": 2}),
        400,
        "The quantities must be 0 or above, and one of them above 0.",
    )
    .await;
    refused("WO-F/consume", json!({"quantity": 1}), 400, "materialCode is required.").await;
    refused("WO-F/consume", json!({"materialCode": "RAW-2001", "quantity": 1}), 409, &is("consumed for", "planned"))
        .await;
    refused("WO-F/plan", json!({"workStationCode": "WS-99"}), 404, "There is no work station WS-99.").await;
    refused("WO-F/begin", json!({"operationCode": "090"}), 404, "Work order WO-F has no operation 090.").await;
    refused("WO-9/begin", json!({}), 404, "There is no work order WO-9.").await;
    refused("WO-F/burn", json!({}), 404, "There is no move burn.").await;
    make_order_move(&fixture, "begin", json!({})).await;
    refused("WO-F/begin", json!({}), 409, &is("begun", "in execution")).await;
    refused("WO-F/resume", json!({}), 409, &is("resumed", "in execution")).await;
    refused("WO-F/plan", json!({}), 409, &is("planned anew", "in execution")).await;
    refused("WO-F/consume", json!({"materialCode": "RAW-2001", "quantity": 0}), 400, "The quantity must be above 0.")
        .await;
    let none = "Operation 010 of work order WO-F has no raw material RAW-2002.";
    refused("WO-F/consume", json!({"materialCode": "RAW-2002", "quantity": 1}), 404, none).await;
    make_order_move(&fixture, "pause", json!({})).await;
    refused("WO-F/pause", json!({}), 409, &is("paused", "paused")).await;
    make_order_move(&fixture, "end", json!({})).await;
    for (verb, done) in [("begin", "begun"), ("pause", "paused"), ("resume", "resumed"), ("end", "ended")] {
        refused(&format!("WO-F/{verb}"), json!({}), 409, &is(done, "ended")).await;
    }
    for body in ["nonsense", "{\"god\": 1}", "{\"good\": \"many\"}"] {
        let request = fixture.control_request(Method::POST, "/work-orders/WO-F/track").body(body).send().await.unwrap();
        assert_eq!(request.status(), 400, "{body}");
    }
}

#[tokio::test]
async fn without_an_operation_the_first_that_fits_is_meant() {
    let fixture = Fixture::new().await;
    let order = |operation: &str| json!({"code": "WO-F", "operationCode": operation, "materialCode": "MAT-1001", "requestedQuantity": 1});
    fixture.send_batch("work-orders.sync", json!([order("010"), order("020")])).await;
    assert_eq!(make_order_move(&fixture, "begin", json!({})).await["operationCode"], "010");
    assert_eq!(make_order_move(&fixture, "begin", json!({})).await["operationCode"], "020");
    assert_eq!(make_order_move(&fixture, "pause", json!({"operationCode": "020"})).await["operationCode"], "020");
    assert_eq!(make_order_move(&fixture, "resume", json!({})).await["operationCode"], "020");
    assert_eq!(order_history(&fixture).await.len(), 4, "orders without dates weren't planned");
    let hours = fixture.resource_rows("labor-times").await;
    let open = hours.iter().filter(|row| row["end"].is_null() && row["workOrderCode"] == "WO-F");
    let badges: Vec<&Value> = open.map(|row| &row["employeeBadge"]).collect();
    assert!(badges.len() == 2 && badges[0] != badges[1], "nobody works on two orders at once");
}

#[tokio::test]
async fn alerts_are_raised_acknowledged_and_closed() {
    let fixture = Fixture::new().await;
    add_planned_order(&fixture).await;
    make_order_move(&fixture, "begin", json!({})).await;
    let raised = post_control(
        &fixture,
        "/alerts",
        json!({"workStationCode": "WS-12", "type": "Quality", "note": "<b>Look</b>"}),
    )
    .await;
    let alert = &raised.body["data"];
    assert_eq!((raised.status, &alert["status"], &alert["type"]), (200, &json!(0), &json!("Quality")));
    assert_eq!((&alert["workStation"], &alert["workOrderCode"]), (&json!("Measuring room"), &json!("WO-F")));
    let id = &alert["id"];
    let overview = Answer::read(fixture.control_request(Method::GET, "/overview").send().await.unwrap()).await.body;
    assert_eq!(find_row(overview["alerts"].as_array().unwrap(), &[("note", "<b>Look</b>")]).unwrap()["status"], 0.0);
    fixture.advance_clock(60);
    let acknowledged =
        post_control(&fixture, &format!("/alerts/{id}/acknowledge"), json!({})).await.body["data"].clone();
    assert_eq!((&acknowledged["status"], &acknowledged["closed"]), (&json!(1), &Value::Null));
    assert!(acknowledged["opened"].as_str() < acknowledged["acknowledged"].as_str());
    let twice = post_control(&fixture, &format!("/alerts/{id}/acknowledge"), json!({})).await;
    assert_eq!((twice.status, twice.body), (409, json!({"error": format!("Alert {id} is acknowledged already.")})));
    assert_eq!(post_control(&fixture, &format!("/alerts/{id}/close"), json!({})).await.body["data"]["status"], 2);
    let twice = post_control(&fixture, &format!("/alerts/{id}/close"), json!({})).await;
    assert_eq!((twice.status, twice.body), (409, json!({"error": format!("Alert {id} is closed already.")})));
    for (path, status) in
        [("/alerts/0/close", 404), ("/alerts/x/close", 404), ("/alerts/1/sing", 404), ("/alerts", 400)]
    {
        assert_eq!(post_control(&fixture, path, json!({})).await.status, status, "{path}");
    }
    assert_eq!(post_control(&fixture, "/alerts", json!({"workStationCode": "WS-99"})).await.status, 404);
    let unseen = post_control(&fixture, "/alerts", json!({"workStationCode": "WS-01"})).await.body["data"].clone();
    let closed =
        post_control(&fixture, &format!("/alerts/{}/close", unseen["id"]), json!({})).await.body["data"].clone();
    assert!(closed["acknowledged"].is_string(), "who closes an alert has seen it");
}

#[tokio::test]
async fn supplies_are_paid_once() {
    let fixture = Fixture::new().await;
    let supplies = fixture.resource_rows("material-supplies").await;
    assert_eq!(supplies.len(), 60);
    let open: Vec<&Value> = supplies.iter().filter(|supply| supply["isCompleted"] == false).collect();
    assert!(open.len() > 20 && open.len() < 60, "{}", open.len());
    assert!(supplies.iter().any(|supply| supply["operationCode"].is_null()));
    assert!(supplies.iter().any(|supply| supply["quantity"].as_f64().unwrap().fract() != 0.0));
    let id = &open[0]["id"];
    let paid = post_control(&fixture, &format!("/supplies/{id}/pay"), json!({})).await;
    assert_eq!((paid.status, &paid.body["data"]["isCompleted"]), (200, &json!(true)));
    let twice = post_control(&fixture, &format!("/supplies/{id}/pay"), json!({})).await;
    assert_eq!((twice.status, twice.body), (409, json!({"error": format!("Material supply {id} is paid already.")})));
    assert_eq!(post_control(&fixture, "/supplies/0/pay", json!({})).await.status, 404);
    let after = fixture.resource_rows("material-supplies").await;
    assert_eq!(find_row(&after, &[]).unwrap()["id"], supplies[0]["id"], "they keep their order");
    let overview = Answer::read(fixture.control_request(Method::GET, "/overview").send().await.unwrap()).await.body;
    assert_eq!(overview["supplies"].as_array().map(Vec::len), Some((open.len() - 1).min(50)));
}

#[tokio::test]
async fn batches_leave_a_line_for_each_moment() {
    let fixture = Fixture::new().await;
    add_planned_order(&fixture).await;
    let execution = async |item: Value| {
        let mut item = item;
        (item["code"], item["operationCode"]) = (json!("WO-F"), json!("010"));
        assert_eq!(fixture.send_batch("work-orders.execution", json!([item])).await.status, 200);
    };
    let dates = json!({"code": "WO-F", "operationCode": "010", "beginPlanned": "2026-11-20T11:00:00", "endPlanned": "2026-11-20T15:00:00"});
    fixture.send_batch("work-orders.planning-dates", json!([dates])).await;
    fixture.send_batch("work-orders.planning-dates", json!([dates])).await;
    execution(json!({"beginReal": "2026-11-20T08:00:00", "producedGoodQuantity": 3})).await;
    execution(json!({"statusDescription": "Paused"})).await;
    execution(json!({"note": "Nothing happened"})).await;
    execution(json!({"statusDescription": "In execution"})).await;
    execution(json!({"endReal": "2026-11-20T09:00:00", "producedBadQuantity": 1, "statusDescription": "Ended"})).await;
    let history = order_history(&fixture).await;
    let expected = [
        "WorkOrderPlanned",
        "WorkOrderPlanned",
        "WorkOrderExecutionBegin",
        "WorkOrderProducedQuantityUpdated",
        "WorkOrderExecutionPaused",
        "WorkOrderExecutionResumed",
        "WorkOrderProducedQuantityUpdated",
        "WorkOrderExecutionEnded",
    ];
    assert_eq!(event_names(&history), expected);
    assert!(history.iter().all(|line| line["userTrigger"] == "planner"));
}

#[tokio::test]
async fn what_changes_while_a_receiver_thinks_is_seen() {
    let fixture = Fixture::new().await;
    add_planned_order(&fixture).await;
    make_order_move(&fixture, "begin", json!({})).await;
    let receiver = Receiver::with_replies(vec![Reply::Delayed(Duration::from_millis(700), "{}".to_owned())]).await;
    fixture.add_target(&receiver.url);
    let (ended, paused) = tokio::join!(post_control(&fixture, "/work-orders/WO-F/end", json!({})), async {
        receiver.wait_for(1).await;
        // Other moves are possible while a check waits for its reply.
        make_order_move(&fixture, "pause", json!({})).await;
        make_order_move(&fixture, "reset", json!({})).await
    });
    assert_eq!(paused["statusDescription"], "Planned");
    let reason = "Work order WO-F can't be ended: operation 010 is planned.";
    assert_eq!((ended.status, ended.body), (409, json!({"error": reason})));
}
