//! Tests of deliveries to targets: order, retries, signatures and recorded outcomes.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;
use takt_plant::{DeliveryTiming, EventKind, PlantConfig, Target};
use tokio::{net::TcpListener, time::sleep};

use super::{payloads::check_payload, start_with_short_waits, target_at};
use crate::{
    event_receiver::{ReceivedRequest, Receiver, Reply},
    fixture::{Answer, Fixture, config},
};

fn delivery_parts(delivery: &Value) -> (&str, i64, &Value) {
    (delivery["state"].as_str().unwrap(), delivery["attempts"].as_i64().unwrap(), &delivery["reason"])
}

/// Returns an address at which no server listens.
async fn unused_address() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

#[tokio::test]
async fn a_target_gets_its_events_in_order() {
    let fixture = start_with_short_waits().await;
    let receiver =
        Receiver::with_replies(vec![Reply::Status(503), Reply::Status(200), Reply::Status(500), Reply::Status(200)])
            .await;
    fixture.add_target(&receiver.url);
    let order = [4, 2, 9, 1, 0, 8, 3, 7, 5, 6, 10, 11];
    for event in order {
        fixture.fire_event(event).await;
    }
    // The first two events were each sent twice.
    let expected: Vec<i64> = [4, 4, 2, 2].into_iter().chain(order[2..].iter().copied()).collect();
    receiver.wait_for(expected.len()).await;
    assert_eq!(receiver.events(), expected);
    let delivered = fixture.wait_for("delivered", order.len()).await;
    let attempts: Vec<i64> = delivered.iter().map(|delivery| delivery["attempts"].as_i64().unwrap()).collect();
    assert_eq!(attempts, [2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
}

#[tokio::test]
async fn one_that_fails_twice_is_delivered_at_last() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::with_replies(vec![Reply::Status(500), Reply::Status(404), Reply::Status(204)]).await;
    fixture.add_target(&receiver.url);
    fixture.fire_event(3).await;
    let received = receiver.wait_for(3).await;
    let numbers: Vec<&str> = received.iter().map(|one| one.header("x-takt-attempt")).collect();
    assert_eq!(numbers, ["1", "2", "3"]);
    let same = |of: fn(&ReceivedRequest) -> Vec<u8>| received.iter().all(|one| of(one) == of(&received[0]));
    assert!(same(|one| one.bytes.to_vec()) && same(|one| one.header("x-takt-delivery").as_bytes().to_vec()));
    assert!(received.iter().all(|one| one.method == Method::POST && one.uri == "/hook"));
    assert!(received.iter().all(|one| one.header("x-takt-signature").is_empty()), "without a secret nothing is signed");
    let delivered = fixture.wait_for("delivered", 1).await;
    assert_eq!(delivery_parts(&delivered[0]), ("delivered", 3, &Value::Null));
    assert_eq!(delivered[0]["target"], receiver.url);
}

#[tokio::test]
async fn one_that_is_given_up_says_why_and_lets_the_next_go() {
    let fixture = start_with_short_waits().await;
    let refuses = vec![Reply::Status(404), Reply::Status(500), Reply::Status(418), Reply::Status(200)];
    let receiver = Receiver::with_replies(refuses).await;
    fixture.add_target(&receiver.url);
    fixture.fire_event(3).await;
    fixture.fire_event(7).await;
    receiver.wait_for(4).await;
    assert_eq!(receiver.events(), [3, 3, 3, 7]);
    let failed = fixture.wait_for("failed", 1).await;
    assert_eq!(delivery_parts(&failed[0]), ("failed", 3, &json!("418 I'm a teapot")));
    assert_eq!(fixture.wait_for("delivered", 1).await[0]["event"], 7);

    let id = failed[0]["id"].as_i64().unwrap();
    let one = fixture.get_control(&format!("/events/{id}")).await;
    assert_eq!((one.status, &one.body["body"]), (200, &receiver.received()[0].json()));
    check_payload(&one.body["body"]);
    assert_eq!(fixture.post_control(&format!("/events/{id}/retry"), json!({})).await.status, 202);
    let again = receiver.wait_for(5).await.pop().unwrap();
    assert_eq!((again.header("x-takt-attempt"), again.event()), ("4", 3));
    assert_eq!(again.header("x-takt-delivery"), receiver.received()[0].header("x-takt-delivery"));
    fixture.wait_for("delivered", 2).await;
    let answer = fixture.post_control(&format!("/events/{id}/retry"), json!({})).await;
    assert_eq!((answer.status, answer.body), (412, json!({ "errors": ["The delivery has not failed."] })));
    for path in ["/events/99999/retry", "/events/x/retry", "/events/-1/retry"] {
        assert_eq!(fixture.post_control(path, json!({})).await.status, 404, "{path}");
    }
    for path in ["/events/99999", "/events/1.5"] {
        assert_eq!(fixture.get_control(path).await.status, 404, "{path}");
    }
    assert_eq!(fixture.get_control("/events?state=lost").await.status, 400);
}

#[tokio::test]
async fn every_failure_has_its_reason() {
    let fixture = start_with_short_waits().await;
    let elsewhere = Receiver::new().await;
    let hanging = Receiver::with_replies(vec![Reply::Silence]).await;
    let redirecting = Receiver::with_replies(vec![Reply::Redirect(elsewhere.url.clone())]).await;
    let down = unused_address().await;
    let unknown = "http://nobody.invalid/".to_owned();
    let encrypted = elsewhere.url.replace("http:", "https:");
    let urls = [&hanging.url, &redirecting.url, &down, &unknown, &encrypted];
    for url in urls {
        fixture.add_target(url);
    }
    fixture.fire_event(5).await;
    let failed = fixture.wait_for("failed", urls.len()).await;
    let reason = |url: &str| {
        let delivery = failed.iter().find(|delivery| delivery["target"] == url).unwrap();
        assert_eq!(delivery["attempts"], 3, "{delivery}");
        delivery["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason(&hanging.url), "no answer within 0.4 s");
    assert_eq!(reason(&redirecting.url), "307 Temporary Redirect");
    assert_eq!(reason(&down), "connection refused");
    assert!(!reason(&unknown).is_empty() && !reason(&encrypted).is_empty());
    assert!(elsewhere.received().is_empty(), "no redirect is followed");
}

#[tokio::test]
async fn an_answer_of_two_megabytes_is_no_trouble() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::with_replies(vec![Reply::Body("x".repeat(2 * 1024 * 1024))]).await;
    fixture.add_target(&receiver.url);
    for event in [1, 2, 3] {
        fixture.fire_event(event).await;
    }
    let delivered = fixture.wait_for("delivered", 3).await;
    assert!(delivered.iter().all(|delivery| delivery["attempts"] == 1));
    fixture.fire_event(10).await;
    let failed = fixture.wait_for("failed", 1).await;
    assert_eq!(delivery_parts(&failed[0]), ("failed", 1, &json!("the answer is larger than 64 KB")));
}

#[tokio::test]
async fn each_target_gets_what_it_wants() {
    let fixture = start_with_short_waits().await;
    let (alerts, orders, all) = (Receiver::new().await, Receiver::new().await, Receiver::new().await);
    let only = |url: &str, events: Value| json!({ "url": url, "events": events });
    let add = async |post_control: Value| fixture.post_control("/targets", post_control).await;
    assert_eq!(add(only(&alerts.url, json!([0]))).await.body, json!({ "id": 1 }));
    assert_eq!(add(only(&orders.url, json!(["WorkOrderExecutionBegin", 4]))).await.body, json!({ "id": 2 }));
    assert_eq!(add(json!({ "url": all.url, "secret": "hush" })).await.body, json!({ "id": 3 }));
    for event in 0..12 {
        fixture.fire_event(event).await;
    }
    fixture.wait_for("delivered", 15).await;
    assert_eq!((alerts.events(), orders.events(), all.events()), (vec![0], vec![2, 4], (0..12).collect()));
    let targets = fixture.get_control("/targets").await;
    assert_eq!(
        targets.body["data"],
        json!([
            { "id": 1, "url": alerts.url, "signed": false, "events": [0] },
            { "id": 2, "url": orders.url, "signed": false, "events": [2, 4] },
            { "id": 3, "url": all.url, "signed": true, "events": [] },
        ])
    );
    for wrong in [
        json!({ "url": "ftp://127.0.0.1/" }),
        json!({ "url": "file:///etc/passwd" }),
        json!({ "url": "somewhere" }),
        json!({ "url": "" }),
        json!({ "events": [1] }),
        json!({ "url": all.url, "events": [12] }),
    ] {
        assert_eq!(add(wrong.clone()).await.status, 400, "{wrong}");
    }
    let gone = Answer::read(fixture.control_request(Method::DELETE, "/targets/2").send().await.unwrap()).await;
    assert_eq!((gone.status, gone.body), (200, json!({ "removed": true })));
    for path in ["/targets/2", "/targets/x"] {
        let answer = Answer::read(fixture.control_request(Method::DELETE, path).send().await.unwrap()).await;
        assert_eq!((answer.status, answer.body), (404, json!({ "error": "There is no such target." })));
    }
}

#[tokio::test]
async fn what_is_signed_can_be_verified() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::new().await;
    let secret = "s3cret ✓";
    let signed = Target { secret: Some(secret.to_owned()), ..target_at(&receiver.url) };
    fixture.plant.plant().add_target(signed.clone()).unwrap();
    fixture.advance_clock(100);
    fixture.fire_event(2).await;
    let received = receiver.wait_for(1).await.remove(0);
    assert_eq!(received.header("x-takt-timestamp"), "1795165300", "the clock outside");
    let verifies = |secret: &str, timestamp: &str, body: &[u8]| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(timestamp.as_bytes());
        mac.update(b".");
        mac.update(body);
        let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        received.header("x-takt-signature") == format!("sha256={hex}")
    };
    assert!(verifies(secret, "1795165300", &received.bytes));
    assert!(!verifies("another", "1795165300", &received.bytes));
    assert!(!verifies(secret, "1795165301", &received.bytes));
    assert!(!verifies(secret, "1795165300", &received.bytes[1..]));
    fixture.wait_for("delivered", 1).await;
    let shown = format!("{signed:?} {:?}", fixture.plant.plant());
    let reported =
        format!("{} {}", fixture.get_control("/events").await.body, fixture.get_control("/targets").await.body);
    let overview = fixture.get_control("/overview").await.body.to_string();
    assert!(![shown, reported, overview].iter().any(|text| text.contains("s3cret")));
}

