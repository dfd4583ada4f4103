//! Finds deviations of a response from the contract, which are members that are new, missing, or of another type or
//! form.
//!
//! Monitoring checks only the first rows, and its results contain no values. A text is reported as a mask, for example
//! `9999-99-99` for a date. Only [`RowSchema::find_value_deviations`], for a test that the user starts, returns values.

use std::collections::HashMap;

use jiff::{
    Span, Timestamp,
    civil::{Date, DateTime},
};
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{
    Field, FieldKind, ProvenanceLevel, RowSchema,
    form::ValueForm,
    wire::{TimeSpan, duration::parse_ticks},
};

/// The number of rows that are checked per response.
const MAX_CHECKED_ROWS: usize = 5;
/// With fewer rows, a missing member isn't reported, since other rows may have it.
const MIN_ROWS: usize = 3;
/// In characters.
const MAX_MASK_LENGTH: usize = 24;
/// In characters.
const MAX_SHOWN_CHARACTERS: usize = 60;
/// The maximum number of deviations that are reported per response.
const MAX_DEVIATIONS: usize = 50;

/// A deviation of a response from the contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Deviation {
    /// The member's path on the wire.
    pub member: String,
    pub kind: DeviationKind,
    /// The type in the contract, or the violated bound. Empty if the contract doesn't have the member.
    pub expected: String,
    /// The received type, with a mask for a text. If the user started the test, the value as JSON. Empty if the member
    /// is missing.
    pub found: String,
}

/// The kind of a deviation from the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum DeviationKind {
    /// The response has a member that the contract doesn't have.
    #[serde(rename = "came")]
    New,
    /// The response doesn't have a member of the contract.
    #[serde(rename = "went")]
    Missing,
    /// A member has another type or violates its bounds.
    Type,
}

impl RowSchema {
    /// Compares the structure of a response's first rows with the contract. `key` contains the fields that every row
    /// must have. Returns no deviations for a body that isn't JSON, since parsing it already fails.
    #[must_use]
    pub fn find_structure_deviations(&self, body: &[u8], key: &[String]) -> Vec<Deviation> {
        let Ok(root) = serde_json::from_slice::<&RawValue>(body) else { return Vec::new() };
        let list = at_path(root, &self.member).and_then(|list| serde_json::from_str::<Vec<&RawValue>>(list.get()).ok());
        let Some(list) = list else {
            return vec![Deviation::new(self.member.clone(), DeviationKind::Missing, "list", "")];
        };
        let rows = list.iter().take(MAX_CHECKED_ROWS).filter_map(|row| serde_json::from_str::<Value>(row.get()).ok());
        let rows: Vec<Value> = rows.filter(Value::is_object).collect();
        let mut found = Vec::new();
        check_field_structure(&rows.iter().collect::<Vec<_>>(), &self.fields, "", key, &mut found);
        found.truncate(MAX_DEVIATIONS);
        found
    }

    /// Returns the first value of each field that violates the form or the bounds in the contract.
    #[must_use]
    pub fn find_value_deviations(&self, rows: &[Value]) -> Vec<Deviation> {
        let mut found = Vec::new();
        check_field_values(&rows.iter().collect::<Vec<_>>(), &self.fields, "", &mut found);
        found.truncate(MAX_DEVIATIONS);
        found
    }
}

fn check_field_values(rows: &[&Value], known: &[Field], path_prefix: &str, found: &mut Vec<Deviation>) {
    for field in known {
        let member = format!("{path_prefix}{}", field.wire_name());
        let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(field.wire_name())).collect();
        let check = ValueCheck::new(field);
        let wrong = values.iter().find(|value| !value.is_null() && !check.allows(value));
        if let Some(wrong) = wrong {
            found.push(Deviation::new(
                member,
                DeviationKind::Type,
                &check.describe_expected(wrong),
                &abbreviate(wrong),
            ));
            continue;
        }
        if field.fields.is_empty() || field.kind == FieldKind::TimeSpan {
            continue;
        }
        let parts = values.iter().flat_map(|value| match value {
            Value::Array(parts) => parts.iter().collect(),
            Value::Object(_) => vec![*value],
            _ => Vec::new(),
        });
        check_field_values(&parts.collect::<Vec<_>>(), &field.fields, &format!("{member}."), found);
    }
}

