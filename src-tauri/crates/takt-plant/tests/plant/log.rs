//! Tests of the log's limits, its rings, and its queries.

use std::{fs, sync::Arc};

use reqwest::Method;
use serde_json::{Value, json};
use takt_plant::{PlantConfig, RateLimit};
use tempfile::TempDir;

use crate::{
    fixture::{Answer, Fixture, config},
    persistence::persistent_config,
};

/// Allows many batches without exceeding the rate limit.
fn without_rate_limit(config: PlantConfig) -> PlantConfig {
    PlantConfig { rate_limit: RateLimit { requests: 1_000_000, ..RateLimit::default() }, ..config }
}

/// Returns items that are rejected and need about 6 kB in the log.
fn refused_items() -> Value {
    (0..100).map(|number| json!({"code": format!("REFUSED-{number:04}-{}", "x".repeat(20))})).collect()
}

async fn send_unauthorized(fixture: &Arc<Fixture>, count: usize) {
    let floods = (0..8).map(|_| {
        let fixture = Arc::clone(fixture);
        tokio::spawn(async move {
            for _ in 0..count / 8 {
                let answer = fixture.client.get(fixture.url("/api/v1/Materials?limit=1")).send().await.unwrap();
                answer.bytes().await.unwrap();
            }
        })
    });
    for send_unauthorized in floods.collect::<Vec<_>>() {
        send_unauthorized.await.unwrap();
    }
}

async fn read_log(fixture: &Fixture, query: &str) -> Vec<Value> {
    let answer =
        Answer::read(fixture.control_request(Method::GET, &format!("/log{query}")).send().await.unwrap()).await;
    assert_eq!(answer.status, 200);
    answer.body.as_array().unwrap().clone()
}

fn numbers(entries: &[Value]) -> Vec<u64> {
    entries.iter().map(|entry| entry["number"].as_u64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: 30,000 requests"]
async fn reads_never_push_out_writes() {
    for folder in [None, Some(TempDir::new().unwrap())] {
        let most = if folder.is_some() { 20_000 } else { 10_000 };
        let config = folder.as_ref().map_or_else(config, |folder| persistent_config(folder.path()));
        let fixture = Arc::new(Fixture::with_config(without_rate_limit(config)).await);
        fixture.send_batch("materials.sync", json!([{"code": "KEPT", "description": "Kept"}])).await;
        send_unauthorized(&fixture, most + 400).await;
        let log = fixture.plant.log();
        // In a file, the oldest entries are removed only when the next group is saved.
        assert!((most + 1..most + 257).contains(&log.len()), "{} entries are held", log.len());
        assert_eq!((log[0].number, log[0].operation.as_deref()), (1, Some("materials.sync")));
        assert_eq!(log[0].applied[0]["code"], "KEPT");
        assert_eq!(log.last().unwrap().number, most as u64 + 401);
        assert_eq!(fixture.plant.plant().overview().requests, most as f64 + 401.0);
    }
}

#[tokio::test]
async fn writes_are_bounded_in_bytes() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("plant.sqlite");
    let bytes = 400_000;
    for config in [config(), persistent_config(folder.path())] {
        let on_disk = config.data.is_some();
        let fixture = Fixture::with_config(PlantConfig { log_bytes: Some(bytes), ..without_rate_limit(config) }).await;
        let size = || fs::metadata(&file).map_or(0, |file| file.len());
        let mut grown = 0;
        for number in 0..300 {
            assert_eq!(fixture.send_batch("materials.sync", refused_items()).await.status, 207);
            if number == 100 {
                grown = size();
            }
        }
        let log = read_log(&fixture, "").await;
        let held: usize = log.iter().map(|entry| entry.to_string().len()).sum();
        assert!((300_000..=400_000).contains(&held), "{held} bytes are held");
        assert_eq!(numbers(&log).last(), Some(&300));
        assert_eq!(log[0]["applied"].as_array().unwrap().len(), 100);
        if on_disk {
            assert!(size() <= grown + 100_000, "the file grew from {grown} to {}", size());
            fixture.plant.stop().await;
            let fixture = Fixture::with_config(PlantConfig {
                log_bytes: Some(bytes),
                ..without_rate_limit(persistent_config(folder.path()))
            })
            .await;
            assert_eq!(numbers(&self::read_log(&fixture, "").await), numbers(&log));
            fixture.send_batch("materials.sync", refused_items()).await;
            assert_eq!(fixture.last_log_entry().number, 301);
        }
    }
}

#[tokio::test]
async fn a_part_of_the_log_can_be_asked_for() {
    let folder = TempDir::new().unwrap();
    for config in [config(), persistent_config(folder.path())] {
        let fixture = Fixture::with_config(without_rate_limit(config)).await;
        for number in 0..40 {
            if number % 4 == 0 {
                fixture.send_batch("materials.sync", json!([{"code": format!("M{number}"), "description": "x"}])).await;
            } else {
                fixture.get("/api/v1/WorkOrders?limit=1").await;
            }
        }
        let all = read_log(&fixture, "").await;
        assert_eq!(numbers(&all), (1..=40).collect::<Vec<_>>());
        assert_eq!(read_log(&fixture, "?after=17").await, all[17..]);
        assert_eq!(read_log(&fixture, "?after=17&limit=5").await, all[17..22]);
        assert_eq!(read_log(&fixture, "?limit=0").await, all[..0]);
        assert_eq!(read_log(&fixture, "?after=40").await, all[..0]);
        assert_eq!(read_log(&fixture, "?after=18446744073709551615").await, all[..0]);
        let writes = read_log(&fixture, "?operation=materials.sync").await;
        assert_eq!(numbers(&writes), (0..10).map(|number| number * 4 + 1).collect::<Vec<_>>());
        assert_eq!(read_log(&fixture, "?operation=materials.sync&after=5&limit=2").await, writes[2..4]);
        assert_eq!(read_log(&fixture, "?operation=none").await, all[..0]);
        assert_eq!(serde_json::to_value(fixture.plant.log()).unwrap(), Value::Array(all));
        for query in ["?after=x", "?limit=-1", "?after=1.5"] {
            let answer = fixture.control_request(Method::GET, &format!("/log{query}")).send().await.unwrap();
            assert_eq!(answer.status(), 400, "{query}");
        }
        let latest = fixture.plant.plant().overview().latest;
        assert_eq!(
            latest.iter().map(|view| view.number).collect::<Vec<_>>(),
            (1..=40).rev().map(f64::from).collect::<Vec<_>>()
        );
    }
}

/// The log is larger than a chunk, so that several chunks must be joined.
#[tokio::test]
async fn a_long_log_comes_in_one_piece() {
    let folder = TempDir::new().unwrap();
    for config in [config(), persistent_config(folder.path())] {
        let fixture = Fixture::with_config(without_rate_limit(config)).await;
        for number in 0..150 {
            fixture.send_batch("materials.sync", refused_items()).await;
            if number % 3 == 0 {
                fixture.get("/api/v1/Materials?limit=1").await;
            }
        }
        let all = read_log(&fixture, "").await;
        assert_eq!(numbers(&all), (1..=200).collect::<Vec<_>>());
        assert_eq!(read_log(&fixture, "?operation=materials.list").await.len(), 50);
        assert_eq!(fixture.plant.log().len(), 200);
    }
}
