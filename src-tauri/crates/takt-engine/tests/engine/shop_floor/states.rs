//! Compares each station's state with the plant's, at many times of a day that is simulated from a seed. Includes
//! orders that began before the receiver ran or during its outages.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::Value;
use takt_core::site_time::parse_site_timestamp;
use takt_engine::{
    Canceller,
    browse::BrowseQuery,
    inbox::{Receiver, ReceiverOptions},
    shop_floor::{Floor, FloorState, FloorStationView, StationState},
};
use takt_plant::{Move, OrderName, PlantConfig, RunningPlant, Target};
use takt_test_support::{
    inbox_fixture::Fixture,
    setup::{sign_in, start_plant, wait_for_events},
};

const SITE: &str = "practice";
const HALF_AN_HOUR: SignedDuration = SignedDuration::from_mins(30);

/// The operations at each station, and whether each is paused. Stations without operations are missing.
type StationOrders = BTreeMap<String, BTreeMap<(String, String), FloorState>>;

fn plant_station_orders(plant: &RunningPlant) -> StationOrders {
    let stations = plant.plant().overview().stations.into_iter().filter(|station| !station.current.is_empty());
    stations
        .map(|station| {
            let orders = station.current.into_iter().map(|order| {
                let is_paused = order.status_description == "Paused";
                let state = if is_paused { FloorState::Paused } else { FloorState::Running };
                ((order.code, order.operation_code), state)
            });
            (station.code, orders.collect())
        })
        .collect()
}

fn floor_station_orders(floor: &Floor) -> StationOrders {
    let stations = floor.stations.iter().filter(|station| !station.orders.is_empty());
    stations
        .map(|station| {
            let orders =
                station.orders.iter().map(|order| ((order.code.clone(), order.operation.clone()), order.state));
            (station.code.clone(), orders.collect())
        })
        .collect()
}

/// Returns the open alerts per station, with their types.
fn plant_alerts(plant: &RunningPlant) -> BTreeMap<String, Vec<String>> {
    let mut alerts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for alert in plant.plant().overview().alerts {
        alerts.entry(alert.work_station_code).or_default().push(alert.kind);
    }
    alerts.values_mut().for_each(|types| types.sort());
    alerts
}

fn floor_alerts(floor: &Floor) -> BTreeMap<String, Vec<String>> {
    let with_alerts = floor.stations.iter().filter(|station| !station.alerts.is_empty());
    let types = |station: &FloorStationView| {
        let mut types: Vec<String> = station.alerts.iter().filter_map(|alert| alert.kind.clone()).collect();
        types.sort();
        types
    };
    with_alerts.map(|station| (station.code.clone(), types(station))).collect()
}

/// Asserts that every station's state, alerts and orders equal the plant's.
fn assert_stations_match(floor: &Floor, plant: &RunningPlant, context: &str) {
    assert_eq!(floor_alerts(floor), plant_alerts(plant), "{context}");
    let expected = plant_station_orders(plant);
    assert_eq!(floor_station_orders(floor), expected, "{context}");
    for station in &floor.stations {
        let orders_at_station = expected.get(&station.code);
        let runs = orders_at_station.is_some_and(|orders| orders.values().any(|state| *state == FloorState::Running));
        let state = match orders_at_station {
            None => StationState::Idle,
            Some(_) if runs => StationState::Running,
            Some(_) => StationState::Paused,
        };
        assert!(station.state == state || station.state == StationState::Alarm, "{context}: {station:?}");
    }
    assert_eq!(floor.stations.len(), plant.plant().overview().stations.len(), "{context}");
}

/// Starts a plant for the practice site, and signs in to it.
async fn start_practice_plant(fixture: &Fixture, seed: u64) -> RunningPlant {
    let config = PlantConfig { seed, time_zone: "Europe/Berlin".to_owned(), ..PlantConfig::default() };
    let plant = start_plant(config).await;
    fixture.engine.set_practice(plant.access());
    sign_in(&fixture.engine, &plant, SITE, "planner");
    plant
}

/// Starts a receiver that the plant sends events to. Returns it with the number of the plant's target.
async fn start_receiver(fixture: &Fixture, plant: &RunningPlant) -> (Receiver, u32) {
    let receiver = fixture.engine.inbox().receive(SITE, ReceiverOptions::default()).await.unwrap();
    let target = Target { url: receiver.url(), secret: None, events: Vec::new() };
    (receiver, plant.plant().add_target(target).unwrap())
}

