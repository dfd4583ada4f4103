//! What is answered to an event that asks.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The reply as a template: `$reasons` stands for the list of reasons, `$reason` for all of them in one text, `$allowed` for
/// true or false.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct ReplyForm {
    pub body: Value,
}

impl ReplyForm {
    /// The reply that refuses with these reasons; without any it allows.
    #[must_use]
    pub fn reply(&self, reasons: &[String]) -> Value {
        filled(&self.body, reasons)
    }
}

fn filled(template: &Value, reasons: &[String]) -> Value {
    match template {
        Value::String(text) => match text.as_str() {
            "$reasons" => json!(reasons),
            "$reason" => json!(reasons.join(" ")),
            "$allowed" => json!(reasons.is_empty()),
            _ => template.clone(),
        },
        Value::Array(parts) => parts.iter().map(|part| filled(part, reasons)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), filled(value, reasons)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => template.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_the_template_with_the_reasons() {
        let form =
            ReplyForm { body: json!({ "ok": "$allowed", "errors": "$reasons", "more": [{ "text": "$reason" }] }) };
        assert_eq!(form.reply(&[]), json!({ "ok": true, "errors": [], "more": [{ "text": "" }] }));
        let refused = form.reply(&["a".to_owned(), "b".to_owned()]);
        assert_eq!(refused, json!({ "ok": false, "errors": ["a", "b"], "more": [{ "text": "a b" }] }));
    }
}
