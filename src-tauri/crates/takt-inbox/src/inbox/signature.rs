//! Whether an event came from who shares a secret with us, and if not, which check says so.
//!
//! Owns the two forms; both are assumed, see `event-delivery` in the contract. Which one it is is seen from the secret:
//! - HMAC-SHA256 of the timestamp, a full stop and the body as it came, hexadecimal, after `sha256=`. The delivery's id isn't
//!   covered: the same time and the same bytes are the same event, whatever id comes with them.
//! - Standard Webhooks (www.standardwebhooks.com), with a secret that begins with `whsec_`: HMAC-SHA256 of id, timestamp and
//!   body, joined by full stops, as base64 after `v1,`. What is caught stays the same delivery.
//!
//! Several secrets may be in use at once, so that one can be changed without a gap, and several signatures may stand in the
//! header.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
    prelude::BASE64_STANDARD,
};
use hmac::{Hmac, Mac};
use jiff::Timestamp;
use sha2::Sha256;
use takt_client::Secret;
use takt_journal::inbox::SignatureState;

use super::terms::{Terms, WebhookTerms, header};
use takt_core::hex::{hex, unhex};

const SCHEME: &str = "sha256=";
/// How far a timestamp may be from now: a copy of an old request is worth nothing.
const FRESH: i64 = 5 * 60;
/// Bytes of a key of Standard Webhooks, decoded: the standard's own bounds.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// Keys are written with and without `=` at their end.
const ANY_PADDING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What an event's signature is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SignatureResult {
    pub(super) signed: SignatureState,
    /// The delivery's id, where the signature covers it.
    pub(super) id: Option<String>,
    /// The timestamp of a signature that is right and doesn't cover the id.
    pub(super) timestamp: Option<String>,
}

impl SignatureResult {
    fn without_id(signed: SignatureState) -> Self {
        Self { signed, id: None, timestamp: None }
    }
}

/// A secret that can't be a key: it begins as one of Standard Webhooks, and goes on otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("after its prefix a secret of Standard Webhooks is base64 of 24 to 64 bytes")]
pub(super) struct InvalidKey;

/// A secret as it signs.
enum SigningKey<'a> {
    TimestampAndBody(&'a [u8]),
    StandardWebhooks(Vec<u8>),
}

impl<'a> SigningKey<'a> {
    fn of(secret: &'a Secret, terms: &WebhookTerms) -> Result<Self, InvalidKey> {
        let text = secret.reveal();
        let prefix = Some(terms.secret_prefix.as_str()).filter(|prefix| !prefix.is_empty());
        let Some(encoded) = prefix.and_then(|prefix| text.strip_prefix(prefix)) else {
            return Ok(Self::TimestampAndBody(text.as_bytes()));
        };
        let key = ANY_PADDING.decode(encoded.trim()).map_err(|_| InvalidKey)?;
        if KEY_BYTES.contains(&key.len()) { Ok(Self::StandardWebhooks(key)) } else { Err(InvalidKey) }
    }
}

/// Whether a secret can be used.
pub(super) fn usable(secret: &Secret, terms: &Terms) -> Result<(), InvalidKey> {
    SigningKey::of(secret, &terms.webhooks).map(drop)
}

