//! What can go wrong between Takt and a service, and whether the service can have seen the request.

use std::{error::Error, time::Duration};

use crate::{Redactor, Refusal, VaultError};

/// What is known about a request after it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It never left: the service can't have acted on it.
    NotSent,
    /// The service (or something in front of it) answered with this status.
    Answered(u16),
    /// It was sent, and no complete response came. Its effect isn't known.
    Unknown,
}

/// Technical causes; the texts for people are made from the variants elsewhere. None holds a secret.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// An address, proxy or certificate file that can't be used.
    #[error("the site's {setting} can't be used: {reason}")]
    Settings { setting: &'static str, reason: String },
    /// No token is kept, or the identity provider no longer renews it.
    #[error("nobody is signed in")]
    SignInNeeded,
    /// What is kept isn't known, tokens among it.
    #[error("{0}")]
    Vault(#[from] VaultError),
    /// The identity provider said no, in its own words.
    #[error("the identity provider refused: {0}")]
    SignInRefused(String),
    /// The person said no on the identity provider's page; its words.
    #[error("the sign-in was declined: {0}")]
    SignInDeclined(String),
    #[error("the sign-in was cancelled")]
    SignInCancelled,
    /// What was pasted isn't the address on which this sign-in's browser ended.
    #[error("the pasted address isn't this sign-in's way back")]
    PastedOtherwise,
    #[error("nobody came back from the browser in time")]
    SignInTimedOut,
    /// `excluded` is true where the system itself reserves the port (Windows does).
    #[error("none of the ports {ports:?} could be opened: {reason}")]
    RedirectPortTaken { ports: Vec<u16>, reason: String, excluded: bool },
    /// The identity provider failed, or answered what isn't its protocol's; nobody knows of it at the service.
    #[error("the identity provider failed: {0}")]
    Provider(#[source] Box<Self>),
    /// A token was needed and couldn't be renewed; the request itself never left.
    #[error("the sign-in couldn't be renewed: {0}")]
    Renewal(#[source] Box<Self>),
    /// No connection, no name, no TLS.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The connection broke, or the answer stopped before its end.
    #[error("the connection was lost: {0}")]
    Lost(String),
    /// No complete answer within the time that a request may take.
    #[error("no answer in time: {0}")]
    TimedOut(String),
    /// Any status that isn't 2xx.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// A 2xx that isn't what the contract says.
    #[error("status {status}, but {reason}")]
    NotUnderstood { status: u16, reason: String, body: String },
    /// A 2xx with more bytes than a read takes on.
    #[error("status {status}, but its body is larger than {limit} bytes")]
    TooLarge { status: u16, limit: usize },
    #[error("cancelled")]
    Cancelled,
}

impl ClientError {
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::Settings { .. }
            | Self::SignInNeeded
            | Self::Vault(_)
            | Self::SignInRefused(_)
            | Self::SignInDeclined(_)
            | Self::SignInCancelled
            | Self::PastedOtherwise
            | Self::SignInTimedOut
            | Self::RedirectPortTaken { .. }
            | Self::Provider(_)
            | Self::Renewal(_)
            | Self::Unreachable(_)
            | Self::Cancelled => Delivery::NotSent,
            Self::Lost(_) | Self::TimedOut(_) => Delivery::Unknown,
            Self::Refused(refusal) => Delivery::Answered(refusal.status),
            Self::NotUnderstood { status, .. } | Self::TooLarge { status, .. } => Delivery::Answered(*status),
        }
    }

    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(refusal) => Some(refusal.status),
            Self::NotUnderstood { status, .. } | Self::TooLarge { status, .. } => Some(*status),
            Self::Provider(cause) | Self::Renewal(cause) => cause.status(),
            _ => None,
        }
    }

    /// The service's words, one per reason. Not trusted.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        match self {
            Self::Refused(refusal) => refusal.reasons.clone(),
            Self::SignInRefused(words) | Self::SignInDeclined(words) => vec![words.clone()],
            Self::Provider(cause) | Self::Renewal(cause) => cause.reasons(),
            _ => Vec::new(),
        }
    }

    #[must_use]
    pub fn log_id(&self) -> Option<&str> {
        match self {
            Self::Refused(refusal) => refusal.log_id.as_deref(),
            Self::Provider(cause) | Self::Renewal(cause) => cause.log_id(),
            _ => None,
        }
    }

    /// How long the service asks to wait; bounded.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(refusal) => refusal.retry_after,
            Self::Provider(cause) | Self::Renewal(cause) => cause.retry_after(),
            _ => None,
        }
    }

    /// The raw answer where one came, else the technical cause.
    #[must_use]
    pub fn details(&self) -> String {
        match self {
            Self::Refused(refusal) if !refusal.body.is_empty() => {
                format!("status {}\n{}", refusal.status, refusal.body)
            }
            Self::NotUnderstood { status, reason, body } => format!("status {status}, but {reason}\n{body}"),
            Self::Provider(cause) | Self::Renewal(cause) => cause.details(),
            other => other.to_string(),
        }
    }

    /// Without the secrets that it may quote.
    #[must_use]
    pub fn redacted(self, redactor: &Redactor) -> Self {
        let bare = |text: String| redactor.text(&text).into_owned();
        match self {
            Self::Settings { setting, reason } => Self::Settings { setting, reason: bare(reason) },
            Self::SignInRefused(words) => Self::SignInRefused(bare(words)),
            Self::SignInDeclined(words) => Self::SignInDeclined(bare(words)),
            Self::RedirectPortTaken { ports, reason, excluded } => {
                Self::RedirectPortTaken { ports, reason: bare(reason), excluded }
            }
            Self::Provider(cause) => Self::Provider(Box::new(cause.redacted(redactor))),
            Self::Renewal(cause) => Self::Renewal(Box::new(cause.redacted(redactor))),
            Self::Unreachable(cause) => Self::Unreachable(bare(cause)),
            Self::Lost(cause) => Self::Lost(bare(cause)),
            Self::TimedOut(cause) => Self::TimedOut(bare(cause)),
            Self::Refused(refusal) => Self::Refused(Box::new(refusal.redacted(redactor))),
            Self::NotUnderstood { status, reason, body } => {
                Self::NotUnderstood { status, reason: bare(reason), body: bare(body) }
            }
            same @ (Self::SignInNeeded
            | Self::Vault(_)
            | Self::SignInCancelled
            | Self::PastedOtherwise
            | Self::SignInTimedOut
            | Self::TooLarge { .. }
            | Self::Cancelled) => same,
        }
    }

    /// From what reqwest tells. Only a connection that was never made proves that nothing was sent.
    pub(crate) fn from_transport(cause: &reqwest::Error) -> Self {
        if cause.is_builder() {
            Self::Settings { setting: "address", reason: causes(cause) }
        } else if cause.is_connect() {
            Self::Unreachable(causes(cause))
        } else if cause.is_timeout() {
            Self::TimedOut(causes(cause))
        } else {
            Self::Lost(causes(cause))
        }
    }
}

/// The whole chain of causes, without the address: a query may hold what a person typed.
fn causes(error: &reqwest::Error) -> String {
    let mut text = Vec::new();
    let mut current = error.source();
    while let Some(cause) = current {
        text.push(cause.to_string());
        current = cause.source();
    }
    text.dedup();
    if text.is_empty() { "the connection failed".to_owned() } else { text.join(": ") }
}
