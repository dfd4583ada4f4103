//! A running plant with a clock that the test sets, and helpers for calling it. Responses that the helpers read are
//! checked against the contract.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use reqwest::{Client, Method, RequestBuilder, Response, redirect::Policy};
use serde_json::{Map, Value, json};
use takt_contract::{Contract, Operation};
use takt_plant::{Clock, LogEntry, Plant, PlantConfig, RunningPlant};

use crate::contract_check::{ObservedAnswer, violations_of};

/// The real time at which each test's plant starts.
pub(crate) const START_TIME: &str = "2026-11-20T09:00:00Z";

/// All resources, by their names in the control interface.
pub(crate) const RESOURCES: [&str; 13] = [
    "materials",
    "stock",
    "work-orders",
    "alerts",
    "labor-times",
    "inspections",
    "inspection-processes",
    "quality-checks",
    "consumed-lots",
    "order-history",
    "work-stations",
    "template-processes",
    "material-supplies",
];

pub(crate) struct Fixture {
    pub(crate) plant: RunningPlant,
    pub(crate) client: Client,
    pub(crate) contract: Contract,
    pub(crate) planner: String,
    pub(crate) viewer: String,
    ahead: Arc<AtomicI64>,
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    /// Reads a response and checks it against the contract. Tests of faults don't use it, since faults violate the
    /// contract.
    pub(crate) async fn read(response: Response) -> Self {
        let path = response.url().path().to_owned();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let violations =
            violations_of(ObservedAnswer { method: None, path: &path, status, headers: &headers, body: &body });
        assert!(violations.is_empty(), "{path} answered {status}: {violations:?} {body}");
        Self { status, headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    pub(crate) fn rows(&self) -> &Vec<Value> {
        self.body["data"].as_array().unwrap()
    }
}

pub(crate) fn config() -> PlantConfig {
    PlantConfig { time_zone: "Europe/Berlin".to_owned(), ..PlantConfig::default() }
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::with_config(config()).await
    }

    /// Starts a plant with this configuration, except for the clock.
    pub(crate) async fn with_config(config: PlantConfig) -> Self {
        Self::with_clock_ahead(config, 0).await
    }

    /// Starts a plant whose clock is ahead of [`START_TIME`].
    pub(crate) async fn with_clock_ahead(mut config: PlantConfig, seconds: i64) -> Self {
        let ahead = Arc::new(AtomicI64::new(seconds));
        config.clock = test_clock(&ahead);
        let plant = Plant::start(config, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap();
        let client = Client::builder().redirect(Policy::none()).timeout(Duration::from_secs(30)).build().unwrap();
        let token = |user| plant.issue_tokens(user).unwrap().access_token;
        let (planner, viewer) = (token("planner"), token("viewer"));
        Self { plant, client, contract: Contract::builtin().unwrap(), planner, viewer, ahead }
    }

    pub(crate) fn advance_clock(&self, seconds: i64) {
        self.ahead.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Returns how far the clock is ahead of [`START_TIME`], in seconds.
    pub(crate) fn seconds_ahead(&self) -> i64 {
        self.ahead.load(Ordering::SeqCst)
    }

    pub(crate) fn operation(&self, id: &str) -> &Operation {
        self.contract.operation(id).unwrap()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.plant.base_url)
    }

    /// Builds a request with the planner's token.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path)).bearer_auth(&self.planner)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        Answer::read(self.request(Method::GET, path).send().await.unwrap()).await
    }

    /// Requests a read by its ID, with a query such as `?page=2`.
    pub(crate) async fn read(&self, id: &str, query: &str) -> Answer {
        self.get(&format!("{}{query}", self.operation(id).path)).await
    }

    /// Builds a request with a batch.
    pub(crate) fn batch_request(&self, id: &str, items: &Value) -> RequestBuilder {
        let operation = self.operation(id);
        self.request(operation.method.parse().unwrap(), &operation.path).json(&json!({ "items": items }))
    }

    pub(crate) async fn send_batch(&self, id: &str, items: Value) -> Answer {
        Answer::read(self.batch_request(id, &items).send().await.unwrap()).await
    }

    pub(crate) fn control_request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.plant.control_url)).bearer_auth(&self.plant.control_key)
    }

    pub(crate) async fn resource_rows(&self, resource: &str) -> Vec<Value> {
        let answer = self.control_request(Method::GET, &format!("/state/{resource}")).send().await.unwrap();
        Answer::read(answer).await.rows().clone()
    }

    /// Returns all rows of all resources, in the order of [`RESOURCES`].
    pub(crate) async fn all_rows(&self) -> Vec<Vec<Value>> {
        let mut all = Vec::new();
        for resource in RESOURCES {
            all.push(self.resource_rows(resource).await);
        }
        all
    }

    /// Replaces all faults.
    pub(crate) async fn set_faults(&self, faults: &[&str], seed: u64) {
        let body = json!({ "faults": faults, "seed": seed });
        let answer = self.control_request(Method::POST, "/faults").json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }

    pub(crate) fn last_log_entry(&self) -> LogEntry {
        self.plant.log().pop().unwrap()
    }
}

/// Returns the first row in which these members have these values.
pub(crate) fn find_row<'a>(rows: &'a [Value], members: &[(&str, &str)]) -> Option<&'a Value> {
    rows.iter().find(|row| members.iter().all(|(name, value)| row[*name] == *value))
}

/// Converts JSON to an applied item of a log entry.
pub(crate) fn applied_item(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => unreachable!("{other} is no object"),
    }
}

fn test_clock(ahead: &Arc<AtomicI64>) -> Clock {
    let (start, ahead): (Timestamp, _) = (START_TIME.parse().unwrap(), Arc::clone(ahead));
    Arc::new(move || start + SignedDuration::from_secs(ahead.load(Ordering::SeqCst)))
}
