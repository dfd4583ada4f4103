//! Sends requests and receives complete responses. It doesn't obtain or refresh tokens.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use reqwest::{
    Method, Request, Response, Url,
    header::{HeaderMap, LOCATION},
};
use takt_contract::{form::ErrorForm, without_byte_order_mark};

use crate::{
    ClientError, Failpoints, Pagination, RateLimit, Redactor, Refusal, ServiceResponse, SiteAccess,
    budget::Budget,
    http::{self, RouteSecrets},
    ignored_header::IgnoredHeaders,
    rate_limit,
    refusal::TOO_MANY_REQUESTS,
    transcript::Transcript,
};

/// In bytes, for responses to writes, after decompression.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// In bytes, for responses to reads, after decompression.
const MAX_READ_BYTES: usize = 512 * 1024 * 1024;
/// In bytes. The stated length of a response isn't trusted, so no more memory is allocated at once.
const MAX_INITIAL_CAPACITY: usize = 16 * 1024 * 1024;
/// The timeout of a large response. A response without further bytes times out earlier.
const READ_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Redirects of a read must stay within its origin.
const MAX_REDIRECTS: u32 = 5;

/// Returns the current time. Tests replace it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The transport of one site. Clones share connections and the request budget.
#[derive(Clone)]
pub(crate) struct Transport {
    http: reqwest::Client,
    clock: Clock,
    budget: Arc<Budget>,
    /// The service's clock minus the local clock, as of the last response with a date.
    clock_skew: Arc<Mutex<Option<SignedDuration>>>,
    ignored_headers: Arc<Mutex<IgnoredHeaders>>,
    failpoints: Failpoints,
    /// The timeout of a write's response, or of the next part of a read's response.
    response_timeout: Duration,
    redactor: Redactor,
    errors: Arc<ErrorForm>,
    transcript: Transcript,
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Transport").finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestEffect {
    /// The request has no effect, so it may be retried. Its response may be large.
    Reads,
    Writes,
}

impl RequestEffect {
    fn of_request(request: &Request) -> Self {
        if request.method() == Method::GET { Self::Reads } else { Self::Writes }
    }

    /// Returns the maximum size of a response in bytes, after decompression.
    fn max_body_bytes(self) -> usize {
        match self {
            Self::Reads => MAX_READ_BYTES,
            Self::Writes => MAX_BODY_BYTES,
        }
    }
}

/// A complete response with any status.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    milliseconds: u32,
}

impl Transport {
    pub(crate) fn new(
        access: &SiteAccess,
        clock: Clock,
        failpoints: Failpoints,
        redactor: Redactor,
        secrets: &RouteSecrets,
    ) -> Result<Self, ClientError> {
        let (http, response_timeout) = (http::build_client(access, secrets)?, access.timeouts.request);
        Ok(Self {
            http,
            clock,
            budget: Arc::default(),
            clock_skew: Arc::default(),
            ignored_headers: Arc::default(),
            failpoints,
            response_timeout,
            redactor,
            errors: Arc::new(access.errors.clone()),
            transcript: Transcript::default(),
        })
    }

    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    pub(crate) fn clock_skew(&self) -> Option<SignedDuration> {
        *self.clock_skew.lock()
    }

    /// Sends a request and receives the complete response with any status. Secrets are removed unless the status is
    /// 2xx.
    pub(crate) async fn exchange(&self, request: Request) -> Result<Received, ClientError> {
        if !self.transcript.is_recording() {
            return self.receive(request).await;
        }
        self.transcript.note_request(&request, &self.redactor);
        let answer = self.receive(request).await;
        match &answer {
            Ok(Received { status, headers, body, .. }) => {
                self.transcript.note_response(*status, headers, body, &self.redactor);
            }
            Err(error) => self.transcript.note_failure(error, &self.redactor),
        }
        answer
    }

    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Sends a request and receives a response of up to `limit` bytes, with any status.
    pub(crate) async fn fetch(&self, request: Request, limit: usize) -> Result<Received, ClientError> {
        let effect = RequestEffect::of_request(&request);
        self.receive_within_origin(request, effect, limit).await
    }

    async fn receive(&self, request: Request) -> Result<Received, ClientError> {
        let effect = RequestEffect::of_request(&request);
        self.receive_up_to(request, effect, None, effect.max_body_bytes()).await
    }

    async fn receive_up_to(
        &self,
        mut request: Request,
        effect: RequestEffect,
        failpoint: Option<&'static str>,
        limit: usize,
    ) -> Result<Received, ClientError> {
        let started = Instant::now();
        let reads = effect == RequestEffect::Reads;
        if reads {
            *request.timeout_mut() = Some(READ_TIMEOUT);
        }
        let response = self.within_timeout(self.http.execute(request)).await?;
        if let Some(failpoint) = failpoint {
            self.failpoints.pass(failpoint);
        }
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        if let Some(date) = rate_limit::parse_date_header(&headers) {
            let skew = date.duration_since((self.clock)());
            *self.clock_skew.lock() = Some(skew);
        }
        let mut body = self.receive_body(response, reads, limit).await?;
        if !(200..300).contains(&status) {
            body = self.redactor.redact_bytes(body);
        }
        let milliseconds = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        Ok(Received { status, headers, body, milliseconds })
    }

