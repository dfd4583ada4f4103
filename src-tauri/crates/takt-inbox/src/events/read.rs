//! Reads events: from what came to what a list, a search and the floor need.
//!
//! An event is a view over its bytes. When this gets better, [`READER`] goes up by one, and every event that is kept is read
//! again. Leaves to takt-contract what the members are called, and to takt-journal how a reading is kept.

use serde_json::Value;
use takt_contract::{
    Contract, utf8_text,
    wire::{FloorEventData, glance, read_floor_event},
};
use takt_core::words::Words;
use takt_journal::inbox::{EventState, NamedOrder, RawEvent, Reading};

use super::EventChecks;

/// Goes up whenever the same bytes are understood otherwise than before.
pub const READER: u32 = 3;

/// The most of an event's texts that the search looks through, in bytes.
const MAX_TEXT_LENGTH: usize = 64 * 1024;

/// What an event says by the contract in force at its site, and what of it is of the floor. Never fails: what can't be understood is marked, and its bytes are
/// looked through as they are.
pub fn read(contract: &Contract, checks: &EventChecks, raw: &RawEvent) -> (Reading, FloorEventData) {
    let body = contract.decoded_event(&raw.body);
    let Some((value, seen)) = value(&body).and_then(|value| glance(&value).map(|seen| (value, seen))) else {
        return (malformed(raw), FloorEventData::default());
    };
    let known = seen.id.filter(|id| contract.events().iter().any(|kind| i64::from(kind.id) == *id));
    let state = match known {
        None => EventState::Unknown,
        Some(id) if checks.conforms(id, &value) => EventState::Sound,
        Some(_) => EventState::Odd,
    };
    let mut text = String::new();
    texts(&value, &mut text);
    let named =
        |(code, operation): (String, Option<String>)| NamedOrder { code, operation: operation.unwrap_or_default() };
    let reading = Reading {
        event: raw.id,
        state,
        kind: seen.id,
        station: seen.station,
        station_name: seen.station_name,
        employee: seen.employee,
        person: seen.person,
        description: seen.description,
        orders: seen.orders.into_iter().map(named).collect(),
        text,
    };
    (reading, read_floor_event(&value))
}

/// What of an event is of the floor; nothing where it can't be understood.
pub fn floor_data(contract: &Contract, raw: &RawEvent) -> FloorEventData {
    value(&contract.decoded_event(&raw.body)).map(|value| read_floor_event(&value)).unwrap_or_default()
}

/// Where an event isn't as the contract has it, in sentences; or why it is no JSON, in words for who fixes the sender. None where it is.
pub(crate) fn oddity(contract: &Contract, checks: &EventChecks, body: &[u8], words: &Words) -> Option<String> {
    let body = contract.decoded_event(body);
    let event: Value = match serde_json::from_slice(&body) {
        Ok(event) => event,
        Err(error) => return Some(error.to_string()),
    };
    let id = glance(&event)?.id?;
    let kind = contract.events().iter().find(|kind| i64::from(kind.id) == id)?;
    let differences = checks.differences(kind, &event, words);
    (!differences.is_empty()).then(|| differences.join(" "))
}

fn value(body: &[u8]) -> Option<Value> {
    let value = serde_json::from_slice(body).ok()?;
    Some(if has_escaped_nul(body) { without_nul(value) } else { value })
}

/// A text that holds U+0000 can be searched in no database, and PostgreSQL keeps none: in what is read out of an event another sign stands
/// for it. Its bytes are as they came.
fn without_nul(value: Value) -> Value {
    let plain = |text: String| if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text };
    match value {
        Value::String(text) => Value::String(plain(text)),
        Value::Array(parts) => parts.into_iter().map(without_nul).collect(),
        Value::Object(members) => members.into_iter().map(|(name, part)| (plain(name), without_nul(part))).collect(),
        other => other,
    }
}

/// Whether there can be such a text: JSON writes it escaped, or not at all.
fn has_escaped_nul(body: &[u8]) -> bool {
    body.windows(6).any(|window| window == b"\\u0000")
}

fn malformed(raw: &RawEvent) -> Reading {
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
        text: beginning(&String::from_utf8_lossy(&utf8_text(&raw.body)).replace('\0', "\u{FFFD}")).to_owned(),
    }
}

/// Every text and number in it, in its order.
fn texts(value: &Value, told: &mut String) {
    if told.len() >= MAX_TEXT_LENGTH {
        return;
    }
    match value {
        Value::String(text) => add(told, beginning(text)),
        Value::Number(number) => add(told, &number.to_string()),
        Value::Array(parts) => parts.iter().for_each(|part| texts(part, told)),
        Value::Object(members) => members.values().for_each(|part| texts(part, told)),
        Value::Null | Value::Bool(_) => {}
    }
}

fn add(told: &mut String, text: &str) {
    if !text.is_empty() {
        told.push_str(text);
        told.push('\n');
    }
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT_LENGTH)).unwrap_or(text)
}
