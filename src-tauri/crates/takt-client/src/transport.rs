//! One request out, one complete answer in. Knows nothing of tokens.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::SignedDuration;
use parking_lot::{Mutex, MutexGuard};
use reqwest::{
    Method, Request, Response, Url,
    header::{HeaderMap, LOCATION},
};
use takt_contract::{form::ErrorForm, without_byte_order_mark};

use crate::{
    Answer, ClientError, Clock, Failpoints, Pagination, RateLimit, Redactor, Refusal, SiteAccess,
    budget::Budget,
    http::{self, WaySecrets},
    limit,
    odd_header::OddHeaders,
    refusal::TOO_MANY_REQUESTS,
    transcript::Transcript,
};

/// Bytes of a body (unpacked) that are taken on of what answers a write.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// The same of what answers a read.
const MAX_READ_BYTES: usize = 512 * 1024 * 1024;
/// So much room is made at once for what a service says will come.
const FIRST_ROOM: usize = 16 * 1024 * 1024;
/// A large response may take this long. One of which no more bytes come is given up earlier.
const READ_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// How often a read may be sent on within its origin.
const MAX_REDIRECTS: u32 = 5;

/// Clones share connections and the budget of requests.
#[derive(Clone)]
pub(crate) struct Transport {
    http: reqwest::Client,
    clock: Clock,
    budget: Arc<Budget>,
    /// By how much the other side's clock is ahead, as it said last.
    skew: Arc<Mutex<Option<SignedDuration>>>,
    /// What was ignored of the service's headers.
    odd: Arc<Mutex<OddHeaders>>,
    failpoints: Failpoints,
    /// How long to wait for an answer, or for the next part of a read's.
    answer_timeout: Duration,
    /// A response may echo the request's secrets.
    redactor: Redactor,
    /// Where the service's errors carry its words.
    errors: Arc<ErrorForm>,
    transcript: Transcript,
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Transport").finish_non_exhaustive()
    }
}

/// What a request does to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestEffect {
    /// Nothing: it may be sent again, and its answer may be large.
    Reads,
    Writes,
}

impl RequestEffect {
    fn of(request: &Request) -> Self {
        if request.method() == Method::GET { Self::Reads } else { Self::Writes }
    }

    /// Bytes of the answer's body that are taken.
    fn largest_body(self) -> usize {
        match self {
            Self::Reads => MAX_READ_BYTES,
            Self::Writes => MAX_BODY_BYTES,
        }
    }
}