#[tokio::test]
async fn a_password_in_an_address_is_used_and_not_shown() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::new().await;
    let id = fixture.add_target(&receiver.url.replace("http://", "http://erp:pa55@"));
    fixture.fire_event(2).await;
    assert_eq!(receiver.wait_for(1).await[0].header("authorization"), "Basic ZXJwOnBhNTU=");
    let shown = format!("{:?} {}", fixture.plant.plant().targets(), fixture.get_control("/events").await.body);
    assert!(id == 1 && !shown.contains("pa55") && shown.contains("erp:"), "{shown}");
}

#[tokio::test]
async fn a_target_can_go_while_much_waits_for_it() {
    let fixture = start_with_short_waits().await;
    let hanging = Receiver::with_replies(vec![Reply::Silence]).await;
    let other = Receiver::new().await;
    let id = fixture.add_target(&hanging.url);
    fixture.add_target(&other.url);
    for _ in 0..200 {
        fixture.plant.plant().send_event(EventKind::WorkOrderPlanned, None).unwrap();
    }
    hanging.wait_for(1).await;
    assert!(fixture.plant.plant().remove_target(id) && !fixture.plant.plant().remove_target(id));
    let failed = fixture.deliveries("failed").await;
    assert_eq!(failed.len(), 200);
    assert!(failed.iter().all(|delivery| delivery["reason"] == "the target was removed"));
    let path = format!("/events/{}/retry", failed[0]["id"]);
    assert_eq!(fixture.post_control(&path, json!({})).await.body, json!({ "errors": ["Its target was removed."] }));
    fixture.wait_for("delivered", 200).await;
    assert_eq!(hanging.received().len(), 1);
}

