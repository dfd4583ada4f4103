//! Replaces values by their shapes for the support bundle: letters become x, digits 0, and other characters stay.
//!
//! Support sees the length and structure of texts but not their content. Field names stay because the contract defines
//! them.

use serde_json::{Map, Value};
use takt_journal::Reason;

/// Masks a text: `Bolt M8` becomes `xxxx x0`.
pub(super) fn mask_text(text: &str) -> String {
    let shape = |character: char| match character {
        character if character.is_numeric() => '0',
        character if character.is_alphanumeric() => 'x',
        character => character,
    };
    text.chars().map(shape).collect()
}

/// Masks the values of a body. Member names stay.
pub(super) fn mask_value(original: &Value) -> Value {
    match original {
        Value::Null | Value::Bool(_) => original.clone(),
        Value::Number(number) => Value::String(format!("number {}", mask_text(&number.to_string()))),
        Value::String(string) => Value::String(mask_text(string)),
        Value::Array(values) => values.iter().map(mask_value).collect(),
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), mask_value(member))).collect(),
    }
}

/// Masks a reason. Takt's own reasons keep their code.
pub(super) fn mask_reason(reason: &Reason) -> Value {
    match reason {
        Reason::Said(message) => Value::String(mask_text(message)),
        Reason::Because { code, parameters } => {
            let parameters: Map<String, Value> =
                parameters.iter().map(|(name, value)| (name.clone(), Value::String(mask_text(value)))).collect();
            serde_json::json!({ "code": code, "parameters": parameters })
        }
    }
}

/// Masks a response. JSON keeps its member names, other text is masked completely.
pub(super) fn mask_response(response: &str) -> Value {
    match serde_json::from_str::<Value>(response) {
        Ok(parsed) => mask_value(&parsed),
        // A truncated response isn't valid JSON, so apparent member names may be values.
        Err(_) => Value::String(mask_text(response)),
    }
}

/// Masks the planner's headings and values in a mapping. The contract's fields and Takt's options stay.
pub(super) fn mask_mapping(mapping_file: &Value) -> Value {
    let Value::Object(members) = mapping_file else { return mask_value(mapping_file) };
    let masked = members.iter().map(|(name, member)| {
        let masked_member = match name.as_str() {
            "operation" | "list" | "headerRow" | "fillMerged" | "blank" => member.clone(),
            "columns" | "formats" => mask_headings(member),
            "sheets" => member.as_array().into_iter().flatten().map(mask_mapping).collect(),
            "values" => mask_field_values(member),
            _ => mask_value(member),
        };
        (name.clone(), masked_member)
    });
    Value::Object(masked.collect())
}

/// Masks headings. Numbers distinguish headings of the same shape.
fn mask_headings(columns: &Value) -> Value {
    let members = columns.as_object().into_iter().flatten().zip(1..);
    Value::Object(
        members
            .map(|((heading, choice), number)| (format!("{number}: {}", mask_text(heading)), choice.clone()))
            .collect(),
    )
}

fn mask_field_values(fields: &Value) -> Value {
    let members = fields.as_object().into_iter().flatten();
    let masked_pairs = |pairs: &Value| {
        let pairs = pairs.as_object().into_iter().flatten().zip(1..);
        Value::Object(
            pairs.map(|((from, to), number)| (format!("{number}: {}", mask_text(from)), mask_value(to))).collect(),
        )
    };
    Value::Object(members.map(|(field, pairs)| (field.clone(), masked_pairs(pairs))).collect())
}

/// Masks a line of a log. Time, level, module and field names stay.
pub(super) fn mask_line(line: &str) -> String {
    let Some((prefix, message)) = line.split_once(": ") else { return mask_text(line) };
    let known = prefix.split_whitespace().all(is_prefix_word);
    if !known {
        return mask_text(line);
    }
    let words = message.split(' ').map(|word| match word.split_once('=') {
        Some((name, value)) if is_name(name) => format!("{name}={}", mask_text(value)),
        _ => mask_text(word),
    });
    format!("{prefix}: {}", words.collect::<Vec<_>>().join(" "))
}

/// Returns whether the word is a time, a level, or one of Takt's modules.
fn is_prefix_word(word: &str) -> bool {
    let level = matches!(word, "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR");
    level || word.starts_with("takt_") && is_name(&word.replace("::", "_")) || word.parse::<jiff::Timestamp>().is_ok()
}

fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word.len() < 64
        && word.chars().all(|character| character.is_ascii_lowercase() || character == '_')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes_keep_length_and_kind() {
        assert_eq!(mask_text("Müller 4711-ß é"), "xxxxxx 0000-x x");
        assert_eq!(
            mask_value(&json!({ "code": "A1", "quantity": 13.75, "on": true })),
            json!({
                "code": "x0", "quantity": "number 00.00", "on": true
            })
        );
    }

    #[test]
    fn a_mapping_keeps_fields_and_loses_headings() {
        let mapping_file =
            json!({ "operation": "materials.sync", "columns": { "Teil Nr": "code" }, "excluded": ["A-1"] });
        assert_eq!(
            mask_mapping(&mapping_file),
            json!({
                "operation": "materials.sync", "columns": { "1: xxxx xx": "code" }, "excluded": ["x-0"]
            })
        );
    }

    #[test]
    fn a_log_line_keeps_its_place() {
        let log_line =
            "2026-11-22T00:13:39.123Z  INFO takt_engine::submission: gone to https://a.b/c?token=Abc submission=17";
        let shape =
            "2026-11-22T00:13:39.123Z  INFO takt_engine::submission: xxxx xx xxxxx://x.x/x?xxxxx=xxx submission=00";
        assert_eq!(mask_line(log_line), shape);
        assert_eq!(mask_line("Authorization: Bearer abc"), "xxxxxxxxxxxxx: xxxxxx xxx");
    }
}
