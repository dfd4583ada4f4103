//! Reads the service's reasons for a failure from JSON of any shape.

use serde_json::{Map, Value};

/// The member that contains the text of a reason.
const MESSAGE_MEMBER: &str = "message";

/// Returns a text for each reason. A value may be a text, a number, a list, an object for one reason, or an object with
/// a list for each field. Empty texts, `null` and booleans are skipped. The texts aren't trusted.
#[must_use]
pub fn reason_texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(_) => Vec::new(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(parts) => parts.iter().flat_map(reason_texts).collect(),
        Value::Object(members) => object_texts(members),
    }
}

fn object_texts(members: &Map<String, Value>) -> Vec<String> {
    let message = members.get(MESSAGE_MEMBER).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let scalar_text = |(name, value): (&String, &Value)| match value {
        Value::String(_) | Value::Number(_) => reason_texts(value).pop().map(|text| format!("{name}: {text}")),
        _ => None,
    };
    if let Some(message) = message {
        let details: Vec<String> =
            members.iter().filter(|(name, _)| *name != MESSAGE_MEMBER).filter_map(scalar_text).collect();
        return vec![if details.is_empty() {
            message.to_owned()
        } else {
            format!("{message} ({})", details.join(", "))
        }];
    }
    let nested = members.values().any(|value| value.is_array() || value.is_object());
    if !nested {
        let parts: Vec<String> = members.iter().filter_map(scalar_text).collect();
        return if parts.is_empty() { Vec::new() } else { vec![parts.join(", ")] };
    }
    members
        .iter()
        .flat_map(|(name, value)| reason_texts(value).into_iter().map(move |text| format!("{name}: {text}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_shape_is_text() {
        assert_eq!(reason_texts(&json!(["a", 1, null, " ", ["b"]])), ["a", "1", "b"]);
        assert_eq!(reason_texts(&json!({ "quantity": ["too small", "odd"], "code": "x" })).len(), 3);
        assert_eq!(reason_texts(&json!({ "Quantity": ["too small"] })), ["Quantity: too small"]);
        assert_eq!(reason_texts(&json!([{ "field": "q", "text": "odd" }])), ["field: q, text: odd"]);
        assert_eq!(reason_texts(&json!({ "message": "odd", "locations": [{ "line": 1 }] })), ["odd"]);
        assert_eq!(reason_texts(&json!({ "message": ["a", "b"] })), ["message: a", "message: b"]);
        assert!(reason_texts(&json!([null, true, {}, []])).is_empty());
    }
}
