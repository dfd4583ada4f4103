//! How an event leaves: its bytes as they came, with headers of ours.
//!
//! Of the headers that came only what its content is and its delivery's id go along: nobody's token, and no signature, which
//! is worth nothing by now. It is signed anew where there is a secret for it.

use jiff::Timestamp;
use takt_client::Secret;
use takt_journal::inbox::RawEvent;

use super::{
    delivery_format::{DeliveryFormat, header},
    signature::made,
};

pub(super) const CONTENT_TYPE: &str = "content-type";
/// Comes with events that were sent once more by a person, not by the service; its value is the number here.
pub(super) const REPLAY: &str = "takt-replay";
/// The signed id of a replay begins so: where the id is signed, nothing else makes one.
pub(super) const REPLAYED: &str = "takt-replay-";
/// Comes with events that were sent on; its value names who did, in their order.
pub(super) const FORWARDED: &str = "takt-forwarded";
/// Comes with what is sent to try out an address.
pub(super) const TEST: &str = "takt-test";

/// What goes along with an event's bytes. `delivery` stands in where the event came without an id.
pub(super) fn headers(raw: &RawEvent, format: &DeliveryFormat, delivery: Option<&str>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if let Some(kind) = header(&raw.headers, CONTENT_TYPE) {
        headers.push((CONTENT_TYPE.to_owned(), kind.to_owned()));
    }
    let webhook = header(&raw.headers, &format.webhooks.id);
    let known = header(&raw.headers, &format.delivery).or(webhook).or(delivery);
    if let Some(id) = known.filter(|_| !format.delivery.is_empty()) {
        headers.push((format.delivery.clone(), id.to_owned()));
    }
    headers
}

/// The delivery's id among headers that leave.
pub(super) fn delivery<'a>(headers: &'a [(String, String)], format: &DeliveryFormat) -> Option<&'a str> {
    header(headers, &format.delivery)
}

/// The headers by which a body is signed now, as the delivery that the other headers name.
pub(super) fn signature(
    secret: &Secret,
    format: &DeliveryFormat,
    headers: &[(String, String)],
    body: &[u8],
    now: Timestamp,
) -> Vec<(String, String)> {
    let id = delivery(headers, format).map_or_else(|| format!("takt-{}", now.as_nanosecond()), str::to_owned);
    // An event that is sent once more is one of its own, and not the one that came.
    let id = if header(headers, REPLAY).is_some() { format!("{REPLAYED}{id}") } else { id };
    made(secret, format, &id, body, now)
}