#[tokio::test]
async fn a_queue_that_is_full_says_so() {
    let hanging = Receiver::with_replies(vec![Reply::Silence]).await;
    let delivery_timing = DeliveryTiming {
        retry_waits: Vec::new(),
        response_timeout: Duration::from_secs(600),
        check_pause: Duration::from_secs(10),
    };
    let targets = vec![target_at(&hanging.url)];
    let patient =
        Fixture::with_config(PlantConfig { targets, delivery_timing: Some(delivery_timing), ..config() }).await;
    for _ in 0..10_003 {
        patient.plant.plant().send_event(EventKind::ProductionAlert, None).unwrap();
    }
    let failed = patient.deliveries("failed").await;
    assert_eq!(failed.len(), 3);
    assert!(failed.iter().all(|delivery| delivery_parts(delivery) == ("failed", 0, &json!("queue full"))));
    assert_eq!(patient.deliveries("waiting").await.len(), 10_000);
    // Otherwise the plant would wait ten minutes for the response.
    tokio::time::timeout(Duration::from_secs(60), patient.plant.stop()).await.unwrap();
}

#[tokio::test]
async fn a_reset_forgets_deliveries_and_keeps_targets() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::with_replies(vec![Reply::Silence]).await;
    fixture.add_target(&receiver.url);
    for event in [1, 2, 3] {
        fixture.fire_event(event).await;
    }
    receiver.wait_for(1).await;
    fixture.plant.plant().reset().unwrap();
    assert_eq!(fixture.get_control("/events").await.body["data"], json!([]));
    receiver.set_reply(Reply::Status(200));
    fixture.fire_event(9).await;
    let delivered = fixture.wait_for("delivered", 1).await;
    assert_eq!((&delivered[0]["event"], &delivered[0]["attempts"]), (&json!(9), &json!(1)));
    assert_eq!(receiver.events(), [1, 9], "what waited is not sent any more");
    assert_eq!(fixture.deliveries("waiting").await.len(), 0);
}

