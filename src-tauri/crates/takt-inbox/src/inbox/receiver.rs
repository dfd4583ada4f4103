//! The receiver: takes a site's events and answers only after they are on disk.
//!
//! Owns the address, and what is refused and why. Leaves to `events::writer` the writing, to `signature` whom to believe, to `heartbeat`
//! what goes on beside it.

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
use takt_contract::{Contract, wire::id_of};
use takt_journal::{
    Inbox,
    inbox::{NewEvent, SignatureState, StoreOutcome},
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{
    background_reader::BackgroundReader,
    body::{BodyError, BodyLimits, WholeBody},
    connections::ConnectionSlot,
    content_coding::{ACCEPTED, ContentCoding},
    delivery::{REPLAY, REPLAYED},
    delivery_format::{DeliveryFormat, header as named, key, signed_key},
    forward::{ForwardContext, Forwarder},
    health::Health,
    heartbeat::{beat, follow},
    server::{serve, texts},
    signature::{SignatureResult, checked},
};
use takt_core::{Clock, Code, Problem};
use takt_sites::Sites;

use crate::{
    answers::{AnswerHandler, EventToAnswer, SiteRules},
    events::EventWriter,
};

/// For how long who sends more than can be held is asked to wait, in seconds.
const LATER: &str = "5";
/// The same request within this time, without an id and a time, counts as a repetition.
pub(super) const REPEAT_PERIOD: SignedDuration = SignedDuration::from_mins(10);

/// Where a receiver listens, and whom it believes.
#[derive(Debug, Clone)]
pub(super) struct ReceiverConfig {
    pub(super) site: String,
    pub(super) listen: SocketAddr,
    /// The secret part of the address.
    pub(super) path: Secret,
    /// One of these signs each event. If empty, events have no signature.
    pub(super) secrets: Vec<Secret>,
    /// Senders may include secrets.
    pub(super) redactor: Redactor,
}

/// One of these signs each event. If empty, events have no signature. They may change while events come.
type Secrets = Arc<RwLock<Vec<Secret>>>;

/// Takes events until it is stopped.
#[derive(Debug)]
pub struct Receiver {
    site: String,
    address: SocketAddr,
    path: Secret,
    secrets: Secrets,
    refused: Arc<RefusedCounters>,
    closing: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    /// Told whenever something came.
    latest_event: watch::Receiver<i64>,
    forwarding: Option<Forwarder>,
}

/// Requests that were no events, counted since the receiver was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RefusedCounts {
    /// At another address than the secret one, or not by POST.
    pub elsewhere: u32,
    /// Larger than what is taken, never complete, or compressed in a way that isn't read.
    pub unreadable: u32,
    /// It couldn't be stored, or too many waited. The sender was told to try again.
    pub not_kept: u32,
    /// Not signed by the site, and not stored: as much as may be is stored of such events, or the disk is nearly full.
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
    post: ReceiverConfig,
    secrets: Secrets,
    contract: Arc<Contract>,
    /// Where the contract in force at the site is.
    sites: Arc<Sites>,
    /// As the contract in force had it when a signature didn't fit last.
    format: RwLock<Arc<DeliveryFormat>>,
    clock: Clock,
    /// The site's own clock.
    wall: Clock,
    /// Who writes down, and who answers.
    kept: (EventWriter, AnswerHandler),
    refused: Arc<RefusedCounters>,
    health: Health,
    bodies: BodyLimits,
}

/// What a receiver works with.
pub(super) struct ReceiverParts {
    pub(super) contract: Arc<Contract>,
    pub(super) sites: Arc<Sites>,
    pub(super) inbox: Arc<Inbox>,
    pub(super) clock: Clock,
    /// The site's own clock.
    pub(super) wall: Clock,
    /// The rules by which events of the site are answered.
    pub(super) shelf: SiteRules,
}

