//! The receiver of a site's events. It answers only after an event is on disk.
//!
//! Checks a request's address, size and signature, and counts refused requests. `events::writer` stores events,
//! `signature` checks signatures, `answers` decides on replies, and `heartbeat` runs the background tasks.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Instant,
};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Parts},
};
use jiff::{SignedDuration, Timestamp};
use parking_lot::RwLock;
use serde_json::Value;
use sha2::{Digest, Sha256};
use takt_client::{Redactor, Secret};
use takt_contract::{Contract, wire::read_event_id};
use takt_journal::{
    Inbox,
    inbox::{NewEvent, SignatureState, StoreOutcome},
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use takt_core::{Clock, Code, Problem};
use takt_sites::Sites;

use crate::{
    answers::{AnswerHandler, EventToAnswer, SiteRules},
    body::{BodyError, BodyLimits, ReceivedBody},
    connections::ConnectionSlot,
    content_coding::{ACCEPTED_CODINGS, ContentCoding},
    delivery_format::{DeliveryFormat, delivery_key, find_header, signed_key},
    delivery_headers::{REPLAY_HEADER, REPLAY_ID_PREFIX},
    event_reader::BackgroundReader,
    events::EventWriter,
    forward::{ForwardContext, Forwarder},
    health::Health,
    heartbeat::{read_events, record_heartbeats},
    server::{header_texts, serve},
    signature::{SignatureResult, check_signature},
};

/// The seconds that a sender must wait if too many bytes are in memory.
const RETRY_AFTER_SECONDS: &str = "5";
/// The time in which the same bytes without an ID and a timestamp are treated as a repetition.
pub(crate) const REPEAT_PERIOD: SignedDuration = SignedDuration::from_mins(10);

/// The settings of a receiver.
#[derive(Debug, Clone)]
pub(crate) struct ReceiverConfig {
    pub(crate) site: String,
    pub(crate) listen: SocketAddr,
    /// The secret part of the address.
    pub(crate) path: Secret,
    /// The secrets, any of which may sign an event. If empty, signatures aren't checked.
    pub(crate) secrets: Vec<Secret>,
    /// The redactor for secrets that senders include.
    pub(crate) redactor: Redactor,
}

/// Like [`ReceiverConfig::secrets`], but may change while events arrive.
type Secrets = Arc<RwLock<Vec<Secret>>>;

/// Receives events until it is stopped.
#[derive(Debug)]
pub struct Receiver {
    site: String,
    address: SocketAddr,
    path: Secret,
    secrets: Secrets,
    refused: Arc<RefusedCounters>,
    closing: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    /// The ID of the newest stored event.
    latest_event: watch::Receiver<i64>,
    forwarding: Option<Forwarder>,
}

/// Refused requests since the receiver was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RefusedCounts {
    /// Requests to another path than the secret one, or with another method than POST.
    pub elsewhere: u32,
    /// Requests whose body is too large, incomplete, too slow or in an unsupported content coding.
    pub unreadable: u32,
    /// Requests that weren't stored because of an error or too many bytes in memory. The sender was asked to retry.
    pub not_kept: u32,
    /// Events that the site didn't sign, and that weren't stored because of their limit or because the disk is nearly
    /// full.
    pub unverified: u32,
}

#[derive(Debug, Default)]
struct RefusedCounters {
    elsewhere: AtomicU32,
    unreadable: AtomicU32,
    not_kept: AtomicU32,
    unverified: AtomicU32,
}

struct ReceiverState {
    config: ReceiverConfig,
    secrets: Secrets,
    contract: Arc<Contract>,
    /// The sites, for the contract in force.
    sites: Arc<Sites>,
    /// The delivery format from the contract at the start, or when a signature last failed.
    format: RwLock<Arc<DeliveryFormat>>,
    clock: Clock,
    /// The site's clock.
    site_clock: Clock,
    writer: EventWriter,
    answers: AnswerHandler,
    refused: Arc<RefusedCounters>,
    health: Health,
    body_limits: BodyLimits,
}

