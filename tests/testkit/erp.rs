//! A system that receives forwarded events. It responds by a rule, and records the accepted requests in order.

use std::{
    fmt,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// An HTTP server with its own threads. It ends when it is dropped.
pub struct Erp {
    url: String,
    shared: Arc<Shared>,
}

struct Shared {
    accepted: Mutex<Vec<ReceivedRequest>>,
    rule: Mutex<Rule>,
    is_stopped: AtomicBool,
}

type Rule = Box<dyn FnMut(&ReceivedRequest) -> Reply + Send>;

impl fmt::Debug for Erp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Erp").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A received request, as rules and tests see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedRequest {
    /// The names and values. Names are in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// The response to a request, which the rule determines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    Status(u16),
    /// Closes the connection without a response.
    Drop,
    /// Sends 200 after a delay.
    Late(Duration),
}

impl ReceivedRequest {
    /// Returns the delivery ID. Repeated deliveries of an event have the same ID.
    #[must_use]
    pub fn delivery_id(&self) -> &str {
        self.header("x-takt-delivery").unwrap_or_default()
    }

    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Erp {
    pub fn start(rule: impl FnMut(&ReceivedRequest) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this computer");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            accepted: Mutex::default(),
            rule: Mutex::new(Box::new(rule)),
            is_stopped: AtomicBool::new(false),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let serving = Arc::clone(&serving);
                thread::spawn(move || while answer_next(&stream, &serving).is_some() {});
            }
        });
        Self { url: format!("http://127.0.0.1:{port}/events"), shared }
    }

    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Replaces the rule that determines the responses.
    pub fn set_rule(&self, rule: impl FnMut(&ReceivedRequest) -> Reply + Send + 'static) {
        *self.shared.rule.lock().expect("no rule panics") = Box::new(rule);
    }

    /// Returns the requests that got a 2xx response, in order of arrival.
    #[must_use]
    pub fn accepted_requests(&self) -> Vec<ReceivedRequest> {
        self.shared.accepted.lock().expect("nobody panics").clone()
    }
}

impl Drop for Erp {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        // Connecting wakes the thread that accepts connections.
        drop(TcpStream::connect(self.url.trim_start_matches("http://").trim_end_matches("/events")));
    }
}

/// Answers one request. Returns `None` at the end of the connection.
fn answer_next(mut stream: &TcpStream, shared: &Shared) -> Option<()> {
    let mut bytes = Vec::new();
    let arrived = loop {
        if let Some(arrived) = parse_request(&bytes) {
            break arrived;
        }
        let mut chunk = [0; 8192];
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(chunk.get(..read)?);
    };
    let reply = (shared.rule.lock().expect("no rule panics"))(&arrived);
    let status = match reply {
        Reply::Drop => return None,
        Reply::Status(status) => status,
        Reply::Late(wait) => {
            thread::sleep(wait);
            200
        }
    };
    if (200..300).contains(&status) {
        shared.accepted.lock().expect("nobody panics").push(arrived);
    }
    write!(stream, "HTTP/1.1 {status} Said\r\nContent-Length: 2\r\n\r\n{{}}").ok()
}

fn parse_request(bytes: &[u8]) -> Option<ReceivedRequest> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(bytes.get(..end)?).into_owned();
    let named = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let headers: Vec<_> = named.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let body = bytes.get(end + 4..end + 4 + length.parse::<usize>().ok()?)?.to_vec();
    Some(ReceivedRequest { headers, body })
}
