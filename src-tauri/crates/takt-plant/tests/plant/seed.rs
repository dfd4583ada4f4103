//! Tests that the invented rows are reproducible, plausible and complete.

use std::{collections::HashSet, sync::Arc};

use jiff::Timestamp;
use serde_json::Value;
use takt_plant::{Plant, PlantConfig, Size};

use crate::fixture::{Fixture, RESOURCES, START_TIME, config};

async fn all_rows_of_seed(seed: u64) -> Vec<Vec<Value>> {
    Fixture::with_config(PlantConfig { seed, ..config() }).await.all_rows().await
}

#[tokio::test]
async fn same_seed_and_clock_same_data() {
    let first = all_rows_of_seed(1).await;
    assert_eq!(first, all_rows_of_seed(1).await);
    let other = all_rows_of_seed(2).await;
    for (resource, (left, right)) in RESOURCES.iter().zip(first.iter().zip(&other)) {
        assert_ne!(left, right, "{resource}");
    }
    let counts: Vec<usize> = first.iter().map(Vec::len).collect();
    assert_eq!(counts[..11], [200, 200, 400, 120, 400, 200, 40, 300, 500, 600, 12]);
    assert!(counts[11] > 24 * 3);
}

#[tokio::test]
async fn codes_and_references_hang_together() {
    let fixture = Fixture::new().await;
    let codes = async |resource: &str, member: &str| -> HashSet<String> {
        fixture.resource_rows(resource).await.iter().map(|row| row[member].as_str().unwrap().to_owned()).collect()
    };
    let (materials, stations) = (codes("materials", "code").await, codes("work-stations", "code").await);
    let processes = codes("inspection-processes", "code").await;
    let orders = fixture.resource_rows("work-orders").await;
    let keys: HashSet<(String, String)> = orders
        .iter()
        .map(|row| (row["code"].as_str().unwrap().to_owned(), row["operationCode"].as_str().unwrap().to_owned()))
        .collect();
    for code in ["MAT-1001", "MAT-1140", "RAW-2001", "RAW-2060"] {
        assert!(materials.contains(code), "{code}");
    }
    assert!((1..=300).all(|number| keys.contains(&(format!("WO-26{number:04}"), "010".to_owned()))));
    assert!(
        stations.contains("WS-01")
            && stations.contains("WS-12")
            && processes.contains("IP-01")
            && processes.contains("IP-40")
    );
    for order in &orders {
        assert!(materials.contains(order["materialCode"].as_str().unwrap()));
        assert!(stations.contains(order["workStationCode"].as_str().unwrap()));
        for part in order["rawMaterials"].as_array().unwrap() {
            assert!(materials.contains(part["code"].as_str().unwrap()));
        }
        assert!(order["beginPlanned"].as_str() < order["endPlanned"].as_str());
        assert!(order["beginReal"].as_str().unwrap_or("0") < order["endReal"].as_str().unwrap_or("9"));
    }
    for resource in ["inspections", "quality-checks", "consumed-lots", "order-history"] {
        for row in fixture.resource_rows(resource).await {
            let key =
                (row["workOrderCode"].as_str().unwrap().to_owned(), row["operationCode"].as_str().unwrap().to_owned());
            assert!(keys.contains(&key), "{resource} {key:?}");
        }
    }
    for link in fixture.resource_rows("template-processes").await {
        assert!(processes.contains(link["processCode"].as_str().unwrap()));
        assert!((1..=24).contains(&link["templateId"].as_i64().unwrap()));
    }
    let states: HashSet<&str> = orders.iter().filter_map(|row| row["statusDescription"].as_str()).collect();
    assert_eq!(states, HashSet::from(["Planned", "In execution", "Paused", "Ended"]));
    let text = serde_json::to_string(&orders).unwrap();
    assert!(text.contains("<b>") && text.contains("<script>alert(1)</script>"));
}

