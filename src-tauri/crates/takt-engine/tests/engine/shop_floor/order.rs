//! Tests of late, repeated and unverified events, and of recomputing the floor.

use serde_json::{Value, json};
use takt_engine::shop_floor::{Floor, FloorOrderView, FloorState, StationState};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE},
};

const UNSET_TIME: &str = "0001-01-01T00:00:00";

/// An event of the order WO-1, operation 10, on station WS-1.
fn event(id: u32, begun: &str, ended: Option<&str>, good: f64) -> Value {
    json!({ "Id": id, "WorkStationCode": "WS-1", "WorkStation": "Saw", "EmployeeBadge": "77", "WorkOrders": [{
        "Code": "WO-1", "OperationCode": "10", "BeginReal": begun, "EndReal": ended, "RequestedQuantity": 10,
        "ProducedGoodQuantity": good, "ProducedBadQuantity": 0, "StatusDescription": "so", "ProducedQuantityHistory": [],
    }] })
}

fn alert(opened: &str, closed: &str) -> Value {
    json!({ "Id": 0, "WorkStationCode": "WS-1", "ProductionAlert": {
        "Id": 5, "Type": "Help", "Note": "<b>oil</b>", "Status": 0, "Opened": opened, "Acknowledged": UNSET_TIME, "Closed": closed,
    } })
}

async fn send(url: &str, number: &mut u32, event: &Value) {
    *number += 1;
    let delivery = format!("run-{number}");
    assert_eq!(post(url, &[("X-Takt-Delivery", &delivery)], event.to_string().as_bytes()).await.0, 200);
}

async fn load_floor(fixture: &Fixture) -> Floor {
    fixture.engine.floor().view(SITE).await.unwrap()
}

fn find_order(floor: &Floor) -> Option<&FloorOrderView> {
    floor.stations.iter().flat_map(|station| &station.orders).find(|order| order.code == "WO-1")
}

#[tokio::test]
async fn late_events_are_marked_and_change_no_state() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let (url, mut number) = (receiver.url(), 0);
    let (first, second) = ("2026-01-02T08:00:00", "2026-01-02T10:00:00");
    let way = [
        // The pause arrives before the begin.
        (event(3, first, None, 2.0), Some(FloorState::Paused), 0),
        (event(2, first, None, 0.0), Some(FloorState::Paused), 1),
        (event(4, first, Some("2026-01-02T09:00:00"), 5.0), None, 1),
        // An event from before the end doesn't begin it again.
        (event(7, first, None, 2.0), None, 2),
        (event(5, UNSET_TIME, None, 0.0), None, 2),
        (event(2, second, None, 0.0), Some(FloorState::Running), 2),
        // An event of the previous run.
        (event(3, first, None, 2.0), Some(FloorState::Running), 3),
        (event(1, second, None, 0.0), Some(FloorState::Running), 3),
        (event(9, second, None, 4.0), Some(FloorState::Running), 3),
    ];
    for (number_of, (event, state, late)) in way.iter().enumerate() {
        send(&url, &mut number, event).await;
        let floor = load_floor(&fixture).await;
        assert_eq!(find_order(&floor).map(|order| order.state), *state, "{number_of}");
        let order_events = fixture.engine.floor().order_events(SITE, "WO-1").await.unwrap();
        assert_eq!(
            (order_events.orders[0].late, order_events.events.iter().filter(|event| event.late).count()),
            (*late, *late as usize)
        );
    }
    let floor = load_floor(&fixture).await;
    let order = find_order(&floor).unwrap();
    assert_eq!((order.good, order.since.as_deref()), (Some(4.0), Some("2026-01-02T09:00:00Z")), "Berlin's ten o'clock");
    assert_eq!(order.employee.as_deref(), Some("77"));
}

#[tokio::test]
async fn who_plans_an_order_is_not_its_operator() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let (url, mut number) = (receiver.url(), 0);
    let begun = "2026-01-02T08:00:00";
    send(&url, &mut number, &event(2, begun, None, 0.0)).await;
    let mut planned = event(1, begun, None, 0.0);
    planned["EmployeeBadge"] = json!("1");
    send(&url, &mut number, &planned).await;
    let floor = load_floor(&fixture).await;
    let order = find_order(&floor).unwrap();
    assert_eq!((order.employee.as_deref(), order.state), (Some("77"), FloorState::Running));
}