/// Checks values against a field's form and bounds.
struct ValueCheck<'a> {
    field: &'a Field,
    /// None if the contract's pattern can't be compiled. Then any text is valid.
    pattern: Option<Regex>,
}

impl<'a> ValueCheck<'a> {
    fn new(field: &'a Field) -> Self {
        let is_text = field.kind == FieldKind::Text && field.form == ValueForm::AsIs;
        let pattern = field.limits.pattern.as_deref().filter(|_| is_text).and_then(|pattern| Regex::new(pattern).ok());
        Self { field, pattern }
    }

    fn allows(&self, value: &Value) -> bool {
        if !has_type(self.field, value) {
            return false;
        }
        let text = value.as_str().unwrap_or_default();
        match (&self.field.form, self.field.kind) {
            (ValueForm::Codes { codes }, _) => codes.iter().any(|code| code.wire.equals(value)),
            (ValueForm::DateOnly, _) => text.len() == 10 && text.parse::<Date>().is_ok(),
            (ValueForm::OffsetDateTime, _) => is_date_time(text) && text.parse::<Timestamp>().is_ok(),
            (ValueForm::UtcDateTime, _) => {
                is_date_time(text) && text.ends_with(['Z', 'z']) && text.parse::<Timestamp>().is_ok()
            }
            (ValueForm::DurationIso, _) => text.parse::<Span>().is_ok(),
            (ValueForm::Quoted, FieldKind::Boolean) => text.parse::<bool>().is_ok(),
            (ValueForm::Quoted, _) => text.parse::<f64>().is_ok(),
            (ValueForm::TimeSpanObject, _) | (_, FieldKind::TimeSpan) => is_time_span(value),
            (ValueForm::AsIs, FieldKind::DateTime) => is_date_time(text),
            (ValueForm::AsIs, FieldKind::Duration) => parse_ticks(text).is_some(),
            (ValueForm::AsIs, FieldKind::Text | FieldKind::Integer | FieldKind::Number) => {
                self.violated_bound(value).is_none()
            }
            _ => true,
        }
    }

    /// Returns the first bound that a text or a number violates, as a keyword of JSON Schema.
    fn violated_bound(&self, value: &Value) -> Option<String> {
        let limits = &self.field.limits;
        if let Some(text) = value.as_str() {
            let most = limits.max_length.filter(|most| text.chars().count() > *most as usize);
            let values = &limits.values;
            let is_one = values.is_empty() || values.iter().any(|known| known == text);
            let pattern = self.pattern.as_ref().filter(|pattern| !pattern.is_match(text));
            return most
                .map(|most| format!("maxLength {most}"))
                .or_else(|| (!is_one).then(|| format!("enum {}", abbreviate(&Value::from(values.clone())))))
                .or_else(|| pattern.map(|pattern| format!("pattern {}", pattern.as_str())));
        }
        let number = value.as_f64()?;
        let minimum = limits.minimum.filter(|least| number < *least);
        let exclusive_minimum = limits.exclusive_minimum.filter(|bound| number <= *bound);
        let maximum = limits.maximum.filter(|most| number > *most);
        minimum
            .map(|least| format!("minimum {least}"))
            .or_else(|| exclusive_minimum.map(|bound| format!("exclusiveMinimum {bound}")))
            .or_else(|| maximum.map(|most| format!("maximum {most}")))
    }

    /// Returns the type in the contract, with the violated bound if the value has that type.
    fn describe_expected(&self, wrong: &Value) -> String {
        let kind = match &self.field.form {
            ValueForm::DateOnly => "date",
            ValueForm::OffsetDateTime => "date-time ±hh:mm",
            ValueForm::UtcDateTime => "date-time Z",
            ValueForm::DurationIso => "duration P…",
            ValueForm::Codes { codes } => {
                let codes: Vec<Value> = codes.iter().map(|code| code.wire.to_json()).collect();
                return format!("code {}", abbreviate(&Value::from(codes)));
            }
            _ => expected_type(self.field),
        };
        let is_bounded = self.field.form == ValueForm::AsIs && has_type(self.field, wrong);
        match self.violated_bound(wrong).filter(|_| is_bounded) {
            Some(bound) => format!("{kind}, {bound}"),
            None => kind.to_owned(),
        }
    }
}