#[tokio::test]
async fn every_template_has_three_to_nine_processes() {
    let fixture = Fixture::new().await;
    for id in 1..=24 {
        let answer = fixture.get(&format!("/api/v1/ProcessExecutionTemplates/{id}/Processes")).await;
        let count = answer.body["inspectionsProcesses"].as_array().unwrap().len();
        assert!((3..=9).contains(&count), "template {id} has {count}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "300,000 rows take half a minute without optimisation")]
fn a_factory_can_be_grown() {
    let now: Timestamp = "2026-11-20T09:00:00Z".parse().unwrap();
    let config = PlantConfig { size: Size::Factory, ..PlantConfig::new(Arc::new(move || now)) };
    Plant::new(config).unwrap();
}

#[test]
fn nonsense_is_refused() {
    assert!(Plant::new(PlantConfig { time_zone: "Mars/Olympus".to_owned(), ..PlantConfig::default() }).is_err());
    assert!("600".parse::<takt_plant::RateLimit>().is_err() && "0/60".parse::<takt_plant::RateLimit>().is_err());
    assert_eq!("30/5".parse::<takt_plant::RateLimit>().unwrap().requests, 30);
    assert!("huge".parse::<Size>().is_err());
}

/// The states of orders don't depend on the time of day at which the plant starts.
#[tokio::test]
async fn orders_are_in_the_same_states_at_every_time_of_day() {
    const MINUTE: i64 = 60;
    let mut states = HashSet::new();
    // In minutes from 10:00 in the plant. Starts at midnight and ends on the next day.
    for ahead in [-600, -545, -420, -241, -60, 0, 59, 119, 120, 300, 780, 1440].map(|minutes| minutes * MINUTE) {
        let orders = Fixture::with_clock_ahead(config(), ahead).await.resource_rows("work-orders").await;
        let members = ["code", "operationCode", "workStationCode", "statusDescription", "producedGoodQuantity"];
        states.insert(orders.iter().map(|order| members.map(|member| order[member].to_string())).collect::<Vec<_>>());
    }
    assert_eq!(states.len(), 1);
}

/// Returns the number of operations that began after an earlier one of their order. That one must have ended before.
pub(crate) fn count_followed_operations(orders: &[Value]) -> usize {
    let mut followed = 0;
    for pair in orders.windows(2).filter(|pair| pair[0]["code"] == pair[1]["code"]) {
        let [first, second] = pair else { unreachable!() };
        let Some(begin) = second["beginReal"].as_str() else { continue };
        assert!(first["endReal"].as_str().is_some_and(|end| end <= begin), "{first} {second}");
        followed += 1;
    }
    followed
}

#[tokio::test]
async fn the_operations_of_an_order_follow_one_another_and_have_one_customer() {
    for seed in [1, 2, 3] {
        let plant = Fixture::with_config(PlantConfig { seed, ..config() }).await;
        let orders = plant.resource_rows("work-orders").await;
        for pair in orders.windows(2).filter(|pair| pair[0]["code"] == pair[1]["code"]) {
            let [first, second] = pair else { unreachable!() };
            assert_eq!(first["customer"], second["customer"], "{first} {second}");
            let (end, begin) = (first["endPlanned"].as_str().unwrap(), second["beginPlanned"].as_str().unwrap());
            assert!(end <= begin, "{first} {second}");
        }
        let followed = count_followed_operations(&orders);
        assert!(followed > 5, "seed {seed}: {followed}");
    }
}

/// Dates of past events aren't in the future, regardless of the time of day at which the plant starts.
#[tokio::test]
async fn nothing_that_happened_lies_ahead() {
    const HOUR: i64 = 3600;
    // In seconds from 10:00 in the plant: midnight, the early shift, before and after noon, late at night, and another
    // day.
    for ahead in [-10 * HOUR + 60, -4 * HOUR, 0, 2 * HOUR, 5 * HOUR, 13 * HOUR + 3000, 40 * HOUR] {
        let fixture = Fixture::with_clock_ahead(config(), ahead).await;
        let zone = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
        let start: jiff::Timestamp = START_TIME.parse().unwrap();
        let now = zone.to_datetime(start + jiff::SignedDuration::from_secs(ahead));
        let moment = |text: &str| match text.parse::<jiff::Timestamp>() {
            Ok(moment) => zone.to_datetime(moment),
            Err(_) => text.parse::<jiff::civil::DateTime>().unwrap(),
        };
        let mut happened = 0;
        for (resource, members) in [
            ("work-orders", vec!["beginReal", "endReal"]),
            ("alerts", vec!["opened", "acknowledged", "closed"]),
            ("labor-times", vec!["begin", "end"]),
            ("inspections", vec!["beginReal", "endReal"]),
            ("quality-checks", vec!["executedDate"]),
            ("consumed-lots", vec!["date"]),
            ("order-history", vec!["date"]),
            ("stock", vec!["date"]),
        ] {
            let rows = fixture.resource_rows(resource).await;
            for row in &rows {
                let produced = row["producedQuantityHistory"].as_array().into_iter().flatten().map(|one| &one["date"]);
                let dates = members.iter().map(|member| &row[*member]).chain(produced).filter_map(Value::as_str);
                for date in dates {
                    assert!(moment(date) <= now, "{resource}, {now}: {row}");
                    happened += 1;
                }
                if let (Some(begin), Some(end)) = (row["begin"].as_str(), row["end"].as_str()) {
                    assert!(moment(begin) <= moment(end), "{resource}: {row}");
                }
                if let (Some(begin), Some(end)) = (row["beginReal"].as_str(), row["endReal"].as_str()) {
                    assert!(moment(begin) < moment(end), "{resource}: {row}");
                }
            }
        }
        assert!(happened > 1500, "{happened}");
        for station in fixture.resource_rows("work-stations").await {
            for stoppage in station["programmedStoppages"].as_array().unwrap() {
                let done = moment(stoppage["end"].as_str().unwrap()) <= now;
                assert_eq!(stoppage["status"] == "Done", done, "{now}: {stoppage}");
            }
        }
        let orders = fixture.resource_rows("work-orders").await;
        let states: HashSet<&str> = orders.iter().map(|order| order["statusDescription"].as_str().unwrap()).collect();
        assert_eq!(states, HashSet::from(["Planned", "In execution", "Paused", "Ended"]), "{now}");
        let open = fixture.resource_rows("alerts").await.into_iter().filter(|alert| alert["status"] == 0).count();
        assert!(open > 5, "{now}: {open} open alerts");
    }
}
