//! A proxy in front of a plant that answers some reads of lists wrongly: malformed, incomplete or contradictory, as a gateway or a
//! service under maintenance does. Everything else passes as it is. What goes wrong follows from the seed.

use std::{
    fmt,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use serde_json::{Value, json};

use crate::connection::{Answer, Request, next_request, write};

const TOTAL: &str = "x-pagination-total";
/// Headers that belong to a connection, or that are written anew.
const OWN_HEADERS: [&str; 5] = ["connection", "content-length", "content-type", "date", "transfer-encoding"];

/// What a list's response says instead of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListFault {
    /// 200 with an error instead of a list.
    Maintenance,
    /// 200 with an object without members.
    Empty,
    /// Every member is null.
    Null,
    /// The total is larger than the rows.
    LargerTotal,
    /// Rows are missing at the end of the page, and the total counts them.
    ShortPage,
    /// No rows, and a total.
    NoRows,
    /// The total changes from page to page.
    ChangingTotal,
}

const FAULTS: [ListFault; 7] = [
    ListFault::Maintenance,
    ListFault::Empty,
    ListFault::Null,
    ListFault::LargerTotal,
    ListFault::ShortPage,
    ListFault::NoRows,
    ListFault::ChangingTotal,
];

/// It ends with its guard.
pub struct ListFaults {
    url: String,
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    /// As `http://host:port`.
    plant: String,
    client: reqwest::Client,
    /// Reads that go wrong, of a hundred.
    percent: AtomicU64,
    dice: Mutex<u64>,
    /// Reads that went wrong.
    count: AtomicU64,
    over: AtomicBool,
}

impl fmt::Debug for ListFaults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ListFaults").field("url", &self.url).finish_non_exhaustive()
    }
}

impl ListFaults {
    /// Starts one in front of an address such as `127.0.0.1:8080`. No read goes wrong yet.
    pub(crate) fn start(server: &str, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        // Each connection has a runtime of its own, and a kept connection would belong to the runtime that opened it.
        let client =
            reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client can be made");
        let shared = Arc::new(Shared {
            plant: format!("http://{server}"),
            client,
            percent: AtomicU64::new(0),
            dice: Mutex::new(seed),
            count: AtomicU64::new(0),
            over: AtomicBool::new(false),
        });
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
        Self { url: format!("http://{address}"), address, shared }
    }

    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// From now on so many of a hundred reads go wrong.
    pub fn set_percent(&self, percent: u64) {
        self.shared.percent.store(percent, Ordering::Relaxed);
    }

    /// Reads that went wrong so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.shared.count.load(Ordering::Relaxed)
    }
}

impl Drop for ListFaults {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        // The thread that accepts looks up.
        drop(TcpStream::connect(self.address));
    }
}

/// Answers the requests of a connection, one after the other. If the plant cuts its connection, this one is cut, too.
fn serve(stream: &TcpStream, shared: &Shared) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    let mut rest = Vec::new();
    while let Some(request) = next_request(stream, &mut rest) {
        let Some(mut answer) = runtime.block_on(pass(shared, &request)) else { return };
        if request.method == "GET"
            && answer.status == 200
            && let Some(fault) = shared.roll()
        {
            spoil(&mut answer, fault, shared.below(5) + 1);
        }
        if write(stream, &answer).is_none() {
            return;
        }
    }
}

/// What the plant answers; `None` if it cuts the connection.
async fn pass(shared: &Shared, request: &Request) -> Option<Answer> {
    let method = request.method.parse().ok()?;
    let mut passed = shared.client.request(method, format!("{}{}", shared.plant, request.target));
    passed = passed.header("Authorization", &request.authorization);
    if !request.body.is_empty() {
        passed = passed.header("Content-Type", "application/json").body(request.body.clone());
    }
    let answer = passed.send().await.ok()?;
    let status = answer.status().as_u16();
    let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let kind = answer.headers().get("content-type").map(text).unwrap_or_default();
    let others = answer.headers().iter().filter(|(name, _)| !OWN_HEADERS.contains(&name.as_str()));
    let headers = others.map(|(name, value)| (name.to_string(), text(value))).collect();
    let body = answer.bytes().await.ok()?.to_vec();
    Some(Answer { status, kind, headers, body })
}

impl Shared {
    /// What goes wrong with the next read.
    fn roll(&self) -> Option<ListFault> {
        if self.below(100) >= self.percent.load(Ordering::Relaxed) {
            return None;
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        let place = usize::try_from(self.below(FAULTS.len() as u64)).unwrap_or_default();
        FAULTS.get(place).copied()
    }

    /// SplitMix64: a number below `end`.
    fn below(&self, end: u64) -> u64 {
        let mut dice = self.dice.lock().expect("no thread panics");
        *dice = dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *dice;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// Puts the fault in the response of a list. A list without a total can only be malformed or short of rows.
fn spoil(answer: &mut Answer, fault: ListFault, by: u64) {
    let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else { return };
    let lists =
        || FAULTS.iter().filter(|fault| matches!(fault, ListFault::Maintenance | ListFault::Empty | ListFault::Null));
    let has_total = answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(TOTAL));
    let fault = if has_total { fault } else { *lists().nth(by as usize % 3).unwrap_or(&ListFault::Empty) };
    match fault {
        ListFault::Maintenance => body = json!({ "error": "maintenance" }),
        ListFault::Empty => body = json!({}),
        ListFault::Null => members(&mut body, |value| *value = Value::Null),
        ListFault::LargerTotal => change_total(answer, |total| total + by),
        ListFault::ShortPage => members(&mut body, |value| {
            if let Value::Array(rows) = value {
                rows.truncate(rows.len() / 2);
            }
        }),
        ListFault::NoRows => members(&mut body, |value| {
            if let Value::Array(rows) = value {
                rows.clear();
            }
        }),
        ListFault::ChangingTotal => change_total(answer, |total| total.saturating_sub(by)),
    }
    answer.body = body.to_string().into_bytes();
}

fn members(body: &mut Value, change: impl FnMut(&mut Value)) {
    body.as_object_mut().into_iter().flat_map(|members| members.values_mut()).for_each(change);
}

fn change_total(answer: &mut Answer, change: impl Fn(u64) -> u64) {
    for (name, value) in &mut answer.headers {
        if name.eq_ignore_ascii_case(TOTAL)
            && let Ok(total) = value.parse()
        {
            *value = change(total).to_string();
        }
    }
}
