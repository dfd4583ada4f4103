//! The signature by which a receiver knows that an event came from who shares its secret. Its form is assumed: see
//! `event-delivery` in the contract.

use std::fmt::Write;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// `sha256=` and the HMAC-SHA256 of the timestamp (seconds since 1970), a full stop and the body as it is sent.
/// None where the secret can't be a key; every text can.
pub(super) fn signature(secret: &str, timestamp: i64, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(format!("{timestamp}.").as_bytes());
    mac.update(body);
    let mut text = "sha256=".to_owned();
    for byte in mac.finalize().into_bytes() {
        write!(text, "{byte:02x}").ok()?;
    }
    Some(text)
}
