//! Converts single JSON values to numbers and to the texts of keys.

use std::borrow::Cow;

use serde_json::Value;

/// Returns a finite number. Negative zero becomes zero.
pub fn finite_number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite()).map(|number| number + 0.0)
}

/// Returns a value as used in a key. Null becomes an empty text.
pub fn key_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the text of an item's member, as used in a key.
pub(super) fn member_text<'a>(body: &'a Value, name: &str) -> Cow<'a, str> {
    match body.get(name) {
        Some(Value::String(text)) => Cow::Borrowed(text),
        other => Cow::Owned(other.map(key_text).unwrap_or_default()),
    }
}
