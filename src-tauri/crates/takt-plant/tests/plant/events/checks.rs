//! Tests of checks (events 10 and 11) before an order ends or quantities are recorded, and of the effects of replies.

use std::time::Duration;

use serde_json::{Value, json};
use takt_plant::{DeliveryTiming, EventKind, Move, MoveError, OrderName, PlantConfig, Target};
use tokio::time::Instant;

use super::{payloads::check_payload, start_with_short_waits, target_at};
use crate::{
    event_receiver::{Receiver, Reply},
    fixture::{Fixture, config, find_row},
};

async fn running_order(fixture: &Fixture) -> OrderName {
    let orders = fixture.resource_rows("work-orders").await;
    let row = find_row(&orders, &[("statusDescription", "In execution")]).unwrap();
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    OrderName { code: text("code"), operation: Some(text("operationCode")) }
}

/// Returns the last planned order, whose station is free at its planned begin.
async fn planned_order(fixture: &Fixture) -> OrderName {
    let orders = fixture.resource_rows("work-orders").await;
    let row = orders.iter().rev().find(|order| order["statusDescription"] == "Planned").unwrap();
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    OrderName { code: text("code"), operation: Some(text("operationCode")) }
}

async fn order_status(fixture: &Fixture, order: &OrderName) -> Value {
    let orders = fixture.resource_rows("work-orders").await;
    let operation = order.operation.as_deref().unwrap();
    find_row(&orders, &[("code", &order.code), ("operationCode", operation)]).unwrap()["statusDescription"].clone()
}

fn check_target(url: &str) -> Target {
    Target { events: vec![EventKind::CanWorkOrderFinalize, EventKind::CanWorkOrderTrackQuantity], ..target_at(url) }
}

async fn end_order(fixture: &Fixture, order: &OrderName) -> Result<(), MoveError> {
    fixture.plant.plant().make_move(Move::End { order: order.clone() }).await.map(drop)
}

fn error_reply(errors: &Value) -> Reply {
    Reply::Body(json!({ "errors": errors }).to_string())
}

#[tokio::test]
async fn an_order_ends_where_everybody_allows_it() {
    let fixture = start_with_short_waits().await;
    let (first, second) = (
        Receiver::with_replies(vec![error_reply(&json!([]))]).await,
        Receiver::with_replies(vec![Reply::Status(204)]).await,
    );
    let silent = Receiver::new().await;
    for target in [check_target(&first.url), check_target(&second.url)] {
        fixture.plant.plant().add_target(target).unwrap();
    }
    fixture
        .plant
        .plant()
        .add_target(Target { events: vec![EventKind::ProductionAlert], ..target_at(&silent.url) })
        .unwrap();
    let order = running_order(&fixture).await;
    end_order(&fixture, &order).await.unwrap();
    assert_eq!(order_status(&fixture, &order).await, "Ended");
    for receiver in [&first, &second] {
        let received = receiver.wait_for(1).await;
        let payload = received[0].json();
        assert_eq!((received.len(), &payload["Id"]), (1, &json!(10)));
        check_payload(&payload);
        assert_eq!(payload["WorkOrders"][0]["Code"], order.code);
        assert_eq!(payload["WorkOrders"][0]["StatusDescription"], "In execution", "asked before it ends");
    }
    assert!(silent.received().is_empty(), "who doesn't want the question isn't asked");
    assert_eq!(fixture.wait_for("delivered", 2).await.len(), 2);
}

#[tokio::test]
async fn a_refusal_keeps_the_order_running() {
    let fixture = start_with_short_waits().await;
    let reasons = json!(["The last inspection is missing.", "Lot <b>7</b> is blocked."]);
    let (allows, refuses) = (Receiver::new().await, Receiver::with_replies(vec![error_reply(&reasons)]).await);
    let also = Receiver::with_replies(vec![error_reply(&json!(["No."]))]).await;
    for receiver in [&allows, &refuses, &also] {
        fixture.plant.plant().add_target(check_target(&receiver.url)).unwrap();
    }
    let order = running_order(&fixture).await;
    let before = fixture.resource_rows("work-orders").await;
    let refused = end_order(&fixture, &order).await.unwrap_err();
    let expected = ["The last inspection is missing.", "Lot <b>7</b> is blocked.", "No."].map(str::to_owned).to_vec();
    assert_eq!(refused, MoveError::Refused(expected.clone()));
    let track = Move::Track { order: order.clone(), good: 1.0, bad: 0.0 };
    assert_eq!(fixture.plant.plant().make_move(track).await.unwrap_err(), MoveError::Refused(expected));
    assert_eq!(allows.events(), [10, 11]);
    assert_eq!(fixture.resource_rows("work-orders").await, before, "nothing was changed");
    let delivered = fixture.wait_for("delivered", 6).await;
    let reasons: Vec<&Value> = delivered.iter().map(|delivery| &delivery["reason"]).collect();
    assert_eq!(
        reasons[..3],
        [&Value::Null, &json!("The last inspection is missing. Lot <b>7</b> is blocked."), &json!("No.")]
    );
}