#[tokio::test]
async fn a_begin_may_come_after_what_moves_nothing_and_dates_tell_what_did_not_come() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let (url, mut number) = (receiver.url(), 0);
    let (first, second, third) = ("2026-01-02T08:00:00", "2026-01-02T10:00:00", "2026-01-02T12:00:00");
    let way = [
        (event(1, UNSET_TIME, None, 0.0), None, ""),
        // An event that expects an answer arrives before the begin.
        (event(11, first, None, 1.0), Some(FloorState::Seen), "2026-01-02T07:00:00Z"),
        (event(2, first, None, 0.0), Some(FloorState::Running), "2026-01-02T07:00:00Z"),
        (event(9, first, Some("2026-01-02T09:00:00"), 5.0), None, ""),
        (event(9, second, None, 6.0), Some(FloorState::Seen), "2026-01-02T09:00:00Z"),
        (event(2, second, None, 5.0), Some(FloorState::Running), "2026-01-02T09:00:00Z"),
        // Its end was never received.
        (event(11, third, None, 7.0), Some(FloorState::Running), "2026-01-02T09:00:00Z"),
        (event(2, third, None, 7.0), Some(FloorState::Running), "2026-01-02T09:00:00Z"),
        (event(4, third, Some("2026-01-02T13:00:00"), 9.0), None, ""),
    ];
    for (at, (event, state, since)) in way.iter().enumerate() {
        send(&url, &mut number, event).await;
        let floor = load_floor(&fixture).await;
        let found = find_order(&floor);
        assert_eq!(found.map(|order| order.state), *state, "{at}");
        assert_eq!(found.map_or("", |order| order.since.as_deref().unwrap_or_default()), *since, "{at}");
        assert_eq!(found.map_or(0, |order| order.late), 0, "{at}");
    }
    receiver.stop().await;
}

#[tokio::test]
async fn unverified_events_change_nothing_and_duplicates_count_once() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let body = event(2, "2026-01-02T08:00:00", None, 0.0).to_string();
    for _ in 0..3 {
        assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", "one")], body.as_bytes()).await.0, 200);
    }
    let pause = event(3, "2026-01-02T08:00:00", None, 0.0).to_string();
    assert_eq!(post(&receiver.url(), &[("Takt-Replay", "1")], pause.as_bytes()).await.0, 200);
    for nonsense in ["{\"Id\":3}", "nonsense", "{\"Id\":99,\"WorkStationCode\":\"WS-9\"}"] {
        assert_eq!(post(&receiver.url(), &[], nonsense.as_bytes()).await.0, 200);
    }
    receiver.stop().await;
    fixture.engine.inbox().set_secrets(SITE, &["our secret".to_owned()]).unwrap();
    let receiver = fixture.receive().await;
    assert_eq!(post(&receiver.url(), &[], pause.as_bytes()).await.0, 401);
    let floor = load_floor(&fixture).await;
    assert_eq!(find_order(&floor).map(|order| (order.state, order.late)), Some((FloorState::Running, 0)));
    assert_eq!(floor.stations.iter().map(|station| station.code.as_str()).collect::<Vec<_>>(), ["WS-1"]);
}

#[tokio::test]
async fn an_alert_is_open_until_it_is_closed_and_order_does_not_matter() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let (url, mut number) = (receiver.url(), 0);
    send(&url, &mut number, &alert("2026-01-02T08:00:00", UNSET_TIME)).await;
    let open = load_floor(&fixture).await;
    assert_eq!(open.stations[0].state, StationState::Alarm);
    assert_eq!(open.stations[0].alerts[0].opened, "2026-01-02T07:00:00Z");
    send(&url, &mut number, &alert("2026-01-02T08:00:00", "2026-01-02T08:05:00Z")).await;
    send(&url, &mut number, &alert("2026-01-02T08:00:00", UNSET_TIME)).await;
    let closed = load_floor(&fixture).await;
    assert_eq!((closed.stations[0].state, closed.stations[0].alerts.len()), (StationState::Unknown, 0));
}

#[tokio::test]
async fn the_floor_is_made_again_from_what_came() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let (url, mut number) = (receiver.url(), 0);
    for minute in 0..250_u32 {
        let begun = format!("2026-01-02T{:02}:{:02}:00", 8 + minute / 60, minute % 60);
        let mut event = event([2, 3, 7, 9][minute as usize % 4], &begun, None, f64::from(minute));
        event["WorkOrders"][0]["Code"] = json!(format!("WO-{}", minute % 9));
        event["WorkStationCode"] = json!(format!("WS-{}", minute % 5));
        send(&url, &mut number, &event).await;
    }
    send(&url, &mut number, &alert("2026-01-02T08:00:00", UNSET_TIME)).await;
    receiver.stop().await;
    let made = load_floor(&fixture).await;
    let file = rusqlite::Connection::open(fixture.home.path().join("inbox.sqlite")).unwrap();
    let bent = "UPDATE floor SET reader = 0; UPDATE floor_order SET state = 'ended', late = 9; DELETE FROM floor_alert;
         INSERT INTO floor_station VALUES ('Works', 'WS-77', NULL, 1, 1);";
    file.execute_batch(bent).unwrap();
    let fixture = fixture.reopen();
    let again = load_floor(&fixture).await;
    assert_eq!(again.stations, made.stations, "what an older reader made is thrown away");
    assert!(again.stations.iter().any(|station| !station.orders.is_empty()));
    // A newer reader's state isn't changed.
    file.execute_batch("UPDATE floor SET reader = 999, event = 1; UPDATE floor_order SET late = 77").unwrap();
    let theirs = load_floor(&fixture.reopen()).await;
    assert!(theirs.stations.iter().flat_map(|station| &station.orders).all(|order| order.late == 77));
}
