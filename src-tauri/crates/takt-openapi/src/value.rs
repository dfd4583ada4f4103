//! The contract's kind of a schema's value, and its form on the wire.

use serde::Serialize;
use takt_contract::{
    Field, FieldKind,
    form::{CodeName, DurationUnit, EpochUnit, Scalar, ValueForm},
};

use crate::{
    Document,
    member_names::{names, position_in},
    reference::scalar_text,
    schema::{Schema, SchemaKind},
    words::split_words,
};

/// Formats of durations written as text.
const DURATION_FORMATS: [&str; 6] =
    ["date-span", "time-span", "timespan", "duration", "duration-hms", "partial-time-span"];

const DAYS_PER_WEEK: usize = 7;
const WEEKDAY_BOUNDS: (Option<f64>, Option<f64>) = (Some(1.0), Some(7.0));

/// A property of a value that the document leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum ValueDoubt {
    /// A duration is a number, and its unit isn't stated.
    DurationUnit,
    /// A date and time is a number, in seconds or milliseconds.
    EpochUnit,
    /// Codes without names.
    CodeNames,
    /// A number or boolean is sent as text.
    Quoted,
    /// The format `duration` means ISO 8601, but some generators write it for `hh:mm:ss`.
    DurationText,
}

/// The kind and wire form of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InferredValue {
    pub(crate) kind: FieldKind,
    pub(crate) form: ValueForm,
    pub(crate) doubt: Option<ValueDoubt>,
}

impl InferredValue {
    fn with_default_form(kind: FieldKind) -> Self {
        Self { kind, form: ValueForm::AsIs, doubt: None }
    }

    fn with_form(kind: FieldKind, form: ValueForm) -> Self {
        Self { kind, form, doubt: None }
    }

    fn with_doubt(self, doubt: ValueDoubt) -> Self {
        Self { doubt: Some(doubt), ..self }
    }

    /// Renames the codes to the values that the contract's field lists, ignoring case. Days of the week become their
    /// numbers, with Monday as 1.
    #[must_use]
    pub(crate) fn with_field_code_names(mut self, own: &Field) -> Self {
        let ValueForm::Codes { codes } = &mut self.form else { return self };
        let counts_days = own.kind == FieldKind::Integer && (own.limits.minimum, own.limits.maximum) == WEEKDAY_BOUNDS;
        let days: Option<Vec<usize>> = codes.iter().map(|code| position_in(&names().weekdays, &code.name)).collect();
        if let Some(days) = days.filter(|_| counts_days) {
            codes.iter_mut().zip(days).for_each(|(code, day)| code.name = (day % DAYS_PER_WEEK + 1).to_string());
            self.kind = own.kind;
            return self;
        }
        for code in codes {
            let own = own.limits.values.iter().find(|value| value.to_lowercase() == code.name.to_lowercase());
            own.into_iter().for_each(|own| code.name.clone_from(own));
        }
        self
    }
}

/// Returns the kind that the schema alone states.
pub(crate) fn kind_from_schema(schema: &Schema<'_>) -> Option<FieldKind> {
    Some(match schema.kind? {
        SchemaKind::Text => match schema.format {
            Some("date-time" | "iso-date-time" | "date") => FieldKind::DateTime,
            _ if is_duration(schema) => FieldKind::Duration,
            _ => FieldKind::Text,
        },
        SchemaKind::Integer => FieldKind::Integer,
        SchemaKind::Number => FieldKind::Number,
        SchemaKind::Boolean => FieldKind::Boolean,
        SchemaKind::List => FieldKind::List,
        SchemaKind::Object if is_time_span(schema) => FieldKind::TimeSpan,
        SchemaKind::Object => FieldKind::Object,
    })
}

/// Recognizes a time span by its members `ticks` and `totalSeconds`, not by its name.
fn is_time_span(schema: &Schema<'_>) -> bool {
    schema.member("ticks").is_some() && schema.member("totalSeconds").is_some()
}

