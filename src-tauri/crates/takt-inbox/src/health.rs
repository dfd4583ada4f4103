//! Reports whether events can be stored, to load balancers and supervisors that don't know the secret address.

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
/// The media type and both responses follow the IETF's draft for health checks of HTTP APIs.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/health+json");
const PASS_BODY: &str = r#"{"status":"pass"}"#;
const FAIL_BODY: &str = r#"{"status":"fail"}"#;

/// Whether events can be stored.
#[derive(Debug, Clone)]
pub(crate) struct Health {
    /// Whether the last write succeeded.
    can_write: Arc<AtomicBool>,
    /// The availability of a team's database. Absent if the events are in the desk's own file.
    availability: Option<watch::Receiver<Availability>>,
}

impl Health {
    pub(crate) fn new(inbox: &Inbox) -> Self {
        Self { can_write: Arc::new(AtomicBool::new(true)), availability: inbox.availability() }
    }

    pub(crate) fn set_can_write(&self, can_write: bool) {
        self.can_write.store(can_write, Ordering::Relaxed);
    }

    fn is_healthy(&self) -> bool {
        let is_available = self.availability.as_ref().is_none_or(|known| known.borrow().is_available());
        is_available && self.can_write.load(Ordering::Relaxed)
    }

    /// Returns when a team's database becomes available or unavailable. Never returns for the desk's own file.
    pub(crate) async fn wait_for_change(&mut self) {
        let Some(known) = &mut self.availability else { return std::future::pending().await };
        if known.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Returns the response to a health check, or `None` for other requests.
    pub(crate) fn respond(&self, request: &Request<Body>) -> Option<Response<Body>> {
        if request.uri().path() != PATH || !matches!(*request.method(), Method::GET | Method::HEAD) {
            return None;
        }
        let (status, body) =
            if self.is_healthy() { (StatusCode::OK, PASS_BODY) } else { (StatusCode::SERVICE_UNAVAILABLE, FAIL_BODY) };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, MEDIA_TYPE);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Some(response)
    }
}
