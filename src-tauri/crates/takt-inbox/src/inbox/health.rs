//! Whether events can be kept: what a load balancer or a supervisor asks a receiver, without its secret address.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    body::Body,
    http::{HeaderValue, Method, Request, Response, StatusCode, header},
};

const PATH: &str = "/health";
/// Of the IETF's draft for health checks of HTTP APIs, as are the two answers.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/health+json");
const PASS: &str = r#"{"status":"pass"}"#;
const FAIL: &str = r#"{"status":"fail"}"#;

/// What the last attempt to write said.
#[derive(Debug, Clone)]
pub(super) struct Health(Arc<AtomicBool>);

impl Health {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    pub(super) fn set(&self, can_write: bool) {
        self.0.store(can_write, Ordering::Relaxed);
    }

    /// Absent for every other request.
    pub(super) fn answer(&self, request: &Request<Body>) -> Option<Response<Body>> {
        if request.uri().path() != PATH || !matches!(*request.method(), Method::GET | Method::HEAD) {
            return None;
        }
        let (status, body) = if self.0.load(Ordering::Relaxed) {
            (StatusCode::OK, PASS)
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, FAIL)
        };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, MEDIA_TYPE);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Some(response)
    }
}
