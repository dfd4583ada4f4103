//! A second plant, which differs from the practice plant wherever sites may differ: in paths, methods, names, pages,
//! batch responses, errors, date-times, durations and enumerations.
//!
//! It translates requests for a practice plant behind it, whose log records applied items. The code is written by hand
//! and must not use Takt's contract. `tests/data/second_plant.openapi.yaml` describes the interface.

mod member;
mod operation;
mod problem;
mod tool;
mod translation;
mod value_format;

use std::{
    fs,
    net::{TcpListener, TcpStream},
    ops::Deref,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use jiff::tz::TimeZone;
use serde_json::Value;

use crate::{Plant, Relay, repository};

use crate::connection::{Answer, Request, next_request, write_answer};

/// The time zone of the date-times in its responses.
const ZONE: &str = "Europe/Berlin";
/// The path of the OpenAPI document without its extension, as in Swashbuckle.
const DOCUMENT: &str = "/swagger/v1/swagger";

/// The second plant. It ends when it is dropped. Its interface has its own address, but the sign-in and the control
/// interface are the practice plant's.
#[derive(Debug)]
pub struct SecondPlant {
    plant: Plant,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The practice plant's base URL.
    plant: String,
    zone: TimeZone,
    client: reqwest::Client,
    calibrations: Mutex<Vec<Value>>,
    is_stopped: AtomicBool,
}

impl SecondPlant {
    /// Starts a second plant with options of `takt plant`. Tests add its site with its document.
    #[must_use]
    pub fn start(options: &[&str]) -> Self {
        Self::with_document(options, Some(Self::document()))
    }

    /// Starts a second plant. Tests add its site without a document.
    #[must_use]
    pub fn start_without_document(options: &[&str]) -> Self {
        Self::with_document(options, None)
    }

    /// Returns the path of its OpenAPI document.
    #[must_use]
    pub fn document() -> PathBuf {
        repository().join("tests/data/second_plant.openapi.yaml")
    }

    fn with_document(options: &[&str], document: Option<PathBuf>) -> Self {
        let mut plant = Plant::start(&[&["--time-zone", ZONE], options].concat());
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it has an address"));
        // Each connection has its own runtime. A pooled connection would belong to the runtime that opened it.
        let client =
            reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client can be made");
        let shared = Arc::new(Shared {
            plant: plant.member("base_url").to_owned(),
            zone: TimeZone::get(ZONE).expect("the zone is known"),
            client,
            calibrations: Mutex::default(),
            is_stopped: AtomicBool::new(false),
        });
        plant.set_interface(&address, document);
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let serving = Arc::clone(&serving);
                thread::spawn(move || serve(&stream, &serving));
            }
        });
        Self { plant, shared }
    }

    /// Puts a relay in front of its interface, so that a test can hold back responses.
    pub fn relay(&mut self) -> Relay {
        self.plant.relay()
    }

    /// Returns the stored calibrations of tools in order of arrival.
    #[must_use]
    pub fn calibrations(&self) -> Vec<Value> {
        self.shared.calibrations.lock().expect("nobody panics").clone()
    }

    /// Returns the address of the practice plant behind it, so that another plant can replace it.
    #[must_use]
    pub fn address_behind(&self) -> &str {
        self.shared.plant.trim_start_matches("http://")
    }

    /// Kills the practice plant behind it, so that requests get no responses.
    pub fn kill(&mut self) {
        self.plant.kill();
    }
}

/// Dereferences to the practice plant, whose log is the record of applied items.
impl Deref for SecondPlant {
    type Target = Plant;

    fn deref(&self) -> &Plant {
        &self.plant
    }
}

impl Drop for SecondPlant {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        // Connecting wakes the thread that accepts connections.
        drop(TcpStream::connect(self.plant.address()));
    }
}

/// Answers a connection's requests one after the other.
fn serve(stream: &TcpStream, shared: &Shared) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    let mut rest = Vec::new();
    while let Some(request) = next_request(stream, &mut rest) {
        let answer = match document(&request) {
            Some(answer) => Some(answer),
            None => runtime.block_on(translation::answer(shared, &request)),
        };
        if answer.and_then(|answer| write_answer(stream, &answer)).is_none() {
            return;
        }
    }
}

/// Returns the document if the request asks for it. The document needs no sign-in.
fn document(request: &Request) -> Option<Answer> {
    let extension = request.path.strip_prefix(DOCUMENT).filter(|_| request.method == "GET")?;
    let text = fs::read_to_string(SecondPlant::document()).expect("the document can be read");
    match extension {
        ".yaml" => {
            let kind = "application/yaml; charset=utf-8".to_owned();
            Some(Answer { kind, body: text.into_bytes(), ..Answer::empty(200) })
        }
        ".json" => Some(Answer::json(200, &serde_saphyr::from_str(&text).expect("the document is YAML"))),
        _ => None,
    }
}