/// An answer with any status, its body complete.
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
        secrets: &WaySecrets,
    ) -> Result<Self, ClientError> {
        let (http, answer_timeout) = (http::client(access, secrets)?, access.timeouts.whole);
        Ok(Self {
            http,
            clock,
            budget: Arc::default(),
            skew: Arc::default(),
            odd: Arc::default(),
            failpoints,
            answer_timeout,
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

    pub(crate) fn skew(&self) -> Option<SignedDuration> {
        *self.skew.lock()
    }

    /// Sends, and waits for the whole answer, whatever its status. One that isn't 2xx holds no secret any more.
    pub(crate) async fn exchange(&self, request: Request) -> Result<Received, ClientError> {
        if !self.transcript.is_noted() {
            return self.receive(request).await;
        }
        self.transcript.note_request(&request, &self.redactor);
        let answer = self.receive(request).await;
        match &answer {
            Ok(Received { status, headers, body, .. }) => {
                self.transcript.note_answer(*status, headers, body, &self.redactor);
            }
            Err(error) => self.transcript.note_failure(error, &self.redactor),
        }
        answer
    }

    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Reads what may be anything, up to so many bytes. The status may be any, too.
    pub(crate) async fn fetch(&self, request: Request, limit: usize) -> Result<Received, ClientError> {
        let effect = RequestEffect::of(&request);
        self.receive_within_origin(request, effect, limit).await
    }

    async fn receive(&self, request: Request) -> Result<Received, ClientError> {
        let effect = RequestEffect::of(&request);
        self.receive_up_to(request, effect, None, effect.largest_body()).await
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
        let response = self.in_time(self.http.execute(request)).await?;
        if let Some(failpoint) = failpoint {
            self.failpoints.pass(failpoint);
        }
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        if let Some(date) = limit::date(&headers) {
            let ahead = date.duration_since((self.clock)());
            *self.skew.lock() = Some(ahead);
        }
        let mut body = self.whole_body(response, reads, limit).await?;
        if !(200..300).contains(&status) {
            body = self.redactor.words(body);
        }
        let milliseconds = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        Ok(Received { status, headers, body, milliseconds })
    }

    /// Sends to the service: a 2xx is an answer, everything else an error.
    pub(crate) async fn ask(&self, request: Request, effect: RequestEffect) -> Result<Answer, ClientError> {
        let received = self.receive_within_origin(request, effect, effect.largest_body()).await?;
        let (ours, date) = ((self.clock)(), limit::date(&received.headers));
        if !(200..300).contains(&received.status) {
            // The time first: how long to wait is counted from it.
            self.budget.note(None, date, ours);
            let mut refusal = self.refusal(&received);
            if let Some(address) = redirect(&received) {
                refusal.body = format!("Location: {address}\n{}", refusal.body);
            }
            if refusal.status == TOO_MANY_REQUESTS {
                self.budget.refused(&refusal);
            }
            self.budget.note(refusal.limit, date, ours);
            return Err(ClientError::Refused(Box::new(refusal)));
        }
        let Received { status, headers, body, milliseconds } = received;
        self.budget.note(None, date, ours);
        let limit = {
            let mut odd = self.odd_headers();
            Pagination::note_odd_headers(&headers, &mut odd);
            RateLimit::from_headers(&headers, self.budget.service_time(ours), &mut odd)
        };
        self.budget.note(limit, date, ours);
        let body = self.redactor.data(body);
        Ok(Answer { status, body, headers, limit, milliseconds })
    }

    /// A read goes on to where its own origin sends it; to no other, which would get the token. A write doesn't: nobody would
    /// know what became of it on the way.
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
            let address = redirect(&received).filter(|_| keeps_method(&received, request.method()));
            let Some(url) = address.and_then(|address| within_origin(request.url(), address)) else { break };
            *request.url_mut() = url;
            next = request.try_clone();
            received = self.receive_up_to(request, effect, failpoint, limit).await?;
        }
        Ok(received)
    }

    pub(crate) fn refusal(&self, received: &Received) -> Refusal {
        let now = self.budget.service_time((self.clock)());
        let mut odd = self.odd_headers();
        let headers = (&received.headers, &mut *odd);
        Refusal::read(received.status, headers, &received.body, &self.errors, now, received.milliseconds)
    }

    pub(crate) fn odd_headers(&self) -> MutexGuard<'_, OddHeaders> {
        self.odd.lock()
    }

    /// An answer that stops before its end is no answer.
    async fn whole_body(&self, mut response: Response, reads: bool, limit: usize) -> Result<Vec<u8>, ClientError> {
        let status = response.status().as_u16();
        let promised = response.content_length().map_or(0, |length| usize::try_from(length).unwrap_or(usize::MAX));
        if promised > limit {
            return Err(too_large(status, limit, reads));
        }
        let mut body = Vec::with_capacity(promised.min(FIRST_ROOM));
        while let Some(chunk) = self.in_time(response.chunk()).await? {
            if body.len() + chunk.len() > limit {
                return Err(too_large(status, limit, reads));
            }
            body.extend_from_slice(&chunk);
        }
        // Of a text's beginning some servers make a mark that JSON doesn't know.
        let mark = body.len() - without_byte_order_mark(&body).len();
        body.drain(..mark);
        Ok(body)
    }

    async fn in_time<T>(&self, waited_for: impl Future<Output = Result<T, reqwest::Error>>) -> Result<T, ClientError> {
        match tokio::time::timeout(self.answer_timeout, waited_for).await {
            Ok(result) => result.map_err(|cause| ClientError::from_transport(&cause).redacted(&self.redactor)),
            Err(_) => Err(ClientError::TimedOut(format!("nothing came for {:?}", self.answer_timeout))),
        }
    }
}

/// After a write, the results of its rows aren't known then. A read can ask for less.
fn too_large(status: u16, limit: usize, reads: bool) -> ClientError {
    if reads && (200..300).contains(&status) {
        return ClientError::TooLarge { status, limit };
    }
    let reason = format!("its body is larger than {limit} bytes");
    ClientError::NotUnderstood { status, reason, body: String::new() }
}

/// Where a service says that something is elsewhere.
fn redirect(received: &Received) -> Option<&str> {
    let redirects = matches!(received.status, 301 | 302 | 303 | 307 | 308);
    received.headers.get(LOCATION).filter(|_| redirects)?.to_str().ok()
}

/// The older statuses leave open by which method another address is asked, and whether with the body.
fn keeps_method(received: &Received, method: &Method) -> bool {
    method == Method::GET || matches!(received.status, 307 | 308)
}

fn within_origin(from: &Url, address: &str) -> Option<Url> {
    let url = from.join(address).ok()?;
    (url.origin() == from.origin() && url.username().is_empty() && url.password().is_none()).then_some(url)
}
