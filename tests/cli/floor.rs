//! The floor on the command line, and the events of orders after sending.

use std::time::Duration;

use serde_json::{Value, json};
use takt_tests::{Person, Plant, Program};

use crate::support::{ORDERS, orders_csv, signed_in};

const TIMEOUT: Duration = Duration::from_secs(120);

#[tokio::test]
async fn an_order_that_was_sent_and_begun_stands_on_the_floor_and_beside_its_row() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let empty = takt.run(&["floor", "--site", "works"]);
    assert!(empty.code == Some(0) && empty.out.is_empty() && empty.err.contains("takt listen"), "{empty:?}");

    let mut listening = Program::start("listen", takt.command(&["listen", "--json", "--site", "works"]));
    let first: Value = serde_json::from_str(&listening.first_line(TIMEOUT)).unwrap();
    plant.post("targets", json!({ "url": first["url"] })).await;
    let file = takt.write("orders.csv", orders_csv(880_001, 2));
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    plant.post("work-orders/WO-880001/begin", json!({})).await;
    plant.post("alerts", json!({ "workStationCode": "WS-01", "type": "Help" })).await;
    let heard = |program: &Program| {
        let printed = program.output_text();
        (printed.contains("\"kind\":2,") && printed.contains("\"kind\":0,")).then_some(())
    };
    listening.wait_for("the begin and the alert", TIMEOUT, heard);

    let rows = takt.run(&["history", "1", "--rows", "--json"]).json();
    let of = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap_or_else(|| panic!("{key} in {rows:?}"));
    let (begun, waiting) = (of("WO-880001 · 010"), of("WO-880002 · 010"));
    assert_eq!((&begun["events"]["begun"], &begun["events"]["events"][0]["turn"]), (&json!(true), &json!("running")));
    assert_eq!(waiting["events"]["begun"], false);

    let floor = &takt.run(&["floor", "--site", "works", "--json"]).json()[0];
    let stations = floor["stations"].as_array().unwrap();
    assert_eq!((&stations[0]["state"], &stations[0]["code"]), (&json!("alarm"), &json!("WS-01")), "{floor}");
    let orders: Vec<_> = stations.iter().flat_map(|station| station["orders"].as_array().unwrap()).collect();
    assert!(orders.iter().any(|order| order["code"] == "WO-880001" && order["state"] == "running"), "{orders:?}");
    assert!(orders.iter().all(|order| order["code"] != "WO-880002"));
    let shown = takt.run(&["floor", "--site", "works"]);
    assert!(shown.out.contains("WO-880001 010") && shown.out.contains("alarm"), "{}", shown.out);
    assert!(shown.err.contains("Latest event"), "{}", shown.err);
    plant.post("work-orders/WO-880001/end", json!({})).await;
    listening.wait_for("the end", TIMEOUT, |program| program.output_text().contains("\"kind\":4,").then_some(()));
    assert!(!takt.run(&["floor", "--site", "works"]).out.contains("WO-880001"));
    listening.end(TIMEOUT);
}
