//! A measured server in a separate process, which ends when its guard is dropped.

use std::{
    io::{BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    error::{BenchError, unexpected_result},
    http::{Response, encode_form, send_request},
    machine,
    process::{folder, takt},
};

/// A server that doesn't answer within this time has failed.
const TIMEOUT: Duration = Duration::from_secs(120);
const SCOPES: &str = "service-portal-api service-api offline_access";

/// A running server.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) address: SocketAddr,
    /// The time from its start to its first successful response.
    pub(crate) first_response: Duration,
    /// The resident memory in MB, just after the first response. Absent if the system doesn't report it.
    pub(crate) resident: Option<f64>,
    child: Child,
}

impl Subject {
    /// Starts a program and waits until `path` is answered with 200.
    pub(crate) fn start(
        name: &str,
        mut command: Command,
        address: SocketAddr,
        path: &str,
        headers: &str,
    ) -> Result<Self, BenchError> {
        let start = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.map_err(|source| BenchError::Start { program: name.to_owned(), source })?;
        let mut subject = Self::from_child(name, child, address);
        while !send_request(address, "GET", path, headers, &[]).is_ok_and(|answer| answer.status == 200) {
            if start.elapsed() > TIMEOUT || subject.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return Err(unexpected_result(name, "it doesn't answer"));
            }
            thread::sleep(Duration::from_millis(2));
        }
        subject.first_response = start.elapsed();
        subject.resident = subject.resident_now();
        Ok(subject)
    }

    /// Starts a program whose first line of output is its URL. Returns both.
    pub(crate) fn start_with_url(name: &str, mut command: Command) -> Result<(Self, String), BenchError> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let child = child.map_err(|source| BenchError::Start { program: name.to_owned(), source })?;
        let mut subject = Self::from_child(name, child, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let output = subject.child.stdout.take().ok_or_else(|| unexpected_result(name, "it has no output"))?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(|error| unexpected_result(name, &error.to_string()))?;
        let line = line.trim().to_owned();
        let host = line.trim_start_matches("http://").split('/').next().and_then(|host| host.parse().ok());
        subject.address = host.ok_or_else(|| unexpected_result(name, "it names no address"))?;
        Ok((subject, line))
    }

    fn from_child(name: &str, child: Child, address: SocketAddr) -> Self {
        Self { name: name.to_owned(), address, first_response: Duration::ZERO, resident: None, child }
    }

    pub(crate) fn resident_now(&self) -> Option<f64> {
        machine::resident_memory(self.child.id())
    }

    pub(crate) fn processor_time(&self) -> Option<Duration> {
        machine::processor_time(self.child.id())
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A practice plant with a signed-in user.
#[derive(Debug)]
pub(crate) struct Plant {
    pub(crate) subject: Subject,
    token: String,
    key: String,
    line: Value,
}

impl Plant {
    /// Starts `takt plant`, signs in and reads the first page of orders.
    pub(crate) fn start(name: &str, options: &[&str]) -> Result<Self, BenchError> {
        let mut command = takt();
        command.arg("plant").args(options);
        if !options.contains(&"--rate-limit") {
            command.args(["--rate-limit", "4000000000/60"]);
        }
        command.env("TAKT_HOME", folder().join("home"));
        let start = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let child = child.map_err(|source| BenchError::Start { program: "takt plant".to_owned(), source })?;
        let mut subject = Subject::from_child(name, child, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let mut line = String::new();
        let output = subject.child.stdout.take().ok_or_else(|| unexpected_result(name, "it has no output"))?;
        BufReader::new(output).read_line(&mut line).map_err(|error| unexpected_result(name, &error.to_string()))?;
        let line: Value = serde_json::from_str(&line).map_err(|error| unexpected_result(name, &error.to_string()))?;
        let member = |member: &str| line[member].as_str().unwrap_or_default().to_owned();
        let address = member("base_url").trim_start_matches("http://").parse();
        subject.address = address.map_err(|_| unexpected_result(name, "it names no address"))?;
        let token = sign_in(subject.address, &line).ok_or_else(|| unexpected_result(name, "nobody can sign in"))?;
        let key = member("control_key");
        let mut plant = Self { subject, token, key, line };
        plant.get("/api/v1/WorkOrders")?;
        plant.subject.first_response = start.elapsed();
        plant.subject.resident = plant.subject.resident_now();
        Ok(plant)
    }

    /// Returns the line that the plant printed at its start, and the access token.
    pub(crate) fn start_line_and_token(&self) -> (Value, String) {
        (self.line.clone(), self.token.clone())
    }

    /// Returns the headers of every request.
    pub(crate) fn headers(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }

    pub(crate) fn get(&self, path: &str) -> Result<Vec<u8>, BenchError> {
        self.fetch(path).map(|answer| answer.body)
    }

    /// Returns the number of rows of a list.
    pub(crate) fn row_count(&self, path: &str) -> Result<usize, BenchError> {
        let answer = self.fetch(path)?;
        let total = answer.header("x-pagination-total").and_then(|total| total.parse().ok());
        total.ok_or_else(|| unexpected_result(path, "it has no total"))
    }

    fn fetch(&self, path: &str) -> Result<Response, BenchError> {
        let answer = send_request(self.subject.address, "GET", path, &self.headers(), &[]);
        let answer = answer.map_err(|error| unexpected_result(path, &error.to_string()))?;
        if answer.status == 200 { Ok(answer) } else { Err(unexpected_result(path, &answer.status.to_string())) }
    }

    /// Resets the plant to its initial state.
    pub(crate) fn reset(&self) -> Result<(), BenchError> {
        let headers = format!("Authorization: Bearer {}\r\n", self.key);
        let answer = send_request(self.subject.address, "POST", "/control/reset", &headers, &[]);
        let good = answer.as_ref().is_ok_and(|answer| answer.status == 200);
        if good { Ok(()) } else { Err(unexpected_result("the plant", &format!("it can't be reset: {answer:?}"))) }
    }
}

/// Signs in with OAuth as a browser and a client do. Returns the access token.
fn sign_in(address: SocketAddr, line: &Value) -> Option<String> {
    let member = |name: &str| line[name].as_str();
    let (client, client_secret) = (member("client_id")?, member("client_secret")?);
    let back = line["redirect_uris"][0].as_str()?;
    let query = encode_form(&[
        ("client_id", client),
        ("response_type", "code"),
        ("grant_type", "authorization_code"),
        ("scope", SCOPES),
        ("redirect_uri", back),
        ("state", "bench"),
    ]);
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let path = format!("/identity/connect/authorize?{query}");
    let decided = send_request(address, "POST", &path, form, b"user=planner").ok()?;
    let code = decided.header("location")?.split(['?', '&']).find_map(|pair| pair.strip_prefix("code="))?.to_owned();
    let body = encode_form(&[
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("client_secret", client_secret),
        ("code", &code),
        ("redirect_uri", back),
    ]);
    let pair = send_request(address, "POST", "/identity/connect/token", form, body.as_bytes()).ok()?;
    let pair: Value = serde_json::from_slice(&pair.body).ok()?;
    pair["access_token"].as_str().map(str::to_owned)
}

/// Returns a loopback address whose port is currently free.
pub(crate) fn free_address() -> Result<SocketAddr, BenchError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener.map_err(|error| unexpected_result("loopback", &error.to_string()))
}
