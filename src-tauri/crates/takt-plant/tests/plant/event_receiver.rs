//! A receiver of events on loopback, which records requests and sends replies chosen by a test.

use std::{
    net::Ipv4Addr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, Response, Uri, header::LOCATION},
};
use serde_json::Value;
use tokio::{
    net::TcpListener,
    task::JoinHandle,
    time::{Instant, sleep},
};

/// The reply to a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Status(u16),
    /// Status 200 with this body.
    Body(String),
    /// Status 307 with this address.
    Redirect(String),
    /// No reply.
    Silence,
    /// Status 200 with this body, after a delay.
    Delayed(Duration, String),
}

/// A request that was recorded.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

pub(crate) struct Receiver {
    pub(crate) url: String,
    state: Arc<ReceiverState>,
    server_task: JoinHandle<()>,
}

struct ReceiverState {
    received: Mutex<Vec<ReceivedRequest>>,
    /// The replies to the next requests, in order. The last one is repeated.
    replies: Mutex<Vec<Reply>>,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    /// Returns the number of the event.
    pub(crate) fn event(&self) -> i64 {
        self.json()["Id"].as_i64().unwrap()
    }
}

impl Receiver {
    pub(crate) async fn new() -> Self {
        Self::with_replies(vec![Reply::Status(200)]).await
    }

    pub(crate) async fn with_replies(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let state = Arc::new(ReceiverState { received: Mutex::default(), replies: Mutex::new(replies) });
        let router = Router::new().fallback(receive).with_state(Arc::clone(&state));
        let server_task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, state, server_task }
    }

    /// Sets the reply to all further requests.
    pub(crate) fn set_reply(&self, reply: Reply) {
        *self.state.replies.lock().unwrap() = vec![reply];
    }

    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.state.received.lock().unwrap().clone()
    }

    /// Returns the numbers of the received events, in order.
    pub(crate) fn events(&self) -> Vec<i64> {
        self.received().iter().map(ReceivedRequest::event).collect()
    }

    /// Waits for `count` requests. Returns all received requests.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<ReceivedRequest> {
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.received().len() < count {
            assert!(Instant::now() < deadline, "{} of {count} requests came", self.received().len());
            sleep(Duration::from_millis(5)).await;
        }
        self.received()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server_task.abort();
    }
}

async fn receive(
    State(state): State<Arc<ReceiverState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response<Body> {
    state.received.lock().unwrap().push(ReceivedRequest { method, uri, headers, bytes });
    let reply = {
        let mut replies = state.replies.lock().unwrap();
        if replies.len() > 1 { replies.remove(0) } else { replies[0].clone() }
    };
    let response = Response::builder();
    match reply {
        Reply::Status(status) => response.status(status).body(Body::empty()),
        Reply::Body(body) => response.body(body.into()),
        Reply::Redirect(to) => response.status(307).header(LOCATION, to).body(Body::empty()),
        Reply::Silence => std::future::pending().await,
        Reply::Delayed(after, body) => {
            sleep(after).await;
            response.body(body.into())
        }
    }
    .unwrap()
}
