//! Events are validated against the interface description: types, forms, required members, and unknown members.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use takt_engine::inbox::EventState;
use takt_plant::{EventKind, PlantConfig, Target};
use takt_test_support::{event_sender::post, inbox_fixture::Fixture, setup::start_plant};

/// Returns an event of each kind from the practice plant, in the order of their numbers.
async fn sound_events(fixture: &Fixture) -> Vec<Value> {
    let receiver = fixture.receive().await;
    let plant = start_plant(PlantConfig::default()).await;
    plant.plant().add_target(Target { url: receiver.url(), secret: None, events: Vec::new() }).unwrap();
    for kind in EventKind::ALL {
        plant.plant().send_event(kind, None).unwrap();
    }
    let patience = Instant::now() + Duration::from_secs(30);
    while fixture.events().await.len() < EventKind::ALL.len() {
        assert!(Instant::now() < patience, "{:?}", fixture.events().await.len());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut events = Vec::new();
    for event in fixture.events().await {
        assert_eq!(event.state, EventState::Sound, "{:?}", fixture.event(event.id).await.oddity);
        events.push(serde_json::from_str(&fixture.event(event.id).await.body).unwrap());
    }
    plant.stop().await;
    receiver.stop().await;
    events
}

fn object_mut(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().unwrap()
}

#[tokio::test]
async fn what_is_not_as_described_is_marked_and_said_with_its_place() {
    let fixture = Fixture::new();
    let sound = sound_events(&fixture).await;
    let receiver = fixture.receive().await;
    type Change = fn(&mut Value);
    let changes: [(usize, Change, &str); 22] = [
        (2, |event| event["WorkOrders"][0]["BeginReal"] = json!("yesterday"), "WorkOrders.0.BeginReal must be a date"),
        (
            2,
            |event| event["WorkOrders"][0]["BeginReal"] = json!("2026-13-45T06:00:00"),
            "WorkOrders.0.BeginReal must be a date",
        ),
        (2, |event| event["WorkOrders"][0]["EndReal"] = json!("soon"), "WorkOrders.0.EndReal must be a date"),
        (
            2,
            |event| event["WorkOrders"][0]["BeginPlanned"] = json!(1_800_000_000),
            "WorkOrders.0.BeginPlanned must be text",
        ),
        (2, |event| event["WorkOrders"][0]["PromiseDate"] = json!("next week"), "WorkOrders.0.PromiseDate"),
        (
            3,
            |event| event["WorkOrders"][0]["LaborPredictedTime"] = json!("1h"),
            "WorkOrders.0.LaborPredictedTime must be a duration",
        ),
        (
            3,
            |event| event["WorkOrders"][0]["MachinePredictedTime"] = json!("01:75:00"),
            "WorkOrders.0.MachinePredictedTime must be a duration",
        ),
        (
            3,
            |event| event["WorkOrders"][0]["RequestedQuantity"] = json!("5"),
            "WorkOrders.0.RequestedQuantity must be a number",
        ),
        (4, |event| drop(object_mut(&mut event["WorkOrders"][0]).remove("Code")), "WorkOrders.0.Code is missing"),
        (
            4,
            |event| {
                event["WorkOrders"][0]["Properties"] =
                    json!([{ "Key": "a", "Value": 1, "Name": null, "IsLocked": null }])
            },
            "WorkOrders.0.Properties.0.Value must be text",
        ),
        (2, |event| event["WorkOrders"] = json!(null), "WorkOrders must be a list"),
        (2, |event| event["WorkOrders"] = json!([]), "WorkOrders must not be empty"),
        (2, |event| drop(object_mut(event).remove("WorkOrders")), "WorkOrders is missing"),
        (10, |event| event["WorkOrders"] = json!(null), "WorkOrders must be a list"),
        (2, |event| drop(object_mut(event).remove("EmployeeBadge")), "EmployeeBadge is missing"),
        (2, |event| event["WorkStation"] = json!(null), "WorkStation must be text"),
        (0, |event| event["ProductionAlert"] = json!(null), "ProductionAlert must be an object"),
        (0, |event| event["ProductionAlert"]["Status"] = json!(1.5), "ProductionAlert.Status must be a whole number"),
        (0, |event| event["ProductionAlert"]["Opened"] = json!("06:00"), "ProductionAlert.Opened must be a date"),
        (8, |event| event["MaterialSupplies"] = json!(null), "MaterialSupplies must be a list"),
        (
            8,
            |event| event["MaterialSupplies"][0]["IsCompleted"] = json!("yes"),
            "MaterialSupplies.0.IsCompleted must be true or false",
        ),
        (8, |event| event["EmployeeBadge"] = json!("B-7"), "EmployeeBadge isn't part of this event"),
    ];
    for (kind, change, said) in changes {
        let mut event = sound[kind].clone();
        change(&mut event);
        assert_eq!(post(&receiver.url(), &[], event.to_string().as_bytes()).await.0, 200);
        let stored = fixture.events().await.pop().unwrap();
        let oddity = fixture.event(stored.id).await.oddity;
        assert_eq!(stored.state, EventState::Odd, "{said}: {oddity:?}");
        let oddity = oddity.unwrap();
        assert!(oddity.contains(said), "{said}: {oddity}");
        assert_eq!(oddity.matches(". ").count(), 0, "one thing is wrong, and one is told: {oddity}");
    }
    // The interface description allows these changes.
    let allowed: [(usize, Change); 6] = [
        (2, |event| event["WorkOrders"][0]["EndReal"] = json!(null)),
        (2, |event| event["WorkOrders"][0]["BeginReal"] = json!("2026-11-23T06:00:00.5Z")),
        (2, |event| event["WorkOrders"][0]["PromiseDate"] = json!("")),
        (2, |event| event["WorkOrders"][0]["LaborPredictedTime"] = json!("100:00:00.1234567")),
        (2, |event| event["UserTrigger"] = json!(null)),
        (0, |event| event["Color"] = json!("red")),
    ];
    for (kind, change) in allowed {
        let mut event = sound[kind].clone();
        change(&mut event);
        assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", "own")], event.to_string().as_bytes()).await.0, 200);
        let stored = fixture.events().await.pop().unwrap();
        assert_eq!(stored.state, EventState::Sound, "{:?}", fixture.event(stored.id).await.oddity);
    }
    // Of many errors only some are listed, with a note that there are more.
    let many: Vec<Value> = (0..50_000).map(|_| json!({})).collect();
    let event = json!({ "Id": 2, "WorkOrders": many }).to_string();
    assert_eq!(post(&receiver.url(), &[], event.as_bytes()).await.0, 200);
    let stored = fixture.events().await.pop().unwrap();
    let oddity = fixture.event(stored.id).await.oddity.unwrap();
    assert!(stored.state == EventState::Odd && oddity.ends_with("There are more differences."), "{oddity}");
    receiver.stop().await;
}
