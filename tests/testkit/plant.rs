//! A practice plant for one test (`takt plant`). Its control interface is the independent record of applied items.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{AnswerRelay, ListFaults, Program, Relay, Takt};

const START_TIMEOUT: Duration = Duration::from_secs(300);

/// A redirect address with any free port. A fixed port may already be in use, even as the local port of another
/// connection.
pub const ANY_PORT: &str = "http://127.0.0.1:0/callback";

/// A practice plant. It ends when it is dropped.
#[derive(Debug)]
pub struct Plant {
    program: Program,
    start_line: Value,
    contract: Option<PathBuf>,
    _home: Takt,
}

impl Plant {
    /// Starts a plant with options of `takt plant`.
    #[must_use]
    pub fn start(options: &[&str]) -> Self {
        let home = Takt::new();
        let arguments: Vec<&str> = ["plant"].iter().chain(options).copied().collect();
        let program = home.start(&arguments);
        Self::from_program(program, home)
    }

    /// Starts a plant whose files have a maximum size in KiB. Larger writes fail as on a full disk.
    #[cfg(unix)]
    #[must_use]
    pub fn start_with_little_space(kibibytes: u64, options: &[&str]) -> Self {
        let home = Takt::new();
        let takt = home.program("takt");
        // Without the trap, the system would end the program instead of failing the write. The shell's unit is 512
        // bytes.
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" plant \"$@\"", kibibytes * 2);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).arg(takt.get_program()).args(options).current_dir(home.home());
        shell.envs(takt.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Self::from_program(Program::start("takt", shell), home)
    }

    fn from_program(mut program: Program, home: Takt) -> Self {
        let line = program.first_line(START_TIMEOUT);
        let line = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}"));
        Self { program, start_line: line, contract: None, _home: home }
    }

    /// Signs in as this user, and returns the access token.
    pub async fn token(&self, user: &str) -> String {
        let client = client();
        let asked = [
            ("client_id", self.member("client_id")),
            ("response_type", "code"),
            ("grant_type", "authorization_code"),
            ("scope", "service-api offline_access"),
            ("redirect_uri", ANY_PORT),
            ("state", "s"),
        ];
        let address = format!("{}/connect/authorize", self.member("auth_url"));
        let request = client.post(address).query(&asked).form(&[("user", user)]);
        let back = request.send().await.expect("the sign-in page answers");
        let location = back.headers()["location"].to_str().expect("an address is text");
        let code = location.split(['?', '&']).find_map(|part| part.strip_prefix("code="));
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", self.member("client_id")),
            ("client_secret", self.member("client_secret")),
            ("code", code.expect("the address carries a code")),
            ("redirect_uri", ANY_PORT),
        ];
        let address = format!("{}/connect/token", self.member("auth_url"));
        let answer = client.post(address).form(&form).send().await.expect("the token address answers");
        let pair: Value = answer.json().await.expect("a token pair is JSON");
        pair["access_token"].as_str().expect("a token is text").to_owned()
    }

    /// Returns a text member of the JSON line that the plant prints when it is ready.
    #[must_use]
    pub fn member(&self, name: &str) -> &str {
        self.start_line[name].as_str().unwrap_or_else(|| panic!("there is no text {name} in {}", self.start_line))
    }

    /// Returns the host and port at which it listens, so that another plant can replace it.
    #[must_use]
    pub fn address(&self) -> String {
        self.member("base_url").trim_start_matches("http://").to_owned()
    }

    /// Puts a relay in front of the interface, so that a test can hold back responses. The sign-in and the control
    /// interface aren't relayed.
    pub fn relay(&mut self) -> Relay {
        let relay = Relay::start(&self.address());
        self.set_interface(relay.url(), self.contract.clone());
        relay
    }

    /// Puts a proxy in front of the interface that puts faults into some responses to reads of lists.
    pub fn list_faults(&mut self, seed: u64) -> ListFaults {
        let faults = ListFaults::start(&self.address(), seed);
        self.set_interface(faults.url(), self.contract.clone());
        faults
    }

    /// Puts a proxy in front of the interface that changes the JSON of responses. `change` also gets the request's
    /// path.
    pub fn start_rewriting_proxy(&mut self, change: impl Fn(&str, &mut Value) + Send + Sync + 'static) -> AnswerRelay {
        let relay = AnswerRelay::start_rewriting(&self.address(), change);
        self.set_interface(relay.url(), self.contract.clone());
        relay
    }

    /// Replaces the interface's address and document with those of a server in front of the plant.
    pub(crate) fn set_interface(&mut self, base_url: &str, contract: Option<PathBuf>) {
        self.start_line["base_url"] = json!(base_url);
        self.contract = contract;
    }

    /// Returns the path of the interface's document. `None` if the interface matches the built-in contract.
    #[must_use]
    pub fn contract(&self) -> Option<&Path> {
        self.contract.as_deref()
    }

    pub async fn log(&self) -> Vec<Value> {
        let Value::Array(entries) = self.control("log", None).await else { panic!("the log is a list") };
        entries
    }

    /// Returns all rows of a resource from the control interface.
    pub async fn state(&self, resource: &str) -> Vec<Value> {
        let mut state = self.control(&format!("state/{resource}"), None).await;
        let Value::Array(rows) = state["data"].take() else { panic!("a state is a list: {state}") };
        rows
    }

    /// Activates these faults and deactivates all others.
    pub async fn set_faults(&self, faults: &[&str]) {
        self.control("faults", Some(json!({ "faults": faults }))).await;
    }

    /// Sends an event as the control interface accepts it, and returns the response.
    pub async fn fire_event(&self, wish: Value) -> Value {
        self.control("events", Some(wish)).await
    }

    /// Returns the bodies of all events that the plant has sent, in order.
    pub async fn sent_events(&self) -> Vec<Value> {
        let sent = self.control("events", None).await;
        let mut bodies = Vec::new();
        for event in sent["data"].as_array().expect("events are a list") {
            let mut event = self.control(&format!("events/{}", event["id"]), None).await;
            bodies.push(event["body"].take());
        }
        bodies
    }

    /// Posts to the control interface and returns the response.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.control(path, Some(body)).await
    }

    /// Returns how often the plant accepted and refused each item of an operation, by key. The parts of a key are
    /// joined with ` · `.
    pub async fn applied(&self, operation: &str) -> BTreeMap<String, Applied> {
        let mut all: BTreeMap<String, Applied> = BTreeMap::new();
        for entry in self.log().await.iter().filter(|entry| entry["operation"] == operation) {
            for item in entry["applied"].as_array().into_iter().flatten().filter_map(Value::as_object) {
                let parts = item.iter().filter(|(name, _)| *name != "success").map(|(_, value)| json_text(value));
                let key = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
                let applied = all.entry(key).or_default();
                if item["success"] == true { applied.accepted += 1 } else { applied.refused += 1 }
            }
        }
        all
    }

    /// Kills the plant, so that requests in flight get no response.
    pub fn kill(&mut self) {
        self.program.kill();
    }

    /// Terminates the plant with SIGTERM, and returns its exit code.
    #[cfg(unix)]
    pub fn stop(&mut self) -> Option<i32> {
        self.program.terminate().code()
    }

    async fn control(&self, path: &str, body: Option<Value>) -> Value {
        let client = client();
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

/// Returns a client that follows no redirects. Its timeout allows for a debug build on a busy machine.
fn client() -> reqwest::Client {
    let client =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).timeout(START_TIMEOUT);
    client.build().expect("a client can be made")
}

/// The numbers of times that the plant accepted and refused an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Applied {
    pub accepted: u32,
    pub refused: u32,
}

fn json_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
