//! Extracts the data of an event that lists, the search and the floor need.
//!
//! Everything is derived from an event's bytes. After a change of the extraction, increment [`READER_VERSION`], so that
//! all stored events are read again. `takt-contract` names the members, and `takt-journal` stores the results.

use serde_json::Value;
use takt_contract::{
    Contract, utf8_text,
    wire::{FloorEventData, read_floor_event, summarize},
};
use takt_core::words::Words;
use takt_journal::inbox::{EventState, NamedOrder, RawEvent, Reading};

use super::EventChecks;

/// The version of the extraction. Increment it if the same bytes give other results.
pub const READER_VERSION: u32 = 3;

/// The maximum length of an event's searchable text, in bytes.
const MAX_TEXT_LENGTH: usize = 64 * 1024;

/// Extracts an event's content and its data for the floor, by the site's contract in force.
///
/// Never fails: an event that isn't JSON is marked as malformed, and its bytes are searchable as text.
pub fn read_event(contract: &Contract, checks: &EventChecks, raw: &RawEvent) -> (Reading, FloorEventData) {
    let body = contract.decode_event(&raw.body);
    let Some((value, summary)) = parse(&body).and_then(|value| summarize(&value).map(|summary| (value, summary)))
    else {
        return (malformed_reading(raw), FloorEventData::default());
    };
    let known = summary.id.filter(|id| contract.events().iter().any(|kind| i64::from(kind.id) == *id));
    let state = match known {
        None => EventState::Unknown,
        Some(id) if checks.conforms(id, &value) => EventState::Sound,
        Some(_) => EventState::Odd,
    };
    let mut text = String::new();
    append_texts(&value, &mut text);
    let to_named_order =
        |(code, operation): (String, Option<String>)| NamedOrder { code, operation: operation.unwrap_or_default() };
    let reading = Reading {
        event: raw.id,
        state,
        kind: summary.id,
        station: summary.station,
        station_name: summary.station_name,
        employee: summary.employee,
        person: summary.person,
        description: summary.description,
        orders: summary.orders.into_iter().map(to_named_order).collect(),
        text,
    };
    (reading, read_floor_event(&value))
}

/// Returns an event's data for the floor. Empty if the event can't be parsed.
pub fn floor_data(contract: &Contract, raw: &RawEvent) -> FloorEventData {
    parse(&contract.decode_event(&raw.body)).map(|value| read_floor_event(&value)).unwrap_or_default()
}

/// Describes the differences between an event and the contract, or the error if it isn't JSON. Returns `None` without
/// differences.
pub(crate) fn describe_deviation(
    contract: &Contract,
    checks: &EventChecks,
    body: &[u8],
    words: &Words,
) -> Option<String> {
    let body = contract.decode_event(body);
    let event: Value = match serde_json::from_slice(&body) {
        Ok(event) => event,
        Err(error) => return Some(error.to_string()),
    };
    let id = summarize(&event)?.id?;
    let kind = contract.events().iter().find(|kind| i64::from(kind.id) == id)?;
    let differences = checks.describe_differences(kind, &event, words);
    (!differences.is_empty()).then(|| differences.join(" "))
}

fn parse(body: &[u8]) -> Option<Value> {
    let value = serde_json::from_slice(body).ok()?;
    Some(if has_escaped_nul(body) { without_nul(value) } else { value })
}

/// Replaces U+0000 in texts by U+FFFD, because PostgreSQL can't store it. The event's bytes don't change.
fn without_nul(value: Value) -> Value {
    let plain = |text: String| if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text };
    match value {
        Value::String(text) => Value::String(plain(text)),
        Value::Array(parts) => parts.into_iter().map(without_nul).collect(),
        Value::Object(members) => members.into_iter().map(|(name, part)| (plain(name), without_nul(part))).collect(),
        other => other,
    }
}

/// Returns whether a text may contain U+0000. JSON can only contain it escaped.
fn has_escaped_nul(body: &[u8]) -> bool {
    body.windows(6).any(|window| window == b"\\u0000")
}

fn malformed_reading(raw: &RawEvent) -> Reading {
    Reading {
        event: raw.id,
        state: EventState::Malformed,
        kind: None,
        station: None,
        station_name: None,
        employee: None,
        person: None,
        description: None,
        orders: Vec::new(),
        text: shorten(&String::from_utf8_lossy(&utf8_text(&raw.body)).replace('\0', "\u{FFFD}")).to_owned(),
    }
}

/// Appends every text and number in order, one per line.
fn append_texts(value: &Value, out: &mut String) {
    if out.len() >= MAX_TEXT_LENGTH {
        return;
    }
    match value {
        Value::String(text) => append_line(out, shorten(text)),
        Value::Number(number) => append_line(out, &number.to_string()),
        Value::Array(parts) => parts.iter().for_each(|part| append_texts(part, out)),
        Value::Object(members) => members.values().for_each(|part| append_texts(part, out)),
        Value::Null | Value::Bool(_) => {}
    }
}

fn append_line(out: &mut String, text: &str) {
    if !text.is_empty() {
        out.push_str(text);
        out.push('\n');
    }
}

fn shorten(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT_LENGTH)).unwrap_or(text)
}
