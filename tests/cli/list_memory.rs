//! A long list needs no more memory than a short one.

use std::{env, fs, process::Stdio};

use serde_json::{Value, json};
use takt_tests::{Person, Plant, SITE, Takt};
use wait4::Wait4;

use crate::support::signed_in;

/// The number of orders in the longer list, unless `TAKT_FLAT_ORDERS` sets another one.
const DEFAULT_ORDERS: usize = 10_000;
const BATCH_SIZE: usize = 100;
const MEGABYTE: u64 = 1024 * 1024;

/// Adds orders of about two kilobytes to a plant.
async fn add_orders(plant: &Plant, numbers: std::ops::Range<usize>) {
    let (token, client) = (plant.token("planner").await, reqwest::Client::builder().no_proxy().build().unwrap());
    let address = format!("{}/api/v1/WorkOrders/batch", plant.member("base_url"));
    let note = "Deliver with the drawing. ".repeat(80);
    for first in numbers.clone().step_by(BATCH_SIZE) {
        let items: Vec<Value> = (first..numbers.end.min(first + BATCH_SIZE))
            .map(|number| {
                json!({ "code": format!("FLAT-{number:06}"), "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 125, "note": note })
            })
            .collect();
        let answer = client.post(&address).bearer_auth(&token).json(&json!({ "items": items })).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["errorCount"], 0, "{answer}");
    }
}

/// Lists all orders. Returns the peak memory and the size of the output, in bytes.
fn measure_list(takt: &Takt, format: &str) -> (u64, u64) {
    let file = takt.file(&format!("orders.{format}"));
    let mut command = takt.program("takt");
    command.args(["--site", SITE, "list", "work-orders.list", "--all", "--format", format, "--out"]).arg(&file);
    let running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let ended = running.wait4().unwrap();
    assert!(ended.status.success(), "{format}: {}", ended.status);
    (ended.rusage.maxrss, fs::metadata(&file).unwrap().len())
}

#[tokio::test]
async fn a_long_list_takes_no_more_memory_than_a_short_one() {
    let orders = env::var("TAKT_FLAT_ORDERS").ok().map_or(DEFAULT_ORDERS, |text| text.parse().unwrap());
    let plant = Plant::start(&["--rate-limit", "1000000/1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let short = orders / 10;
    add_orders(&plant, 0..short).await;
    let few = ["csv", "json"].map(|format| measure_list(&console.takt, format));
    add_orders(&plant, short..orders).await;
    let many = ["csv", "json"].map(|format| measure_list(&console.takt, format));
    for (format, ((few, small), (many, large))) in ["csv", "json"].iter().zip(few.into_iter().zip(many)) {
        println!("{format}: {small} bytes with {} KB of memory, {large} bytes with {} KB", few / 1024, many / 1024);
        assert!(large > 8 * small, "{format}");
        assert!(many < few + 8 * MEGABYTE, "{format}: {} KB and {} KB", few / 1024, many / 1024);
    }
}