#[tokio::test]
async fn an_answer_that_is_none_allows_and_is_seen() {
    for (reply, reason) in [
        (Reply::Body("<html>".to_owned()), "the answer has no list of errors"),
        (Reply::Body("{}".to_owned()), "the answer has no list of errors"),
        (error_reply(&json!("No.")), "the answer has no list of errors"),
        (error_reply(&json!([1])), "the answer has no list of errors"),
        (Reply::Body(format!("{{\"errors\":[\"{}\"]}}", "x".repeat(70_000))), "the answer is larger than 64 KB"),
        (Reply::Status(500), "500 Internal Server Error"),
        (Reply::Redirect("http://127.0.0.1:1/".to_owned()), "307 Temporary Redirect"),
        (Reply::Silence, "no answer within 0.4 s"),
        (Reply::Delayed(Duration::from_secs(3), "{\"errors\":[\"late\"]}".to_owned()), "no answer within 0.4 s"),
    ] {
        let fixture = start_with_short_waits().await;
        let receiver = Receiver::with_replies(vec![reply]).await;
        fixture.plant.plant().add_target(check_target(&receiver.url)).unwrap();
        let order = running_order(&fixture).await;
        end_order(&fixture, &order).await.unwrap();
        assert_eq!(order_status(&fixture, &order).await, "Ended");
        let failed = fixture.wait_for("failed", 1).await;
        assert_eq!((&failed[0]["reason"], &failed[0]["attempts"]), (&json!(reason), &json!(1)));
    }
}

#[tokio::test]
async fn one_answer_that_is_none_does_not_outvote_a_refusal() {
    let fixture = start_with_short_waits().await;
    let (garbage, refuses) = (
        Receiver::with_replies(vec![Reply::Silence]).await,
        Receiver::with_replies(vec![error_reply(&json!(["No."]))]).await,
    );
    fixture.plant.plant().add_target(check_target(&garbage.url)).unwrap();
    fixture.plant.plant().add_target(check_target(&refuses.url)).unwrap();
    let order = running_order(&fixture).await;
    assert_eq!(end_order(&fixture, &order).await.unwrap_err(), MoveError::Refused(vec!["No.".to_owned()]));
    assert_eq!(order_status(&fixture, &order).await, "In execution");
}

