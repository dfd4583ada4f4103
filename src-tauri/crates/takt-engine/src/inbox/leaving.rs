//! How an event leaves: its bytes as they came, with headers of ours.
//!
//! Of the headers that came only what its content is and its delivery's id go along: nobody's token, and no signature, which
//! is worth nothing by now. It is signed anew where there is a secret for it.

use jiff::Timestamp;
use takt_client::Secret;
use takt_journal::RawEvent;

use super::{
    signature::made,
    terms::{Terms, header},
};

pub(super) const CONTENT_TYPE: &str = "content-type";
/// Comes with events that were sent once more by a person, not by the service; its value is the number here.
pub(super) const REPLAY: &str = "takt-replay";
/// Comes with events that were sent on; its value names who did, in their order.
pub(super) const FORWARDED: &str = "takt-forwarded";
/// Comes with what is sent to try out an address.
pub(super) const TEST: &str = "takt-test";

/// What goes along with an event's bytes. `delivery` stands in where the event came without an id.
pub(super) fn headers(raw: &RawEvent, terms: &Terms, delivery: Option<&str>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if let Some(kind) = header(&raw.headers, CONTENT_TYPE) {
        headers.push((CONTENT_TYPE.to_owned(), kind.to_owned()));
    }
    let known = header(&raw.headers, &terms.delivery).or(delivery);
    if let Some(id) = known.filter(|_| !terms.delivery.is_empty()) {
        headers.push((terms.delivery.clone(), id.to_owned()));
    }
    headers
}

/// The headers by which a body is signed now; none where nobody knows how.
pub(super) fn signature(secret: &Secret, terms: &Terms, body: &[u8], now: Timestamp) -> Vec<(String, String)> {
    if terms.signature.is_empty() {
        return Vec::new();
    }
    let timestamp = now.as_second().to_string();
    let signed = made(secret, &timestamp, body);
    vec![(terms.signature.clone(), signed), (terms.timestamp.clone(), timestamp)]
}