    /// Sends a request to the service and records its rate limit. Returns an error for any status other than 2xx.
    pub(crate) async fn send_to_service(
        &self,
        request: Request,
        effect: RequestEffect,
    ) -> Result<ServiceResponse, ClientError> {
        let received = self.receive_within_origin(request, effect, effect.max_body_bytes()).await?;
        let (local_time, date) = ((self.clock)(), rate_limit::parse_date_header(&received.headers));
        if !(200..300).contains(&received.status) {
            // The clock skew is recorded first, since the wait depends on it.
            self.budget.record_response(None, date, local_time);
            let mut refusal = self.read_refusal(&received);
            if let Some(address) = redirect_address(&received) {
                refusal.body = format!("Location: {address}\n{}", refusal.body);
            }
            if refusal.status == TOO_MANY_REQUESTS {
                self.budget.record_refusal(&refusal);
            }
            self.budget.record_response(refusal.limit, date, local_time);
            return Err(ClientError::Refused(Box::new(refusal)));
        }
        let Received { status, headers, body, milliseconds } = received;
        self.budget.record_response(None, date, local_time);
        let limit = {
            let mut ignored = self.ignored_headers();
            Pagination::note_invalid_headers(&headers, &mut ignored);
            RateLimit::from_headers(&headers, self.budget.service_time(local_time), &mut ignored)
        };
        self.budget.record_response(limit, date, local_time);
        let body = self.redactor.redact_data(body);
        Ok(ServiceResponse { status, body, headers, limit, milliseconds })
    }

    /// Follows redirects of reads within their origin, since other origins must not receive the token. Redirects of
    /// writes aren't followed, since their effect would be unknown.
    async fn receive_within_origin(
        &self,
        request: Request,
        effect: RequestEffect,
        limit: usize,
    ) -> Result<Received, ClientError> {
        let failpoint = (effect == RequestEffect::Writes).then_some("request-sent");
        let mut next = (effect == RequestEffect::Reads).then(|| request.try_clone()).flatten();
        let mut received = self.receive_up_to(request, effect, failpoint, limit).await?;
        for _ in 0..MAX_REDIRECTS {
            let Some(mut request) = next else { break };
            let address = redirect_address(&received).filter(|_| keeps_method(&received, request.method()));
            let Some(url) = address.and_then(|address| within_origin(request.url(), address)) else { break };
            *request.url_mut() = url;
            next = request.try_clone();
            received = self.receive_up_to(request, effect, failpoint, limit).await?;
        }
        Ok(received)
    }

    pub(crate) fn read_refusal(&self, received: &Received) -> Refusal {
        let now = self.budget.service_time((self.clock)());
        let mut ignored = self.ignored_headers();
        let (headers, body) = (&received.headers, &received.body);
        Refusal::read(received.status, headers, &mut ignored, body, &self.errors, now, received.milliseconds)
    }

    pub(crate) fn ignored_headers(&self) -> MutexGuard<'_, IgnoredHeaders> {
        self.ignored_headers.lock()
    }

    /// Receives the complete body. Fails if it ends early or is larger than `limit` bytes.
    async fn receive_body(&self, mut response: Response, reads: bool, limit: usize) -> Result<Vec<u8>, ClientError> {
        let status = response.status().as_u16();
        let content_length =
            response.content_length().map_or(0, |length| usize::try_from(length).unwrap_or(usize::MAX));
        if content_length > limit {
            return Err(too_large_error(status, limit, reads));
        }
        let mut body = Vec::with_capacity(content_length.min(MAX_INITIAL_CAPACITY));
        while let Some(chunk) = self.within_timeout(response.chunk()).await? {
            if body.len() + chunk.len() > limit {
                return Err(too_large_error(status, limit, reads));
            }
            body.extend_from_slice(&chunk);
        }
        // Some servers send a byte order mark, which isn't valid JSON.
        let mark_length = body.len() - without_byte_order_mark(&body).len();
        body.drain(..mark_length);
        Ok(body)
    }

    async fn within_timeout<T>(
        &self,
        operation: impl Future<Output = Result<T, reqwest::Error>>,
    ) -> Result<T, ClientError> {
        match tokio::time::timeout(self.response_timeout, operation).await {
            Ok(result) => result.map_err(|cause| ClientError::from_transport(&cause).redacted(&self.redactor)),
            Err(_) => Err(ClientError::TimedOut(format!("nothing came for {:?}", self.response_timeout))),
        }
    }
}

/// Returns the error for a body above the limit. Reads can be repeated with fewer rows. After a write, the results of
/// its rows are unknown.
fn too_large_error(status: u16, limit: usize, reads: bool) -> ClientError {
    if reads && (200..300).contains(&status) {
        return ClientError::TooLarge { status, limit };
    }
    let reason = format!("its body is larger than {limit} bytes");
    ClientError::NotUnderstood { status, reason, body: String::new() }
}

/// Returns the `Location` of a redirect.
fn redirect_address(received: &Received) -> Option<&str> {
    let redirects = matches!(received.status, 301 | 302 | 303 | 307 | 308);
    received.headers.get(LOCATION).filter(|_| redirects)?.to_str().ok()
}

/// Returns whether a redirect keeps method and body. Older statuses don't define that, except for `GET`.
fn keeps_method(received: &Received, method: &Method) -> bool {
    method == Method::GET || matches!(received.status, 307 | 308)
}

fn within_origin(from: &Url, address: &str) -> Option<Url> {
    let url = from.join(address).ok()?;
    (url.origin() == from.origin() && url.username().is_empty() && url.password().is_none()).then_some(url)
}
