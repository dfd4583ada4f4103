//! The format in which a service delivers its events, as the contract assumes.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use takt_contract::Contract;
use takt_journal::StoredWord;
use takt_journal::inbox::SignatureState;

/// The names of an event's headers. Lower case because header names are case-insensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeliveryFormat {
    /// The delivery's ID. A retry has the same ID.
    pub(crate) delivery: String,
    /// Seconds since 1970, covered by the signature.
    pub(crate) timestamp: String,
    pub(crate) signature: String,
    pub(crate) signing: SigningFormat,
    pub(crate) webhooks: WebhookFormat,
}

/// The content of a signature other than Standard Webhooks. If it covers nothing, signatures can't be checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct SigningFormat {
    /// The covered parts, joined by full stops.
    pub(crate) covers: Vec<SignedPart>,
    /// The text before the hexadecimal digits.
    #[serde(default)]
    pub(crate) prefix: String,
}

/// A part of a delivery that is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SignedPart {
    /// The delivery's ID as in its header.
    Id,
    /// The timestamp as in its header.
    Timestamp,
    Body,
}

/// The Standard Webhooks scheme. If the contract has none, no secret uses it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookFormat {
    /// The names of the headers in lower case.
    pub(crate) id: String,
    pub(crate) timestamp: String,
    pub(crate) signature: String,
    /// The text before a signature, separated by a comma.
    pub(crate) version: String,
    /// The prefix by which a secret of the scheme is recognized.
    pub(crate) secret_prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeliveryAssumption {
    headers: DeliveryHeaders,
    #[serde(default)]
    signing: SigningFormat,
    #[serde(default)]
    standard_webhooks: WebhookFormat,
}

/// The names of the headers. Empty for headers that a site doesn't send.
#[derive(Deserialize)]
struct DeliveryHeaders {
    #[serde(default)]
    delivery: String,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    signature: String,
}

impl DeliveryFormat {
    /// Reads the format from a contract. Without the assumption no header has a meaning.
    pub(crate) fn from_contract(contract: &Contract) -> Self {
        let assumption =
            contract.assumption("event-delivery").and_then(|value| DeliveryAssumption::deserialize(value).ok());
        let name = |select: fn(&DeliveryHeaders) -> &String| {
            assumption.as_ref().map(|assumption| select(&assumption.headers).to_ascii_lowercase()).unwrap_or_default()
        };
        Self {
            delivery: name(|names| &names.delivery),
            timestamp: name(|names| &names.timestamp),
            signature: name(|names| &names.signature),
            signing: assumption.as_ref().map(|assumption| assumption.signing.clone()).unwrap_or_default(),
            webhooks: assumption.map(|assumption| assumption.standard_webhooks).unwrap_or_default(),
        }
    }
}

/// Returns the value of the first header with this lower-case name.
pub(crate) fn find_header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(known, _)| !name.is_empty() && known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// Returns the key for finding repetitions of a delivery. Without an ID, the same bytes have the same key.
pub(crate) fn delivery_key(delivery: &str, signed: SignatureState, body: &[u8]) -> i64 {
    hash_parts(&[delivery.as_bytes(), signed.word().as_bytes(), body])
}

/// Returns the key of a signed timestamp and body. It never equals the key of a delivery.
pub(crate) fn signed_key(timestamp: &str, body: &[u8]) -> i64 {
    hash_parts(&[b"signature", timestamp.as_bytes(), SignatureState::Valid.word().as_bytes(), body])
}

fn hash_parts(parts: &[&[u8]]) -> i64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let first = hash.finalize().first_chunk().copied().unwrap_or_default();
    i64::from_le_bytes(first)
}