/// Checks an event's signature with each of the secrets. Takes the same time whether one is nearly right or not.
pub(super) fn checked(
    secrets: &[Secret],
    terms: &Terms,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> SignatureResult {
    if secrets.is_empty() {
        return SignatureResult::without_id(SignatureState::Unchecked);
    }
    let by = |secret| match SigningKey::of(secret, &terms.webhooks) {
        Ok(SigningKey::TimestampAndBody(key)) => timestamp_and_body(key, terms, headers, body, now),
        Ok(SigningKey::StandardWebhooks(key)) => standard_webhooks(&key, &terms.webhooks, headers, body, now),
        Err(InvalidKey) => SignatureResult::without_id(SignatureState::Wrong),
    };
    let best = secrets.iter().map(by).max_by_key(|checked| worth(checked.signed));
    best.unwrap_or_else(|| SignatureResult::without_id(SignatureState::Missing))
}

/// What says the most, where several secrets are in use.
fn worth(signed: SignatureState) -> u8 {
    match signed {
        SignatureState::Missing | SignatureState::Unchecked => 0,
        SignatureState::Unreadable => 1,
        SignatureState::Wrong => 2,
        SignatureState::Stale => 3,
        SignatureState::Valid => 4,
    }
}

fn timestamp_and_body(
    key: &[u8],
    terms: &Terms,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> SignatureResult {
    let (signature, timestamp) = (header(headers, &terms.signature), header(headers, &terms.timestamp));
    let (Some(signature), Some(timestamp)) = (signature, timestamp) else {
        return SignatureResult::without_id(SignatureState::Missing);
    };
    let given: Vec<_> =
        signature.split([',', ' ']).filter_map(|part| part.strip_prefix(SCHEME).and_then(unhex)).collect();
    let signed = judged(key, &[timestamp.as_bytes(), body], &given, timestamp, now);
    let covered = Some(timestamp.to_owned()).filter(|_| signed == SignatureState::Valid);
    SignatureResult { signed, id: None, timestamp: covered }
}

fn standard_webhooks(
    key: &[u8],
    terms: &WebhookTerms,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> SignatureResult {
    let found = (header(headers, &terms.id), header(headers, &terms.timestamp), header(headers, &terms.signature));
    let (Some(id), Some(timestamp), Some(signature)) = found else {
        return SignatureResult::without_id(SignatureState::Missing);
    };
    let of_version = |part: &str| {
        let (version, encoded) = part.split_once(',')?;
        Some(encoded).filter(|_| version == terms.version).and_then(|encoded| ANY_PADDING.decode(encoded).ok())
    };
    let given: Vec<_> = signature.split_ascii_whitespace().filter_map(of_version).collect();
    let signed = judged(key, &[id.as_bytes(), timestamp.as_bytes(), body], &given, timestamp, now);
    SignatureResult { signed, id: Some(id.to_owned()), timestamp: None }
}

/// Whether one of the signatures that were given is that of the parts, joined by full stops.
fn judged(key: &[u8], parts: &[&[u8]], given: &[Vec<u8>], timestamp: &str, now: Timestamp) -> SignatureState {
    let digits = timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let Some(second) = timestamp.parse::<i64>().ok().filter(|_| digits && !given.is_empty()) else {
        return SignatureState::Unreadable;
    };
    let makes = |given: &Vec<u8>| mac(key, parts).is_some_and(|mac| mac.verify_slice(given).is_ok());
    if !given.iter().any(makes) {
        return SignatureState::Wrong;
    }
    if second.abs_diff(now.as_second()) > FRESH.unsigned_abs() { SignatureState::Stale } else { SignatureState::Valid }
}

/// The headers that sign what is sent now under that delivery's id; none where nobody knows how.
pub(super) fn made(secret: &Secret, terms: &Terms, id: &str, body: &[u8], now: Timestamp) -> Vec<(String, String)> {
    let timestamp = now.as_second().to_string();
    let webhooks = &terms.webhooks;
    match SigningKey::of(secret, webhooks) {
        Ok(SigningKey::TimestampAndBody(key)) if !terms.signature.is_empty() => {
            let signed = digest(key, &[timestamp.as_bytes(), body]);
            let signature = format!("{SCHEME}{}", hex(&signed));
            vec![(terms.signature.clone(), signature), (terms.timestamp.clone(), timestamp)]
        }
        Ok(SigningKey::StandardWebhooks(key)) => {
            let signed = digest(&key, &[id.as_bytes(), timestamp.as_bytes(), body]);
            let signature = format!("{},{}", webhooks.version, BASE64_STANDARD.encode(signed));
            let names = [&webhooks.id, &webhooks.timestamp, &webhooks.signature].map(Clone::clone);
            names.into_iter().zip([id.to_owned(), timestamp, signature]).collect()
        }
        Ok(SigningKey::TimestampAndBody(_)) | Err(InvalidKey) => Vec::new(),
    }
}

fn digest(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    mac(key, parts).map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default()
}

/// None where that can't be a key; every text can.
fn mac(key: &[u8], parts: &[&[u8]]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            mac.update(b".");
        }
        mac.update(part);
    }
    Some(mac)
}

#[cfg(test)]
mod tests {
    use takt_contract::Contract;

    use super::*;

    /// Of `1800000000.{"Id": 1}` with the key `old secret`, by another implementation.
    const SIGNATURE: &str = "94935f48adb0b22eed5c571aee9c60d5cacdba657389db75ef27db43a1f8d82d";
    const BODY: &[u8] = b"{\"Id\": 1}";

    fn terms() -> Terms {
        Terms::of(&Contract::builtin().unwrap_or_else(|error| panic!("{error}")))
    }

    fn look(secrets: &[&str], headers: &[(&str, &str)], body: &[u8], now: i64) -> SignatureResult {
        let secrets: Vec<_> = secrets.iter().map(|text| Secret::new(*text)).collect();
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        checked(&secrets, &terms(), &headers, body, Timestamp::from_second(now).unwrap_or_default())
    }

    fn check(secrets: &[&str], headers: &[(&str, &str)], body: &[u8], now: i64) -> SignatureState {
        look(secrets, headers, body, now).signed
    }

    /// The standard's own example: its secret, its headers and its body.
    const WEBHOOK_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const WEBHOOK_BODY: &[u8] = br#"{"test": 2432232314}"#;
    const WEBHOOK: [(&str, &str); 3] = [
        ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
        ("webhook-timestamp", "1614265330"),
        ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
    ];

    #[test]
    fn standard_webhooks_signs_id_time_and_body() {
        let at = 1_614_265_330;
        let found = look(&[WEBHOOK_SECRET], &WEBHOOK, WEBHOOK_BODY, at + 299);
        assert_eq!(
            found,
            SignatureResult {
                signed: SignatureState::Valid,
                id: Some("msg_p5jXN8AQM9LWM0D4loKWxJek".to_owned()),
                timestamp: None
            }
        );
        assert_eq!(check(&["other", WEBHOOK_SECRET], &WEBHOOK, WEBHOOK_BODY, at), SignatureState::Valid);
        assert_eq!(check(&[WEBHOOK_SECRET], &WEBHOOK, WEBHOOK_BODY, at + 301), SignatureState::Stale);
        assert_eq!(check(&[WEBHOOK_SECRET], &WEBHOOK, b"{}", at), SignatureState::Wrong);
        for (place, text, says) in [
            (0, "msg_other", SignatureState::Wrong),
            (1, "1614265331", SignatureState::Wrong),
            (1, "+1614265330", SignatureState::Unreadable),
            (2, "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", SignatureState::Unreadable),
            (2, "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", SignatureState::Valid),
        ] {
            let mut headers = WEBHOOK;
            headers[place].1 = text;
            assert_eq!(check(&[WEBHOOK_SECRET], &headers, WEBHOOK_BODY, at), says, "{text}");
        }
        assert_eq!(check(&[WEBHOOK_SECRET], &WEBHOOK[1..], WEBHOOK_BODY, at), SignatureState::Missing);
        assert_eq!(check(&["old secret"], &WEBHOOK, WEBHOOK_BODY, at), SignatureState::Missing, "another scheme's");
        for odd in ["whsec_", "whsec_?", "whsec_AAAA"] {
            assert_eq!(usable(&Secret::new(odd), &terms()), Err(InvalidKey), "{odd}");
            assert_eq!(check(&[odd], &WEBHOOK, WEBHOOK_BODY, at), SignatureState::Wrong, "{odd}");
        }
        let now = Timestamp::from_second(at).unwrap_or_default();
        let sent = made(&Secret::new(WEBHOOK_SECRET), &terms(), WEBHOOK[0].1, WEBHOOK_BODY, now);
        let sent: Vec<_> = sent.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(sent, WEBHOOK);
    }

    #[test]
    fn each_check_says_what_is_wrong() {
        let signed = format!("sha256={SIGNATURE}");
        let headers = [("X-TAKT-Signature", signed.as_str()), ("x-takt-timestamp", "1800000000")];
        let at = 1_800_000_000;
        assert_eq!(check(&[], &headers, BODY, at), SignatureState::Unchecked);
        assert_eq!(check(&["old secret"], &headers, BODY, at + 299), SignatureState::Valid);
        assert_eq!(check(&["new secret", "old secret"], &headers, BODY, at - 299), SignatureState::Valid);
        assert_eq!(check(&["new secret"], &headers, BODY, at), SignatureState::Wrong);
        assert_eq!(look(&["old secret"], &headers, BODY, at).timestamp.as_deref(), Some("1800000000"));
        assert_eq!(look(&["new secret"], &headers, BODY, at).timestamp, None);
        assert_eq!(
            check(&["old secret"], &headers, b"{\"Id\":1}", at),
            SignatureState::Wrong,
            "the bytes are signed, not their meaning"
        );
        assert_eq!(check(&["old secret"], &headers, BODY, at + 301), SignatureState::Stale);
        assert_eq!(check(&["old secret"], &headers[1..], BODY, at), SignatureState::Missing);
        assert_eq!(check(&["old secret"], &headers[..1], BODY, at), SignatureState::Missing);
        let several = format!("sha256={} {signed}", "0".repeat(64));
        assert_eq!(
            check(&["old secret"], &[("x-takt-signature", &several), headers[1]], BODY, at),
            SignatureState::Valid
        );
        for odd in ["", "sha256=", "sha256=xyz", "md5=00", "sha256=0"] {
            assert_eq!(
                check(&["old secret"], &[("x-takt-signature", odd), headers[1]], BODY, at),
                SignatureState::Unreadable,
                "{odd}"
            );
        }
        assert_eq!(
            check(&["old secret"], &[headers[0], ("x-takt-timestamp", "now")], BODY, at),
            SignatureState::Unreadable
        );
        let now = Timestamp::from_second(at).unwrap_or_default();
        assert_eq!(made(&Secret::new("old secret"), &terms(), "any", BODY, now)[0].1, signed);
    }
}
