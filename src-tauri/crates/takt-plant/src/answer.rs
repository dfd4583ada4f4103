//! Builds responses as the service sends them, with status, headers and body. An error always has a body.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use jiff::Timestamp;
use serde::Serialize;
use takt_contract::wire::{
    BatchResponse, ErrorBody, ErrorsBody, InternalErrorBody, RateLimitBody, X_PAGINATION_CURRENT, X_PAGINATION_PAGES,
    X_PAGINATION_TOTAL, X_RATE_LIMIT_LIMIT, X_RATE_LIMIT_REMAINING, X_RATE_LIMIT_RESET,
};
use tokio::{
    io::{AsyncRead, ReadBuf},
    time::{Sleep, sleep},
};
use tokio_util::io::ReaderStream;

use crate::{PlantError, rate_limit::Allowance};

/// The delay before a body breaks off, so that the previous bytes are sent.
const DRAIN_TIME: Duration = Duration::from_millis(30);

/// How a response ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseEnding {
    Complete,
    /// The response breaks off in the middle of its body.
    Truncated,
    /// The response breaks off before its first byte.
    Cut,
}

/// A response extension that marks a complete body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompleteBody;

/// A response that isn't converted to HTTP yet.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(status: StatusCode, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        Self { status, headers, body: body.into() }
    }

    fn from_body<T: Serialize>(status: StatusCode, body: &T) -> Self {
        Self::json(status, serde_json::to_vec(body).unwrap_or_default())
    }

    /// Builds an error with a single text, as for 401, 403 and 404.
    pub(crate) fn error(status: StatusCode, text: &str) -> Self {
        Self::from_body(status, &ErrorBody { error: text.to_owned() })
    }

    /// Builds an error with a list of texts, as for 400 and 412.
    pub(crate) fn errors(status: StatusCode, texts: Vec<String>) -> Self {
        Self::from_body(status, &ErrorsBody { errors: texts })
    }

    pub(crate) fn bad_request(text: impl Into<String>) -> Self {
        Self::errors(StatusCode::BAD_REQUEST, vec![text.into()])
    }

    pub(crate) fn too_many_requests(retry_after: f64, limit: u32, reset: Timestamp) -> Self {
        Self::from_body(
            StatusCode::TOO_MANY_REQUESTS,
            &RateLimitBody {
                error: TOO_MANY_REQUESTS_TEXT.to_owned(),
                retry_after,
                limit: limit.into(),
                remaining: 0,
                reset: reset.to_string(),
            },
        )
    }

    pub(crate) fn internal_error(log_id: String, stack_trace: Option<Vec<String>>) -> Self {
        let message = vec!["An unexpected error occurred.".to_owned()];
        Self::from_body(StatusCode::INTERNAL_SERVER_ERROR, &InternalErrorBody { log_id, message, stack_trace })
    }

    /// Logs an internal error and returns a 500 with its log ID.
    pub(crate) fn log_internal_error(log_id: String, error: &PlantError) -> Self {
        tracing::error!(%error, log_id, "a request failed inside the plant");
        Self::internal_error(log_id, None)
    }

    /// Builds an HTML response, as a gateway would send it.
    pub(crate) fn html(status: StatusCode, html: &'static str) -> Self {
        let headers = vec![(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))];
        Self { status, headers, body: html.as_bytes().to_vec() }
    }

    pub(crate) fn add_header(&mut self, name: &str, value: &str) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_str(value)) {
            self.headers.push((name, value));
        }
    }

    /// Adds the rate limit headers unless they exist.
    pub(crate) fn add_rate_limit(&mut self, allowance: &Allowance) {
        if self.headers.iter().any(|(name, _)| name.as_str().eq_ignore_ascii_case(X_RATE_LIMIT_LIMIT)) {
            return;
        }
        self.add_header(X_RATE_LIMIT_LIMIT, &allowance.limit.to_string());
        self.add_header(X_RATE_LIMIT_REMAINING, &allowance.remaining.to_string());
        self.add_header(X_RATE_LIMIT_RESET, &allowance.reset.to_string());
    }

    /// Converts to a complete response without rate limit headers, for addresses outside of the service's API.
    pub(crate) fn into_plain_response(self) -> Response {
        self.into_response(ResponseEnding::Complete, None)
    }

    pub(crate) fn into_response(self, ending: ResponseEnding, cutter: Option<ConnectionCutter>) -> Response {
        let length = self.body.len();
        let body = match ending {
            ResponseEnding::Complete => Body::from(self.body),
            ResponseEnding::Truncated => build_broken_body(&self.body, length / 2),
            ResponseEnding::Cut => {
                if let Some(cutter) = cutter {
                    cutter.cut_connection();
                }
                build_broken_body(&self.body, 0)
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        if ending == ResponseEnding::Complete {
            response.extensions_mut().insert(CompleteBody);
        }
        let headers = response.headers_mut();
        for (name, value) in self.headers {
            headers.insert(name, value);
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        response
    }
}

/// Converts a success or error to a response without rate limit headers.
pub(crate) fn to_response(outcome: Result<Answer, Answer>) -> Response {
    outcome.unwrap_or_else(|answer| answer).into_plain_response()
}

pub(crate) const TOO_MANY_REQUESTS_TEXT: &str = "Too many requests. Try again later.";

/// The reply of an operation, before faults alter it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content: ReplyContent,
    pub(crate) pages: Option<PaginationCounts>,
}

#[derive(Debug)]
pub(crate) enum ReplyContent {
    Json(String),
    Batch(BatchResponse),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct PaginationCounts {
    pub(crate) total: usize,
    pub(crate) pages: usize,
    pub(crate) current: u64,
}

impl Reply {
    pub(crate) fn json(text: String) -> Self {
        Self { status: StatusCode::OK, content: ReplyContent::Json(text), pages: None }
    }

    pub(crate) fn into_answer(self) -> Answer {
        let mut answer = match self.content {
            ReplyContent::Json(text) => Answer::json(self.status, text),
            ReplyContent::Batch(batch) => Answer::from_body(self.status, &batch),
        };
        if let Some(PaginationCounts { total, pages, current }) = self.pages {
            answer.add_header(X_PAGINATION_TOTAL, &total.to_string());
            answer.add_header(X_PAGINATION_PAGES, &pages.to_string());
            answer.add_header(X_PAGINATION_CURRENT, &current.to_string());
        }
        answer
    }
}

/// Builds a body that fails after its first `length` bytes.
fn build_broken_body(body: &[u8], length: usize) -> Body {
    let remaining = body.get(..length).unwrap_or(body).to_vec();
    Body::from_stream(ReaderStream::new(BreakingBody { remaining, error_delay: Box::pin(sleep(DRAIN_TIME)) }))
}

/// A body that fails after its remaining bytes and a delay.
struct BreakingBody {
    remaining: Vec<u8>,
    error_delay: Pin<Box<Sleep>>,
}

impl AsyncRead for BreakingBody {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.remaining.is_empty() {
            let count = self.remaining.len().min(buffer.remaining());
            let rest = self.remaining.split_off(count);
            buffer.put_slice(&self.remaining);
            self.remaining = rest;
            return Poll::Ready(Ok(()));
        }
        self.error_delay.as_mut().poll(context).map(|()| Err(io::ErrorKind::UnexpectedEof.into()))
    }
}

/// Cuts a connection, so that all later writes to it fail.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionCutter(Arc<AtomicBool>);

impl ConnectionCutter {
    fn cut_connection(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
