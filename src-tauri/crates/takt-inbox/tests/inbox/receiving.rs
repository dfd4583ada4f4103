//! Events are on disk before the response, once, and unchanged.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_engine::{
    Code,
    inbox::{EventQuery, EventState, ReceiverOptions, SignatureState},
};
use takt_plant::{EventKind, PlantConfig, Target};
use takt_test_support::{
    event_sender::{post, request},
    inbox_fixture::{Fixture, SITE},
    setup::start_plant,
};

#[tokio::test]
async fn every_event_of_the_plant_is_received_read_and_believed() {
    let fixture = Fixture::new();
    fixture.engine.inbox().set_secrets(SITE, &["new".to_owned(), "our secret".to_owned()]).unwrap();
    let receiver = fixture.receive().await;
    let plant = start_plant(PlantConfig::default()).await;
    let target = Target { url: receiver.url(), secret: Some("our secret".to_owned()), events: Vec::new() };
    plant.plant().add_target(target).unwrap();
    for kind in EventKind::ALL {
        plant.plant().send_event(kind, None).unwrap();
    }
    let patience = Instant::now() + Duration::from_secs(30);
    while fixture.events().await.len() < 12 {
        assert!(Instant::now() < patience, "{:?}", fixture.events().await.len());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let events = fixture.events().await;
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, (0..12).map(Some).collect::<Vec<_>>(), "in the order in which they happened");
    for event in &events {
        assert_eq!(
            (event.state, event.signed, event.copies),
            (EventState::Sound, SignatureState::Valid, 0),
            "{event:?}"
        );
        assert!(event.station.is_some() && event.names.is_some(), "{event:?}");
        assert_eq!(event.order.is_some(), event.kind != Some(0), "{event:?}");
        let body: Value = serde_json::from_str(&fixture.event(event.id).await.body).unwrap();
        assert_eq!(body["Id"], json!(event.kind));
    }
    plant.stop().await;
    receiver.stop().await;
}

