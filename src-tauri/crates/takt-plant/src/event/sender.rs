//! Sends an event over HTTP, signed if the target has a secret, and describes failures in words.
//!
//! A signature proves to receivers that the sender has their secret. Both forms of signatures are assumed
//! (`event-delivery` in the contract).

use std::{error::Error, fmt::Write, io, time::Duration};

use axum::{body::Bytes, http::HeaderName};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Client, Response, StatusCode, header, redirect::Policy};
use sha2::Sha256;
use tokio::time::timeout_at;
use url::{Host, Url};

use super::delivery_format::{DeliveryFormat, SignedPart, WebhookFormat, deadline_after};
use crate::{Clock, EventKind, Target};

/// The maximum number of bytes read from a response.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// The time for which an idle connection is reused. Many servers close idle connections after 5 s.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// The body of a 2xx response, or the reason why it couldn't be received.
pub(super) type ReplyBody = Result<Vec<u8>, String>;

/// One attempt to deliver an event.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingEvent {
    pub(super) kind: EventKind,
    pub(super) delivery: u32,
    /// The number of the attempt, from 1.
    pub(super) attempt: u32,
    pub(super) body: Bytes,
}

pub(crate) struct EventSender {
    client: Result<Client, String>,
    url: Url,
    target: Target,
    /// Distinguishes the delivery IDs of this run from those of earlier runs.
    run_id: String,
}

impl EventSender {
    /// Creates a sender. Certificates are loaded only for an https target.
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

    /// Sends an event once. The error is the reason for a failure.
    pub(super) async fn send(
        &self,
        outgoing: &OutgoingEvent,
        format: &DeliveryFormat,
        clock: &Clock,
    ) -> Result<ReplyBody, String> {
        let timeout = format.delivery_timing.response_timeout;
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
            let signed_content = SignedContent { id: &id, timestamp: clock().as_second(), body: &outgoing.body };
            headers.extend(signed_content.sign(secret, format).map_err(|error| error.to_string())?);
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
        Ok(timeout_at(deadline, read_reply(response)).await.unwrap_or_else(|_| Err(late())))
    }
}

async fn read_reply(mut response: Response) -> ReplyBody {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum SigningError {
    #[error("the secret can't be a key")]
    Key,
    /// The headers that a receiver needs for checking the signature have no name.
    #[error("the contract names no header for the signature or for a part that it covers")]
    Header,
}

/// The parts of a delivery that a signature can cover.
struct SignedContent<'a> {
    id: &'a str,
    /// In seconds since 1970.
    timestamp: i64,
    body: &'a [u8],
}

impl SignedContent<'_> {
    /// Returns the headers with the signature. Secrets with the prefix of Standard Webhooks use that standard. With
    /// other secrets, the signature covers the parts that the contract lists.
    fn sign(&self, secret: &str, format: &DeliveryFormat) -> Result<Vec<(HeaderName, String)>, SigningError> {
        let webhooks = format.webhooks.as_ref().filter(|webhooks| !webhooks.secret_prefix.is_empty());
        let standard = webhooks.and_then(|webhooks| Some((secret.strip_prefix(&webhooks.secret_prefix)?, webhooks)));
        match standard {
            Some((encoded, webhooks)) => self.sign_webhook(encoded, webhooks),
            None => self.sign_hexadecimal(secret, format),
        }
    }

    /// Signs the covered parts, joined by periods, with HMAC-SHA256. The signature is the contract's prefix with the
    /// hexadecimal digest.
    fn sign_hexadecimal(
        &self,
        secret: &str,
        format: &DeliveryFormat,
    ) -> Result<Vec<(HeaderName, String)>, SigningError> {
        let covers = |part| format.signing.covers.contains(&part);
        let signature = format.headers.signature.as_ref().filter(|_| !format.signing.covers.is_empty());
        let signature = signature.ok_or(SigningError::Header)?;
        let unnamed = covers(SignedPart::Id) && format.headers.delivery.is_none()
            || covers(SignedPart::Timestamp) && format.headers.timestamp.is_none();
        if unnamed {
            return Err(SigningError::Header);
        }
        let timestamp = self.timestamp.to_string();
        let part = |part: &SignedPart| match part {
            SignedPart::Id => self.id.as_bytes(),
            SignedPart::Timestamp => timestamp.as_bytes(),
            SignedPart::Body => self.body,
        };
        let parts: Vec<&[u8]> = format.signing.covers.iter().map(part).collect();
        let mut text = format.signing.prefix.clone();
        for byte in compute_hmac(secret.as_bytes(), &parts).ok_or(SigningError::Key)? {
            write!(text, "{byte:02x}").map_err(|_| SigningError::Key)?;
        }
        let mut headers = vec![(signature.clone(), text)];
        headers.extend(format.headers.timestamp.clone().map(|name| (name, timestamp)));
        Ok(headers)
    }

    /// Signs ID, timestamp and body, joined by periods, with HMAC-SHA256. The signature is the version of Standard
    /// Webhooks with the digest in base64.
    fn sign_webhook(&self, encoded: &str, names: &WebhookFormat) -> Result<Vec<(HeaderName, String)>, SigningError> {
        let key = STANDARD.decode(encoded).map_err(|_| SigningError::Key)?;
        let timestamp = self.timestamp.to_string();
        let parts = [self.id.as_bytes(), timestamp.as_bytes(), self.body];
        let signed = compute_hmac(&key, &parts).ok_or(SigningError::Key)?;
        let signature = format!("{},{}", names.version, STANDARD.encode(signed));
        Ok(vec![
            (names.id.clone(), self.id.to_owned()),
            (names.timestamp.clone(), timestamp),
            (names.signature.clone(), signature),
        ])
    }
}

fn compute_hmac(key: &[u8], parts: &[&[u8]]) -> Option<Vec<u8>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            mac.update(b".");
        }
        mac.update(part);
    }
    Some(mac.finalize().into_bytes().to_vec())
}