impl Receiver {
    pub(super) async fn start(
        post: ReceiverConfig,
        parts: ReceiverParts,
        reading: &BackgroundReader,
    ) -> Result<Self, Problem> {
        let ReceiverParts { contract, sites, inbox, clock, wall, shelf } = parts;
        let taken = |cause: std::io::Error| {
            Problem::new(Code::ListenFailed).parameter("address", post.listen.to_string()).details(cause)
        };
        let listener = TcpListener::bind(post.listen).await.map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        let (kept, latest_event) = watch::channel(0);
        let keeper = EventWriter::start(Arc::clone(&inbox), kept).map_err(taken)?;
        let refused = Arc::new(RefusedCounters::default());
        let closing = CancellationToken::new();
        let answerer = AnswerHandler::new(shelf.clone(), keeper.clone(), Arc::clone(&inbox));
        shelf.look(&inbox).await;
        let keeping = shelf.follow_edits(Arc::clone(&inbox), closing.clone());
        let health = Health::of(&inbox);
        let beating = beat(inbox, (post.site.clone(), health.clone()), Arc::clone(&clock), closing.clone());
        let (site, path) = (post.site.clone(), post.path.clone());
        let secrets = Secrets::new(RwLock::new(post.secrets.clone()));
        let format = RwLock::new(Arc::new(DeliveryFormat::of(
            &sites.contract(&post.site).unwrap_or_else(|_| Arc::clone(&contract)),
        )));
        let (believed, counts) = (Arc::clone(&secrets), Arc::clone(&refused));
        let kept = (keeper, answerer);
        let (bodies, refused_counts) = (BodyLimits::default(), counts);
        let counter = Arc::new(ReceiverState {
            post,
            secrets: believed,
            contract,
            sites,
            format,
            clock,
            wall,
            kept,
            refused: refused_counts,
            health,
            bodies,
        });
        let answer = move |request, place: Arc<ConnectionSlot>| {
            let counter = Arc::clone(&counter);
            async move { counter.answer(request, &place).await }
        };
        let tasks = vec![
            tokio::spawn(serve(listener, closing.clone(), answer)),
            tokio::spawn(beating),
            tokio::spawn(keeping),
            tokio::spawn(follow(reading.clone(), latest_event.clone())),
        ];
        Ok(Self { site, address, path, secrets, refused, closing, tasks, latest_event, forwarding: None })
    }

    /// Sends what comes on to the site's targets, too.
    pub(super) fn forward(&mut self, ctx: ForwardContext) {
        self.forwarding = Some(Forwarder::start(ctx, self.latest_event.clone()));
    }

