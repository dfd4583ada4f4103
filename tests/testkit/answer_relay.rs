//! A proxy in front of a plant that changes its responses for a test. Requests are forwarded unchanged.

use std::{
    fmt,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::Value;

use crate::connection::{Answer, Request, next_request, write_answer};

/// Headers that aren't forwarded, since they belong to a connection or the proxy writes its own.
const OWN_HEADERS: [&str; 5] = ["connection", "content-length", "content-type", "date", "transfer-encoding"];

/// A proxy that changes responses. It ends when it is dropped.
pub struct AnswerRelay {
    url: String,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// A function that changes a response. It also gets the request's method and path.
type Change = dyn Fn(&str, &str, &mut Answer) + Send + Sync;

struct Shared {
    /// The plant's base URL, `http://host:port`.
    plant: String,
    client: reqwest::Client,
    change: Box<Change>,
    is_stopped: AtomicBool,
}

impl fmt::Debug for AnswerRelay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AnswerRelay").field("url", &self.url).finish_non_exhaustive()
    }
}

impl AnswerRelay {
    /// Starts a proxy in front of an address such as `127.0.0.1:8080`.
    pub(crate) fn start(server: &str, change: impl Fn(&str, &str, &mut Answer) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        // Each connection has its own runtime. A pooled connection would belong to the runtime that opened it.
        let client =
            reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client can be made");
        let plant = format!("http://{server}");
        let shared = Arc::new(Shared { plant, client, change: Box::new(change), is_stopped: AtomicBool::new(false) });
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
        Self { url: format!("http://{address}"), address, shared }
    }

    /// Starts a proxy that changes the JSON of responses. `change` also gets the request's path.
    pub(crate) fn start_rewriting(server: &str, change: impl Fn(&str, &mut Value) + Send + Sync + 'static) -> Self {
        Self::start(server, move |_, path, answer| {
            if let Ok(mut body) = serde_json::from_slice(&answer.body) {
                change(path, &mut body);
                answer.body = body.to_string().into_bytes();
            }
        })
    }

    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for AnswerRelay {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        // Connecting wakes the thread that accepts connections.
        drop(TcpStream::connect(self.address));
    }
}

/// Answers a connection's requests one after the other. If the plant closes its connection, closes this one, too.
fn serve(stream: &TcpStream, shared: &Shared) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    let mut rest = Vec::new();
    while let Some(request) = next_request(stream, &mut rest) {
        let Some(mut answer) = runtime.block_on(forward(shared, &request)) else { return };
        (shared.change)(&request.method, &request.path, &mut answer);
        if write_answer(stream, &answer).is_none() {
            return;
        }
    }
}

/// Forwards a request and returns the plant's response, or `None` if the plant closes the connection.
async fn forward(shared: &Shared, request: &Request) -> Option<Answer> {
    let method = request.method.parse().ok()?;
    let mut request_to_plant = shared.client.request(method, format!("{}{}", shared.plant, request.target));
    request_to_plant = request_to_plant.header("Authorization", &request.authorization);
    if !request.body.is_empty() {
        request_to_plant = request_to_plant.header("Content-Type", "application/json").body(request.body.clone());
    }
    let answer = request_to_plant.send().await.ok()?;
    let status = answer.status().as_u16();
    let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let kind = answer.headers().get("content-type").map(text).unwrap_or_default();
    let forwarded = answer.headers().iter().filter(|(name, _)| !OWN_HEADERS.contains(&name.as_str()));
    let headers = forwarded.map(|(name, value)| (name.to_string(), text(value))).collect();
    let body = answer.bytes().await.ok()?.to_vec();
    Some(Answer { status, kind, headers, body })
}
