//! Tests Standard Webhooks. The plant's signatures are accepted, and each signed request is stored as one event. That
//! also holds if the site's contract defines another signature scheme.

use std::time::{Duration, Instant};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::Sha256;
use takt_engine::{
    Canceller, Code,
    contracts::AssumptionEdit,
    inbox::{Destination, Replay, SignatureState},
};
use takt_plant::{DeliveryState, EventKind, PlantConfig, Target};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE},
    setup::start_plant,
};

const KEY: &[u8] = b"twenty-four bytes of a key";

fn secret() -> String {
    format!("whsec_{}", BASE64_STANDARD.encode(KEY))
}

fn signature(id: &str, timestamp: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY).unwrap();
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

#[tokio::test]
async fn one_signed_request_is_one_event_whatever_else_it_says() {
    let fixture = Fixture::new();
    fixture.engine.inbox().set_secrets(SITE, &[secret()]).unwrap();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let (body, now) = (br#"{"Id":2}"#, Timestamp::now().as_second());
    let (timestamp, signed) = (now.to_string(), signature("msg_1", now, body));
    let own = [("webhook-id", "msg_1"), ("webhook-timestamp", &timestamp), ("webhook-signature", &signed)];
    assert_eq!(post(&url, &own, body).await.0, 200);
    for other in ["msg_2", "msg_3", "", "msg_1.", "takt-replay-msg_1"] {
        let mut headers = own;
        headers[0].1 = other;
        assert_eq!(post(&url, &headers, body).await.0, 401, "{other}");
    }
    for beside in [("x-takt-delivery", "another"), ("takt-replay", "7"), ("x-takt-timestamp", "1")] {
        let headers: Vec<_> = own.into_iter().chain([beside]).collect();
        assert_eq!(post(&url, &headers, body).await.0, 200, "{beside:?}");
    }
    let believed: Vec<_> =
        fixture.events().await.into_iter().filter(|event| event.signed == SignatureState::Valid).collect();
    assert_eq!(believed.len(), 1, "{believed:?}");
    assert_eq!((believed[0].copies, believed[0].replay), (3, false));
    let problem = fixture.engine.inbox().add_secret(SITE, "whsec_short").unwrap_err();
    assert_eq!((problem.code, problem.parameters["what"].as_str()), (Code::InvalidInput, "whsec_…"));
    receiver.stop().await;
}

#[tokio::test]
async fn the_plant_signs_so_and_a_replay_is_an_event_of_its_own() {
    let fixture = Fixture::new();
    fixture.engine.inbox().set_secrets(SITE, &[secret()]).unwrap();
    let receiver = fixture.receive().await;
    let plant = start_plant(PlantConfig::default()).await;
    let target = Target { url: receiver.url(), secret: Some(secret()), events: Vec::new() };
    plant.plant().add_target(target).unwrap();
    plant.plant().send_event(EventKind::ALL[2], None).unwrap();
    let patience = Instant::now() + Duration::from_secs(30);
    while fixture.events().await.is_empty() {
        assert!(Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(fixture.event(1).await.line.signed, SignatureState::Valid);
    let replay = Replay {
        site: None,
        events: vec![1],
        to: Destination::Address { address: receiver.url(), allow_http: false },
        per_second: 100.0,
    };
    let mut taken = Vec::new();
    for _ in 0..2 {
        fixture.engine.inbox().replay(&replay, &Canceller::new(), |one| taken.push(one.is_accepted())).await.unwrap();
    }
    assert_eq!(taken, [true, true]);
    let events: Vec<_> =
        fixture.events().await.iter().map(|event| (event.signed, event.replay, event.copies)).collect();
    assert_eq!(events, [(SignatureState::Valid, false, 0), (SignatureState::Valid, true, 1)]);
    plant.stop().await;
    receiver.stop().await;
}

/// A fixture whose site's contract has these assumptions, and whose receiver requires the secret.
fn fixture_with_assumptions(secret: &str, assumptions: &[(&str, Value)]) -> Fixture {
    let fixture = Fixture::new();
    let edit = |(id, value): &(&str, Value)| AssumptionEdit { id: (*id).to_owned(), value: value.clone() };
    let edits: Vec<AssumptionEdit> = assumptions.iter().map(edit).collect();
    if !edits.is_empty() {
        fixture.engine.contracts().replace_assumptions(SITE, &edits).unwrap();
    }
    fixture.engine.inbox().set_secrets(SITE, &[secret.to_owned()]).unwrap();
    fixture
}

#[tokio::test]
async fn the_plant_signs_as_the_contract_that_it_follows_has_it() {
    let secret = "It's a Secret to Everybody";
    let schemes = [
        json!({
            "headers": { "delivery": "X-GitHub-Delivery", "signature": "X-Hub-Signature-256" },
            "signing": { "covers": ["body"], "prefix": "sha256=" },
        }),
        json!({
            "headers": { "delivery": "X-Id", "timestamp": "X-Time", "signature": "X-Sign" },
            "signing": { "covers": ["timestamp", "id", "body"], "prefix": "v0=" },
        }),
    ];
    for scheme in schemes {
        let reply = json!({ "body": { "ok": "$allowed", "why": "$reason" } });
        let assumed = [("event-delivery", scheme), ("validation-reply", reply)];
        let (same, usual) = (fixture_with_assumptions(secret, &assumed), fixture_with_assumptions(secret, &[]));
        let (accepting, refusing) = (same.receive().await, usual.receive().await);
        let contract = Some(same.engine.sites().contract(SITE).unwrap());
        let plant = start_plant(PlantConfig { contract, ..PlantConfig::default() }).await;
        for url in [accepting.url(), refusing.url()] {
            plant.plant().add_target(Target { url, secret: Some(secret.to_owned()), events: Vec::new() }).unwrap();
        }
        // The second event waits for an answer, and the answer has the form of the contract.
        for kind in [EventKind::ALL[2], EventKind::ALL[10]] {
            plant.plant().send_event(kind, None).unwrap();
        }
        let patience = Instant::now() + Duration::from_secs(60);
        let delivered = || plant.plant().deliveries(Some(DeliveryState::Delivered), 10).len();
        while delivered() < 2 || usual.events().await.is_empty() {
            let deliveries = plant.plant().deliveries(None, 10);
            assert!(Instant::now() < patience, "{deliveries:?} {:?}", usual.events().await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for event in same.events().await {
            assert_eq!(event.signed, SignatureState::Valid, "{event:?}");
        }
        for event in usual.events().await {
            assert_eq!(event.signed, SignatureState::Missing, "{event:?}");
        }
        plant.stop().await;
        accepting.stop().await;
        refusing.stop().await;
    }
}