#[tokio::test]
async fn who_asks_is_answered_and_who_tells_is_not() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    assert_eq!(post(&receiver.url(), &[], br#"{"Id":10}"#).await, (200, r#"{"errors":[]}"#.to_owned()));
    assert_eq!(post(&receiver.url(), &[], br#"{"Id":2}"#).await, (200, String::new()));
    let states: Vec<_> = fixture.events().await.iter().map(|event| event.state).collect();
    assert_eq!(states, [EventState::Odd, EventState::Odd], "members are missing");
    let detail = fixture.event(1).await;
    assert!(detail.oddity.unwrap().contains("Description"));
}

#[tokio::test]
async fn a_byte_order_mark_before_an_event_hides_nothing_of_it() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let event = r#"{"Id": 2, "WorkStationCode": "WS-1", "WorkStation": "Saw"}"#;
    for body in [event.to_owned(), format!("\u{feff}{event}")] {
        assert_eq!(post(&receiver.url(), &[], body.as_bytes()).await.0, 200);
    }
    let events = fixture.events().await;
    let decoded: Vec<_> = events.iter().map(|event| (event.kind, event.station.clone(), event.state)).collect();
    assert_eq!(decoded.len(), 2);
    assert_eq!(decoded[0], decoded[1]);
    assert_eq!(decoded[0].1.as_deref(), Some("WS-1"));
    receiver.stop().await;
}

#[tokio::test]
async fn what_comes_again_is_counted() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let body = br#"{"Id":2,"WorkOrders":[{"Code":"WO-1"}]}"#;
    for _ in 0..3 {
        assert_eq!(post(&url, &[("X-Takt-Delivery", "run-1")], body).await.0, 200);
    }
    assert_eq!(post(&url, &[("X-Takt-Delivery", "run-2")], body).await.0, 200, "the same once more, but another one");
    assert_eq!(
        post(&url, &[("X-Takt-Delivery", "run-1")], br#"{"Id":3}"#).await.0,
        200,
        "an id that is used twice hides nothing"
    );
    for _ in 0..2 {
        assert_eq!(post(&url, &[], body).await.0, 200, "without an id the bytes tell");
    }
    fixture.advance_clock(11 * 60);
    assert_eq!(post(&url, &[], body).await.0, 200, "later the same bytes are another event");
    let copies: Vec<_> = fixture.events().await.iter().map(|event| event.copies).collect();
    assert_eq!(copies, [2, 0, 0, 1, 0]);
    assert_eq!(fixture.event(1).await.copies.len(), 2);
}

#[tokio::test]
async fn what_is_not_believed_is_kept_and_marked() {
    let fixture = Fixture::new();
    fixture.engine.inbox().set_secrets(SITE, &["our secret".to_owned()]).unwrap();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    assert_eq!(post(&url, &[], b"{}").await.0, 401);
    let now = jiff::Timestamp::now().as_second().to_string();
    let wrong = [("x-takt-signature", "sha256=00ff"), ("x-takt-timestamp", now.as_str())];
    assert_eq!(post(&url, &wrong, b"{}").await.0, 401);
    assert_eq!(post(&url, &[wrong[0], ("x-takt-timestamp", "soon")], b"{}").await.0, 401);
    let signed: Vec<_> = fixture.events().await.iter().map(|event| event.signed).collect();
    assert_eq!(signed, [SignatureState::Missing, SignatureState::Wrong, SignatureState::Unreadable]);
}

#[tokio::test]
async fn secrets_change_while_events_come() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    assert_eq!((receiver.site(), receiver.address().ip().is_loopback()), (SITE, true));
    assert_eq!(post(&receiver.url(), &[], b"{}").await.0, 200, "nobody signs");
    fixture.engine.inbox().add_secret(SITE, "first").unwrap();
    fixture.engine.inbox().add_secret(SITE, "first").unwrap();
    fixture.engine.inbox().add_secret(SITE, "second").unwrap();
    assert_eq!(fixture.engine.inbox().secret_count(SITE).unwrap(), 2, "the same twice is one");
    assert_eq!(fixture.engine.inbox().practice_secret(), None, "another site's is not given out");
    assert_eq!(post(&receiver.url(), &[], b"[1]").await.0, 200, "what runs knows nothing of it yet");
    fixture.engine.inbox().reload_secrets(&receiver);
    assert_eq!(post(&receiver.url(), &[], b"[2]").await.0, 401);
    for _ in 0..2 {
        fixture.engine.inbox().remove_secret(SITE, 0).unwrap();
    }
    fixture.engine.inbox().remove_secret(SITE, 7).unwrap();
    fixture.engine.inbox().reload_secrets(&receiver);
    assert_eq!(fixture.engine.inbox().secret_count(SITE).unwrap(), 0);
    assert_eq!(post(&receiver.url(), &[], b"[3]").await.0, 200, "nobody signs again");
}

#[tokio::test]
async fn only_the_secret_address_takes_events_and_it_stays_the_same() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let (host, path) = url.rsplit_once('/').unwrap();
    assert!(path.len() >= 20, "{path}");
    for elsewhere in
        [format!("{host}/"), format!("{host}/events"), format!("{url}x"), format!("{host}/{}", path.to_uppercase())]
    {
        assert_eq!(post(&elsewhere, &[], b"{}").await.0, 404, "{elsewhere}");
    }
    assert_eq!(request("GET", &url, &[], b"").await.0, 405);
    assert_eq!(post(&url, &[], &vec![b' '; 9 * 1024 * 1024]).await.0, 413);
    assert_eq!((receiver.refused_counts().elsewhere, receiver.refused_counts().unreadable), (5, 1));
    assert!(fixture.events().await.is_empty());
    receiver.stop().await;
    let fixture = fixture.reopen();
    assert!(fixture.receive().await.url().ends_with(path), "what was registered once goes on");
}

#[tokio::test]
async fn an_address_that_is_taken_is_said() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let address = receiver.url().trim_start_matches("http://").split('/').next().unwrap().parse().unwrap();
    let problem =
        fixture.engine.inbox().receive(SITE, ReceiverOptions { listen: address, secrets: None }).await.unwrap_err();
    assert_eq!(problem.code, Code::ListenFailed);
    assert_eq!(
        fixture.engine.inbox().receive("nowhere", ReceiverOptions::default()).await.unwrap_err().code,
        Code::Unknown
    );
}

