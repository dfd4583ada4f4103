//! The headers of an event that is forwarded or replayed. Its body isn't changed.
//!
//! Of the received headers, only the content type and the delivery's ID are sent, but no tokens and not the old
//! signature. The event is signed again if there is a secret for it.

use jiff::Timestamp;
use takt_client::Secret;
use takt_journal::inbox::RawEvent;

use crate::{
    delivery_format::{DeliveryFormat, find_header},
    signature::signature_headers,
};

pub(crate) const CONTENT_TYPE: &str = "content-type";
/// The header of events that a user replays. Its value is the event's ID in this inbox.
pub(crate) const REPLAY_HEADER: &str = "takt-replay";
/// The prefix of a replay's signed ID. Signed IDs of other deliveries never have it.
pub(crate) const REPLAY_ID_PREFIX: &str = "takt-replay-";
/// The header of forwarded events. Its value lists the origins in order.
pub(crate) const FORWARDED_HEADER: &str = "takt-forwarded";
/// The header of test events.
pub(crate) const TEST_HEADER: &str = "takt-test";

/// Returns the headers of an event. `delivery` replaces a missing ID.
pub(crate) fn build_headers(raw: &RawEvent, format: &DeliveryFormat, delivery: Option<&str>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if let Some(kind) = find_header(&raw.headers, CONTENT_TYPE) {
        headers.push((CONTENT_TYPE.to_owned(), kind.to_owned()));
    }
    let webhook = find_header(&raw.headers, &format.webhooks.id);
    let known = find_header(&raw.headers, &format.delivery).or(webhook).or(delivery);
    if let Some(id) = known.filter(|_| !format.delivery.is_empty()) {
        headers.push((format.delivery.clone(), id.to_owned()));
    }
    headers
}

/// Returns the delivery's ID among outgoing headers.
fn delivery_id<'a>(headers: &'a [(String, String)], format: &DeliveryFormat) -> Option<&'a str> {
    find_header(headers, &format.delivery)
}

/// Returns the headers with a body's signature. `headers` contain the delivery's ID, which the signature may cover.
pub(crate) fn sign_delivery(
    secret: &Secret,
    format: &DeliveryFormat,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> Vec<(String, String)> {
    let id = delivery_id(headers, format).map_or_else(|| format!("takt-{}", now.as_nanosecond()), str::to_owned);
    // A replay is a separate delivery, so its ID differs.
    let id = if find_header(headers, REPLAY_HEADER).is_some() { format!("{REPLAY_ID_PREFIX}{id}") } else { id };
    signature_headers(secret, format, &id, body, now)
}
