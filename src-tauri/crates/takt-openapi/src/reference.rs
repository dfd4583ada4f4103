//! References inside the document, JSON pointers, and scalar values. External references are never followed.

use serde_json::{Map, Value};

/// The members of an object.
pub(crate) type Members = Map<String, Value>;

/// The target of a `$ref`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceTarget<'a> {
    /// A value of this document.
    Local(&'a Value),
    /// Another file or address.
    External,
    /// A pointer without a value in this document.
    Dangling,
}

/// Finds the target of a reference. `#/a/b` is a JSON pointer, with percent signs and `~` decoded. `#name` is the
/// `$anchor` of a component schema.
pub(crate) fn find_target<'a>(document: &'a Value, reference: &str) -> ReferenceTarget<'a> {
    let Some(fragment) = reference.strip_prefix('#') else { return ReferenceTarget::External };
    let fragment = decode_percent(fragment);
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return find_anchor(document, &fragment).map_or(ReferenceTarget::Dangling, ReferenceTarget::Local);
    }
    document.pointer(&fragment).map_or(ReferenceTarget::Dangling, ReferenceTarget::Local)
}

fn find_anchor<'a>(document: &'a Value, name: &str) -> Option<&'a Value> {
    let schemas = document.pointer("/components/schemas")?.as_object()?;
    schemas.values().find(|schema| schema.get("$anchor").is_some_and(|anchor| anchor == name))
}

fn decode_percent(text: &str) -> String {
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

/// Returns the name of the component that a reference points to.
pub(crate) fn component_name(reference: &str) -> Option<String> {
    let last = reference.rsplit('/').next()?;
    reference.starts_with("#/components/").then(|| unescape_step(&decode_percent(last)))
}

/// Decodes one step of a JSON pointer.
pub(crate) fn unescape_step(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Encodes a member's name as a step of a JSON pointer.
pub(crate) fn escape_step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns a text, number or boolean as text.
pub(crate) fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}
