//! The views of events for the window and the command line.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use takt_contract::{Contract, Names, utf8_text, wire::summarize};
use takt_journal::inbox::{AnswerRecord, EventCopy, EventRow, Gap, GapCause, RawEvent};

pub use takt_journal::inbox::{EventState, SignatureState};

use super::{
    EventChecks,
    answer::{AnsweredBy, EventAnswer},
    read::describe_deviation,
};
use takt_core::{hex::to_hex, words::Words};

pub const MAX_GAPS: u32 = 100;
/// The age after which events aren't shown as new. It allows for small differences between the desks' clocks.
const MAX_NEWS_AGE: SignedDuration = SignedDuration::from_mins(10);
/// The maximum number of a body's bytes in an event's details.
const MAX_BODY_BYTES: usize = 1024 * 1024;
const MAX_HEX_BYTES: usize = 64 * 1024;

/// A filter of events. Absent or empty fields match every event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct EventQuery {
    pub site: Option<String>,
    /// The service's numbers for kinds of events.
    pub kinds: Vec<i32>,
    pub states: Vec<EventState>,
    /// A work station's code.
    pub station: Option<String>,
    /// An employee's badge.
    pub employee: Option<String>,
    /// A work order's code.
    pub order: Option<String>,
    /// Words or beginnings of words that the event must all contain.
    pub text: Option<String>,
    /// The earliest arrival (ISO 8601, in the site's time zone if it has no offset).
    pub since: Option<String>,
    /// The time before which the events arrived (same format).
    pub until: Option<String>,
    /// The ID of the newest included event, so that pages of a list don't shift.
    pub up_to: Option<i32>,
    /// The IDs of the events to include. Empty for all.
    pub only: Vec<i32>,
}

/// An event in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EventLine {
    pub id: i32,
    pub site: String,
    /// ISO 8601 in UTC.
    pub received: String,
    pub state: EventState,
    /// The service's number for the kind of the event.
    pub kind: Option<i32>,
    /// The service's name and the display names. Absent if the contract doesn't have the event.
    pub name: Option<String>,
    pub names: Option<Names>,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub description: Option<String>,
    /// The code of the first order that the event names. `orders` is their number.
    pub order: Option<String>,
    pub orders: u32,
    pub signed: SignatureState,
    /// Whether a user, not the service, sent the event again.
    pub replay: bool,
    /// The number of repetitions.
    pub copies: u32,
    /// Whether the event was allowed. Absent if it didn't wait for an answer.
    pub allowed: Option<bool>,
    /// The origin of the answer.
    pub answered_by: Option<AnsweredBy>,
}

/// A page of the matching events, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventList {
    /// The number of matches. Counted up to 10,000 if the query restricts more than the site.
    pub total: u32,
    pub offset: u32,
    pub rows: Vec<EventLine>,
    /// The number of events that arrived but aren't in lists yet.
    pub unread: u32,
}

/// An event with all its data. Its texts aren't trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EventDetail {
    pub line: EventLine,
    /// The headers in the order in which they were received.
    pub headers: Vec<(String, String)>,
    /// The body as text. Invalid UTF-8 is replaced by U+FFFD.
    pub body: String,
    /// The complete body's length in bytes, even if `body` is shortened.
    pub bytes: u32,
    /// The differences between the event and the contract, for the sender's developers.
    pub oddity: Option<String>,
    /// Arrivals of the repetitions (ISO 8601 in UTC).
    pub copies: Vec<String>,
    /// The codes of the named orders, in order.
    pub orders: Vec<String>,
    /// The first 64 KiB in hexadecimal, if the body isn't text.
    pub hex: Option<String>,
    /// The answer. Absent if the event didn't wait for one.
    pub answer: Option<EventAnswer>,
}

/// A period in which no events could arrive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventGap {
    pub site: String,
    /// ISO 8601 in UTC.
    pub since: String,
    pub until: String,
    /// Whether the computer slept. Otherwise the receiver wasn't running.
    pub asleep: bool,
}

pub fn event_line(contract: &Contract, row: EventRow) -> EventLine {
    let kind = contract.events().iter().find(|kind| row.kind == Some(i64::from(kind.id)));
    EventLine {
        id: short_id(row.id),
        site: row.site,
        received: row.received.to_string(),
        state: row.state,
        kind: row.kind.and_then(|kind| i32::try_from(kind).ok()),
        name: kind.map(|kind| kind.name.clone()),
        names: kind.map(|kind| kind.names.clone()),
        station: row.station,
        station_name: row.station_name,
        employee: row.employee,
        person: row.person,
        description: row.description,
        order: row.order,
        orders: row.orders,
        signed: row.signed,
        replay: row.replay,
        copies: row.copies,
        allowed: row.allowed,
        answered_by: row.answered_by.and_then(|word| serde_json::from_value(word.into()).ok()),
    }
}

pub fn event_detail(
    contract: &Contract,
    words: &Words,
    row: EventRow,
    raw: RawEvent,
    copies: Vec<EventCopy>,
    answer: Option<AnswerRecord>,
) -> EventDetail {
    let differs = matches!(row.state, EventState::Odd | EventState::Malformed);
    let decoded = contract.decode_event(&raw.body);
    let text = utf8_text(&raw.body);
    let shown = text.get(..MAX_BODY_BYTES).unwrap_or(&text);
    EventDetail {
        line: event_line(contract, row),
        headers: raw.headers,
        body: String::from_utf8_lossy(shown).into_owned(),
        bytes: u32::try_from(raw.body.len()).unwrap_or(u32::MAX),
        oddity: if differs {
            describe_deviation(contract, &EventChecks::from_contract(contract), &raw.body, words)
        } else {
            None
        },
        copies: copies.into_iter().map(|copy| copy.received.to_string()).collect(),
        orders: order_codes(&decoded),
        hex: std::str::from_utf8(&text).is_err().then(|| to_hex(raw.body.get(..MAX_HEX_BYTES).unwrap_or(&raw.body))),
        answer: answer.and_then(|answer| serde_json::from_str(&answer.detail).ok()),
    }
}

fn order_codes(body: &[u8]) -> Vec<String> {
    let summary = serde_json::from_slice(body).ok().and_then(|value| summarize(&value));
    let mut codes: Vec<_> = summary.into_iter().flat_map(|summary| summary.orders).map(|(code, _)| code).collect();
    codes.dedup();
    codes
}

pub fn event_gap(gap: Gap) -> EventGap {
    let Gap { site, since, until, cause } = gap;
    EventGap { site, since: since.to_string(), until: until.to_string(), asleep: cause == GapCause::Asleep }
}

/// Converts an ID. IDs are counted from 1, and no disk can store two billion events.
pub fn short_id(id: i64) -> i32 {
    i32::try_from(id).unwrap_or(i32::MAX)
}

impl EventLine {
    /// Returns whether the event arrived long before `since`. Events copied when a desk joins a team aren't news.
    #[must_use]
    pub fn is_old(&self, since: Timestamp) -> bool {
        let received = self.received.parse::<Timestamp>();
        received.is_ok_and(|received| since.duration_since(received) > MAX_NEWS_AGE)
    }
}
