//! Tests of events with a receiver on loopback: payloads, deliveries and checks.

mod checks;
mod deliveries;
mod floor_events;
mod payloads;

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use takt_plant::{DeliveryTiming, PlantConfig, Target};
use tokio::time::{Instant, sleep};

use crate::fixture::{Answer, Fixture, config};

/// Starts a plant that waits only briefly for replies and between retries.
async fn start_with_short_waits() -> Fixture {
    let delivery_timing = DeliveryTiming {
        retry_waits: vec![Duration::from_millis(20), Duration::from_millis(40)],
        response_timeout: Duration::from_millis(400),
        check_pause: Duration::from_secs(10),
    };
    Fixture::with_config(PlantConfig { delivery_timing: Some(delivery_timing), ..config() }).await
}

fn target_at(url: &str) -> Target {
    Target { url: url.to_owned(), secret: None, events: Vec::new() }
}

impl Fixture {
    pub(crate) fn add_target(&self, url: &str) -> u32 {
        self.plant.plant().add_target(target_at(url)).unwrap()
    }

    /// Sends an event through the control interface.
    async fn fire_event(&self, event: i64) {
        let answer = self.post_control("/events", json!({ "event": event })).await;
        assert_eq!((answer.status, &answer.body["event"]), (202, &json!(event)), "{}", answer.body);
    }

    async fn post_control(&self, path: &str, body: Value) -> Answer {
        Answer::read(self.control_request(Method::POST, path).json(&body).send().await.unwrap()).await
    }

    async fn get_control(&self, path: &str) -> Answer {
        Answer::read(self.control_request(Method::GET, path).send().await.unwrap()).await
    }

    /// Returns the deliveries with this state, oldest first.
    async fn deliveries(&self, state: &str) -> Vec<Value> {
        let mut deliveries = self.get_control(&format!("/events?state={state}")).await.rows().clone();
        deliveries.reverse();
        deliveries
    }

    /// Waits until at least `count` deliveries have this state. Returns all of them.
    async fn wait_for(&self, state: &str, count: usize) -> Vec<Value> {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let deliveries = self.deliveries(state).await;
            if deliveries.len() >= count {
                return deliveries;
            }
            assert!(Instant::now() < deadline, "{count} {state}: {:?}", self.get_control("/events").await.body);
            sleep(Duration::from_millis(10)).await;
        }
    }
}
