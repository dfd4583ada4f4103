//! What the window and the command line see of events.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use takt_contract::{Contract, Names, utf8_text, wire::glance};
use takt_journal::inbox::{AnswerRecord, EventCopy, EventRow, Gap, GapCause, RawEvent};

pub use takt_journal::inbox::{EventState, SignatureState};

use super::{
    EventChecks,
    answer::{AnsweredBy, EventAnswer},
    read::oddity,
};
use takt_core::{hex::hex, words::Words};

pub const MAX_GAPS: u32 = 100;
/// Older events aren't shown as new. The clocks of desks may differ a little.
const MAX_NEWS_AGE: SignedDuration = SignedDuration::from_mins(10);
/// The most of a body that a detail shows, in bytes.
const MAX_SHOWN: usize = 1024 * 1024;
const MAX_HEX: usize = 64 * 1024;

/// What a person looks for. Absent or empty: whatever it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct EventQuery {
    pub site: Option<String>,
    /// Events by the service's numbers.
    pub kinds: Vec<i32>,
    pub states: Vec<EventState>,
    /// A work station's code.
    pub station: Option<String>,
    /// An employee's badge.
    pub employee: Option<String>,
    /// A work order's code.
    pub order: Option<String>,
    /// Words that all stand in the event, each perhaps only begun.
    pub text: Option<String>,
    /// Came at this moment or later; ISO 8601, without an offset as a clock at the site shows it.
    pub since: Option<String>,
    /// Came before this moment; written alike.
    pub until: Option<String>,
    /// Nothing that came after this event: a list that is looked at stands still.
    pub up_to: Option<i32>,
    /// Of those that fit only these, by their numbers; empty: all.
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
    /// The service's number of the event.
    pub kind: Option<i32>,
    /// The service's name of it, and what people call it; absent where the contract doesn't know it.
    pub name: Option<String>,
    pub names: Option<Names>,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub description: Option<String>,
    /// The first order that it names, and how many it names.
    pub order: Option<String>,
    pub orders: u32,
    pub signed: SignatureState,
    /// Sent once more by a person, not by the service.
    pub replay: bool,
    /// How often it came again.
    pub copies: u32,
    /// What was answered, where it asked: allowed or not.
    pub allowed: Option<bool>,
    /// What led to that.
    pub answered_by: Option<AnsweredBy>,
}

/// A part of the events that fit, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventList {
    /// How many fit; where more than the site is asked for, no more than 10,000 are counted.
    pub total: u32,
    pub offset: u32,
    pub rows: Vec<EventLine>,
    /// Events that came and aren't read yet: no list holds them for now.
    pub unread: u32,
}

/// An event with everything that is known about it. Its texts are not trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EventDetail {
    pub line: EventLine,
    /// In their order.
    pub headers: Vec<(String, String)>,
    /// The body as text; bytes that are none are replaced by U+FFFD.
    pub body: String,
    /// The bytes that came; more than are shown where the body was cut.
    pub bytes: u32,
    /// Where it isn't as the contract has it, in sentences; for who fixes the sender.
    pub oddity: Option<String>,
    /// When it came again; ISO 8601 in UTC.
    pub copies: Vec<String>,
    /// The codes of the orders that it names, in their order.
    pub orders: Vec<String>,
    /// The bytes in hexadecimal, where they are no text; no more than their first 64 KiB.
    pub hex: Option<String>,
    /// What was answered, and why; absent where it didn't ask.
    pub answer: Option<EventAnswer>,
}

/// A span of time in which nothing could come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventGap {
    pub site: String,
    /// ISO 8601 in UTC.
    pub since: String,
    pub until: String,
    /// True where the computer slept; else the receiver wasn't running.
    pub asleep: bool,
}

pub fn line(contract: &Contract, row: EventRow) -> EventLine {
    let kind = contract.events().iter().find(|kind| row.kind == Some(i64::from(kind.id)));
    EventLine {
        id: short(row.id),
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

pub fn detail(
    (contract, words): (&Contract, &Words),
    row: EventRow,
    raw: RawEvent,
    copies: Vec<EventCopy>,
    answer: Option<AnswerRecord>,
) -> EventDetail {
    let odd = matches!(row.state, EventState::Odd | EventState::Malformed);
    let read = contract.decoded_event(&raw.body);
    let text = utf8_text(&raw.body);
    let shown = text.get(..MAX_SHOWN).unwrap_or(&text);
    EventDetail {
        line: line(contract, row),
        headers: raw.headers,
        body: String::from_utf8_lossy(shown).into_owned(),
        bytes: u32::try_from(raw.body.len()).unwrap_or(u32::MAX),
        oddity: if odd { oddity(contract, &EventChecks::of(contract), &raw.body, words) } else { None },
        copies: copies.into_iter().map(|copy| copy.received.to_string()).collect(),
        orders: orders(&read),
        hex: std::str::from_utf8(&text).is_err().then(|| hex(raw.body.get(..MAX_HEX).unwrap_or(&raw.body))),
        answer: answer.and_then(|answer| serde_json::from_str(&answer.detail).ok()),
    }
}

fn orders(body: &[u8]) -> Vec<String> {
    let seen = serde_json::from_slice(body).ok().and_then(|value| glance(&value));
    let mut codes: Vec<_> = seen.into_iter().flat_map(|seen| seen.orders).map(|(code, _)| code).collect();
    codes.dedup();
    codes
}

pub fn gap(gap: Gap) -> EventGap {
    let Gap { site, since, until, why } = gap;
    EventGap { site, since: since.to_string(), until: until.to_string(), asleep: why == GapCause::Asleep }
}

/// Numbers of this file are counted from 1; two thousand millions of them fill any disk.
pub fn short(id: i64) -> i32 {
    i32::try_from(id).unwrap_or(i32::MAX)
}

impl EventLine {
    /// It came to a receiver long before this moment: what comes along when a desk joins a team is no news.
    #[must_use]
    pub fn is_old(&self, since: Timestamp) -> bool {
        let received = self.received.parse::<Timestamp>();
        received.is_ok_and(|received| since.duration_since(received) > MAX_NEWS_AGE)
    }
}
