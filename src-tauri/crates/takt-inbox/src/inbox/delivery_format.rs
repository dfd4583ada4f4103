//! How a service delivers its events, as the contract's assumptions have it.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use takt_contract::Contract;
use takt_journal::StoredWord;
use takt_journal::inbox::SignatureState;

/// The headers that come with an event. Lower case: names of headers have no case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeliveryFormat {
    /// Tells one delivery from another; the same when it is tried again.
    pub(super) delivery: String,
    /// Seconds since 1970, part of what is signed.
    pub(super) timestamp: String,
    pub(super) signature: String,
    pub(super) signing: SigningFormat,
    pub(super) webhooks: WebhookFormat,
}

/// What a signature covers that isn't one of Standard Webhooks. Nothing: no signature can be checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct SigningFormat {
    /// Joined by full stops.
    pub(super) covers: Vec<SignedPart>,
    /// Stands before the hexadecimal digits.
    #[serde(default)]
    pub(super) prefix: String,
}

/// A part of a delivery that is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SignedPart {
    /// The delivery's id, as its header has it.
    Id,
    /// As its header has it.
    Timestamp,
    Body,
}

/// The scheme of Standard Webhooks. Absent in the contract: no secret is one of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebhookFormat {
    /// Headers; lower case.
    pub(super) id: String,
    pub(super) timestamp: String,
    pub(super) signature: String,
    /// Stands before a signature, with a comma between.
    pub(super) version: String,
    /// By this a secret of the scheme is known.
    pub(super) secret_prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeliveryAssumption {
    headers: Names,
    #[serde(default)]
    signing: SigningFormat,
    #[serde(default)]
    standard_webhooks: WebhookFormat,
}

/// A header that a site doesn't send has no name.
#[derive(Deserialize)]
struct Names {
    #[serde(default)]
    delivery: String,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    signature: String,
}

impl DeliveryFormat {
    /// Of a contract that says nothing of it no header means anything.
    pub(super) fn of(contract: &Contract) -> Self {
        let delivering =
            contract.assumption("event-delivery").and_then(|value| DeliveryAssumption::deserialize(value).ok());
        let name = |take: fn(&Names) -> &String| {
            delivering.as_ref().map(|delivering| take(&delivering.headers).to_ascii_lowercase()).unwrap_or_default()
        };
        Self {
            delivery: name(|names| &names.delivery),
            timestamp: name(|names| &names.timestamp),
            signature: name(|names| &names.signature),
            signing: delivering.as_ref().map(|delivering| delivering.signing.clone()).unwrap_or_default(),
            webhooks: delivering.map(|delivering| delivering.standard_webhooks).unwrap_or_default(),
        }
    }
}

/// The value of the first header of that name (lower case).
pub(super) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(known, _)| !name.is_empty() && known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// Where one that comes again is looked for: the same for the same delivery, or else for the same bytes.
pub(super) fn key(delivery: &str, signed: SignatureState, body: &[u8]) -> i64 {
    number(&[delivery.as_bytes(), signed.word().as_bytes(), body])
}

/// The same for the same signature of a timestamp and the same bytes. It is never that of a delivery.
pub(super) fn signed_key(timestamp: &str, body: &[u8]) -> i64 {
    number(&[b"signature", timestamp.as_bytes(), SignatureState::Valid.word().as_bytes(), body])
}

fn number(parts: &[&[u8]]) -> i64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let first = hash.finalize().first_chunk().copied().unwrap_or_default();
    i64::from_le_bytes(first)
}
