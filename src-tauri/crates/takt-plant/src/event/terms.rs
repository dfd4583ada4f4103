//! What the specification leaves open about events, as the contract's assumptions decide it.

use std::time::Duration;

use axum::http::HeaderName;
use serde::Deserialize;
use takt_contract::Contract;

use crate::{DeliveryTiming, PlantError};

/// How events are delivered.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    /// What stands for a date that isn't reached.
    pub(crate) unset: String,
    pub(crate) headers: HeaderNames,
    pub(crate) delivery_timing: DeliveryTiming,
    /// Whether what was asked for is allowed where a receiver of events 10 and 11 doesn't answer properly.
    pub(crate) allowed: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct HeaderNames {
    pub(crate) event: HeaderName,
    pub(crate) delivery: HeaderName,
    pub(crate) attempt: HeaderName,
    pub(crate) timestamp: HeaderName,
    pub(crate) signature: HeaderName,
    pub(crate) webhooks: WebhookNames,
}

/// What the scheme of Standard Webhooks calls its parts.
#[derive(Debug, Clone)]
pub(crate) struct WebhookNames {
    pub(crate) id: HeaderName,
    pub(crate) timestamp: HeaderName,
    pub(crate) signature: HeaderName,
    pub(crate) version: String,
    /// By this a secret of the scheme is known.
    pub(crate) secret_prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delivering {
    headers: Names,
    standard_webhooks: Webhooks,
    timeout_seconds: f64,
    wait_seconds: Vec<f64>,
}

#[derive(Deserialize)]
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

impl Terms {
    /// The contract's terms; `delivery_timing`, where given, in place of its times.
    pub(crate) fn of(contract: &Contract, delivery_timing: Option<DeliveryTiming>) -> Result<Self, PlantError> {
        let delivering: Delivering = assumption(contract, "event-delivery")?;
        let unanswered: Unanswered = assumption(contract, "event-unanswered-check")?;
        let missing = || PlantError::Assumption("event-delivery".to_owned());
        let span = |seconds: f64| Duration::try_from_secs_f64(seconds).map_err(|_| missing());
        let waits: Result<Vec<Duration>, _> = delivering.wait_seconds.into_iter().map(span).collect();
        let stated = DeliveryTiming {
            waits: waits?,
            answer: span(delivering.timeout_seconds)?,
            rest: span(unanswered.rest_seconds)?,
        };
        let name = |text: String| HeaderName::try_from(text).map_err(|_| missing());
        let webhooks = delivering.standard_webhooks;
        Ok(Self {
            unset: assumption(contract, "event-date-unset")?,
            headers: HeaderNames {
                event: name(delivering.headers.event)?,
                delivery: name(delivering.headers.delivery)?,
                attempt: name(delivering.headers.attempt)?,
                timestamp: name(delivering.headers.timestamp)?,
                signature: name(delivering.headers.signature)?,
                webhooks: WebhookNames {
                    id: name(webhooks.id)?,
                    timestamp: name(webhooks.timestamp)?,
                    signature: name(webhooks.signature)?,
                    version: webhooks.version,
                    secret_prefix: webhooks.secret_prefix,
                },
            },
            delivery_timing: delivery_timing.unwrap_or(stated),
            allowed: unanswered.allowed,
        })
    }
}

fn assumption<'a, T: Deserialize<'a>>(contract: &'a Contract, id: &str) -> Result<T, PlantError> {
    let value = contract.assumption(id).and_then(|value| T::deserialize(value).ok());
    value.ok_or_else(|| PlantError::Assumption(id.to_owned()))
}
