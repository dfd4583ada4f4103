//! Derives a JSON schema from observed values.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The maximum depth that is described. Deeper values get a schema that allows any value.
const MAX_DEPTH: usize = 6;
/// The maximum number of items of a list that are read.
const MAX_LIST_ITEMS: usize = 100;
const MAX_MEMBERS: usize = 300;

/// Returns the schema of one value.
pub(super) fn infer_schema(value: &Value) -> Value {
    infer_common_schema(&[value], 0)
}

/// Returns the common schema of several values. It is nullable if one of them is `null`.
fn infer_common_schema(values: &[&Value], depth: usize) -> Value {
    let present: Vec<&Value> = values.iter().copied().filter(|value| !value.is_null()).collect();
    let kinds: BTreeSet<&str> = present.iter().map(|value| kind_name(value)).collect();
    let kinds = if kinds == BTreeSet::from(["integer", "number"]) { BTreeSet::from(["number"]) } else { kinds };
    let mut schema = match kinds.iter().next() {
        Some(&kind) if kinds.len() == 1 => infer_kind_schema(kind, &present, depth),
        _ => json!({}),
    };
    if present.len() < values.len() && !present.is_empty() {
        schema["nullable"] = json!(true);
    }
    schema
}

fn infer_kind_schema(kind: &str, values: &[&Value], depth: usize) -> Value {
    match kind {
        "object" if depth < MAX_DEPTH => infer_object_schema(values, depth),
        "array" if depth < MAX_DEPTH => {
            let parts: Vec<&Value> =
                values.iter().filter_map(|value| value.as_array()).flatten().take(MAX_LIST_ITEMS).collect();
            json!({ "type": "array", "items": infer_common_schema(&parts, depth + 1) })
        }
        "string" => infer_text_schema(values),
        kind => json!({ "type": kind }),
    }
}

fn infer_object_schema(values: &[&Value], depth: usize) -> Value {
    let mut names: Vec<&String> = Vec::new();
    for name in values.iter().filter_map(|value| value.as_object()).flat_map(Map::keys) {
        if names.len() < MAX_MEMBERS && !names.contains(&name) {
            names.push(name);
        }
    }
    let member = |name: &String| {
        let values: Vec<&Value> = values.iter().filter_map(|value| value.get(name)).collect();
        (name.clone(), infer_common_schema(&values, depth + 1))
    };
    json!({ "type": "object", "properties": names.into_iter().map(member).collect::<Map<String, Value>>() })
}

/// Returns the schema of texts. It has a format if all non-empty texts have it.
fn infer_text_schema(values: &[&Value]) -> Value {
    let texts: Vec<&str> = values.iter().filter_map(|value| value.as_str()).filter(|text| !text.is_empty()).collect();
    let all = |is: fn(&str) -> bool| !texts.is_empty() && texts.iter().all(|text| is(text));
    let format = if all(is_date_time) {
        Some("date-time")
    } else if all(is_iso_duration) {
        Some("duration")
    } else if all(is_clock_duration) {
        Some("time-span")
    } else {
        None
    };
    // The type of a value that is always empty is unknown.
    if texts.is_empty() {
        return json!({});
    }
    let mut schema = json!({ "type": "string" });
    if let Some(format) = format {
        schema["format"] = json!(format);
    }
    if let Some(example) = texts.first() {
        schema["example"] = json!(example);
    }
    schema
}

/// Recognizes texts that start like `2026-11-23T`.
fn is_date_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits =
        |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    digits(0..4)
        && digits(5..7)
        && digits(8..10)
        && bytes.get(4) == Some(&b'-')
        && bytes.get(7) == Some(&b'-')
        && bytes.get(10) == Some(&b'T')
}

fn is_iso_duration(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    text.strip_prefix('P').is_some_and(|rest| {
        !rest.is_empty()
            && rest.ends_with(|letter: char| letter.is_ascii_alphabetic())
            && rest.contains(|letter: char| letter.is_ascii_digit())
            && rest.chars().all(|letter| letter.is_ascii_digit() || "YMWDTHS.,".contains(letter))
    })
}

fn is_clock_duration(text: &str) -> bool {
    takt_contract::wire::duration::parse_ticks(text).is_some()
}

fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
