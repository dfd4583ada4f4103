//! Converts an event to CEL values, typed by the contract.
//!
//! Decimals become doubles, dates become timestamps, time spans become durations, and an unset date becomes null. A
//! value that doesn't fit the contract isn't converted, so a rule that needs it fails.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use cel::{
    Context, Value,
    objects::{Key, Map},
};
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde_json::Value as Json;
use takt_contract::{
    Contract, Field, FieldKind, LocalTime,
    wire::duration::{format_ticks_in_hours, parse_ticks},
};

const NANOSECONDS_PER_TICK: i64 = 100;

/// Converts the events of one site.
#[derive(Debug, Clone)]
pub(super) struct EventDecoder {
    contract: Arc<Contract>,
    zone: TimeZone,
    /// The date that means "not set".
    unset: Option<String>,
}

impl EventDecoder {
    pub(super) fn new(contract: Arc<Contract>, zone: TimeZone) -> Self {
        let unset = contract.assumption("event-date-unset").and_then(Json::as_str).map(ToOwned::to_owned);
        Self { contract, zone, unset }
    }

    /// Renames an event's members to Takt's names.
    pub(super) fn decode_event<'a>(&self, body: &'a [u8]) -> Cow<'a, [u8]> {
        self.contract.decode_event(body)
    }

    /// Returns whether both decode events in the same way.
    pub(super) fn decodes_same_way_as(&self, other: &Self) -> bool {
        self.zone == other.zone && Arc::ptr_eq(&self.contract, &other.contract)
    }

    /// Binds the event, its first order and the time to a context's variables.
    pub(super) fn bind_variables(&self, context: &mut Context<'_, '_>, event: &Json, now: Timestamp) {
        let kind = event.get("Id").and_then(Json::as_i64);
        let known = self.contract.events().iter().find(|known| kind == Some(i64::from(known.id)));
        // An unknown event is read by the fields that all events share.
        let fields = known.or_else(|| self.contract.events().first()).map_or(&[][..], |kind| &kind.fields);
        let event = self.object_value(event, fields);
        let orders = self.contract.reply_rules().order.as_ref().and_then(|name| member(&event, name));
        let order = match orders {
            Some(Value::List(orders)) => orders.first().cloned(),
            _ => None,
        };
        context.add_variable_from_value("order", order.unwrap_or_else(|| map_value([])));
        context.add_variable_from_value("event", event);
        context.add_variable_from_value("now", timestamp_value(now));
        context.add_variable_from_value("local", self.local_time_value(now));
    }

    /// Returns the site's local time in parts.
    fn local_time_value(&self, now: Timestamp) -> Value {
        let local = self.zone.to_datetime(now);
        map_value([
            ("hour", Value::Int(local.hour().into())),
            ("minute", Value::Int(local.minute().into())),
            ("weekday", Value::Int(local.weekday().to_monday_one_offset().into())),
            ("time", text_value(local.strftime("%H:%M").to_string())),
            ("date", text_value(local.strftime("%Y-%m-%d").to_string())),
        ])
    }

    fn object_value(&self, value: &Json, fields: &[Field]) -> Value {
        let Json::Object(members) = value else { return self.typed_value(value, None) };
        let values = members.iter().map(|(name, value)| {
            let field = fields.iter().find(|field| field.name == *name);
            (name.as_str(), self.typed_value(value, field))
        });
        map_value(values)
    }

    fn typed_value(&self, value: &Json, field: Option<&Field>) -> Value {
        let fields = field.map_or(&[][..], |field| &field.fields);
        match (value, field.map(|field| field.kind)) {
            (Json::Null, _) => Value::Null,
            (Json::Bool(truth), _) => Value::Bool(*truth),
            (Json::Number(number), Some(FieldKind::Number)) => number.as_f64().map_or(Value::Null, Value::Float),
            (Json::Number(number), _) => match number.as_i64() {
                Some(integer) => Value::Int(integer),
                None => number.as_f64().map_or(Value::Null, Value::Float),
            },
            (Json::String(text), Some(FieldKind::DateTime)) => self.date_value(text),
            (Json::String(text), Some(FieldKind::Duration)) => duration_value(text),
            (Json::String(text), _) => text_value(text.clone()),
            (Json::Array(parts), _) => {
                Value::List(Arc::new(parts.iter().map(|part| self.object_value(part, fields)).collect()))
            }
            (Json::Object(_), _) => self.object_value(value, fields),
        }
    }

    /// Converts a date. A date without an offset is in the site's time zone.
    fn date_value(&self, text: &str) -> Value {
        if text.is_empty() || self.unset.as_deref() == Some(text) {
            return Value::Null;
        }
        let there = || LocalTime::resolve(text.parse::<DateTime>().ok()?, &self.zone).map(|local| local.bound(None));
        text.parse().ok().or_else(there).map_or_else(|| text_value(text.to_owned()), timestamp_value)
    }

    /// Formats a value for an operator.
    pub(super) fn display_text(&self, value: &Value) -> String {
        match value {
            Value::String(text) => text.to_string(),
            Value::Int(number) => number.to_string(),
            Value::UInt(number) => number.to_string(),
            Value::Float(number) => ((number * 1e6).round() / 1e6).to_string(),
            Value::Bool(truth) => truth.to_string(),
            Value::List(parts) => parts.iter().map(|part| self.display_text(part)).collect::<Vec<_>>().join(", "),
            Value::Map(map) => {
                let mut parts: Vec<_> =
                    map.map.iter().map(|(name, value)| format!("{name}: {}", self.display_text(value))).collect();
                parts.sort();
                parts.join(", ")
            }
            Value::Duration(span) => {
                format_ticks_in_hours(span.num_nanoseconds().unwrap_or(i64::MAX) / NANOSECONDS_PER_TICK)
            }
            Value::Timestamp(moment) => match Timestamp::new(moment.timestamp(), 0) {
                Ok(moment) => self.zone.to_datetime(moment).strftime("%Y-%m-%d %H:%M").to_string(),
                Err(_) => moment.to_rfc3339(),
            },
            _ => String::new(),
        }
    }
}

fn timestamp_value(moment: Timestamp) -> Value {
    let nanoseconds = u32::try_from(moment.subsec_nanosecond()).unwrap_or_default();
    match chrono::DateTime::from_timestamp(moment.as_second(), nanoseconds) {
        Some(moment) => Value::Timestamp(moment.fixed_offset()),
        None => text_value(moment.to_string()),
    }
}

fn duration_value(text: &str) -> Value {
    match parse_ticks(text).and_then(|ticks| ticks.checked_mul(NANOSECONDS_PER_TICK)) {
        Some(nanoseconds) => Value::Duration(chrono::Duration::nanoseconds(nanoseconds)),
        None => text_value(text.to_owned()),
    }
}

fn text_value(text: String) -> Value {
    Value::String(Arc::new(text))
}

fn map_value<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let members: HashMap<Key, Value> =
        members.into_iter().map(|(name, value)| (Key::String(Arc::new(name.to_owned())), value)).collect();
    Value::Map(Map { map: Arc::new(members) })
}

fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Map(map) => map.map.get(&Key::String(Arc::new(name.to_owned()))),
        _ => None,
    }
}
