//! References inside the document, JSON pointers, and plain values. One that leads out of it is never followed.

use serde_json::{Map, Value};

/// An object's members.
pub(crate) type Members = Map<String, Value>;

/// Where a `$ref` leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    /// A value of this document, by the reference as it is written.
    Local(&'a Value),
    /// Another file or address.
    External,
    /// Nothing there.
    Dangling,
}

/// What a reference leads to. `#/a/b`, with percent signs and `~` resolved; `#name` is an anchor and found by `$anchor`
/// in component schemas.
pub(crate) fn target<'a>(document: &'a Value, reference: &str) -> Target<'a> {
    let Some(fragment) = reference.strip_prefix('#') else { return Target::External };
    let fragment = percent(fragment);
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return anchor(document, &fragment).map_or(Target::Dangling, Target::Local);
    }
    document.pointer(&fragment).map_or(Target::Dangling, Target::Local)
}

fn anchor<'a>(document: &'a Value, name: &str) -> Option<&'a Value> {
    let schemas = document.pointer("/components/schemas")?.as_object()?;
    schemas.values().find(|schema| schema.get("$anchor").is_some_and(|anchor| anchor == name))
}

fn percent(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The name of the component schema that a reference names.
pub(crate) fn component(reference: &str) -> Option<String> {
    let last = reference.rsplit('/').next()?;
    reference.starts_with("#/components/").then(|| unescape(&percent(last)))
}

/// One step of a JSON pointer.
pub(crate) fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// A member's name as a step of a JSON pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A text, number or truth value as text.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}
