//! What is measured: a server in a process of its own, which ends with its guard.

use std::{
    io::{BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    bench::{
        http::{Answer, ask, encoded},
        machine,
    },
    error::XtaskError,
    place,
    process::program,
};

/// A server that doesn't answer after so long has failed.
const TIMEOUT: Duration = Duration::from_secs(120);
const SCOPES: &str = "service-portal-api service-api offline_access";

/// A running server.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) address: SocketAddr,
    /// From its start to its first good answer.
    pub(super) first_answer: Duration,
    /// In MB, just after it.
    pub(super) resident: Option<f64>,
    child: Child,
}

impl Subject {
    /// Starts a program and waits until `path` is answered with 200.
    pub(super) fn start(
        name: &str,
        mut command: Command,
        address: SocketAddr,
        path: &str,
        headers: &str,
    ) -> Result<Self, XtaskError> {
        let start = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.map_err(|source| XtaskError::Start { program: name.to_owned(), source })?;
        let mut subject = Self::around(name, child, address);
        while !ask(address, "GET", path, headers, &[]).is_ok_and(|answer| answer.status == 200) {
            if start.elapsed() > TIMEOUT || subject.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return Err(wrong(name, "it doesn't answer"));
            }
            thread::sleep(Duration::from_millis(2));
        }
        subject.first_answer = start.elapsed();
        subject.resident = subject.resident_now();
        Ok(subject)
    }

    /// Starts a program whose first line tells its address, as an http address. The line comes with it.
    pub(super) fn told(name: &str, mut command: Command) -> Result<(Self, String), XtaskError> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let child = child.map_err(|source| XtaskError::Start { program: name.to_owned(), source })?;
        let mut subject = Self::around(name, child, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let output = subject.child.stdout.take().ok_or_else(|| wrong(name, "it has no output"))?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(|error| wrong(name, &error.to_string()))?;
        let line = line.trim().to_owned();
        let host = line.trim_start_matches("http://").split('/').next().and_then(|host| host.parse().ok());
        subject.address = host.ok_or_else(|| wrong(name, "it names no address"))?;
        Ok((subject, line))
    }

    fn around(name: &str, child: Child, address: SocketAddr) -> Self {
        Self { name: name.to_owned(), address, first_answer: Duration::ZERO, resident: None, child }
    }

    pub(super) fn resident_now(&self) -> Option<f64> {
        machine::resident(self.child.id())
    }

    pub(super) fn spent(&self) -> Option<Duration> {
        machine::spent(self.child.id())
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A practice plant with somebody signed in.
#[derive(Debug)]
pub(super) struct Plant {
    pub(super) subject: Subject,
    token: String,
    key: String,
    line: Value,
}

impl Plant {
    /// Starts `takt plant` and walks through the sign-in to the first page of orders.
    pub(super) fn start(name: &str, options: &[&str]) -> Result<Self, XtaskError> {
        let takt = place::target().join("release").join(format!("takt{}", std::env::consts::EXE_SUFFIX));
        let mut command = program(&takt.to_string_lossy());
        command.arg("plant").args(options);
        if !options.contains(&"--rate-limit") {
            command.args(["--rate-limit", "4000000000/60"]);
        }
        command.env("TAKT_HOME", place::target().join("bench").join("home"));
        let start = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let child = child.map_err(|source| XtaskError::Start { program: "takt plant".to_owned(), source })?;
        let mut subject = Subject::around(name, child, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let mut line = String::new();
        let output = subject.child.stdout.take().ok_or_else(|| wrong(name, "it has no output"))?;
        BufReader::new(output).read_line(&mut line).map_err(|error| wrong(name, &error.to_string()))?;
        let line: Value = serde_json::from_str(&line).map_err(|error| wrong(name, &error.to_string()))?;
        let member = |member: &str| line[member].as_str().unwrap_or_default().to_owned();
        let address = member("base_url").trim_start_matches("http://").parse();
        subject.address = address.map_err(|_| wrong(name, "it names no address"))?;
        let token = sign_in(subject.address, &line).ok_or_else(|| wrong(name, "nobody can sign in"))?;
        let key = member("control_key");
        let mut plant = Self { subject, token, key, line };
        plant.get("/api/v1/WorkOrders")?;
        plant.subject.first_answer = start.elapsed();
        plant.subject.resident = plant.subject.resident_now();
        Ok(plant)
    }

    /// What it says of itself, and the token of who is signed in.
    pub(super) fn told(&self) -> (Value, String) {
        (self.line.clone(), self.token.clone())
    }

    /// The header that every request carries.
    pub(super) fn headers(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }

    pub(super) fn get(&self, path: &str) -> Result<Vec<u8>, XtaskError> {
        self.fetch(path).map(|answer| answer.body)
    }

    /// How many rows a list has in all.
    pub(super) fn total(&self, path: &str) -> Result<usize, XtaskError> {
        let answer = self.fetch(path)?;
        let total = answer.header("x-pagination-total").and_then(|total| total.parse().ok());
        total.ok_or_else(|| wrong(path, "it has no total"))
    }

    fn fetch(&self, path: &str) -> Result<Answer, XtaskError> {
        let answer = ask(self.subject.address, "GET", path, &self.headers(), &[]);
        let answer = answer.map_err(|error| wrong(path, &error.to_string()))?;
        if answer.status == 200 { Ok(answer) } else { Err(wrong(path, &answer.status.to_string())) }
    }

    /// Everything as it was at the start.
    pub(super) fn reset(&self) -> Result<(), XtaskError> {
        let headers = format!("Authorization: Bearer {}\r\n", self.key);
        let answer = ask(self.subject.address, "POST", "/control/reset", &headers, &[]);
        let good = answer.as_ref().is_ok_and(|answer| answer.status == 200);
        if good { Ok(()) } else { Err(wrong("the plant", &format!("it can't be reset: {answer:?}"))) }
    }
}

/// The OAuth walk as a browser and a client make it. Gives the access token.
fn sign_in(address: SocketAddr, line: &Value) -> Option<String> {
    let member = |name: &str| line[name].as_str();
    let (client, client_secret) = (member("client_id")?, member("client_secret")?);
    let back = line["redirect_uris"][0].as_str()?;
    let query = encoded(&[
        ("client_id", client),
        ("response_type", "code"),
        ("grant_type", "authorization_code"),
        ("scope", SCOPES),
        ("redirect_uri", back),
        ("state", "bench"),
    ]);
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let path = format!("/identity/connect/authorize?{query}");
    let decided = ask(address, "POST", &path, form, b"user=planner").ok()?;
    let code = decided.header("location")?.split(['?', '&']).find_map(|pair| pair.strip_prefix("code="))?.to_owned();
    let body = encoded(&[
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("client_secret", client_secret),
        ("code", &code),
        ("redirect_uri", back),
    ]);
    let pair = ask(address, "POST", "/identity/connect/token", form, body.as_bytes()).ok()?;
    let pair: Value = serde_json::from_slice(&pair.body).ok()?;
    pair["access_token"].as_str().map(str::to_owned)
}

/// An address at which nobody listens at the moment.
pub(super) fn free_address() -> Result<SocketAddr, XtaskError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener.map_err(|error| wrong("loopback", &error.to_string()))
}

pub(super) fn wrong(program: &str, reason: &str) -> XtaskError {
    XtaskError::Answer { program: program.to_owned(), reason: reason.to_owned() }
}
