//! A practice plant of its own: `takt plant`, and its control interface as the independent record of what was applied.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use crate::{Program, Takt};

const START: Duration = Duration::from_secs(60);

/// It ends with its guard.
#[derive(Debug)]
pub struct Plant {
    program: Program,
    line: Value,
    _home: Takt,
}

impl Plant {
    /// Starts one with these options of `takt plant`.
    #[must_use]
    pub fn start(options: &[&str]) -> Self {
        let home = Takt::new();
        let arguments: Vec<&str> = ["plant"].iter().chain(options).copied().collect();
        let mut program = home.start(&arguments);
        let line = program.first_line(START);
        let line = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}"));
        Self { program, line, _home: home }
    }

    /// A member of the line that it prints when it is ready.
    #[must_use]
    pub fn member(&self, name: &str) -> &str {
        self.line[name].as_str().unwrap_or_else(|| panic!("there is no text {name} in {}", self.line))
    }

    pub fn redirect_addresses(&self) -> impl Iterator<Item = &str> {
        self.line["redirect_uris"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Where it listens, for another one to take its place.
    #[must_use]
    pub fn address(&self) -> String {
        self.member("base_url").trim_start_matches("http://").to_owned()
    }

    pub async fn log(&self) -> Vec<Value> {
        let Value::Array(entries) = self.control("log", None).await else { panic!("the log is a list") };
        entries
    }

    /// Every row of a resource.
    pub async fn state(&self, resource: &str) -> Vec<Value> {
        let mut state = self.control(&format!("state/{resource}"), None).await;
        let Value::Array(rows) = state["data"].take() else { panic!("a state is a list: {state}") };
        rows
    }

    /// Puts these faults in force, in place of all others.
    pub async fn make_faults(&self, faults: &[&str]) {
        self.control("faults", Some(json!({ "faults": faults }))).await;
    }

    /// Sends one of the twelve events, as the control interface takes the wish; says what it answers.
    pub async fn fire(&self, wish: Value) -> Value {
        self.control("events", Some(wish)).await
    }

    /// How often each item of an operation was applied, and how often refused, by its key members joined with ` · `.
    pub async fn applied(&self, operation: &str) -> BTreeMap<String, Applied> {
        let mut all: BTreeMap<String, Applied> = BTreeMap::new();
        for entry in self.log().await.iter().filter(|entry| entry["operation"] == operation) {
            for item in entry["applied"].as_array().into_iter().flatten().filter_map(Value::as_object) {
                let parts = item.iter().filter(|(name, _)| *name != "success").map(|(_, value)| text(value));
                let key = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
                let applied = all.entry(key).or_default();
                if item["success"] == true { applied.accepted += 1 } else { applied.refused += 1 }
            }
        }
        all
    }

    /// At once, as a power cut does.
    pub fn kill(&mut self) {
        self.program.kill();
    }

    /// Asks it to end; gives its exit code.
    #[cfg(unix)]
    pub fn stop(&mut self) -> Option<i32> {
        self.program.terminate().code()
    }

    async fn control(&self, path: &str, body: Option<Value>) -> Value {
        let client = reqwest::Client::builder().no_proxy().timeout(START).build().expect("a client can be made");
        let address = format!("{}/{path}", self.member("control_url"));
        let request = match &body {
            Some(body) => client.post(&address).json(body),
            None => client.get(&address),
        };
        let answer = request.bearer_auth(self.member("control_key")).send().await.expect("the plant answers");
        assert!(answer.status().is_success(), "{address} answers {}", answer.status());
        answer.json().await.expect("the plant answers JSON")
    }
}

/// What the plant really did with an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Applied {
    pub accepted: u32,
    pub refused: u32,
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