#[tokio::test]
async fn what_can_not_be_written_down_is_refused_and_nothing_is_lost() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let health = format!("http://{}/health", receiver.address());
    assert_eq!(post(&receiver.url(), &[], b"{\"Id\":1}").await.0, 200);
    assert_eq!(request("GET", &health, &[], b"").await, (200, r#"{"status":"pass"}"#.to_owned()));
    // Another program locks the file for longer than any timeout.
    let file = rusqlite::Connection::open(fixture.home.path().join("inbox.sqlite")).unwrap();
    file.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let (status, _) = post(&receiver.url(), &[], b"{\"Id\":2}").await;
    assert_eq!(status, 503);
    assert_eq!(request("GET", &health, &[], b"").await, (503, r#"{"status":"fail"}"#.to_owned()));
    file.execute_batch("ROLLBACK").unwrap();
    assert_eq!(receiver.refused_counts().not_kept, 1);
    assert_eq!(post(&receiver.url(), &[], b"{\"Id\":2}").await.0, 200, "whoever tries again is heard");
    assert_eq!(request("GET", &health, &[], b"").await.0, 200);
    assert_eq!((post(&health, &[], b"{}").await.0, receiver.refused_counts().elsewhere), (404, 1));
    assert_eq!(fixture.events().await.len(), 2);
}

#[tokio::test]
async fn time_without_a_receiver_is_a_gap() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let patience = Instant::now() + Duration::from_secs(10);
    receiver.stop().await;
    fixture.advance_clock(3600);
    let fixture = fixture.reopen();
    let _receiver = fixture.receive().await;
    while fixture.engine.inbox().gaps().unwrap().is_empty() {
        assert!(Instant::now() < patience, "no gap");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let gaps = fixture.engine.inbox().gaps().unwrap();
    assert_eq!((gaps.len(), gaps[0].asleep, gaps[0].site.as_str()), (1, false, SITE));
}

#[tokio::test]
async fn an_event_is_found_by_what_it_says() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let event = |kind: i64, station: &str, order: &str, note: &str| {
        json!({ "Id": kind, "WorkStationCode": station, "EmployeeBadge": "B-7", "WorkOrders": [{ "Code": order, "Note": note }] }).to_string()
    };
    for (kind, station, order, note) in [
        (2, "WS-1", "WO-1", "Grüße <img onerror=1>"),
        (3, "WS-1", "WO-2", "waits"),
        (2, "WS-2", "WO-2", "grusse"),
        (77, "WS-2", "", ""),
    ] {
        assert_eq!(post(&url, &[], event(kind, station, order, note).as_bytes()).await.0, 200);
    }
    assert_eq!(post(&url, &[], b"not even JSON").await.0, 200);
    let found = async |query: EventQuery| {
        let list = fixture.engine.inbox().list(&query, 0, 100).await.unwrap();
        assert_eq!(list.total as usize, list.rows.len());
        list.rows.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let all = EventQuery::default;
    assert_eq!(found(EventQuery { text: Some("gruße".to_owned()), ..all() }).await, [1]);
    assert_eq!(found(EventQuery { text: Some("even".to_owned()), ..all() }).await, [5]);
    assert_eq!(found(EventQuery { order: Some("WO-2".to_owned()), ..all() }).await, [3, 2]);
    assert_eq!(found(EventQuery { kinds: vec![2], station: Some("WS-2".to_owned()), ..all() }).await, [3]);
    assert_eq!(found(EventQuery { employee: Some("B-7".to_owned()), up_to: Some(2), ..all() }).await, [2, 1]);
    assert_eq!(found(EventQuery { states: vec![EventState::Unknown, EventState::Malformed], ..all() }).await, [5, 4]);
    assert_eq!(found(EventQuery { since: Some("2999-01-01T00:00:00Z".to_owned()), ..all() }).await, [] as [i32; 0]);
    let wrong = EventQuery { since: Some("yesterday".to_owned()), ..all() };
    assert_eq!(fixture.engine.inbox().list(&wrong, 0, 1).await.unwrap_err().code, Code::InvalidInput);
}
