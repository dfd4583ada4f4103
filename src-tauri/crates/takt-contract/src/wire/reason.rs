//! The service's words for what went wrong, whatever shape they have.

use serde_json::{Map, Value};

/// The member of an object that says it in words.
const WORDS: &str = "message";

/// Every text in it, one per reason: a text, a number, a list of them, an object per reason, or an object with a list of
/// reasons per field. Blank texts, `null` and truth values say nothing. Not trusted.
#[must_use]
pub fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(_) => Vec::new(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(parts) => parts.iter().flat_map(texts).collect(),
        Value::Object(members) => of_object(members),
    }
}

fn of_object(members: &Map<String, Value>) -> Vec<String> {
    let said = members.get(WORDS).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let plain = |(name, value): (&String, &Value)| match value {
        Value::String(_) | Value::Number(_) => texts(value).pop().map(|text| format!("{name}: {text}")),
        _ => None,
    };
    if let Some(said) = said {
        let beside: Vec<String> = members.iter().filter(|(name, _)| *name != WORDS).filter_map(plain).collect();
        return vec![if beside.is_empty() { said.to_owned() } else { format!("{said} ({})", beside.join(", ")) }];
    }
    let nested = members.values().any(|value| value.is_array() || value.is_object());
    if !nested {
        let parts: Vec<String> = members.iter().filter_map(plain).collect();
        return if parts.is_empty() { Vec::new() } else { vec![parts.join(", ")] };
    }
    members
        .iter()
        .flat_map(|(name, value)| texts(value).into_iter().map(move |text| format!("{name}: {text}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_shape_is_text() {
        assert_eq!(texts(&json!(["a", 1, null, " ", ["b"]])), ["a", "1", "b"]);
        assert_eq!(texts(&json!({ "quantity": ["too small", "odd"], "code": "x" })).len(), 3);
        assert_eq!(texts(&json!({ "Quantity": ["too small"] })), ["Quantity: too small"]);
        assert_eq!(texts(&json!([{ "field": "q", "text": "odd" }])), ["field: q, text: odd"]);
        assert_eq!(texts(&json!({ "message": "odd", "locations": [{ "line": 1 }] })), ["odd"]);
        assert_eq!(texts(&json!({ "message": ["a", "b"] })), ["message: a", "message: b"]);
        assert!(texts(&json!([null, true, {}, []])).is_empty());
    }
}
