//! An event as rules see it: its members as they are called, each as what the contract says it is.
//!
//! Decimals are numbers with a point whatever the sender wrote, dates are moments, time spans are durations, a date that isn't
//! reached is null. What isn't as the contract has it stays what it is: a rule that needs it fails and says so.

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

/// How the values of one site's events are read.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    contract: Arc<Contract>,
    zone: TimeZone,
    /// The date that says there is none.
    unset: Option<String>,
}

impl Reader {
    pub(super) fn new(contract: Arc<Contract>, zone: TimeZone) -> Self {
        let unset = contract.assumption("event-date-unset").and_then(Json::as_str).map(ToOwned::to_owned);
        Self { contract, zone, unset }
    }

    /// An event in Takt's names.
    pub(super) fn decoded<'a>(&self, body: &'a [u8]) -> Cow<'a, [u8]> {
        self.contract.decoded_event(body)
    }

    /// Whether events are read alike.
    pub(super) fn reads_as(&self, other: &Self) -> bool {
        self.zone == other.zone && Arc::ptr_eq(&self.contract, &other.contract)
    }

    /// Makes known to what is run: the event, the order that it is about, and what time it is.
    pub(super) fn bind(&self, context: &mut Context<'_, '_>, event: &Json, now: Timestamp) {
        let kind = event.get("Id").and_then(Json::as_i64);
        let known = self.contract.events().iter().find(|known| kind == Some(i64::from(known.id)));
        // What isn't known is read by the shape that all of them share.
        let fields = known.or_else(|| self.contract.events().first()).map_or(&[][..], |kind| &kind.fields);
        let event = self.object(event, fields);
        let orders = self.contract.answering().order.as_ref().and_then(|name| member(&event, name));
        let order = match orders {
            Some(Value::List(orders)) => orders.first().cloned(),
            _ => None,
        };
        context.add_variable_from_value("order", order.unwrap_or_else(|| map([])));
        context.add_variable_from_value("event", event);
        context.add_variable_from_value("now", moment(now));
        context.add_variable_from_value("local", self.local(now));
    }

    /// What the clock on the site's wall shows.
    fn local(&self, now: Timestamp) -> Value {
        let wall = self.zone.to_datetime(now);
        map([
            ("hour", Value::Int(wall.hour().into())),
            ("minute", Value::Int(wall.minute().into())),
            ("weekday", Value::Int(wall.weekday().to_monday_one_offset().into())),
            ("time", text(wall.strftime("%H:%M").to_string())),
            ("date", text(wall.strftime("%Y-%m-%d").to_string())),
        ])
    }

    fn object(&self, value: &Json, fields: &[Field]) -> Value {
        let Json::Object(members) = value else { return self.value(value, None) };
        let read = members.iter().map(|(name, value)| {
            let field = fields.iter().find(|field| field.name == *name);
            (name.as_str(), self.value(value, field))
        });
        map(read)
    }

    fn value(&self, value: &Json, field: Option<&Field>) -> Value {
        let fields = field.map_or(&[][..], |field| &field.fields);
        match (value, field.map(|field| field.kind)) {
            (Json::Null, _) => Value::Null,
            (Json::Bool(truth), _) => Value::Bool(*truth),
            (Json::Number(number), Some(FieldKind::Number)) => number.as_f64().map_or(Value::Null, Value::Float),
            (Json::Number(number), _) => match number.as_i64() {
                Some(whole) => Value::Int(whole),
                None => number.as_f64().map_or(Value::Null, Value::Float),
            },
            (Json::String(given), Some(FieldKind::DateTime)) => self.date(given),
            (Json::String(given), Some(FieldKind::Duration)) => duration(given),
            (Json::String(given), _) => text(given.clone()),
            (Json::Array(parts), _) => {
                Value::List(Arc::new(parts.iter().map(|part| self.object(part, fields)).collect()))
            }
            (Json::Object(_), _) => self.object(value, fields),
        }
    }

    /// A date without an offset is the site's.
    fn date(&self, given: &str) -> Value {
        if given.is_empty() || self.unset.as_deref() == Some(given) {
            return Value::Null;
        }
        let there = || LocalTime::of(given.parse::<DateTime>().ok()?, &self.zone).map(|local| local.bound(None));
        given.parse().ok().or_else(there).map_or_else(|| text(given.to_owned()), moment)
    }

    /// A value as an operator reads it.
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

fn moment(moment: Timestamp) -> Value {
    let nanoseconds = u32::try_from(moment.subsec_nanosecond()).unwrap_or_default();
    match chrono::DateTime::from_timestamp(moment.as_second(), nanoseconds) {
        Some(moment) => Value::Timestamp(moment.fixed_offset()),
        None => text(moment.to_string()),
    }
}

fn duration(given: &str) -> Value {
    match parse_ticks(given).and_then(|ticks| ticks.checked_mul(NANOSECONDS_PER_TICK)) {
        Some(nanoseconds) => Value::Duration(chrono::Duration::nanoseconds(nanoseconds)),
        None => text(given.to_owned()),
    }
}

fn text(text: String) -> Value {
    Value::String(Arc::new(text))
}

fn map<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
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
