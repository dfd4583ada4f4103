//! A receiver of events on loopback: it keeps every request's headers and bytes, and answers as it is told.

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

/// How a receiver answers.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Status(u16),
    /// A 200 with this body.
    Says(String),
    /// A 307 to this address.
    Redirects(String),
    /// Nothing, for as long as anybody waits.
    Hangs,
    /// An answer after this time.
    Late(Duration, String),
}

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

pub(crate) struct Receiver {
    pub(crate) url: String,
    inside: Arc<Inside>,
    serving: JoinHandle<()>,
}

struct Inside {
    received: Mutex<Vec<Received>>,
    /// The first is used up by the first request; the last answers all that follow.
    replies: Mutex<Vec<Reply>>,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    /// The event's id.
    pub(crate) fn event(&self) -> i64 {
        self.json()["Id"].as_i64().unwrap()
    }
}

impl Receiver {
    pub(crate) async fn new() -> Self {
        Self::that(vec![Reply::Status(200)]).await
    }

    pub(crate) async fn that(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let inside = Arc::new(Inside { received: Mutex::default(), replies: Mutex::new(replies) });
        let router = Router::new().fallback(take).with_state(Arc::clone(&inside));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, inside, serving }
    }

    /// Answers from now on like this.
    pub(crate) fn now_that(&self, reply: Reply) {
        *self.inside.replies.lock().unwrap() = vec![reply];
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.inside.received.lock().unwrap().clone()
    }

    /// The ids of the events, in the order in which they came.
    pub(crate) fn events(&self) -> Vec<i64> {
        self.received().iter().map(Received::event).collect()
    }

    /// The first so many requests, once they came.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Received> {
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
        self.serving.abort();
    }
}

async fn take(
    State(inside): State<Arc<Inside>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response<Body> {
    inside.received.lock().unwrap().push(Received { method, uri, headers, bytes });
    let reply = {
        let mut replies = inside.replies.lock().unwrap();
        if replies.len() > 1 { replies.remove(0) } else { replies[0].clone() }
    };
    let response = Response::builder();
    match reply {
        Reply::Status(status) => response.status(status).body(Body::empty()),
        Reply::Says(body) => response.body(body.into()),
        Reply::Redirects(to) => response.status(307).header(LOCATION, to).body(Body::empty()),
        Reply::Hangs => std::future::pending().await,
        Reply::Late(after, body) => {
            sleep(after).await;
            response.body(body.into())
        }
    }
    .unwrap()
}