/// Returns a value as shortened JSON. For objects and nested lists, returns only the type.
fn abbreviate(value: &Value) -> String {
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    match value {
        Value::Object(_) => "object".to_owned(),
        Value::Array(parts) if !parts.iter().all(is_plain) => "list".to_owned(),
        _ => {
            let text = value.to_string();
            match text.char_indices().nth(MAX_SHOWN_CHARACTERS) {
                Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
                None => text,
            }
        }
    }
}

/// Returns whether a text is a date-time in ISO 8601, with or without an offset.
fn is_date_time(text: &str) -> bool {
    let is_short = text.len() <= 40 && !text.contains('[');
    let timed = text.split_once(['T', 't', ' ']).is_some_and(|(date, time)| date.len() == 10 && time.len() >= 5);
    is_short && timed && (text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok())
}

/// Returns whether a value has all eleven members of a time span, as numbers.
fn is_time_span(value: &Value) -> bool {
    let members = serde_json::to_value(TimeSpan::from_ticks(0)).unwrap_or_default();
    let names = members.as_object().into_iter().flatten().map(|(name, _)| name);
    names.into_iter().all(|name| value.get(name).is_some_and(Value::is_number))
}

impl Deviation {
    fn new(member: String, kind: DeviationKind, expected: &str, found: &str) -> Self {
        Self { member, kind, expected: expected.to_owned(), found: found.to_owned() }
    }
}

/// Returns the value at a dotted path. An empty path returns the whole body.
fn at_path<'a>(root: &'a RawValue, path: &str) -> Option<&'a RawValue> {
    let mut names = path.split('.').filter(|name| !name.is_empty());
    names.try_fold(root, |part, name| serde_json::from_str::<HashMap<String, &RawValue>>(part.get()).ok()?.remove(name))
}

fn check_field_structure(
    rows: &[&Value],
    known: &[Field],
    path_prefix: &str,
    key: &[String],
    found: &mut Vec<Deviation>,
) {
    let mut new_names: Vec<&str> = Vec::new();
    for (name, value) in rows.iter().filter_map(|row| row.as_object()).flatten() {
        if known.iter().any(|field| field.wire_name() == name) || new_names.contains(&name.as_str()) {
            continue;
        }
        new_names.push(name);
        found.push(Deviation::new(format!("{path_prefix}{name}"), DeviationKind::New, "", &mask_value(value)));
    }
    for field in known {
        let member = format!("{path_prefix}{}", field.wire_name());
        let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(field.wire_name())).collect();
        let is_required =
            field.required || key.contains(&field.name) || field.provenance.level == ProvenanceLevel::Observed;
        if values.is_empty() && is_required && rows.len() >= MIN_ROWS {
            found.push(Deviation::new(member, DeviationKind::Missing, expected_type(field), ""));
            continue;
        }
        if let Some(other) = values.iter().find(|value| !value.is_null() && !has_type(field, value)) {
            found.push(Deviation::new(member, DeviationKind::Type, expected_type(field), &mask_value(other)));
            continue;
        }
        let parts: Vec<&Value> = values.iter().flat_map(|value| first_object(value)).collect();
        if !field.fields.is_empty() && !parts.is_empty() && field.kind != FieldKind::TimeSpan {
            check_field_structure(&parts, &field.fields, &format!("{member}."), &[], found);
        }
    }
}

