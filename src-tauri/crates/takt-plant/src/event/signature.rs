//! The signature by which a receiver knows that an event came from who shares its secret, as the contract that the plant follows
//! has it: see `event-delivery` there. Both forms are assumed.

use std::fmt::Write;

use axum::http::HeaderName;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::delivery_format::{DeliveryFormat, SignedPart, WebhookFormat};

/// Why what is sent can't be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum SigningError {
    #[error("the secret can't be a key")]
    Key,
    /// No receiver could check the signature.
    #[error("the contract names no header for the signature or for a part that it covers")]
    Header,
}

/// What is signed.
pub(super) struct Signing<'a> {
    /// The delivery's id.
    pub(super) id: &'a str,
    /// Seconds since 1970.
    pub(super) timestamp: i64,
    pub(super) body: &'a [u8],
}

impl Signing<'_> {
    /// The headers that sign it. A secret with the prefix of Standard Webhooks signs as that standard has it, any other one what
    /// the contract says is covered.
    pub(super) fn headers(
        &self,
        secret: &str,
        format: &DeliveryFormat,
    ) -> Result<Vec<(HeaderName, String)>, SigningError> {
        let webhooks = format.webhooks.as_ref().filter(|webhooks| !webhooks.secret_prefix.is_empty());
        let standard = webhooks.and_then(|webhooks| Some((secret.strip_prefix(&webhooks.secret_prefix)?, webhooks)));
        match standard {
            Some((encoded, webhooks)) => self.webhook(encoded, webhooks),
            None => self.hexadecimal(secret, format),
        }
    }

    /// The HMAC-SHA256 of the covered parts, joined by full stops, hexadecimal behind the contract's prefix.
    fn hexadecimal(&self, secret: &str, format: &DeliveryFormat) -> Result<Vec<(HeaderName, String)>, SigningError> {
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
        for byte in digest(secret.as_bytes(), &parts).ok_or(SigningError::Key)? {
            write!(text, "{byte:02x}").map_err(|_| SigningError::Key)?;
        }
        let mut headers = vec![(signature.clone(), text)];
        headers.extend(format.headers.timestamp.clone().map(|name| (name, timestamp)));
        Ok(headers)
    }

    /// The HMAC-SHA256 of id, timestamp and body, joined by full stops, as base64 behind the scheme's version.
    fn webhook(&self, encoded: &str, names: &WebhookFormat) -> Result<Vec<(HeaderName, String)>, SigningError> {
        let key = STANDARD.decode(encoded).map_err(|_| SigningError::Key)?;
        let timestamp = self.timestamp.to_string();
        let parts = [self.id.as_bytes(), timestamp.as_bytes(), self.body];
        let signed = digest(&key, &parts).ok_or(SigningError::Key)?;
        let signature = format!("{},{}", names.version, STANDARD.encode(signed));
        Ok(vec![
            (names.id.clone(), self.id.to_owned()),
            (names.timestamp.clone(), timestamp),
            (names.signature.clone(), signature),
        ])
    }
}

fn digest(key: &[u8], parts: &[&[u8]]) -> Option<Vec<u8>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            mac.update(b".");
        }
        mac.update(part);
    }
    Some(mac.finalize().into_bytes().to_vec())
}