    /// The address to which events are to be sent, with its secret part.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/{}", self.address, self.path.reveal())
    }

    /// The same at another of this computer's addresses, for a receiver that listens at all of them.
    #[must_use]
    pub fn url_at(&self, address: IpAddr) -> String {
        format!("http://{}/{}", SocketAddr::new(address, self.address.port()), self.path.reveal())
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whose events it takes.
    #[must_use]
    pub fn site(&self) -> &str {
        &self.site
    }

    /// Believes who signs with one of these, from the next event on.
    pub(super) fn believe(&self, secrets: Vec<Secret>) {
        *self.secrets.write() = secrets;
    }

    #[must_use]
    pub fn refused(&self) -> RefusedCounts {
        let count = |counter: &AtomicU32| counter.load(Ordering::Relaxed);
        let RefusedCounters { elsewhere, unreadable, not_kept, unverified } = &*self.refused;
        RefusedCounts {
            elsewhere: count(elsewhere),
            unreadable: count(unreadable),
            not_kept: count(not_kept),
            unverified: count(unverified),
        }
    }

    /// Takes nothing more; returns when what had come is kept, answered and read.
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
    async fn answer(&self, request: Request<Body>, place: &ConnectionSlot) -> Response<Body> {
        if let Some(answer) = self.health.answer(&request) {
            return answer;
        }
        if !self.is_here(request.uri().path()) {
            return count(&self.refused.elsewhere, StatusCode::NOT_FOUND);
        }
        if request.method() != Method::POST {
            let mut refused = count(&self.refused.elsewhere, StatusCode::METHOD_NOT_ALLOWED);
            refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
            return refused;
        }
        let received = (self.clock)();
        let (head, body) = request.into_parts();
        let headers = texts(&head.headers);
        let (body, (format, checked)) = match self.body(&head, body, (&headers, received)).await {
            Ok(read) => read,
            Err(error) => return self.not_taken(error),
        };
        place.is_complete();
        // Held until it is answered: till then there may be copies of it.
        let (body, _room) = body.parts();
        let (began, asked) = (Instant::now(), self.asks(&body).await);
        let asking = asked.map(|kind| (kind, Bytes::copy_from_slice(AnswerHandler::readable(&body))));
        let event = self.event((&*format, received), headers, body, &checked);
        // Stored before the response. Otherwise, the sender tries again.
        let stored = self.kept.0.store(event).await;
        self.health.set(stored.is_ok());
        let Ok(kept) = stored else {
            return count(&self.refused.not_kept, StatusCode::SERVICE_UNAVAILABLE);
        };
        let Some(event) = kept.event() else { return count(&self.refused.unverified, StatusCode::UNAUTHORIZED) };
        if !checked.signed.is_believed() {
            return plain(StatusCode::UNAUTHORIZED);
        }
        let Some((kind, body)) = asking else { return plain(StatusCode::OK) };
        let again = matches!(kept, StoreOutcome::Copy { .. });
        let asking = EventToAnswer { event, again, kind, body, began, at: received, now: (self.wall)() };
        let reasons = self.kept.1.answer(asking).await;
        reply(&self.contract_in_force().await.reply().reply(&reasons))
    }

    /// The site's own as it is now; a person may have taken another one since the receiver began. Looked up where it holds up nobody.
    async fn contract_in_force(&self) -> Arc<Contract> {
        self.known_contract().await.unwrap_or_else(|| Arc::clone(&self.contract))
    }

    /// Absent where it can't be looked up now.
    async fn known_contract(&self) -> Option<Arc<Contract>> {
        let (sites, site) = (Arc::clone(&self.sites), self.post.site.clone());
        let found = tokio::task::spawn_blocking(move || sites.contract(&site)).await;
        found.ok().and_then(Result::ok)
    }

    /// What a signature is worth, and by which terms. One that doesn't fit is held against the contract that is in force by now.
    async fn checked(
        &self,
        headers: &[(String, String)],
        body: &[u8],
        received: Timestamp,
    ) -> (Arc<DeliveryFormat>, SignatureResult) {
        let secrets = self.secrets.read().clone();
        let format = Arc::clone(&self.format.read());
        let result = checked(&secrets, &format, headers, body, received);
        if secrets.is_empty() || result.signed == SignatureState::Valid {
            return (format, result);
        }
        let now = self.known_contract().await.map(|contract| Arc::new(DeliveryFormat::of(&contract)));
        let Some(now) = now.filter(|now| *now != format) else { return (format, result) };
        *self.format.write() = Arc::clone(&now);
        let result = checked(&secrets, &now, headers, body, received);
        (now, result)
    }

    /// A whole body as its sender had it, and what its signature is worth: that is of the bytes as they were sent.
    async fn body(
        &self,
        head: &Parts,
        body: Body,
        (headers, received): (&[(String, String)], Timestamp),
    ) -> Result<(WholeBody, (Arc<DeliveryFormat>, SignatureResult)), BodyError> {
        let codings = ContentCoding::all(&head.headers)?;
        let body = self.bodies.read(body).await?;
        let checked = self.checked(headers, &body.bytes, received).await;
        Ok((self.bodies.decompress(body, codings).await?, checked))
    }

    fn not_taken(&self, error: BodyError) -> Response<Body> {
        tracing::debug!(%error, "a body wasn't taken");
        match error {
            BodyError::TooLarge => count(&self.refused.unreadable, StatusCode::PAYLOAD_TOO_LARGE),
            BodyError::Slow => count(&self.refused.unreadable, StatusCode::REQUEST_TIMEOUT),
            BodyError::Broken => count(&self.refused.unreadable, StatusCode::BAD_REQUEST),
            BodyError::Crowded => {
                let mut refused = count(&self.refused.not_kept, StatusCode::SERVICE_UNAVAILABLE);
                refused.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(LATER));
                refused
            }
            BodyError::Coding(_) => {
                let mut refused = count(&self.refused.unreadable, StatusCode::UNSUPPORTED_MEDIA_TYPE);
                refused.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED));
                refused
            }
        }
    }

    /// Compared by their hashes: how long it takes says nothing about how much of it is right.
    fn is_here(&self, path: &str) -> bool {
        let given = path.trim_start_matches('/').trim_end_matches('/');
        Sha256::digest(given.as_bytes()) == Sha256::digest(self.post.path.reveal().as_bytes())
    }

    fn event(
        &self,
        (format, received): (&DeliveryFormat, Timestamp),
        headers: Vec<(String, String)>,
        body: Vec<u8>,
        checked: &SignatureResult,
    ) -> NewEvent {
        let signed = checked.signed;
        // Where the id is signed no header beside it says which delivery it is, or that it is a replay.
        let covered = checked.id.as_deref();
        let stated = named(&headers, &format.delivery).or(named(&headers, &format.webhooks.id));
        let delivery = covered.or(stated);
        let timestamp = named(&headers, &format.timestamp).or(named(&headers, &format.webhooks.timestamp));
        let key = key(delivery.or(timestamp).unwrap_or_default(), signed, &body);
        let signed_key = checked.timestamp.as_deref().map(|timestamp| signed_key(timestamp, &body));
        let same_since = if delivery.or(timestamp).is_none() { received.checked_sub(REPEAT_PERIOD).ok() } else { None };
        let replay = covered.map_or(named(&headers, REPLAY).is_some(), |id| id.starts_with(REPLAYED));
        // Only now: the signature is of what came.
        let (headers, body) = (self.post.redactor.headers(headers), self.post.redactor.data(body));
        NewEvent { site: self.post.site.clone(), received, headers, body, key, signed_key, same_since, signed, replay }
    }

    /// As which event it asks, where the service waits for more than that the event arrived.
    async fn asks(&self, body: &[u8]) -> Option<i64> {
        let asks = |id: &i64| self.contract.events().iter().any(|kind| kind.asks && i64::from(kind.id) == *id);
        let id = match id_of(body) {
            Some(id) => Some(id),
            None => id_of(&self.contract_in_force().await.decoded_event(body)),
        };
        id.filter(asks)
    }
}

fn count(counter: &AtomicU32, status: StatusCode) -> Response<Body> {
    counter.fetch_add(1, Ordering::Relaxed);
    plain(status)
}

fn plain(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// What is answered to an event that asks.
fn reply(body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