fn first_object(value: &Value) -> Option<&Value> {
    match value {
        Value::Array(parts) => parts.first().filter(|part| part.is_object()),
        Value::Object(_) => Some(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Returns the name of a field's type on the wire.
fn expected_type(field: &Field) -> &'static str {
    match (&field.form, field.kind) {
        (ValueForm::TimeSpanObject, _) => "object",
        (ValueForm::DurationNumber { .. } | ValueForm::Epoch { .. }, _) => "number",
        (ValueForm::Codes { .. }, _) => "code",
        (ValueForm::Quoted, _) => "text",
        (_, FieldKind::Text) => "text",
        (_, FieldKind::Integer) => "integer",
        (_, FieldKind::Number) => "number",
        (_, FieldKind::Boolean) => "boolean",
        (_, FieldKind::DateTime) => "date-time",
        (_, FieldKind::Duration) => "duration",
        (_, FieldKind::TimeSpan | FieldKind::Object) => "object",
        (_, FieldKind::List) => "list",
    }
}

/// Returns whether a value has a field's type. The content of texts is checked only for dates.
fn has_type(field: &Field, value: &Value) -> bool {
    match expected_type(field) {
        "object" => value.is_object(),
        "list" => value.is_array(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "code" => !value.is_object() && !value.is_array(),
        "date-time" => value.as_str().is_some_and(|text| text.is_empty() || is_date(text)),
        _ => value.is_string(),
    }
}

fn is_date(text: &str) -> bool {
    let digits = |range| text.get(range).is_some_and(|part: &str| part.bytes().all(|byte| byte.is_ascii_digit()));
    digits(0..4) && digits(5..7) && digits(8..10)
}

/// Returns the type of a value. A text becomes a mask with `9` for digits and `a` for letters.
fn mask_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Number(number) if number.is_f64() => "number".to_owned(),
        Value::Number(_) => "integer".to_owned(),
        Value::Array(_) => "list".to_owned(),
        Value::Object(_) => "object".to_owned(),
        Value::String(text) => {
            let mask = |letter: char| match letter {
                letter if letter.is_numeric() => '9',
                letter if letter.is_alphabetic() => 'a',
                letter if letter.is_ascii_punctuation() => letter,
                _ => ' ',
            };
            let shape: String = text.chars().take(MAX_MASK_LENGTH).map(mask).collect();
            format!("text {shape}").trim_end().to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Contract, Limits};

    fn deviations(rows: &Value) -> Vec<(String, DeviationKind, String)> {
        let contract = Contract::builtin().unwrap();
        let operation = contract.operation("work-orders.list").unwrap();
        let body = json!({ "data": rows }).to_string();
        let found = operation.answer.as_ref().unwrap().find_structure_deviations(body.as_bytes(), &operation.key);
        found.into_iter().map(|one| (one.member, one.kind, one.found)).collect()
    }

    /// Returns a row with a value for every field of an order.
    fn row() -> Value {
        let contract = Contract::builtin().unwrap();
        let fields = contract.operation("work-orders.list").unwrap().answer.clone().unwrap().fields;
        let value = |field: &Field| match expected_type(field) {
            "object" | "list" => Value::Null,
            "number" | "integer" => json!(4),
            "boolean" => json!(true),
            "date-time" => json!("2026-11-23T06:00:00"),
            _ => json!("010"),
        };
        fields.iter().map(|field| (field.name.clone(), value(field))).collect::<serde_json::Map<_, _>>().into()
    }

    #[test]
    fn what_came_went_or_changed_is_told_without_a_value() {
        let row = row();
        let rows = |change: &dyn Fn(&mut Value)| {
            let mut row = row.clone();
            change(&mut row);
            json!([row, row, row])
        };
        assert_eq!(deviations(&rows(&|_| {})), []);
        let added = deviations(&rows(&|row| row["color"] = json!("Red 7, secret")));
        assert_eq!(added, [("color".to_owned(), DeviationKind::New, "text aaa 9, aaaaaa".to_owned())]);
        let removed = deviations(&rows(&|row| drop(row.as_object_mut().unwrap().remove("operationCode"))));
        assert_eq!(removed, [("operationCode".to_owned(), DeviationKind::Missing, String::new())]);
        let other = deviations(&rows(&|row| row["beginPlanned"] = json!(1_795_413_600)));
        assert_eq!(other, [("beginPlanned".to_owned(), DeviationKind::Type, "integer".to_owned())]);
        assert_eq!(deviations(&json!({})), [("data".to_owned(), DeviationKind::Missing, String::new())]);
        assert_eq!(deviations(&json!([null, 7, []])), []);
    }

    #[test]
    fn a_value_of_another_form_is_a_misfit() {
        let contract = Contract::builtin().unwrap();
        let misfits = |id: &str, row: Value| {
            let shape = contract.operation(id).unwrap().answer.clone().unwrap();
            let describe = |one: Deviation| (one.member, format!("{} {}", one.expected, one.found));
            shape.find_value_deviations(&[row]).into_iter().map(describe).collect::<Vec<_>>()
        };
        let span = serde_json::to_value(TimeSpan::from_ticks(9)).unwrap();
        let good = json!({ "code": "WO-1", "operationCode": "010", "beginPlanned": "2026-11-23T06:00:00",
            "endPlanned": "2026-11-23 07:00:00.5+01:00", "laborPredictedTime": span, "requestedQuantity": 4,
            "rawMaterials": [{ "code": "A", "sequence": 1, "quantity": 1.5 }] });
        assert_eq!(misfits("work-orders.list", good.clone()), []);
        for (member, value, expected) in [
            ("beginPlanned", json!("yesterday"), r#"date-time "yesterday""#),
            ("beginPlanned", json!("28/11/2026"), r#"date-time "28/11/2026""#),
            ("beginPlanned", json!(20_261_128), "date-time 20261128"),
            ("beginPlanned", json!("2026-11-28"), r#"date-time "2026-11-28""#),
            ("beginPlanned", json!("2026-02-30T06:00:00"), r#"date-time "2026-02-30T06:00:00""#),
            ("beginPlanned", json!("2026-11-28T06:00:00[UTC]"), r#"date-time "2026-11-28T06:00:00[UTC]""#),
            ("endPlanned", json!(""), r#"date-time """#),
            ("laborPredictedTime", json!("01:30:00"), r#"object "01:30:00""#),
            ("laborPredictedTime", json!({ "ticks": 9 }), "object object"),
            ("requestedQuantity", json!("4"), r#"number "4""#),
        ] {
            let mut row = good.clone();
            row[member] = value;
            assert_eq!(misfits("work-orders.list", row.clone()), [(member.to_owned(), expected.to_owned())], "{row}");
        }
        let mut row = good;
        row["rawMaterials"][0]["sequence"] = json!(1.5);
        assert_eq!(misfits("work-orders.list", row), [("rawMaterials.sequence".to_owned(), "integer 1.5".to_owned())]);
        let station = json!({ "code": "WS-1", "shifts": [{ "code": "A", "intervals": [
            { "weekday": 1, "begin": "06:00:00", "end": "25:00:00" }, { "weekday": 9, "begin": "06:00:00", "end": "07:00:00" },
        ] }] });
        let found: Vec<String> = misfits("work-stations.list", station).into_iter().map(|(member, _)| member).collect();
        assert_eq!(found, ["shifts.intervals.weekday", "shifts.intervals.end"]);
    }

    #[test]
    fn a_misfit_names_the_bound_that_is_not_kept() {
        let misfit_texts = |kind: FieldKind, form: ValueForm, limits: Limits, value: Value| {
            let contract = Contract::builtin().unwrap();
            let fields = &contract.operation("materials.list").unwrap().answer.as_ref().unwrap().fields;
            let code = fields.iter().find(|field| field.name == "code").unwrap().clone();
            let field = Field { kind, form, limits, ..code };
            let shape = RowSchema { fields: vec![field], ..Default::default() };
            let found = shape.find_value_deviations(&[json!({ "code": value })]);
            found.into_iter().map(|one| format!("{} {}", one.expected, one.found)).collect::<Vec<_>>()
        };
        let limits = || Limits {
            minimum: Some(1.0),
            maximum: Some(9.0),
            max_length: Some(3),
            pattern: Some("^[A-Z]+$".to_owned()),
            ..Limits::default()
        };
        let as_is = || ValueForm::AsIs;
        assert_eq!(misfit_texts(FieldKind::Text, as_is(), limits(), json!("ABC")), Vec::<String>::new());
        assert_eq!(misfit_texts(FieldKind::Text, as_is(), limits(), json!("ABCD")), [r#"text, maxLength 3 "ABCD""#]);
        assert_eq!(misfit_texts(FieldKind::Text, as_is(), limits(), json!("abc")), [r#"text, pattern ^[A-Z]+$ "abc""#]);
        assert_eq!(misfit_texts(FieldKind::Text, as_is(), limits(), json!(4)), ["text 4"]);
        assert_eq!(misfit_texts(FieldKind::Number, as_is(), limits(), json!(0.5)), ["number, minimum 1 0.5"]);
        assert_eq!(misfit_texts(FieldKind::Integer, as_is(), limits(), json!(10)), ["integer, maximum 9 10"]);
        let one_of = Limits { values: vec!["A".to_owned(), "B".to_owned()], ..Limits::default() };
        assert_eq!(misfit_texts(FieldKind::Text, as_is(), one_of, json!("C")), [r#"text, enum ["A","B"] "C""#]);
        let date = misfit_texts(FieldKind::DateTime, ValueForm::DateOnly, Limits::default(), json!("28.11.2026"));
        assert_eq!(date, [r#"date "28.11.2026""#]);
        let long = misfit_texts(FieldKind::Integer, as_is(), Limits::default(), json!("x".repeat(200)));
        assert!(long[0].ends_with('…') && long[0].chars().count() < 80, "{long:?}");
    }
}
