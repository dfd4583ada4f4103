//! The signature by which a receiver knows that an event came from who shares its secret. Both forms are assumed: see
//! `event-delivery` in the contract.

use std::fmt::Write;

use axum::http::HeaderName;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::terms::{HeaderNames, WebhookNames};

/// What is signed.
pub(super) struct Signing<'a> {
    /// The delivery's id.
    pub(super) id: &'a str,
    /// Seconds since 1970.
    pub(super) timestamp: i64,
    pub(super) body: &'a [u8],
}

impl Signing<'_> {
    /// The headers that sign it; none where the secret can't be a key. One with the prefix of Standard Webhooks signs as that
    /// standard has it, any other one the timestamp and the body.
    pub(super) fn headers(&self, secret: &str, names: &HeaderNames) -> Option<Vec<(HeaderName, String)>> {
        match secret.strip_prefix(&names.webhooks.secret_prefix) {
            Some(encoded) => self.webhook(encoded, &names.webhooks),
            None => self.timestamp_and_body(secret, names),
        }
    }

    /// `sha256=` and the HMAC-SHA256 of the timestamp, a full stop and the body as it is sent, hexadecimal.
    fn timestamp_and_body(&self, secret: &str, names: &HeaderNames) -> Option<Vec<(HeaderName, String)>> {
        let signed = digest(secret.as_bytes(), &format!("{}.", self.timestamp), self.body)?;
        let mut text = "sha256=".to_owned();
        for byte in signed {
            write!(text, "{byte:02x}").ok()?;
        }
        Some(vec![(names.timestamp.clone(), self.timestamp.to_string()), (names.signature.clone(), text)])
    }

    /// The HMAC-SHA256 of id, timestamp and body, joined by full stops, as base64 behind the scheme's version.
    fn webhook(&self, encoded: &str, names: &WebhookNames) -> Option<Vec<(HeaderName, String)>> {
        let key = STANDARD.decode(encoded).ok()?;
        let signed = digest(&key, &format!("{}.{}.", self.id, self.timestamp), self.body)?;
        let signature = format!("{},{}", names.version, STANDARD.encode(signed));
        Some(vec![
            (names.id.clone(), self.id.to_owned()),
            (names.timestamp.clone(), self.timestamp.to_string()),
            (names.signature.clone(), signature),
        ])
    }
}

fn digest(key: &[u8], before: &str, body: &[u8]) -> Option<Vec<u8>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(before.as_bytes());
    mac.update(body);
    Some(mac.finalize().into_bytes().to_vec())
}
