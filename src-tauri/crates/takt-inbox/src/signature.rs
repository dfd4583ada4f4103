//! Checks and creates signatures of events. The scheme depends on the secret, and both are assumed, see
//! `event-delivery` in the contract:
//! - HMAC-SHA256 of the parts that the contract covers, in hexadecimal after its prefix. The built-in contract covers
//!   the timestamp and the body but not the delivery's ID. So requests with the same time and bytes are treated as one
//!   event. If a site only covers the body (`X-Hub-Signature-256`), a copy can't be distinguished from a new event.
//! - Standard Webhooks (www.standardwebhooks.com), for secrets with the prefix `whsec_`: HMAC-SHA256 of ID, timestamp
//!   and body, joined by full stops, as base64 after `v1,`. A replayed request stays the same delivery.
//!
//! Several secrets may be in use while one is replaced, and a header may contain several signatures.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
    prelude::BASE64_STANDARD,
};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::Sha256;
use takt_client::Secret;
use takt_contract::Contract;
use takt_journal::inbox::SignatureState;

use crate::delivery_format::{DeliveryFormat, SignedPart, WebhookFormat, find_header};
use takt_core::{
    Code, Problem,
    hex::{from_hex, to_hex},
};

/// The maximum number of seconds between a timestamp and now, so that copies of old requests are rejected.
const MAX_AGE_SECONDS: i64 = 5 * 60;
/// The length of a decoded Standard Webhooks key in bytes, by the standard.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// Decodes base64 with and without padding, because keys are written in both ways.
const ANY_PADDING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The result of checking an event's signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignatureResult {
    pub(crate) signed: SignatureState,
    /// The delivery's ID if the signature covers it.
    pub(crate) id: Option<String>,
    /// The timestamp of a valid signature that doesn't cover the ID.
    pub(crate) timestamp: Option<String>,
}

impl SignatureResult {
    fn without_id(signed: SignatureState) -> Self {
        Self { signed, id: None, timestamp: None }
    }
}

/// A secret that isn't a valid key although it has the prefix of Standard Webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("after its prefix a secret of Standard Webhooks is base64 of 24 to 64 bytes")]
pub(crate) struct InvalidKey;

/// The key and scheme of a secret.
enum SigningKey<'a> {
    Hexadecimal(&'a [u8]),
    StandardWebhooks(Vec<u8>),
}

impl<'a> SigningKey<'a> {
    fn of(secret: &'a Secret, format: &WebhookFormat) -> Result<Self, InvalidKey> {
        let text = secret.reveal();
        let prefix = Some(format.secret_prefix.as_str()).filter(|prefix| !prefix.is_empty());
        let Some(encoded) = prefix.and_then(|prefix| text.strip_prefix(prefix)) else {
            return Ok(Self::Hexadecimal(text.as_bytes()));
        };
        let key = ANY_PADDING.decode(encoded.trim()).map_err(|_| InvalidKey)?;
        if KEY_BYTES.contains(&key.len()) { Ok(Self::StandardWebhooks(key)) } else { Err(InvalidKey) }
    }
}

/// Checks that a secret can be used as a key by the contract's delivery format.
///
/// # Errors
///
/// [`Code::InvalidInput`]: the text after the prefix of Standard Webhooks isn't a valid key.
pub(crate) fn check_secret(contract: &Contract, secret: &str) -> Result<(), Problem> {
    let format = DeliveryFormat::from_contract(contract);
    let what = format!("{}…", format.webhooks.secret_prefix);
    let refused = |error| Problem::new(Code::InvalidInput).parameter("what", &*what).details(error);
    check_key(&Secret::new(secret), &format).map_err(refused)
}

fn check_key(secret: &Secret, format: &DeliveryFormat) -> Result<(), InvalidKey> {
    SigningKey::of(secret, &format.webhooks).map(drop)
}