fn is_duration(schema: &Schema<'_>) -> bool {
    let format = schema.format.is_some_and(|format| DURATION_FORMATS.contains(&format.to_lowercase().as_str()));
    let pattern =
        schema.pattern.is_some_and(|pattern| pattern.contains(r"\d{2}:\d{2}:\d{2}") && !pattern.contains('T'));
    format
        || (schema.format.is_none()
            && (pattern || is_clock_duration(&example_text(schema)) || is_iso_duration(&example_text(schema))))
}

fn example_text(schema: &Schema<'_>) -> String {
    schema.example.or(schema.default).map(scalar_text).unwrap_or_default()
}

/// Recognizes `01:30:00` and `1.02:03:04.5`.
fn is_clock_duration(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    parts.len() == 3
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// Recognizes `PT1H30M` and `P1D`.
fn is_iso_duration(text: &str) -> bool {
    let rest = text.strip_prefix('P').unwrap_or_default();
    rest.len() > 1 && rest.bytes().all(|byte| byte.is_ascii_digit() || b"YMWDTHS.".contains(&byte))
}

/// Returns kind and form of a value, for a field of the kind `expected` or for a new field.
pub(crate) fn infer_value(
    document: &Document,
    name: &str,
    schema: &Schema<'_>,
    expected: Option<FieldKind>,
) -> Option<InferredValue> {
    let own = kind_from_schema(schema)?;
    if let Some(codes) = infer_named_codes(schema) {
        return Some(codes);
    }
    let words = split_words(name);
    Some(match (expected, own) {
        (Some(FieldKind::Duration | FieldKind::TimeSpan), FieldKind::Integer | FieldKind::Number) => {
            infer_duration_number(&words, schema, own)
        }
        (Some(FieldKind::DateTime), FieldKind::Integer | FieldKind::Number) => infer_epoch(&words, schema),
        (Some(FieldKind::Duration), FieldKind::TimeSpan) => {
            InferredValue::with_form(FieldKind::Duration, ValueForm::TimeSpanObject)
        }
        (Some(FieldKind::Duration | FieldKind::TimeSpan), FieldKind::Text) => {
            InferredValue::with_default_form(FieldKind::Duration)
        }
        (_, FieldKind::Duration) => infer_duration(document, schema),
        (_, FieldKind::DateTime) => InferredValue::with_form(FieldKind::DateTime, infer_date_time_form(schema)),
        // A date and time without a format.
        (Some(FieldKind::DateTime), FieldKind::Text) => InferredValue::with_default_form(FieldKind::DateTime),
        (Some(kind @ (FieldKind::Integer | FieldKind::Number | FieldKind::Boolean)), FieldKind::Text) => {
            InferredValue::with_form(kind, ValueForm::Quoted).with_doubt(ValueDoubt::Quoted)
        }
        // The document allows fractions, so the contract's integer becomes a number.
        (Some(FieldKind::Integer), FieldKind::Number) => InferredValue::with_default_form(FieldKind::Number),
        (_, FieldKind::Integer) if !schema.codes.is_empty() => {
            InferredValue::with_default_form(own).with_doubt(ValueDoubt::CodeNames)
        }
        _ => InferredValue::with_default_form(own),
    })
}

/// Returns the codes as text if all of them have names, because users read the names.
fn infer_named_codes(schema: &Schema<'_>) -> Option<InferredValue> {
    if schema.codes.is_empty() || schema.codes.iter().any(|code| code.name.is_none()) {
        return None;
    }
    let codes: Option<Vec<CodeName>> = schema
        .codes
        .iter()
        .map(|code| Some(CodeName { name: code.name.clone()?, wire: to_scalar(code.value)? }))
        .collect();
    let codes = codes?;
    let same = codes.iter().all(|code| code.wire == Scalar::Text(code.name.clone()));
    let form = if same { ValueForm::AsIs } else { ValueForm::Codes { codes } };
    Some(InferredValue::with_form(FieldKind::Text, form))
}

fn to_scalar(value: &serde_json::Value) -> Option<Scalar> {
    match value {
        serde_json::Value::Bool(value) => Some(Scalar::Bool(*value)),
        serde_json::Value::String(text) => Some(Scalar::Text(text.clone())),
        serde_json::Value::Number(number) => {
            number.as_i64().and_then(|number| i32::try_from(number).ok()).map(Scalar::Number)
        }
        _ => None,
    }
}

/// Returns a duration that is a number, with the unit from its name or description.
fn infer_duration_number(words: &[String], schema: &Schema<'_>, own: FieldKind) -> InferredValue {
    let described = split_words(schema.description.unwrap_or_default());
    match words.iter().chain(&described).find_map(|word| parse_duration_unit(word)) {
        Some(unit) => InferredValue::with_form(FieldKind::Duration, ValueForm::DurationNumber { unit }),
        None => InferredValue::with_default_form(own).with_doubt(ValueDoubt::DurationUnit),
    }
}

fn parse_duration_unit(word: &str) -> Option<DurationUnit> {
    match word {
        "ticks" => Some(DurationUnit::Ticks),
        "ms" | "millis" | "millisecond" | "milliseconds" => Some(DurationUnit::Milliseconds),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(DurationUnit::Seconds),
        "min" | "mins" | "minute" | "minutes" => Some(DurationUnit::Minutes),
        "h" | "hrs" | "hour" | "hours" => Some(DurationUnit::Hours),
        "d" | "day" | "days" => Some(DurationUnit::Days),
        _ => None,
    }
}

fn infer_epoch(words: &[String], schema: &Schema<'_>) -> InferredValue {
    let has_word = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let number = schema.example.and_then(serde_json::Value::as_f64).filter(|number| *number > 0.0);
    let in_form = |unit| InferredValue::with_form(FieldKind::DateTime, ValueForm::Epoch { unit });
    match number {
        _ if has_word(&["ms", "millis", "milliseconds"]) => in_form(EpochUnit::Milliseconds),
        _ if has_word(&["seconds", "sec", "unix"]) => in_form(EpochUnit::Seconds),
        Some(number) if number > 1e11 => in_form(EpochUnit::Milliseconds),
        Some(_) => in_form(EpochUnit::Seconds),
        None => in_form(EpochUnit::Milliseconds).with_doubt(ValueDoubt::EpochUnit),
    }
}

/// Infers whether a duration is ISO 8601 or `hh:mm:ss`. `duration` means ISO 8601, but NSwag also writes it for
/// `hh:mm:ss`. Then an example or pattern decides.
fn infer_duration(document: &Document, schema: &Schema<'_>) -> InferredValue {
    let text = example_text(schema);
    let nswag = document.value().get("x-generator").map(scalar_text).is_some_and(|name| name.contains("NSwag"));
    let clock = is_clock_duration(&text) || schema.pattern.is_some_and(|pattern| pattern.contains(':'));
    let iso = is_iso_duration(&text) || (schema.format == Some("duration") && !nswag && !clock);
    if !iso {
        return InferredValue::with_default_form(FieldKind::Duration);
    }
    let value = InferredValue::with_form(FieldKind::Duration, ValueForm::DurationIso);
    if is_iso_duration(&text) { value } else { value.with_doubt(ValueDoubt::DurationText) }
}

/// Returns the form of a date and time. `date-time` has an offset by definition, but an example may show `Z` or no
/// offset.
fn infer_date_time_form(schema: &Schema<'_>) -> ValueForm {
    let text = example_text(schema);
    let time = text.split_once('T').map(|(_, time)| time);
    match (schema.format, time) {
        (Some("date"), _) => ValueForm::DateOnly,
        (Some("iso-date-time"), _) => ValueForm::AsIs,
        (_, Some(time)) if time.ends_with('Z') => ValueForm::UtcDateTime,
        (_, Some(time)) if !time.contains(['+', '-']) => ValueForm::AsIs,
        _ => ValueForm::OffsetDateTime,
    }
}
