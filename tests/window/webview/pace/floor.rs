//! A plant with many orders, which is a site of the window.

use serde_json::{Value, json};
use takt_tests::{Plant, TestApp};

use crate::own_site::signed_in;

const SITE: &str = "Many orders";
const BATCH: u32 = 100;
const STATIONS: [&str; 4] = ["WS-01", "WS-02", "WS-03", "WS-04"];

pub(super) struct Floor {
    pub(super) plant: Plant,
    token: String,
    client: reqwest::Client,
}

impl Floor {
    /// Starts a small plant, and adds this many orders with consecutive planned times.
    pub(super) async fn with_orders(count: u32) -> Self {
        let plant = Plant::start(&["--rate-limit", "1000000/1"]);
        let token = plant.token("planner").await;
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let floor = Self { plant, token, client };
        for first in (0..count).step_by(BATCH as usize) {
            let items: Vec<Value> = (first..count.min(first + BATCH)).map(order).collect();
            let answer =
                floor.client.post(floor.address("/batch")).bearer_auth(&floor.token).json(&json!({ "items": items }));
            let answer: Value = answer.send().await.unwrap().json().await.unwrap();
            assert_eq!(answer["errorCount"], 0, "{answer}");
        }
        floor
    }

    /// Opens a window that is signed in to this plant.
    pub(super) async fn app(&self) -> TestApp {
        signed_in(takt_tests::Engine::WebView, SITE, &self.plant, self.plant.member("base_url")).await
    }

    /// Reads a page of orders with a plain HTTP client, and returns the code of the first row.
    pub(super) async fn first_of_page(&self, page: usize) -> String {
        let address = self.address(&format!("?page={page}&limit=100"));
        let answer = self.client.get(address).bearer_auth(&self.token).send().await.unwrap();
        let body: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        body["data"][0]["code"].as_str().unwrap().to_owned()
    }

    fn address(&self, rest: &str) -> String {
        format!("{}/api/v1/WorkOrders{rest}", self.plant.member("base_url"))
    }
}

fn order(number: u32) -> Value {
    let station = STATIONS[number as usize % STATIONS.len()];
    let hour = number / 4;
    let at = |hour: u32| format!("2027-{:02}-{:02}T{:02}:00:00", hour / 672 % 12 + 1, hour / 24 % 28 + 1, hour % 24);
    json!({
        "code": format!("MANY-{number:06}"), "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 125,
        "customer": "Nordwind Antriebe GmbH", "workStationCode": station, "beginPlanned": at(hour), "endPlanned": at(hour).replace(":00:00", ":50:00"),
        "note": "Deliver with the drawing.",
    })
}
