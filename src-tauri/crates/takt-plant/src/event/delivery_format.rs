//! What the specification leaves open about events, as the contract's assumptions decide it.

use std::time::Duration;

use axum::http::HeaderName;
use serde::Deserialize;
use takt_contract::{Contract, form::ReplyForm};

use crate::{DeliveryTiming, PlantError};

const DELIVERY: &str = "event-delivery";

/// How events are delivered.
#[derive(Debug, Clone)]
pub(crate) struct DeliveryFormat {
    /// What stands for a date that isn't reached.
    pub(crate) unset: String,
    pub(crate) headers: HeaderNames,
    pub(crate) signing: SigningFormat,
    pub(crate) webhooks: Option<WebhookFormat>,
    pub(crate) delivery_timing: DeliveryTiming,
    /// Whether what was asked for is allowed where a receiver of events 10 and 11 doesn't answer properly.
    pub(crate) allowed: bool,
    /// What a receiver of these events replies.
    pub(crate) reply: ReplyForm,
}

/// A header without a name isn't sent.
#[derive(Debug, Clone)]
pub(crate) struct HeaderNames {
    pub(crate) event: Option<HeaderName>,
    pub(crate) delivery: Option<HeaderName>,
    pub(crate) attempt: Option<HeaderName>,
    pub(crate) timestamp: Option<HeaderName>,
    pub(crate) signature: Option<HeaderName>,
}

/// What a signature covers that isn't one of Standard Webhooks.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct SigningFormat {
    /// Joined by full stops.
    pub(crate) covers: Vec<SignedPart>,
    /// Stands before the hexadecimal digits.
    #[serde(default)]
    pub(crate) prefix: String,
}

/// A part of a delivery that is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SignedPart {
    /// The delivery's id.
    Id,
    /// Seconds since 1970.
    Timestamp,
    Body,
}

/// What the scheme of Standard Webhooks calls its parts.
#[derive(Debug, Clone)]
pub(crate) struct WebhookFormat {
    pub(crate) id: HeaderName,
    pub(crate) timestamp: HeaderName,
    pub(crate) signature: HeaderName,
    pub(crate) version: String,
    /// By this a secret of the scheme is known.
    pub(crate) secret_prefix: String,
}

/// A site's contract may say of a delivery only what its receivers have to know.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delivering {
    headers: Names,
    #[serde(default)]
    signing: SigningFormat,
    standard_webhooks: Option<Webhooks>,
    timeout_seconds: Option<f64>,
    wait_seconds: Option<Vec<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Names {
    event: String,
    delivery: String,
    attempt: String,
    timestamp: String,
    signature: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Webhooks {
    id: String,
    timestamp: String,
    signature: String,
    version: String,
    secret_prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Unanswered {
    allowed: bool,
    rest_seconds: f64,
}

impl DeliveryFormat {
    /// The contract's terms; `delivery_timing`, where given, in place of its times. Times that a site's contract leaves open are
    /// those of the built-in one.
    pub(crate) fn of(
        contract: &Contract,
        builtin: &Contract,
        delivery_timing: Option<DeliveryTiming>,
    ) -> Result<Self, PlantError> {
        let delivering: Delivering = assumption(contract, DELIVERY)?;
        let usual: Delivering = assumption(builtin, DELIVERY)?;
        let unanswered: Unanswered = assumption(contract, "event-unanswered-check")?;
        let span = |seconds: f64| Duration::try_from_secs_f64(seconds).map_err(|_| missing());
        let waits = delivering.wait_seconds.or(usual.wait_seconds).ok_or_else(missing)?;
        let waits: Result<Vec<Duration>, _> = waits.into_iter().map(span).collect();
        let timeout = delivering.timeout_seconds.or(usual.timeout_seconds).ok_or_else(missing)?;
        let stated = DeliveryTiming { waits: waits?, answer: span(timeout)?, rest: span(unanswered.rest_seconds)? };
        let Names { event, delivery, attempt, timestamp, signature } = delivering.headers;
        Ok(Self {
            unset: assumption(contract, "event-date-unset")?,
            headers: HeaderNames {
                event: optional_name(event)?,
                delivery: optional_name(delivery)?,
                attempt: optional_name(attempt)?,
                timestamp: optional_name(timestamp)?,
                signature: optional_name(signature)?,
            },
            signing: delivering.signing,
            webhooks: delivering.standard_webhooks.map(WebhookFormat::of).transpose()?,
            delivery_timing: delivery_timing.unwrap_or(stated),
            allowed: unanswered.allowed,
            reply: contract.reply().clone(),
        })
    }
}

impl WebhookFormat {
    fn of(webhooks: Webhooks) -> Result<Self, PlantError> {
        Ok(Self {
            id: name(webhooks.id)?,
            timestamp: name(webhooks.timestamp)?,
            signature: name(webhooks.signature)?,
            version: webhooks.version,
            secret_prefix: webhooks.secret_prefix,
        })
    }
}

fn name(text: String) -> Result<HeaderName, PlantError> {
    HeaderName::try_from(text).map_err(|_| missing())
}

fn optional_name(text: String) -> Result<Option<HeaderName>, PlantError> {
    Some(text).filter(|text| !text.is_empty()).map(name).transpose()
}

fn missing() -> PlantError {
    PlantError::Assumption(DELIVERY.to_owned())
}

fn assumption<'a, T: Deserialize<'a>>(contract: &'a Contract, id: &str) -> Result<T, PlantError> {
    let value = contract.assumption(id).and_then(|value| T::deserialize(value).ok());
    value.ok_or_else(|| PlantError::Assumption(id.to_owned()))
}
