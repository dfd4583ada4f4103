//! A second plant, which differs from the practice plant in everything that a site may: paths, methods, names, pages, batch
//! answers, errors, date-times with offsets, durations and numbers for texts.
//!
//! It stands in front of a practice plant and translates, so that the practice plant's log tells what was applied. What it says
//! is written by hand and knows nothing of Takt's own contract; `tests/data/second_plant.openapi.yaml` describes it.

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

use crate::connection::{Answer, Request, next_request, write};

/// The zone of its date-times.
const ZONE: &str = "Europe/Berlin";
/// Where Swashbuckle shows a document.
const DOCUMENT: &str = "/swagger/v1/swagger";

/// It ends with its guard. Its `base_url` is its own; everything else is the practice plant's.
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
    /// Starts one with these options of `takt plant`; whoever adds it as a site loads its document.
    #[must_use]
    pub fn start(options: &[&str]) -> Self {
        Self::with_document(options, Some(Self::document()))
    }

    /// Starts one whose document nobody has.
    #[must_use]
    pub fn start_without_document(options: &[&str]) -> Self {
        Self::with_document(options, None)
    }

    /// The OpenAPI document that describes it.
    #[must_use]
    pub fn document() -> PathBuf {
        repository().join("tests/data/second_plant.openapi.yaml")
    }

    fn with_document(options: &[&str], document: Option<PathBuf>) -> Self {
        let mut plant = Plant::start(&[&["--time-zone", ZONE], options].concat());
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it has an address"));
        // Each connection here has a runtime of its own, and a kept one would rest with the runtime that opened it.
        let client =
            reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client can be made");
        let shared = Arc::new(Shared {
            plant: plant.member("base_url").to_owned(),
            zone: TimeZone::get(ZONE).expect("the zone is known"),
            client,
            calibrations: Mutex::default(),
            over: AtomicBool::new(false),
        });
        plant.stand_behind(&address, document);
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

    /// Puts a relay in front of its interface, so that a test can hold its responses.
    pub fn relay(&mut self) -> Relay {
        self.plant.relay()
    }

    /// The calibrations of tools that it keeps, in the order of their arrival.
    #[must_use]
    pub fn calibrations(&self) -> Vec<Value> {
        self.shared.calibrations.lock().expect("nobody panics").clone()
    }

    /// Where the practice plant behind it listens, for another one to take its place.
    #[must_use]
    pub fn address_behind(&self) -> &str {
        self.shared.plant.trim_start_matches("http://")
    }

    /// The practice plant behind it ends at once, so that nothing is answered any more.
    pub fn kill(&mut self) {
        self.plant.kill();
    }
}

/// The practice plant behind it, as the record of what was applied.
impl Deref for SecondPlant {
    type Target = Plant;

    fn deref(&self) -> &Plant {
        &self.plant
    }
}

impl Drop for SecondPlant {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        // So that the thread that accepts looks up.
        drop(TcpStream::connect(self.plant.address()));
    }
}

/// Answers what comes on a connection, one request after the other.
fn serve(stream: &TcpStream, shared: &Shared) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    let mut rest = Vec::new();
    while let Some(request) = next_request(stream, &mut rest) {
        let answer = match document(&request) {
            Some(answer) => Some(answer),
            None => runtime.block_on(translation::answer(shared, &request)),
        };
        if answer.and_then(|answer| write(stream, &answer)).is_none() {
            return;
        }
    }
}

/// The document, which anybody may read.
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