/// The parts of a receiver.
pub(crate) struct ReceiverParts {
    pub(crate) contract: Arc<Contract>,
    /// The form of the site's deliveries.
    pub(crate) format: DeliveryFormat,
    pub(crate) sites: Arc<Sites>,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) clock: Clock,
    /// The site's clock.
    pub(crate) site_clock: Clock,
    /// The rules by which the site's events are answered.
    pub(crate) rules: SiteRules,
}

impl Receiver {
    pub(crate) async fn start(
        config: ReceiverConfig,
        parts: ReceiverParts,
        background_reader: &BackgroundReader,
    ) -> Result<Self, Problem> {
        let ReceiverParts { contract, format, sites, inbox, clock, site_clock, rules } = parts;
        let listen_failed = |cause: std::io::Error| {
            Problem::new(Code::ListenFailed).parameter("address", config.listen.to_string()).details(cause)
        };
        let listener = TcpListener::bind(config.listen).await.map_err(listen_failed)?;
        let address = listener.local_addr().map_err(listen_failed)?;
        let (latest_sender, latest_event) = watch::channel(0);
        let writer = EventWriter::start(Arc::clone(&inbox), latest_sender).map_err(listen_failed)?;
        let refused = Arc::new(RefusedCounters::default());
        let closing = CancellationToken::new();
        let answers = AnswerHandler::new(rules.clone(), writer.clone(), Arc::clone(&inbox));
        rules.refresh_in_background(&inbox).await;
        let rule_updates = rules.follow_edits(Arc::clone(&inbox), closing.clone());
        let health = Health::new(&inbox);
        let heartbeats =
            record_heartbeats(inbox, config.site.clone(), health.clone(), Arc::clone(&clock), closing.clone());
        let (site, path) = (config.site.clone(), config.path.clone());
        let secrets = Secrets::new(RwLock::new(config.secrets.clone()));
        let format = RwLock::new(Arc::new(format));
        let (shared_secrets, refused_counts) = (Arc::clone(&secrets), Arc::clone(&refused));
        let body_limits = BodyLimits::default();
        let state = Arc::new(ReceiverState {
            config,
            secrets: shared_secrets,
            contract,
            sites,
            format,
            clock,
            site_clock,
            writer,
            answers,
            refused: refused_counts,
            health,
            body_limits,
        });
        let answer = move |request, slot: Arc<ConnectionSlot>| {
            let state = Arc::clone(&state);
            async move { state.answer(request, &slot).await }
        };
        let tasks = vec![
            tokio::spawn(serve(listener, closing.clone(), answer)),
            tokio::spawn(heartbeats),
            tokio::spawn(rule_updates),
            tokio::spawn(read_events(background_reader.clone(), latest_event.clone())),
        ];
        Ok(Self { site, address, path, secrets, refused, closing, tasks, latest_event, forwarding: None })
    }

    /// Forwards the received events to the site's targets.
    pub(crate) fn start_forwarding(&mut self, ctx: ForwardContext) {
        self.forwarding = Some(Forwarder::start(ctx, self.latest_event.clone()));
    }