#[tokio::test]
async fn a_dead_receiver_is_left_alone_for_a_while() {
    let delivery_timing = DeliveryTiming {
        retry_waits: Vec::new(),
        response_timeout: Duration::from_millis(300),
        check_pause: Duration::from_secs(4),
    };
    let fixture = Fixture::with_config(PlantConfig { delivery_timing: Some(delivery_timing), ..config() }).await;
    let receiver = Receiver::with_replies(vec![Reply::Silence]).await;
    fixture.plant.plant().add_target(check_target(&receiver.url)).unwrap();
    let order = running_order(&fixture).await;
    let track = || fixture.plant.plant().make_move(Move::Track { order: order.clone(), good: 1.0, bad: 0.0 });
    for _ in 0..6 {
        track().await.unwrap();
    }
    assert_eq!(receiver.received().len(), 1);
    let failed = fixture.deliveries("failed").await;
    assert_eq!(failed[1]["reason"], "not asked, since its last check failed within 4 s: no answer within 0.3 s");
    receiver.set_reply(error_reply(&json!(["No."])));
    let asked_again = async {
        loop {
            if let Err(error) = track().await {
                return error;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let error = tokio::time::timeout(Duration::from_secs(60), asked_again).await.unwrap();
    assert_eq!(error, MoveError::Refused(vec!["No.".to_owned()]));
}

#[tokio::test]
async fn the_contract_says_how_long_an_answer_may_take() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::with_replies(vec![Reply::Silence]).await;
    fixture.plant.plant().add_target(check_target(&receiver.url)).unwrap();
    let order = running_order(&fixture).await;
    let begin = Instant::now();
    end_order(&fixture, &order).await.unwrap();
    assert!((5..9).contains(&begin.elapsed().as_secs()), "{:?}", begin.elapsed());
    assert_eq!(fixture.deliveries("failed").await[0]["reason"], "no answer within 5 s");
}

#[tokio::test]
async fn the_plant_answers_others_while_it_asks() {
    let delivery_timing = DeliveryTiming {
        retry_waits: Vec::new(),
        response_timeout: Duration::from_secs(600),
        check_pause: Duration::from_secs(10),
    };
    let fixture = Fixture::with_config(PlantConfig { delivery_timing: Some(delivery_timing), ..config() }).await;
    let receiver = Receiver::with_replies(vec![Reply::Silence]).await;
    fixture.plant.plant().add_target(check_target(&receiver.url)).unwrap();
    let order = running_order(&fixture).await;
    let ending = {
        let (plant, order) = (fixture.plant.plant().clone(), order.clone());
        tokio::spawn(async move { plant.make_move(Move::End { order }).await })
    };
    receiver.wait_for(1).await;
    let sent = fixture.send_batch("materials.sync", json!([{ "code": "X", "description": "Y" }])).await;
    assert_eq!((sent.status, order_status(&fixture, &order).await), (200, json!("In execution")));
    // Otherwise the plant would wait ten minutes for the reply.
    tokio::time::timeout(Duration::from_secs(60), fixture.plant.stop()).await.unwrap();
    assert!(ending.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_question_on_demand_is_only_shown() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::with_replies(vec![
        error_reply(&json!(["Not", "now."])),
        error_reply(&json!([])),
        Reply::Body("?".to_owned()),
    ])
    .await;
    fixture.add_target(&receiver.url);
    for _ in 0..3 {
        fixture.fire_event(11).await;
    }
    let delivered = fixture.wait_for("delivered", 2).await;
    assert_eq!((&delivered[0]["reason"], &delivered[1]["reason"]), (&json!("Not now."), &Value::Null));
    let failed = fixture.wait_for("failed", 1).await;
    assert_eq!((&failed[0]["reason"], &failed[0]["attempts"]), (&json!("the answer has no list of errors"), &json!(1)));
}

/// A check is sent after earlier events of its operation, even if they are slow or retried.
#[tokio::test]
async fn a_question_waits_for_what_happened_before_it() {
    let late = || Reply::Delayed(Duration::from_millis(150), String::new());
    for (replies, expected) in [
        (vec![late(), error_reply(&json!([]))], vec![2, 10, 4]),
        (vec![Reply::Status(500), Reply::Status(503), Reply::Status(200)], vec![2, 2, 2, 10, 4]),
        (vec![Reply::Status(500), Reply::Status(503), Reply::Status(404), Reply::Status(200)], vec![2, 2, 2, 10, 4]),
    ] {
        let fixture = start_with_short_waits().await;
        let order = planned_order(&fixture).await;
        let receiver = Receiver::with_replies(replies).await;
        fixture.add_target(&receiver.url);
        fixture.plant.plant().make_move(Move::Begin { order: order.clone() }).await.unwrap();
        end_order(&fixture, &order).await.unwrap();
        receiver.wait_for(expected.len()).await;
        assert_eq!(receiver.events(), expected);
    }
}

/// A receiver that doesn't reply to events doesn't delay the floor. It is sent no check before it has received earlier
/// events.
#[tokio::test]
async fn a_receiver_that_lags_behind_is_not_asked() {
    let fixture = start_with_short_waits().await;
    let order = planned_order(&fixture).await;
    let receiver = Receiver::with_replies(vec![Reply::Silence]).await;
    fixture.add_target(&receiver.url);
    fixture.plant.plant().make_move(Move::Begin { order: order.clone() }).await.unwrap();
    end_order(&fixture, &order).await.unwrap();
    let failed = fixture.wait_for("failed", 1).await;
    let question = failed.iter().find(|delivery| delivery["event"] == 10).unwrap();
    assert_eq!(question["reason"], "not asked, since what happened before is not delivered yet");
    assert!(!receiver.events().contains(&10));
}

/// A check doesn't wait for events of other operations.
#[tokio::test]
async fn a_question_does_not_wait_for_other_operations() {
    let fixture = start_with_short_waits().await;
    let (other, order) = (planned_order(&fixture).await, running_order(&fixture).await);
    let receiver = Receiver::with_replies(vec![Reply::Silence, error_reply(&json!(["No."]))]).await;
    fixture.add_target(&receiver.url);
    fixture.plant.plant().make_move(Move::Begin { order: other }).await.unwrap();
    receiver.wait_for(1).await;
    assert_eq!(end_order(&fixture, &order).await.unwrap_err(), MoveError::Refused(vec!["No.".to_owned()]));
}
