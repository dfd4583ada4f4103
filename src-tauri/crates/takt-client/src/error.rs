//! The errors of requests, which show whether the service may have received a request.

use std::{error::Error, time::Duration};

use crate::{Redactor, Refusal, VaultError};

/// Whether the service may have received a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The request wasn't sent, so it had no effect.
    NotSent,
    /// The service or a gateway in front of it responded with this status.
    Answered(u16),
    /// The request was sent, but no complete response was received. Its effect is unknown.
    Unknown,
}

/// The technical causes of failures, without secrets. Texts for users are made elsewhere.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// An address, proxy or certificate file can't be used.
    #[error("the site's {setting} can't be used: {reason}")]
    Settings { setting: &'static str, reason: String },
    /// No token is stored, or the identity provider ended the sign-in.
    #[error("nobody is signed in")]
    SignInNeeded,
    /// The vault failed, for example because the keychain didn't respond.
    #[error("{0}")]
    Vault(#[from] VaultError),
    /// The identity provider refused the sign-in. Contains its message.
    #[error("the identity provider refused: {0}")]
    SignInRefused(String),
    /// The user declined on the identity provider's page. Contains the provider's message.
    #[error("the sign-in was declined: {0}")]
    SignInDeclined(String),
    #[error("the sign-in was cancelled")]
    SignInCancelled,
    /// The pasted text isn't the redirect address of this sign-in.
    #[error("the pasted address isn't this sign-in's way back")]
    WrongPastedAddress,
    #[error("nobody came back from the browser in time")]
    SignInTimedOut,
    /// No port for the redirect could be opened. `excluded` is true if the system reserves the port, as Windows does.
    #[error("none of the ports {ports:?} could be opened: {reason}")]
    RedirectPortTaken { ports: Vec<u16>, reason: String, excluded: bool },
    /// The identity provider failed, or its response violates the protocol. The service received no request.
    #[error("the identity provider failed: {0}")]
    Provider(#[source] Box<Self>),
    /// The tokens couldn't be refreshed. The request wasn't sent.
    #[error("the sign-in couldn't be renewed: {0}")]
    Renewal(#[source] Box<Self>),
    /// The name is unknown, or no connection or TLS session could be opened.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The connection broke, or the response ended early.
    #[error("the connection was lost: {0}")]
    Lost(String),
    /// No complete response was received within the time limit.
    #[error("no answer in time: {0}")]
    TimedOut(String),
    /// A status other than 2xx.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// A 2xx response that violates the contract.
    #[error("status {status}, but {reason}")]
    NotUnderstood { status: u16, reason: String, body: String },
    /// A 2xx response above the size limit.
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
            | Self::WrongPastedAddress
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

    /// Returns the reasons that the service or the identity provider stated. They aren't trusted.
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

    /// Returns the wait that the service requests, within limits.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(refusal) => refusal.retry_after,
            Self::Provider(cause) | Self::Renewal(cause) => cause.retry_after(),
            _ => None,
        }
    }

    /// Returns the raw response of the service if there is one, else the technical cause.
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

    /// Removes secrets that the texts may quote.
    #[must_use]
    pub fn redacted(self, redactor: &Redactor) -> Self {
        let redact = |text: String| redactor.redact_text(&text).into_owned();
        match self {
            Self::Settings { setting, reason } => Self::Settings { setting, reason: redact(reason) },
            Self::SignInRefused(words) => Self::SignInRefused(redact(words)),
            Self::SignInDeclined(words) => Self::SignInDeclined(redact(words)),
            Self::RedirectPortTaken { ports, reason, excluded } => {
                Self::RedirectPortTaken { ports, reason: redact(reason), excluded }
            }
            Self::Provider(cause) => Self::Provider(Box::new(cause.redacted(redactor))),
            Self::Renewal(cause) => Self::Renewal(Box::new(cause.redacted(redactor))),
            Self::Unreachable(cause) => Self::Unreachable(redact(cause)),
            Self::Lost(cause) => Self::Lost(redact(cause)),
            Self::TimedOut(cause) => Self::TimedOut(redact(cause)),
            Self::Refused(refusal) => Self::Refused(Box::new(refusal.redacted(redactor))),
            Self::NotUnderstood { status, reason, body } => {
                Self::NotUnderstood { status, reason: redact(reason), body: redact(body) }
            }
            unchanged @ (Self::SignInNeeded
            | Self::Vault(_)
            | Self::SignInCancelled
            | Self::WrongPastedAddress
            | Self::SignInTimedOut
            | Self::TooLarge { .. }
            | Self::Cancelled) => unchanged,
        }
    }

    /// Converts an error of reqwest. Only a failed connection proves that no data was sent.
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

/// Returns the chain of causes without the address, since its query may contain user input.
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
