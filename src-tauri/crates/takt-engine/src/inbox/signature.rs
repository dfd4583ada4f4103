//! Whether an event came from who shares a secret with us, and if not, which check says so.
//!
//! Owns the form: HMAC-SHA256 of the timestamp, a full stop and the body as it came, hexadecimal, after `sha256=`; assumed, see
//! `event-delivery` in the contract. Several secrets may be in use at once, so that one can be changed without a gap, and
//! several signatures may stand in the header.

use hmac::{Hmac, Mac};
use jiff::Timestamp;
use sha2::Sha256;
use takt_client::Secret;
use takt_journal::Signed;

use super::terms::{Terms, header};
use crate::hex::{hex, unhex};

const SCHEME: &str = "sha256=";
/// How far a timestamp may be from now: a copy of an old request is worth nothing.
const FRESH: i64 = 5 * 60;

/// Checks an event's signature with each of the secrets. Takes the same time whether one is nearly right or not.
pub(super) fn checked(
    secrets: &[Secret],
    terms: &Terms,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> Signed {
    if secrets.is_empty() {
        return Signed::Unchecked;
    }
    let (signature, timestamp) = (header(headers, &terms.signature), header(headers, &terms.timestamp));
    let (Some(signature), Some(timestamp)) = (signature, timestamp) else { return Signed::Missing };
    let given: Vec<_> =
        signature.split([',', ' ']).filter_map(|part| part.strip_prefix(SCHEME).and_then(unhex)).collect();
    let Ok(second) = timestamp.parse::<i64>() else { return Signed::Unreadable };
    if given.is_empty() {
        return Signed::Unreadable;
    }
    if !secrets.iter().any(|secret| given.iter().any(|given| makes(secret, timestamp, body, given))) {
        return Signed::Wrong;
    }
    if second.abs_diff(now.as_second()) > FRESH.unsigned_abs() { Signed::Stale } else { Signed::Valid }
}

/// The signature of what is sent at that time (seconds since 1970).
pub(super) fn made(secret: &Secret, timestamp: &str, body: &[u8]) -> String {
    let signed = mac(secret, timestamp, body).map(|mac| hex(&mac.finalize().into_bytes()));
    format!("{SCHEME}{}", signed.unwrap_or_default())
}

fn makes(secret: &Secret, timestamp: &str, body: &[u8], given: &[u8]) -> bool {
    mac(secret, timestamp, body).is_some_and(|mac| mac.verify_slice(given).is_ok())
}

/// None where the secret can't be a key; every text can.
fn mac(secret: &Secret, timestamp: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()).ok()?;
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(mac)
}

#[cfg(test)]
mod tests {
    use takt_contract::Contract;

    use super::*;

    /// Of `1800000000.{"Id": 1}` with the key `old secret`, by another implementation.
    const SIGNATURE: &str = "94935f48adb0b22eed5c571aee9c60d5cacdba657389db75ef27db43a1f8d82d";
    const BODY: &[u8] = b"{\"Id\": 1}";

    fn check(secrets: &[&str], headers: &[(&str, &str)], body: &[u8], now: i64) -> Signed {
        let secrets: Vec<_> = secrets.iter().map(|text| Secret::new(*text)).collect();
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let terms = Terms::of(&Contract::builtin().unwrap_or_else(|error| panic!("{error}")));
        checked(&secrets, &terms, &headers, body, Timestamp::from_second(now).unwrap_or_default())
    }

    #[test]
    fn each_check_says_what_is_wrong() {
        let signed = format!("sha256={SIGNATURE}");
        let headers = [("X-TAKT-Signature", signed.as_str()), ("x-takt-timestamp", "1800000000")];
        let at = 1_800_000_000;
        assert_eq!(check(&[], &headers, BODY, at), Signed::Unchecked);
        assert_eq!(check(&["old secret"], &headers, BODY, at + 299), Signed::Valid);
        assert_eq!(check(&["new secret", "old secret"], &headers, BODY, at - 299), Signed::Valid);
        assert_eq!(check(&["new secret"], &headers, BODY, at), Signed::Wrong);
        assert_eq!(
            check(&["old secret"], &headers, b"{\"Id\":1}", at),
            Signed::Wrong,
            "the bytes are signed, not their meaning"
        );
        assert_eq!(check(&["old secret"], &headers, BODY, at + 301), Signed::Stale);
        assert_eq!(check(&["old secret"], &headers[1..], BODY, at), Signed::Missing);
        assert_eq!(check(&["old secret"], &headers[..1], BODY, at), Signed::Missing);
        let several = format!("sha256={} {signed}", "0".repeat(64));
        assert_eq!(check(&["old secret"], &[("x-takt-signature", &several), headers[1]], BODY, at), Signed::Valid);
        for odd in ["", "sha256=", "sha256=xyz", "md5=00", "sha256=0"] {
            assert_eq!(
                check(&["old secret"], &[("x-takt-signature", odd), headers[1]], BODY, at),
                Signed::Unreadable,
                "{odd}"
            );
        }
        assert_eq!(check(&["old secret"], &[headers[0], ("x-takt-timestamp", "now")], BODY, at), Signed::Unreadable);
        assert_eq!(made(&Secret::new("old secret"), "1800000000", BODY), signed);
    }
}
