//! Compares the floor according to events with the plant, over days that are simulated from a seed.

mod order;
mod states;

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use takt_engine::{
    inbox::Receiver,
    shop_floor::{Floor, FloorState, StationState},
};
use takt_plant::{DeliveryState, Move, OrderName, PlantConfig, RunningPlant, Target};
use takt_test_support::{
    inbox_fixture::{Fixture, SITE},
    setup::{start_plant, wait_for_events},
};

/// Each order operation's station and state, in the plant's words.
type OrderStates = BTreeMap<(String, String), (String, String)>;

async fn start_seeded_plant(seed: u64, receiver: &Receiver) -> RunningPlant {
    let config = PlantConfig { seed, time_zone: "Europe/Berlin".to_owned(), ..PlantConfig::default() };
    let plant = start_plant(config).await;
    plant.plant().add_target(Target { url: receiver.url(), secret: None, events: Vec::new() }).unwrap();
    plant
}

async fn wait_until_events_are_sent(plant: &RunningPlant) {
    wait_for_events(plant).await;
    assert!(plant.plant().deliveries(Some(DeliveryState::Failed), 1).is_empty());
}

async fn load_floor(fixture: &Fixture) -> Floor {
    fixture.engine.floor().view(SITE).await.unwrap()
}

fn plant_floor(plant: &RunningPlant) -> OrderStates {
    let stations = plant.plant().overview().stations.into_iter();
    stations
        .flat_map(|station| {
            let code = station.code;
            station.current.into_iter().map(move |order| {
                ((order.code, order.operation_code), (code.clone(), order.status_description.to_lowercase()))
            })
        })
        .collect()
}

fn inbox_floor(floor: &Floor) -> OrderStates {
    let orders = floor.stations.iter().flat_map(|station| station.orders.iter().map(move |order| (station, order)));
    orders
        .filter(|(_, order)| order.state != FloorState::Seen)
        .map(|(station, order)| {
            let state = if order.state == FloorState::Running { "in execution" } else { "paused" };
            ((order.code.clone(), order.operation.clone()), (station.code.clone(), state.to_owned()))
        })
        .collect()
}

#[tokio::test]
async fn after_a_day_the_floor_is_the_plants() {
    for seed in [1, 7, 2026] {
        let fixture = Fixture::new();
        let receiver = fixture.receive().await;
        let plant = start_seeded_plant(seed, &receiver).await;
        let before = plant_floor(&plant);
        let alarms_before: BTreeSet<_> =
            plant.plant().overview().alerts.into_iter().map(|alert| alert.work_station_code).collect();
        plant.plant().advance_time(SignedDuration::from_hours(10)).await.unwrap();
        wait_until_events_are_sent(&plant).await;
        let (held, floor) = (plant_floor(&plant), load_floor(&fixture).await);
        let known = inbox_floor(&floor);
        assert!(!known.is_empty(), "seed {seed}: something is on the floor at any hour");
        for (order, place) in &known {
            assert_eq!(held.get(order), Some(place), "seed {seed}: {order:?}");
        }
        for (order, place) in &held {
            let is_old = before.get(order) == Some(place);
            assert!(is_old || known.get(order) == Some(place), "seed {seed}: {order:?} {place:?}");
        }
        let alarms: BTreeSet<_> =
            plant.plant().overview().alerts.into_iter().map(|alert| alert.work_station_code).collect();
        for station in &floor.stations {
            let is_alarmed = station.state == StationState::Alarm;
            assert!(!is_alarmed || alarms.contains(&station.code), "seed {seed}: {station:?}");
            assert!(
                is_alarmed || !alarms.contains(&station.code) || alarms_before.contains(&station.code),
                "{station:?}"
            );
        }
        assert!(floor.stations.is_sorted_by_key(|station| station.state), "what matters first");
        assert_eq!((floor.behind, floor.zone.as_str()), (0, "Europe/Berlin"));
        plant.stop().await;
        receiver.stop().await;
    }
}

#[tokio::test]
async fn an_orders_way_is_followed_move_by_move() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let plant = start_seeded_plant(3, &receiver).await;
    let next = plant.plant().overview().stations.into_iter().find_map(|station| {
        let order = station.next.into_iter().next()?;
        Some((station.code, OrderName { code: order.code, operation: Some(order.operation_code) }))
    });
    let (station, order) = next.unwrap();
    let named = || order.clone();
    let moves = [
        (Move::Begin { order: named() }, Some(FloorState::Running)),
        (Move::Pause { order: named(), reason: Some("Coffee".to_owned()) }, Some(FloorState::Paused)),
        (Move::Resume { order: named() }, Some(FloorState::Running)),
        (Move::Track { order: named(), good: 3.0, bad: 1.0 }, Some(FloorState::Running)),
        (Move::Reset { order: named() }, None),
        (Move::Begin { order: named() }, Some(FloorState::Running)),
        (Move::End { order: named() }, None),
    ];
    for (number, (wanted, state)) in moves.into_iter().enumerate() {
        plant.plant().make_move(wanted.clone()).await.unwrap();
        wait_until_events_are_sent(&plant).await;
        let floor = load_floor(&fixture).await;
        let found = floor.stations.iter().flat_map(|station| &station.orders).find(|known| known.code == order.code);
        assert_eq!(found.map(|found| found.state), state, "{number}: {wanted:?}");
        assert!(found.is_none_or(|found| found.station.as_ref() == Some(&station) && found.late == 0), "{found:?}");
        if number == 3 {
            assert_eq!(found.map(|found| (found.good, found.bad)), Some((Some(3.0), Some(1.0))));
        }
    }
    let order_events = fixture.engine.floor().order_events(SITE, &order.code).await.unwrap();
    let turns: Vec<_> =
        order_events.events.iter().filter_map(|event| event.turn).map(|turn| format!("{turn:?}")).collect();
    assert_eq!(turns, ["Running", "Paused", "Running", "Planned", "Running", "Ended"], "{order_events:?}");
    assert!(order_events.events.is_sorted_by_key(|event| event.line.id) && order_events.orders.len() == 1);
    assert_eq!((order_events.orders[0].state, order_events.total), (FloorState::Ended, 9), "two of them asked");
    plant.stop().await;
    receiver.stop().await;
}