/// Checks an event's signature with each secret. The comparison takes the same time however much of a signature is
/// right.
pub(crate) fn check_signature(
    secrets: &[Secret],
    format: &DeliveryFormat,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> SignatureResult {
    if secrets.is_empty() {
        return SignatureResult::without_id(SignatureState::Unchecked);
    }
    let check = |secret| match SigningKey::of(secret, &format.webhooks) {
        Ok(SigningKey::Hexadecimal(key)) => check_hexadecimal(key, format, headers, body, now),
        Ok(SigningKey::StandardWebhooks(key)) => check_standard_webhooks(&key, &format.webhooks, headers, body, now),
        Err(InvalidKey) => SignatureResult::without_id(SignatureState::Wrong),
    };
    let best = secrets.iter().map(check).max_by_key(|checked| rank(checked.signed));
    best.unwrap_or_else(|| SignatureResult::without_id(SignatureState::Missing))
}

/// Ranks the results of several secrets. The most informative result has the highest rank.
fn rank(signed: SignatureState) -> u8 {
    match signed {
        SignatureState::Missing | SignatureState::Unchecked => 0,
        SignatureState::Unreadable => 1,
        SignatureState::Wrong => 2,
        SignatureState::Stale => 3,
        SignatureState::Valid => 4,
    }
}

fn check_hexadecimal(
    key: &[u8],
    format: &DeliveryFormat,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> SignatureResult {
    let missing = SignatureResult::without_id(SignatureState::Missing);
    let Some(signature) = find_header(headers, &format.signature) else { return missing };
    let (id, timestamp) = (find_header(headers, &format.delivery), find_header(headers, &format.timestamp));
    let Some(parts) = covered_parts(format, id, timestamp, body) else { return missing };
    let prefix = format.signing.prefix.as_str();
    let given: Vec<_> =
        signature.split([',', ' ']).filter_map(|part| part.strip_prefix(prefix).and_then(from_hex)).collect();
    let covers = |part| format.signing.covers.contains(&part);
    let signed = verify(key, &parts, &given, timestamp.filter(|_| covers(SignedPart::Timestamp)), now);
    let is_valid = signed == SignatureState::Valid;
    let identifies_copies = is_valid && covers(SignedPart::Timestamp) && !covers(SignedPart::Id);
    SignatureResult {
        signed,
        id: id.filter(|_| is_valid && covers(SignedPart::Id)).map(str::to_owned),
        timestamp: timestamp.filter(|_| identifies_copies).map(str::to_owned),
    }
}

/// Returns the parts that a signature covers. Returns `None` if a part is missing or nothing is covered.
fn covered_parts<'a>(
    format: &DeliveryFormat,
    id: Option<&'a str>,
    timestamp: Option<&'a str>,
    body: &'a [u8],
) -> Option<Vec<&'a [u8]>> {
    let part = |part: &SignedPart| match part {
        SignedPart::Id => id.map(str::as_bytes),
        SignedPart::Timestamp => timestamp.map(str::as_bytes),
        SignedPart::Body => Some(body),
    };
    let parts: Option<Vec<&[u8]>> = format.signing.covers.iter().map(part).collect();
    parts.filter(|parts| !parts.is_empty())
}