#[tokio::test]
async fn a_resumption_counts_though_nobody_heard_of_the_pause() {
    let fixture = Fixture::new();
    let plant = start_practice_plant(&fixture, 3).await;
    let (receiver, target) = start_receiver(&fixture, &plant).await;
    let next = plant.plant().overview().stations.into_iter().find_map(|station| station.next.into_iter().next());
    let next = next.unwrap();
    let order = || OrderName { code: next.code.clone(), operation: Some(next.operation_code.clone()) };
    plant.plant().make_move(Move::Begin { order: order() }).await.unwrap();
    wait_for_events(&plant).await;
    plant.plant().remove_target(target);
    receiver.stop().await;
    plant.plant().make_move(Move::Pause { order: order(), reason: None }).await.unwrap();
    let (receiver, target) = start_receiver(&fixture, &plant).await;
    let floor = fixture.engine.floor();
    assert_eq!(floor.view(SITE).await.unwrap().late_orders, None, "only the service knows them");
    assert!(floor.compare_with_service(SITE, &Canceller::new()).await.unwrap().complete);
    assert_stations_match(&floor.view(SITE).await.unwrap(), &plant, "paused");
    for wanted in [Move::Resume { order: order() }, Move::Pause { order: order(), reason: None }] {
        plant.plant().make_move(wanted.clone()).await.unwrap();
        wait_for_events(&plant).await;
        assert_stations_match(&floor.view(SITE).await.unwrap(), &plant, &format!("{wanted:?}"));
    }
    plant.plant().remove_target(target);
    receiver.stop().await;
    plant.stop().await;
}

#[tokio::test]
async fn over_a_day_every_station_is_shown_as_the_plant_has_it() {
    let random_seed = Timestamp::now().as_nanosecond().unsigned_abs() % 100_000;
    for seed in [7, 2026, u64::try_from(random_seed).unwrap()] {
        let fixture = Fixture::new();
        let plant = start_practice_plant(&fixture, seed).await;
        let floor = fixture.engine.floor();
        let mut moment = 0;
        for _ in 0..3 {
            // The receiver doesn't get these events.
            plant.plant().advance_time(SignedDuration::from_hours(2)).await.unwrap();
            let (receiver, target) = start_receiver(&fixture, &plant).await;
            let before = floor.view(SITE).await.unwrap();
            let is_told = moment > 0 || before.stations.iter().all(|station| station.state != StationState::Idle);
            assert!(is_told, "seed {seed}: nothing is idle that nobody told of");
            assert!(floor.compare_with_service(SITE, &Canceller::new()).await.unwrap().complete);
            for _ in 0..14 {
                let context = format!("seed {seed}, moment {moment}");
                assert_stations_match(&floor.view(SITE).await.unwrap(), &plant, &context);
                plant.plant().advance_time(HALF_AN_HOUR).await.unwrap();
                wait_for_events(&plant).await;
                moment += 1;
            }
            assert_stations_match(&floor.view(SITE).await.unwrap(), &plant, &format!("seed {seed}, moment {moment}"));
            plant.plant().remove_target(target);
            receiver.stop().await;
        }
        plant.stop().await;
    }
}

#[tokio::test]
async fn orders_are_late_after_their_planned_end_until_they_end() {
    let fixture = Fixture::new();
    let plant = start_practice_plant(&fixture, 3).await;
    assert!(fixture.engine.floor().compare_with_service(SITE, &Canceller::new()).await.unwrap().complete);
    let view = fixture.engine.floor().view(SITE).await.unwrap();
    let late_orders = view.late_orders.unwrap();
    let set = fixture.engine.browse().row_set(SITE, "work-orders.list").unwrap();
    let query = BrowseQuery { operation: "work-orders.list".to_owned(), ..BrowseQuery::default() };
    fixture.engine.browse().read_all(&query, &set, &Canceller::new(), |_| {}).await.unwrap();
    let (zone, now) = (TimeZone::get("Europe/Berlin").unwrap(), Timestamp::now());
    let is_late = |row: &&Value| {
        let planned_end = row["endPlanned"].as_str().and_then(|end| parse_site_timestamp(end, &zone));
        row["endReal"].is_null() && planned_end.is_some_and(|end| end < now)
    };
    let expected = set.rows(0..usize::MAX).iter().filter(is_late).count();
    assert!(expected > 0, "some orders of the practice data are late");
    assert_eq!(late_orders as usize, expected);
    assert_eq!(view.longest_late.len(), expected.min(10));
    assert!(view.longest_late.is_sorted_by_key(|order| order.planned_end.clone()), "{:?}", view.longest_late);
    let rows = set.rows(0..usize::MAX);
    let longest = rows.iter().filter(is_late).map(|row| row["endPlanned"].as_str().unwrap()).min().unwrap();
    let first = &view.longest_late[0];
    assert_eq!(Some(first.planned_end.parse().unwrap()), parse_site_timestamp(longest, &zone));
    assert!(rows.iter().any(|row| row["code"] == *first.code && row["operationCode"] == *first.operation));
    plant.stop().await;
}
