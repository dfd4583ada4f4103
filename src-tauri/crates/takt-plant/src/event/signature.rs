//! Signs events, so that a receiver can check that the sender has its secret. Both forms are assumed: see
//! `event-delivery` in the contract.

use std::fmt::Write;

use axum::http::HeaderName;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::delivery_format::{DeliveryFormat, SignedPart, WebhookFormat};

/// Why an event can't be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum SigningError {
    #[error("the secret can't be a key")]
    Key,
    /// Without this header, a receiver can't check the signature.
    #[error("the contract names no header for the signature or for a part that it covers")]
    Header,
}

/// The parts of a delivery that can be signed.
pub(super) struct Signing<'a> {
    /// The delivery's ID.
    pub(super) id: &'a str,
    /// Seconds since 1970.
    pub(super) timestamp: i64,
    pub(super) body: &'a [u8],
}

impl Signing<'_> {
    /// Returns the signature headers. A secret with the prefix of Standard Webhooks signs by that standard. Other
    /// secrets sign the parts in the contract.
    pub(super) fn headers(
        &self,
        secret: &str,
        format: &DeliveryFormat,
    ) -> Result<Vec<(HeaderName, String)>, SigningError> {
        let webhooks = format.webhooks.as_ref().filter(|webhooks| !webhooks.secret_prefix.is_empty());
        let standard = webhooks.and_then(|webhooks| Some((secret.strip_prefix(&webhooks.secret_prefix)?, webhooks)));
        match standard {
            Some((encoded, webhooks)) => self.sign_webhook(encoded, webhooks),
            None => self.sign_hexadecimal(secret, format),
        }
    }

    /// Signs the covered parts, joined by periods, by HMAC-SHA256. The digits are hexadecimal and follow the contract's
    /// prefix.
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
        for byte in digest(secret.as_bytes(), &parts).ok_or(SigningError::Key)? {
            write!(text, "{byte:02x}").map_err(|_| SigningError::Key)?;
        }
        let mut headers = vec![(signature.clone(), text)];
        headers.extend(format.headers.timestamp.clone().map(|name| (name, timestamp)));
        Ok(headers)
    }

    /// Signs ID, timestamp and body, joined by periods, by HMAC-SHA256. The signature is base64 and follows the
    /// scheme's version.
    fn sign_webhook(&self, encoded: &str, names: &WebhookFormat) -> Result<Vec<(HeaderName, String)>, SigningError> {
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
