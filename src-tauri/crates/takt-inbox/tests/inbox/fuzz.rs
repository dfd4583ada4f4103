//! Arbitrary bytes are stored unchanged, and nothing crashes.

use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use takt_test_support::{event_sender::post, inbox_fixture::Fixture};

const SEED: u64 = 20_261_122;
const EVENTS: usize = 400;

#[tokio::test]
#[ignore = "long: thousands of requests"]
async fn any_bytes_are_kept_and_read_without_falling_over() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let mut dice = StdRng::seed_from_u64(SEED);
    println!("seed {SEED}");
    let mut sent = Vec::new();
    for at in 0..EVENTS {
        let body = corrupted_body(&mut dice);
        let id = format!("{at}");
        let (status, _) = post(&receiver.url(), &[("X-Takt-Delivery", &id)], &body).await;
        assert_eq!(status, 200, "{:?}", String::from_utf8_lossy(&body));
        sent.push(body);
    }
    let events = fixture.events().await;
    assert_eq!(events.len(), EVENTS);
    let file = rusqlite::Connection::open(fixture.home.path().join("inbox.sqlite")).unwrap();
    for (event, body) in events.iter().zip(&sent) {
        let stored: Vec<u8> =
            file.query_row("SELECT body FROM event WHERE id = ?1", [event.id], |row| row.get(0)).unwrap();
        assert_eq!(&stored, body, "event {}", event.id);
        let detail = fixture.event(event.id).await;
        assert_eq!(detail.bytes as usize, body.len());
    }
}

/// Returns an event that was corrupted: cut, with changed bytes, exchanged members or deep nesting, or no event at all.
fn corrupted_body(dice: &mut StdRng) -> Vec<u8> {
    let mut event = json!({
        "Id": dice.random_range(-2..14), "Description": "Execution begins", "WorkStation": "Press", "WorkStationCode": "WS-01",
        "UserTrigger": null, "EmployeeBadge": "B-1", "ProductionAlert": null, "MaterialSupplies": null,
        "WorkOrders": [{ "Id": 1, "Code": "WO-1", "OperationCode": "010", "PromiseDate": "", "BeginReal": "2026-11-22T06:00:00Z",
            "LaborPredictedTime": "25:00:00.1234567", "Note": "<script>alert(1)</script>", "Properties": [] }],
    });
    for _ in 0..dice.random_range(0..4) {
        change_member(&mut event, dice);
    }
    let mut bytes = event.to_string().into_bytes();
    match dice.random_range(0..8) {
        0 => bytes.truncate(dice.random_range(0..=bytes.len())),
        1 => {
            for _ in 0..dice.random_range(1..20) {
                let at = dice.random_range(0..bytes.len());
                bytes[at] = dice.random();
            }
        }
        2 => bytes = (0..dice.random_range(0..3000)).map(|_| dice.random()).collect(),
        3 => bytes = "[".repeat(dice.random_range(1..20_000)).into_bytes(),
        4 => bytes.extend(b" trailing"),
        _ => {}
    }
    bytes
}

/// Changes or removes a random member.
fn change_member(value: &mut Value, dice: &mut StdRng) {
    let odd = [
        json!(null),
        json!(""),
        json!(1e300),
        json!(-1),
        json!("\u{0}\u{202E}"),
        json!([]),
        json!({}),
        json!([[{}]]),
        json!(true),
    ];
    match value {
        Value::Object(members) if !members.is_empty() && dice.random_bool(0.8) => {
            let at = dice.random_range(0..members.len());
            let Some(name) = members.keys().nth(at).cloned() else { return };
            if dice.random_bool(0.2) {
                members.remove(&name);
            } else if let Some(member) = members.get_mut(&name) {
                change_member(member, dice);
            }
        }
        Value::Array(parts) if !parts.is_empty() && dice.random_bool(0.8) => {
            let at = dice.random_range(0..parts.len());
            change_member(&mut parts[at], dice);
        }
        _ => *value = odd[dice.random_range(0..odd.len())].clone(),
    }
}