    /// Returns the address for events, with its secret part.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/{}", self.address, self.path.reveal())
    }

    /// Returns the address at another of this computer's IP addresses, for a receiver that listens on all of them.
    #[must_use]
    pub fn url_at(&self, address: IpAddr) -> String {
        format!("http://{}/{}", SocketAddr::new(address, self.address.port()), self.path.reveal())
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the site whose events are received.
    #[must_use]
    pub fn site(&self) -> &str {
        &self.site
    }

    /// Replaces the secrets from the next event on.
    pub(crate) fn set_secrets(&self, secrets: Vec<Secret>) {
        *self.secrets.write() = secrets;
    }

    #[must_use]
    pub fn refused_counts(&self) -> RefusedCounts {
        let count = |counter: &AtomicU32| counter.load(Ordering::Relaxed);
        let RefusedCounters { elsewhere, unreadable, not_kept, unverified } = &*self.refused;
        RefusedCounts {
            elsewhere: count(elsewhere),
            unreadable: count(unreadable),
            not_kept: count(not_kept),
            unverified: count(unverified),
        }
    }

    /// Stops receiving. Returns once the received events are stored, answered and read.
    pub async fn stop(mut self) {
        self.closing.cancel();
        for task in self.tasks.drain(..) {
            if let Err(error) = task.await {
                tracing::error!(%error, "a part of the receiver ended badly");
            }
        }
        if let Some(forwarding) = self.forwarding.take() {
            forwarding.stop().await;
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

impl ReceiverState {
    async fn answer(&self, request: Request<Body>, slot: &ConnectionSlot) -> Response<Body> {
        if let Some(answer) = self.health.respond(&request) {
            return answer;
        }
        if !self.is_event_path(request.uri().path()) {
            return refuse(&self.refused.elsewhere, StatusCode::NOT_FOUND);
        }
        if request.method() != Method::POST {
            let mut refused = refuse(&self.refused.elsewhere, StatusCode::METHOD_NOT_ALLOWED);
            refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
            return refused;
        }
        let received = (self.clock)();
        let (head, body) = request.into_parts();
        let headers = header_texts(&head.headers);
        let (body, (format, checked)) = match self.read_body(&head, body, &headers, received).await {
            Ok(read) => read,
            Err(error) => return self.refuse_body(error),
        };
        slot.set_complete();
        // The permits are kept until the answer, because copies of the body may exist until then.
        let (body, _permit) = body.into_parts();
        let (arrived, kind) = (Instant::now(), self.answerable_kind(&body).await);
        let asking = kind.map(|kind| (kind, Bytes::copy_from_slice(AnswerHandler::limit_to_readable(&body))));
        let event = self.new_event(&format, received, headers, body, &checked);
        // The event is stored before the response. If that fails, the sender tries again.
        let stored = self.writer.store_event(event).await;
        self.health.set_can_write(stored.is_ok());
        let Ok(outcome) = stored else {
            return refuse(&self.refused.not_kept, StatusCode::SERVICE_UNAVAILABLE);
        };
        let Some(event) = outcome.event() else { return refuse(&self.refused.unverified, StatusCode::UNAUTHORIZED) };
        if !checked.signed.is_trusted() {
            return empty_response(StatusCode::UNAUTHORIZED);
        }
        let Some((kind, body)) = asking else { return empty_response(StatusCode::OK) };
        let is_repetition = matches!(outcome, StoreOutcome::Copy { .. });
        let question =
            EventToAnswer { event, is_repetition, kind, body, arrived, at: received, now: (self.site_clock)() };
        let reasons = self.answers.answer(question).await;
        json_response(&self.contract_in_force().await.reply_form().build_reply(&reasons))
    }

    /// Returns the site's current contract, or the contract at the start if it can't be read. Reads on a blocking
    /// thread.
    async fn contract_in_force(&self) -> Arc<Contract> {
        self.current_contract().await.unwrap_or_else(|| Arc::clone(&self.contract))
    }

    /// Returns the site's current contract, or `None` if it can't be read.
    async fn current_contract(&self) -> Option<Arc<Contract>> {
        let (sites, site) = (Arc::clone(&self.sites), self.config.site.clone());
        let found = tokio::task::spawn_blocking(move || sites.contract(&site)).await;
        found.ok().and_then(Result::ok)
    }

    /// Checks the signature. If it fails, the format of the contract in force is tried, in case it has changed.
    async fn check_signature(
        &self,
        headers: &[(String, String)],
        body: &[u8],
        received: Timestamp,
    ) -> (Arc<DeliveryFormat>, SignatureResult) {
        let secrets = self.secrets.read().clone();
        let format = Arc::clone(&self.format.read());
        let result = check_signature(&secrets, &format, headers, body, received);
        if secrets.is_empty() || result.signed == SignatureState::Valid {
            return (format, result);
        }
        let now = self.current_contract().await.map(|contract| Arc::new(DeliveryFormat::from_contract(&contract)));
        let Some(now) = now.filter(|now| *now != format) else { return (format, result) };
        *self.format.write() = Arc::clone(&now);
        let result = check_signature(&secrets, &now, headers, body, received);
        (now, result)
    }

    /// Reads the complete body and checks its signature, which covers the bytes before decompression.
    async fn read_body(
        &self,
        head: &Parts,
        body: Body,
        headers: &[(String, String)],
        received: Timestamp,
    ) -> Result<(ReceivedBody, (Arc<DeliveryFormat>, SignatureResult)), BodyError> {
        let codings = ContentCoding::from_headers(&head.headers)?;
        let body = self.body_limits.read(body).await?;
        let checked = self.check_signature(headers, &body.bytes, received).await;
        Ok((self.body_limits.decompress(body, codings).await?, checked))
    }

    fn refuse_body(&self, error: BodyError) -> Response<Body> {
        tracing::debug!(%error, "a body wasn't taken");
        match error {
            BodyError::TooLarge => refuse(&self.refused.unreadable, StatusCode::PAYLOAD_TOO_LARGE),
            BodyError::Slow => refuse(&self.refused.unreadable, StatusCode::REQUEST_TIMEOUT),
            BodyError::Broken => refuse(&self.refused.unreadable, StatusCode::BAD_REQUEST),
            BodyError::Crowded => {
                let mut refused = refuse(&self.refused.not_kept, StatusCode::SERVICE_UNAVAILABLE);
                refused.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_SECONDS));
                refused
            }
            BodyError::Coding(_) => {
                let mut refused = refuse(&self.refused.unreadable, StatusCode::UNSUPPORTED_MEDIA_TYPE);
                refused.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED_CODINGS));
                refused
            }
        }
    }

    /// Returns whether the path is the secret one. Compares hashes, so that the time reveals nothing about the secret.
    fn is_event_path(&self, path: &str) -> bool {
        let path = path.trim_start_matches('/').trim_end_matches('/');
        Sha256::digest(path.as_bytes()) == Sha256::digest(self.config.path.reveal().as_bytes())
    }

    fn new_event(
        &self,
        format: &DeliveryFormat,
        received: Timestamp,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
        checked: &SignatureResult,
    ) -> NewEvent {
        let signed = checked.signed;
        // If the signature covers the ID, unsigned headers can't change the delivery or mark a replay.
        let covered = checked.id.as_deref();
        let stated = find_header(&headers, &format.delivery).or(find_header(&headers, &format.webhooks.id));
        let delivery = covered.or(stated);
        let timestamp = find_header(&headers, &format.timestamp).or(find_header(&headers, &format.webhooks.timestamp));
        let key = delivery_key(delivery.or(timestamp).unwrap_or_default(), signed, &body);
        let signed_key = checked.timestamp.as_deref().map(|timestamp| signed_key(timestamp, &body));
        let duplicates_since =
            if delivery.or(timestamp).is_none() { received.checked_sub(REPEAT_PERIOD).ok() } else { None };
        let replay =
            covered.map_or(find_header(&headers, REPLAY_HEADER).is_some(), |id| id.starts_with(REPLAY_ID_PREFIX));
        // Redacted last because the signature covers the received bytes.
        let (headers, body) = (self.config.redactor.redact_headers(headers), self.config.redactor.redact_data(body));
        NewEvent {
            site: self.config.site.clone(),
            received,
            headers,
            body,
            key,
            signed_key,
            duplicates_since,
            signed,
            replay,
        }
    }

    /// Returns the number of the event if the service waits for its answer.
    async fn answerable_kind(&self, body: &[u8]) -> Option<i64> {
        let asks = |id: &i64| self.contract.events().iter().any(|kind| kind.asks && i64::from(kind.id) == *id);
        let id = match read_event_id(body) {
            Some(id) => Some(id),
            None => read_event_id(&self.contract_in_force().await.decode_event(body)),
        };
        id.filter(asks)
    }
}

/// Counts a refused request and returns its response.
fn refuse(counter: &AtomicU32, status: StatusCode) -> Response<Body> {
    counter.fetch_add(1, Ordering::Relaxed);
    empty_response(status)
}

fn empty_response(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Returns the reply to an event that waits for an answer.
fn json_response(body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
