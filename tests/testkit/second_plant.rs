//! A second plant, which differs from the practice plant in everything that may differ between sites. These are paths,
//! methods, names, pages, batch responses, errors, date-times, durations and enumerations.
//!
//! It translates for a practice plant behind it, so that the practice plant's log records applied items. Its code is
//! written by hand and doesn't use Takt's contract. `tests/data/second_plant.openapi.yaml` describes it.

mod form;
mod member;
mod operation;
mod problem;
mod tool;
mod translation;

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

/// The time zone of its date-times.
const ZONE: &str = "Europe/Berlin";
/// The path of Swashbuckle's document.
const DOCUMENT: &str = "/swagger/v1/swagger";

/// The second plant. It ends when it is dropped. It has its own `base_url` and uses the practice plant's sign-in and
/// control interface.
#[derive(Debug)]
pub struct SecondPlant {
    plant: Plant,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The practice plant's address.
    plant: String,
    zone: TimeZone,
    client: reqwest::Client,
    calibrations: Mutex<Vec<Value>>,
    over: AtomicBool,
}

impl SecondPlant {
    /// Starts a second plant with these options of `takt plant`. Its site is added with its document.
    #[must_use]
    pub fn start(options: &[&str]) -> Self {
        Self::with_document(options, Some(Self::document()))
    }

    /// Starts a second plant whose site is added without a document.
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
        // Each connection has its own runtime, so a pooled connection would belong to the runtime that opened it.
        let client =
            reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client can be made");
        let shared = Arc::new(Shared {
            plant: plant.member("base_url").to_owned(),
            zone: TimeZone::get(ZONE).expect("the zone is known"),
            client,
            calibrations: Mutex::default(),
            over: AtomicBool::new(false),
        });
        plant.set_interface(&address, document);
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.over.load(Ordering::Relaxed) {
                    return;
                }
                let serving = Arc::clone(&serving);
                thread::spawn(move || serve(&stream, &serving));
            }
        });
        Self { plant, shared }
    }

    /// Puts a relay in front of its interface, so that a test can hold back its responses.
    pub fn relay(&mut self) -> Relay {
        self.plant.relay()
    }

    /// Returns the stored calibrations of tools in order of arrival.
    #[must_use]
    pub fn calibrations(&self) -> Vec<Value> {
        self.shared.calibrations.lock().expect("nobody panics").clone()
    }

    /// Returns the address of the practice plant behind it, so that another plant can take it over.
    #[must_use]
    pub fn address_behind(&self) -> &str {
        self.shared.plant.trim_start_matches("http://")
    }

    /// Kills the practice plant behind it, so that requests get no response.
    pub fn kill(&mut self) {
        self.plant.kill();
    }
}

/// Dereferences to the practice plant, the record of applied items.
impl Deref for SecondPlant {
    type Target = Plant;

    fn deref(&self) -> &Plant {
        &self.plant
    }
}

impl Drop for SecondPlant {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts connections.
        drop(TcpStream::connect(self.plant.address()));
    }
}

/// Answers the requests of a connection, one after the other.
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

/// Answers a request for the document, which needs no sign-in.
fn document(request: &Request) -> Option<Answer> {
    let form = request.path.strip_prefix(DOCUMENT).filter(|_| request.method == "GET")?;
    let text = fs::read_to_string(SecondPlant::document()).expect("the document can be read");
    match form {
        ".yaml" => {
            let kind = "application/yaml; charset=utf-8".to_owned();
            Some(Answer { kind, body: text.into_bytes(), ..Answer::empty(200) })
        }
        ".json" => Some(Answer::json(200, &serde_saphyr::from_str(&text).expect("the document is YAML"))),
        _ => None,
    }
}