fn check_standard_webhooks(
    key: &[u8],
    format: &WebhookFormat,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> SignatureResult {
    let found = (
        find_header(headers, &format.id),
        find_header(headers, &format.timestamp),
        find_header(headers, &format.signature),
    );
    let (Some(id), Some(timestamp), Some(signature)) = found else {
        return SignatureResult::without_id(SignatureState::Missing);
    };
    let of_version = |part: &str| {
        let (version, encoded) = part.split_once(',')?;
        Some(encoded).filter(|_| version == format.version).and_then(|encoded| ANY_PADDING.decode(encoded).ok())
    };
    let given: Vec<_> = signature.split_ascii_whitespace().filter_map(of_version).collect();
    let signed = verify(key, &[id.as_bytes(), timestamp.as_bytes(), body], &given, Some(timestamp), now);
    SignatureResult { signed, id: Some(id.to_owned()), timestamp: None }
}

/// Checks whether one of the given signatures matches the parts, joined by full stops. `timestamp` is set if the
/// signature covers it.
fn verify(key: &[u8], parts: &[&[u8]], given: &[Vec<u8>], timestamp: Option<&str>, now: Timestamp) -> SignatureState {
    let digits = |timestamp: &&str| timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let second = timestamp.and_then(|timestamp| Some(timestamp).filter(digits)?.parse::<i64>().ok());
    if given.is_empty() || second.is_some() != timestamp.is_some() {
        return SignatureState::Unreadable;
    }
    let matches_parts = |given: &Vec<u8>| mac(key, parts).is_some_and(|mac| mac.verify_slice(given).is_ok());
    if !given.iter().any(matches_parts) {
        return SignatureState::Wrong;
    }
    let is_stale = |second: i64| second.abs_diff(now.as_second()) > MAX_AGE_SECONDS.unsigned_abs();
    if second.is_some_and(is_stale) { SignatureState::Stale } else { SignatureState::Valid }
}

/// Returns the headers that sign a delivery. Empty if the signature's format isn't known or the key is invalid.
pub(crate) fn signature_headers(
    secret: &Secret,
    format: &DeliveryFormat,
    id: &str,
    body: &[u8],
    now: Timestamp,
) -> Vec<(String, String)> {
    let timestamp = now.as_second().to_string();
    let webhooks = &format.webhooks;
    match SigningKey::of(secret, webhooks) {
        Ok(SigningKey::Hexadecimal(key)) if !format.signature.is_empty() => {
            let Some(parts) = covered_parts(format, Some(id), Some(&timestamp), body) else { return Vec::new() };
            let signature = format!("{}{}", format.signing.prefix, to_hex(&digest(key, &parts)));
            let headers = [(&format.signature, signature), (&format.timestamp, timestamp.clone())];
            headers
                .into_iter()
                .filter(|(name, _)| !name.is_empty())
                .map(|(name, value)| (name.clone(), value))
                .collect()
        }
        Ok(SigningKey::StandardWebhooks(key)) => {
            let signed = digest(&key, &[id.as_bytes(), timestamp.as_bytes(), body]);
            let signature = format!("{},{}", webhooks.version, BASE64_STANDARD.encode(signed));
            let names = [&webhooks.id, &webhooks.timestamp, &webhooks.signature].map(Clone::clone);
            names.into_iter().zip([id.to_owned(), timestamp, signature]).collect()
        }
        Ok(SigningKey::Hexadecimal(_)) | Err(InvalidKey) => Vec::new(),
    }
}

fn digest(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    mac(key, parts).map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default()
}

/// Returns the MAC of the parts, joined by full stops. Always succeeds, because HMAC accepts keys of any length.
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

    /// The signature of `1800000000.{"Id": 1}` with the key `old secret`, by another implementation.
    const SIGNATURE: &str = "94935f48adb0b22eed5c571aee9c60d5cacdba657389db75ef27db43a1f8d82d";
    const BODY: &[u8] = b"{\"Id\": 1}";

    fn format() -> DeliveryFormat {
        DeliveryFormat::from_contract(&Contract::builtin().unwrap_or_else(|error| panic!("{error}")))
    }

    fn check_result(secrets: &[&str], headers: &[(&str, &str)], body: &[u8], now: i64) -> SignatureResult {
        let secrets: Vec<_> = secrets.iter().map(|text| Secret::new(*text)).collect();
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        check_signature(&secrets, &format(), &headers, body, Timestamp::from_second(now).unwrap_or_default())
    }

    fn check(secrets: &[&str], headers: &[(&str, &str)], body: &[u8], now: i64) -> SignatureState {
        check_result(secrets, headers, body, now).signed
    }

    /// The standard's example: its secret, its headers and its body.
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
        let found = check_result(&[WEBHOOK_SECRET], &WEBHOOK, WEBHOOK_BODY, at + 299);
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
        for (index, text, says) in [
            (0, "msg_other", SignatureState::Wrong),
            (1, "1614265331", SignatureState::Wrong),
            (1, "+1614265330", SignatureState::Unreadable),
            (2, "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", SignatureState::Unreadable),
            (2, "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", SignatureState::Valid),
        ] {
            let mut headers = WEBHOOK;
            headers[index].1 = text;
            assert_eq!(check(&[WEBHOOK_SECRET], &headers, WEBHOOK_BODY, at), says, "{text}");
        }
        assert_eq!(check(&[WEBHOOK_SECRET], &WEBHOOK[1..], WEBHOOK_BODY, at), SignatureState::Missing);
        assert_eq!(check(&["old secret"], &WEBHOOK, WEBHOOK_BODY, at), SignatureState::Missing, "another scheme's");
        for odd in ["whsec_", "whsec_?", "whsec_AAAA"] {
            assert_eq!(check_key(&Secret::new(odd), &format()), Err(InvalidKey), "{odd}");
            assert_eq!(check(&[odd], &WEBHOOK, WEBHOOK_BODY, at), SignatureState::Wrong, "{odd}");
        }
        let now = Timestamp::from_second(at).unwrap_or_default();
        let sent = signature_headers(&Secret::new(WEBHOOK_SECRET), &format(), WEBHOOK[0].1, WEBHOOK_BODY, now);
        let sent: Vec<_> = sent.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(sent, WEBHOOK);
    }

    /// GitHub's example of `X-Hub-Signature-256`: only the body is covered, and there is no timestamp.
    #[test]
    fn a_site_may_sign_otherwise() {
        let delivery = serde_json::json!({
            "headers": { "delivery": "X-GitHub-Delivery", "signature": "X-Hub-Signature-256" },
            "signing": { "covers": ["body"], "prefix": "sha256=" },
        });
        let provenance =
            takt_contract::Provenance { level: takt_contract::ProvenanceLevel::Site, source: "hand".to_owned() };
        let change =
            takt_contract::overlay::AssumptionOverlay { id: "event-delivery".to_owned(), value: delivery, provenance };
        let overlay = takt_contract::overlay::Overlay { assumptions: vec![change], ..Default::default() };
        let builtin = Contract::builtin().unwrap_or_else(|error| panic!("{error}"));
        let format = DeliveryFormat::from_contract(&builtin.with_overlay(&overlay, &jiff::tz::TimeZone::UTC));
        let signed = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let check_result = |header: (&str, &str), body: &[u8]| {
            let headers = vec![(header.0.to_owned(), header.1.to_owned())];
            let secrets = [Secret::new("It's a Secret to Everybody")];
            check_signature(
                &secrets,
                &format,
                &headers,
                body,
                Timestamp::from_second(1_900_000_000).unwrap_or_default(),
            )
            .signed
        };
        assert_eq!(check_result(("x-hub-signature-256", signed), b"Hello, World!"), SignatureState::Valid);
        assert_eq!(check_result(("x-hub-signature-256", signed), b"Hello, World?"), SignatureState::Wrong);
        assert_eq!(check_result(("x-hub-signature-256", "sha1=00"), b"Hello, World!"), SignatureState::Unreadable);
        assert_eq!(check_result(("x-takt-signature", signed), b"Hello, World!"), SignatureState::Missing);
        let sent = signature_headers(
            &Secret::new("It's a Secret to Everybody"),
            &format,
            "7",
            b"Hello, World!",
            Timestamp::UNIX_EPOCH,
        );
        assert_eq!(sent, [("x-hub-signature-256".to_owned(), signed.to_owned())]);
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
        assert_eq!(check_result(&["old secret"], &headers, BODY, at).timestamp.as_deref(), Some("1800000000"));
        assert_eq!(check_result(&["new secret"], &headers, BODY, at).timestamp, None);
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
        assert_eq!(signature_headers(&Secret::new("old secret"), &format(), "any", BODY, now)[0].1, signed);
    }
}