#[tokio::test]
async fn without_a_target_it_is_noted_and_bounded() {
    let fixture = start_with_short_waits().await;
    for _ in 0..600 {
        fixture.plant.plant().send_event(EventKind::WorkOrderReset, None).unwrap();
    }
    let untold = fixture.deliveries("untold").await;
    assert_eq!((untold.len(), &untold[0]["id"]), (500, &json!(101)));
    assert_eq!(delivery_parts(&untold[0]), ("untold", 0, &Value::Null));
    let one = fixture.get_control("/events/600").await.body;
    assert_eq!((&one["target"], &one["body"]), (&Value::Null, &Value::Null));
    let overview = fixture.plant.plant().overview();
    assert_eq!((overview.deliveries.len(), overview.deliveries[0].id, overview.targets.len()), (50, 600, 0));
}

#[tokio::test]
async fn targets_of_the_configuration_are_told_from_the_start() {
    let receiver = Receiver::new().await;
    let other = Target { events: vec![EventKind::ProductionAlert], ..target_at(&receiver.url) };
    let fixture =
        Fixture::with_config(PlantConfig { targets: vec![target_at(&receiver.url), other], ..config() }).await;
    fixture.fire_event(0).await;
    assert_eq!(receiver.wait_for(2).await.len(), 2);
    let wrong = PlantConfig { targets: vec![target_at("gopher://127.0.0.1/")], ..config() };
    let error = takt_plant::Plant::new(wrong).unwrap_err().to_string();
    assert_eq!(error, "`gopher://127.0.0.1/` is not an http or https address to which events can be sent");
}

#[test]
fn a_plant_outside_of_a_runtime_tells_once_it_is_within_one() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let receiver = runtime.block_on(Receiver::new());
    let plant = takt_plant::Plant::new(PlantConfig { targets: vec![target_at(&receiver.url)], ..config() }).unwrap();
    plant.send_event(EventKind::WorkOrderPlanned, None).unwrap();
    assert_eq!(plant.deliveries(None, 10).len(), 1);
    runtime.block_on(async {
        sleep(Duration::from_millis(20)).await;
        assert!(receiver.received().is_empty());
        plant.send_event(EventKind::ProductionAlert, None).unwrap();
        receiver.wait_for(2).await;
    });
    assert_eq!(receiver.events(), [1, 0]);
}

#[tokio::test]
async fn what_is_signed_as_standard_webhooks_covers_the_delivery() {
    let fixture = start_with_short_waits().await;
    let receiver = Receiver::new().await;
    // The secret after the prefix is this key in base64.
    let key: Vec<u8> = (0..24).collect();
    let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX".to_owned();
    fixture.plant.plant().add_target(Target { secret: Some(secret), ..target_at(&receiver.url) }).unwrap();
    fixture.fire_event(2).await;
    let received = receiver.wait_for(1).await.remove(0);
    let (id, timestamp) = (received.header("webhook-id"), received.header("webhook-timestamp"));
    assert_eq!((id, timestamp.len()), (received.header("x-takt-delivery"), 10));
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(&received.bytes);
    let signed = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, mac.finalize().into_bytes());
    assert_eq!(received.header("webhook-signature"), format!("v1,{signed}"));
    assert!(received.header("x-takt-signature").is_empty());

    let unusable = Target { secret: Some("whsec_?".to_owned()), ..target_at(&receiver.url) };
    fixture.plant.plant().add_target(unusable).unwrap();
    fixture.fire_event(3).await;
    let failed = fixture.wait_for("failed", 1).await;
    assert_eq!(failed[0]["reason"], "the secret can't be a key");
}
