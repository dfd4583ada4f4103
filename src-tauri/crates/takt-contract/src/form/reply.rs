//! The reply to an event that waits for one.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The reply as a template. `$reasons` is replaced with the list of reasons, `$reason` with all of them as one text,
/// and `$allowed` with true or false.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct ReplyForm {
    pub body: Value,
}

impl ReplyForm {
    /// Returns the reply for these reasons. It allows the action if there are none.
    #[must_use]
    pub fn build_reply(&self, reasons: &[String]) -> Value {
        fill_template(&self.body, reasons)
    }

    /// Returns the reasons in a reply, or an empty list if it allows the action. A refusal without reasons returns one
    /// empty text. None if the reply doesn't match the template.
    #[must_use]
    pub fn refusal_reasons(&self, reply: &Value) -> Option<Vec<String>> {
        let mut found = ReplyValues::default();
        found.read(&self.body, reply)?;
        let reasons = found.reasons.filter(|reasons| !reasons.is_empty());
        match found.allowed {
            Some(true) => Some(Vec::new()),
            Some(false) => Some(reasons.unwrap_or_else(|| vec![String::new()])),
            None => found.has_reasons.then(|| reasons.unwrap_or_default()),
        }
    }
}

/// The values in a reply at the placeholders of the template.
#[derive(Default)]
struct ReplyValues {
    allowed: Option<bool>,
    has_reasons: bool,
    reasons: Option<Vec<String>>,
}

impl ReplyValues {
    /// Returns None if the reply lacks a placeholder's value or has one of another type.
    fn read(&mut self, template: &Value, reply: &Value) -> Option<()> {
        match template {
            Value::String(text) => match text.as_str() {
                "$reasons" => {
                    let reasons: Option<Vec<String>> =
                        reply.as_array()?.iter().map(|reason| reason.as_str().map(str::to_owned)).collect();
                    (self.has_reasons, self.reasons) = (true, Some(reasons?));
                }
                "$reason" => {
                    let reason = Some(reply.as_str()?).filter(|reason| !reason.is_empty());
                    self.has_reasons = true;
                    self.reasons = self.reasons.take().or_else(|| Some(vec![reason?.to_owned()]));
                }
                "$allowed" => self.allowed = Some(reply.as_bool()?),
                _ => {}
            },
            Value::Array(parts) => {
                parts.iter().enumerate().try_for_each(|(at, part)| self.read(part, reply.get(at)?))?;
            }
            Value::Object(members) => {
                members.iter().try_for_each(|(name, part)| {
                    // Only members with a placeholder are required in a reply.
                    reply.get(name).map_or_else(|| (!has_placeholder(part)).then_some(()), |own| self.read(part, own))
                })?;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Some(())
    }
}

fn has_placeholder(template: &Value) -> bool {
    match template {
        Value::String(text) => matches!(text.as_str(), "$reasons" | "$reason" | "$allowed"),
        Value::Array(parts) => parts.iter().any(has_placeholder),
        Value::Object(members) => members.values().any(has_placeholder),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn fill_template(template: &Value, reasons: &[String]) -> Value {
    match template {
        Value::String(text) => match text.as_str() {
            "$reasons" => json!(reasons),
            "$reason" => json!(reasons.join(" ")),
            "$allowed" => json!(reasons.is_empty()),
            _ => template.clone(),
        },
        Value::Array(parts) => parts.iter().map(|part| fill_template(part, reasons)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), fill_template(value, reasons)))
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
        assert_eq!(form.build_reply(&[]), json!({ "ok": true, "errors": [], "more": [{ "text": "" }] }));
        let refused = form.build_reply(&["a".to_owned(), "b".to_owned()]);
        assert_eq!(refused, json!({ "ok": false, "errors": ["a", "b"], "more": [{ "text": "a b" }] }));
    }

    #[test]
    fn what_a_reply_refuses_is_read_by_the_same_template() {
        let two = ["a".to_owned(), "b".to_owned()];
        for (body, refused) in [
            (json!({ "errors": "$reasons" }), json!(["a", "b"])),
            (json!({ "ok": "$allowed", "more": [{ "text": "$reason" }], "version": 1 }), json!(["a b"])),
            (json!("$reason"), json!(["a b"])),
            (json!({ "ok": "$allowed" }), json!([""])),
            (json!({ "ok": "$allowed", "reasons": "$reasons", "text": "$reason" }), json!(["a", "b"])),
        ] {
            let form = ReplyForm { body };
            assert_eq!(form.refusal_reasons(&form.build_reply(&[])), Some(Vec::new()), "{form:?}");
            assert_eq!(json!(form.refusal_reasons(&form.build_reply(&two))), refused, "{form:?}");
            for other in [json!(null), json!({ "no": "errors" }), json!([]), json!({ "ok": "yes", "errors": [1] })] {
                assert_eq!(form.refusal_reasons(&other), None, "{form:?} {other}");
            }
        }
    }
}
