//! The format and timing of deliveries. The specification doesn't define them, so the contract has assumptions.

use std::time::Duration;

use axum::http::HeaderName;
use serde::Deserialize;
use takt_contract::{Contract, form::ReplyForm};
use tokio::time::Instant;

use crate::{DeliveryTiming, PlantError};

const DELIVERY: &str = "event-delivery";

/// The format and timing of deliveries, as the contract assumes.
#[derive(Debug, Clone)]
pub(crate) struct DeliveryFormat {
    /// The text for dates that don't exist yet.
    pub(crate) unset_date: String,
    pub(crate) headers: HeaderNames,
    pub(crate) signing: SigningFormat,
    pub(crate) webhooks: Option<WebhookFormat>,
    pub(crate) delivery_timing: DeliveryTiming,
    /// Whether an action is allowed if a receiver doesn't reply properly to a check.
    pub(crate) allows_unanswered: bool,
    pub(crate) reply: ReplyForm,
}

/// The names of the headers of a delivery. Headers without a name aren't sent.
#[derive(Debug, Clone)]
pub(crate) struct HeaderNames {
    pub(crate) event: Option<HeaderName>,
    pub(crate) delivery: Option<HeaderName>,
    pub(crate) attempt: Option<HeaderName>,
    pub(crate) timestamp: Option<HeaderName>,
    pub(crate) signature: Option<HeaderName>,
}

/// The parts covered by a signature that doesn't follow Standard Webhooks.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct SigningFormat {
    /// Joined by periods for signing.
    pub(crate) covers: Vec<SignedPart>,
    /// The text before the hexadecimal digest.
    #[serde(default)]
    pub(crate) prefix: String,
}

/// A part of a delivery that a signature can cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SignedPart {
    /// The ID of the delivery.
    Id,
    /// In seconds since 1970.
    Timestamp,
    Body,
}

/// The header names and the version of Standard Webhooks.
#[derive(Debug, Clone)]
pub(crate) struct WebhookFormat {
    pub(crate) id: HeaderName,
    pub(crate) timestamp: HeaderName,
    pub(crate) signature: HeaderName,
    pub(crate) version: String,
    /// Secrets with this prefix use Standard Webhooks.
    pub(crate) secret_prefix: String,
}

/// The assumption `event-delivery`. A site's contract may omit the times.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeliveryAssumption {
    headers: HeaderTexts,
    #[serde(default)]
    signing: SigningFormat,
    standard_webhooks: Option<WebhookNames>,
    timeout_seconds: Option<f64>,
    wait_seconds: Option<Vec<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HeaderTexts {
    event: String,
    delivery: String,
    attempt: String,
    timestamp: String,
    signature: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WebhookNames {
    id: String,
    timestamp: String,
    signature: String,
    version: String,
    secret_prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UnansweredAssumption {
    allowed: bool,
    rest_seconds: f64,
}

impl DeliveryFormat {
    /// Reads the format from a contract. `delivery_timing` overrides the times. Times missing in a site's contract are
    /// those of the built-in contract.
    pub(crate) fn from_contract(
        contract: &Contract,
        builtin: &Contract,
        delivery_timing: Option<DeliveryTiming>,
    ) -> Result<Self, PlantError> {
        let delivering: DeliveryAssumption = read_assumption(contract, DELIVERY)?;
        let defaults: DeliveryAssumption = read_assumption(builtin, DELIVERY)?;
        let unanswered: UnansweredAssumption = read_assumption(contract, "event-unanswered-check")?;
        let duration = |seconds: f64| Duration::try_from_secs_f64(seconds).map_err(|_| missing_assumption());
        let waits = delivering.wait_seconds.or(defaults.wait_seconds).ok_or_else(missing_assumption)?;
        let waits: Result<Vec<Duration>, _> = waits.into_iter().map(duration).collect();
        let timeout = delivering.timeout_seconds.or(defaults.timeout_seconds).ok_or_else(missing_assumption)?;
        let contract_timing = DeliveryTiming {
            retry_waits: waits?,
            response_timeout: duration(timeout)?,
            check_pause: duration(unanswered.rest_seconds)?,
        };
        let HeaderTexts { event, delivery, attempt, timestamp, signature } = delivering.headers;
        Ok(Self {
            unset_date: read_assumption(contract, "event-date-unset")?,
            headers: HeaderNames {
                event: optional_header_name(event)?,
                delivery: optional_header_name(delivery)?,
                attempt: optional_header_name(attempt)?,
                timestamp: optional_header_name(timestamp)?,
                signature: optional_header_name(signature)?,
            },
            signing: delivering.signing,
            webhooks: delivering.standard_webhooks.map(WebhookFormat::from_names).transpose()?,
            delivery_timing: delivery_timing.unwrap_or(contract_timing),
            allows_unanswered: unanswered.allowed,
            reply: contract.reply_form().clone(),
        })
    }
}

impl WebhookFormat {
    fn from_names(webhooks: WebhookNames) -> Result<Self, PlantError> {
        Ok(Self {
            id: header_name(webhooks.id)?,
            timestamp: header_name(webhooks.timestamp)?,
            signature: header_name(webhooks.signature)?,
            version: webhooks.version,
            secret_prefix: webhooks.secret_prefix,
        })
    }
}

/// Returns the time after a duration, which is limited to ten years.
pub(crate) fn deadline_after(time: Duration) -> Instant {
    const YEARS: Duration = Duration::from_secs(10 * 365 * 86_400);
    Instant::now() + time.min(YEARS)
}

fn header_name(text: String) -> Result<HeaderName, PlantError> {
    HeaderName::try_from(text).map_err(|_| missing_assumption())
}

fn optional_header_name(text: String) -> Result<Option<HeaderName>, PlantError> {
    Some(text).filter(|text| !text.is_empty()).map(header_name).transpose()
}

fn missing_assumption() -> PlantError {
    PlantError::Assumption(DELIVERY.to_owned())
}

fn read_assumption<'a, T: Deserialize<'a>>(contract: &'a Contract, id: &str) -> Result<T, PlantError> {
    let value = contract.assumption(id).and_then(|value| T::deserialize(value).ok());
    value.ok_or_else(|| PlantError::Assumption(id.to_owned()))
}
