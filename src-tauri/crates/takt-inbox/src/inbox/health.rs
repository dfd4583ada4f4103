//! Whether events can be kept: what a load balancer or a supervisor asks a receiver, without its secret address.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    body::Body,
    http::{HeaderValue, Method, Request, Response, StatusCode, header},
};
use takt_journal::{Availability, Inbox};
use tokio::sync::watch;

const PATH: &str = "/health";
/// Of the IETF's draft for health checks of HTTP APIs, as are the two answers.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/health+json");
const PASS: &str = r#"{"status":"pass"}"#;
const FAIL: &str = r#"{"status":"fail"}"#;

/// Whether events can be kept.
#[derive(Debug, Clone)]
pub(super) struct Health {
    /// What the last attempt to write said.
    can_write: Arc<AtomicBool>,
    /// Of a team's database; absent where events are the desk's own.
    availability: Option<watch::Receiver<Availability>>,
}

impl Health {
    pub(super) fn of(inbox: &Inbox) -> Self {
        Self { can_write: Arc::new(AtomicBool::new(true)), availability: inbox.availability() }
    }

    pub(super) fn set(&self, can_write: bool) {
        self.can_write.store(can_write, Ordering::Relaxed);
    }

    fn is_good(&self) -> bool {
        let is_available = self.availability.as_ref().is_none_or(|known| known.borrow().is_available());
        is_available && self.can_write.load(Ordering::Relaxed)
    }

    /// Returns when a team's database goes away or is back; never where events are the desk's own.
    pub(super) async fn changed(&mut self) {
        let Some(known) = &mut self.availability else { return std::future::pending().await };
        if known.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Absent for every other request.
    pub(super) fn answer(&self, request: &Request<Body>) -> Option<Response<Body>> {
        if request.uri().path() != PATH || !matches!(*request.method(), Method::GET | Method::HEAD) {
            return None;
        }
        let (status, body) =
            if self.is_good() { (StatusCode::OK, PASS) } else { (StatusCode::SERVICE_UNAVAILABLE, FAIL) };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, MEDIA_TYPE);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Some(response)
    }
}
