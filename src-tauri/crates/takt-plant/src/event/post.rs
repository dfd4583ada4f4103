//! Sends one attempt over HTTP, and describes failures in words.

use std::{error::Error, io, time::Duration};

use axum::body::Bytes;
use reqwest::{Client, Response, StatusCode, header, redirect::Policy};
use tokio::time::timeout_at;
use url::{Host, Url};

use super::{
    delivery_format::{DeliveryFormat, deadline_after},
    reply::ReplyBody,
    signature::Signing,
};
use crate::{Clock, EventKind, Target};

/// The most bytes read of a response.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// The time for which a connection is reused for the next event. Many servers close theirs after 5 s.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// One attempt to deliver an event.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingEvent {
    pub(super) kind: EventKind,
    pub(super) delivery: u32,
    /// Counts from 1.
    pub(super) attempt: u32,
    pub(super) body: Bytes,
}

/// Sends events to one target.
pub(crate) struct Sender {
    client: Result<Client, String>,
    url: Url,
    target: Target,
    /// Distinguishes the deliveries of this run from those of other runs.
    run_id: String,
}

impl Sender {
    /// Creates a sender. Loads the system's certificates only for an https target.
    pub(super) fn new(target: Target, url: Url, run_id: String) -> Self {
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .user_agent(concat!("takt-plant/", env!("CARGO_PKG_VERSION")));
        if url.scheme() == "http" {
            builder = builder.tls_certs_only([]);
        }
        if is_local(&url) {
            builder = builder.no_proxy();
        }
        Self { client: builder.build().map_err(|error| describe_error(&error)), url, target, run_id }
    }

    /// Sends one attempt. An error is the reason why it wasn't delivered.
    pub(super) async fn send(
        &self,
        outgoing: &OutgoingEvent,
        format: &DeliveryFormat,
        clock: &Clock,
    ) -> Result<ReplyBody, String> {
        let timeout = format.delivery_timing.answer;
        let late = || format!("no answer within {} s", timeout.as_secs_f64());
        let deadline = deadline_after(timeout);
        let client = self.client.as_ref().map_err(Clone::clone)?;
        let id = format!("{}-{}", self.run_id, outgoing.delivery);
        let names = &format.headers;
        let own = [
            (&names.event, outgoing.kind.id().to_string()),
            (&names.delivery, id.clone()),
            (&names.attempt, outgoing.attempt.to_string()),
        ];
        let mut headers: Vec<_> = own.into_iter().filter_map(|(name, value)| Some((name.clone()?, value))).collect();
        if let Some(secret) = &self.target.secret {
            let signing = Signing { id: &id, timestamp: clock().as_second(), body: &outgoing.body };
            headers.extend(signing.headers(secret, format).map_err(|error| error.to_string())?);
        }
        let mut request = client.post(self.url.clone()).header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let sent = timeout_at(deadline, request.body(outgoing.body.clone()).send()).await;
        let response = sent.map_err(|_| late())?.map_err(|error| describe_error(&error))?;
        if !response.status().is_success() {
            return Err(status_text(response.status()));
        }
        Ok(timeout_at(deadline, read_body(response)).await.unwrap_or_else(|_| Err(late())))
    }
}

async fn read_body(mut response: Response) -> ReplyBody {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| describe_error(&error))? {
        if bytes.len() + piece.len() > MAX_ANSWER_BYTES {
            return Err(format!("the answer is larger than {} KB", MAX_ANSWER_BYTES / 1024));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

fn status_text(status: StatusCode) -> String {
    status.canonical_reason().map_or_else(|| status.as_str().to_owned(), |name| format!("{} {name}", status.as_str()))
}

/// Describes an error without the address, which may contain a secret.
fn describe_error(error: &reqwest::Error) -> String {
    let mut source: Option<&(dyn Error + 'static)> = error.source();
    let mut innermost = None;
    while let Some(cause) = source {
        if let Some(kind) =
            cause.downcast_ref::<io::Error>().map(io::Error::kind).filter(|kind| is_self_explanatory(*kind))
        {
            return kind.to_string();
        }
        innermost = Some(cause.to_string());
        source = cause.source();
    }
    innermost.unwrap_or_else(|| "the request can't be sent".to_owned())
}

fn is_self_explanatory(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::TimedOut
    )
}

fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
