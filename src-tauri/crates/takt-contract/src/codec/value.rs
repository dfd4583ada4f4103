//! Translates single values by the form of their field. Functions return `None` if a value doesn't match the form.
//! Callers keep such a value unchanged.

use jiff::tz::TimeZone;
use serde_json::Value;

use super::date_time;
use crate::{
    Field, FieldKind,
    form::{CodeName, DurationUnit, ValueForm},
    wire::{
        TimeSpan,
        duration::{format_ticks, parse_ticks},
    },
};

/// The range within which `f64` represents every integer.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

pub(super) fn decode(text: &str, field: &Field) -> Option<String> {
    decode_by(text, &field.form, field.kind)
}

pub(super) fn decode_by(text: &str, form: &ValueForm, kind: FieldKind) -> Option<String> {
    if *form == ValueForm::AsIs {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let decoded = match form {
        ValueForm::TimeSpanObject => Value::from(format_ticks(TimeSpan::deserialized(&value)?.ticks)),
        ValueForm::DurationIso => Value::from(format_ticks(date_time::ticks_from_iso(value.as_str()?)?)),
        ValueForm::DurationNumber { unit } => Value::from(format_ticks(ticks_from_number(&value, *unit)?)),
        ValueForm::Epoch { unit } => Value::from(date_time::from_epoch(value.as_i64()?, *unit)?),
        ValueForm::Codes { codes } => {
            code_name_to_json(&codes.iter().find(|code| code.wire.equals(&value))?.name, kind)?
        }
        ValueForm::Quoted => parse_unquoted(value.as_str()?, kind)?,
        // These formats need no translation, since Takt parses date-times with and without an offset, and dates.
        ValueForm::AsIs | ValueForm::OffsetDateTime | ValueForm::UtcDateTime | ValueForm::DateOnly => return None,
    };
    Some(decoded.to_string())
}

/// Like [`decode`], for a service that simulates a site. Such a service needs a time of day in date-times.
pub(super) fn decode_for_service(text: &str, field: &Field) -> Option<String> {
    if field.form != ValueForm::DateOnly {
        return decode(text, field);
    }
    let value: Value = serde_json::from_str(text).ok()?;
    Some(Value::from(date_time::start_of_day(value.as_str()?)?).to_string())
}

/// Like [`encode`], for a service that simulates a site. Durations in such a service are time span objects.
pub(super) fn encode_for_service(text: &str, form: &ValueForm, zone: &TimeZone) -> Option<String> {
    let is_duration = matches!(form, ValueForm::DurationIso | ValueForm::DurationNumber { .. });
    if is_duration && text.starts_with('{') {
        let ticks = TimeSpan::deserialized(&serde_json::from_str(text).ok()?)?.ticks;
        return encode(&Value::from(format_ticks(ticks)).to_string(), form, zone);
    }
    encode(text, form, zone)
}

pub(super) fn encode(text: &str, form: &ValueForm, zone: &TimeZone) -> Option<String> {
    if *form == ValueForm::AsIs {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let encoded = match form {
        ValueForm::AsIs => return None,
        ValueForm::TimeSpanObject => serde_json::to_value(TimeSpan::from_ticks(parse_ticks(value.as_str()?)?)).ok()?,
        ValueForm::DurationIso => Value::from(date_time::ticks_to_iso(parse_ticks(value.as_str()?)?)),
        ValueForm::DurationNumber { unit } => ticks_to_number(parse_ticks(value.as_str()?)?, *unit),
        ValueForm::OffsetDateTime => Value::from(date_time::add_offset(value.as_str()?, zone)?),
        ValueForm::UtcDateTime => Value::from(date_time::to_utc(value.as_str()?, zone)?),
        ValueForm::DateOnly => Value::from(date_time::to_date(value.as_str()?)?),
        ValueForm::Epoch { unit } => Value::from(date_time::to_epoch(value.as_str()?, zone, *unit)?),
        ValueForm::Codes { codes } => match &value {
            Value::String(name) => find_code(codes, name)?.wire.to_json(),
            Value::Number(number) => find_code(codes, &number.to_string())?.wire.to_json(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        },
        ValueForm::Quoted => match value {
            Value::Number(_) | Value::Bool(_) => Value::from(text),
            Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => return None,
        },
    };
    Some(encoded.to_string())
}

/// Finds a code by its name. Case is ignored if only one name matches that way.
fn find_code<'a>(codes: &'a [CodeName], name: &str) -> Option<&'a CodeName> {
    let exact = codes.iter().find(|code| code.name == name);
    let mut alike = codes.iter().filter(|code| code.name.to_lowercase() == name.to_lowercase());
    exact.or_else(|| alike.next().filter(|_| alike.next().is_none()))
}

/// Returns the name of a code as a JSON value, which is a number for numeric fields such as weekdays.
fn code_name_to_json(name: &str, kind: FieldKind) -> Option<Value> {
    match kind {
        FieldKind::Integer | FieldKind::Number => parse_unquoted(name, kind),
        FieldKind::Text
        | FieldKind::Boolean
        | FieldKind::DateTime
        | FieldKind::Duration
        | FieldKind::TimeSpan
        | FieldKind::List
        | FieldKind::Object => Some(Value::from(name)),
    }
}

fn parse_unquoted(text: &str, kind: FieldKind) -> Option<Value> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    let fits = match kind {
        FieldKind::Integer | FieldKind::Number => value.is_number(),
        FieldKind::Boolean => value.is_boolean(),
        FieldKind::Text
        | FieldKind::DateTime
        | FieldKind::Duration
        | FieldKind::TimeSpan
        | FieldKind::List
        | FieldKind::Object => false,
    };
    fits.then_some(value)
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "checked to be in the exact range")]
fn ticks_from_number(value: &Value, unit: DurationUnit) -> Option<i64> {
    if let Some(integer) = value.as_i64() {
        return integer.checked_mul(unit.ticks());
    }
    let ticks = value.as_f64()? * unit.ticks() as f64;
    (ticks.abs() <= MAX_EXACT_INTEGER).then(|| ticks.round() as i64)
}

/// Converts ticks to a number of units, as an integer if possible.
#[expect(clippy::cast_precision_loss, reason = "a fraction of a unit is as exact as an f64 is")]
fn ticks_to_number(ticks: i64, unit: DurationUnit) -> Value {
    if ticks % unit.ticks() == 0 {
        Value::from(ticks / unit.ticks())
    } else {
        Value::from(ticks as f64 / unit.ticks() as f64)
    }
}

impl TimeSpan {
    fn deserialized(value: &Value) -> Option<Self> {
        serde::Deserialize::deserialize(value).ok()
    }
}
