//! Values as shapes: letters become x, digits 0, and everything else stays, so that who helps sees how long a text is and what it is
//! made of, and never what it says. Names of fields stay, because the contract gives them.

use serde_json::{Map, Value};
use takt_journal::Reason;

/// `Bolt M8` becomes `xxxx x0`.
pub(super) fn text(text: &str) -> String {
    let shape = |character: char| match character {
        character if character.is_numeric() => '0',
        character if character.is_alphanumeric() => 'x',
        character => character,
    };
    text.chars().map(shape).collect()
}

/// A body: its members stay, what they hold becomes shapes.
pub(super) fn value(given: &Value) -> Value {
    match given {
        Value::Null | Value::Bool(_) => given.clone(),
        Value::Number(number) => Value::String(format!("number {}", text(&number.to_string()))),
        Value::String(said) => Value::String(text(said)),
        Value::Array(values) => values.iter().map(value).collect(),
        Value::Object(members) => members.iter().map(|(name, held)| (name.clone(), value(held))).collect(),
    }
}

/// The service's words become a shape; of Takt's own reasons the code stays.
pub(super) fn reason(reason: &Reason) -> Value {
    match reason {
        Reason::Said(said) => Value::String(text(said)),
        Reason::Because { code, parameters } => {
            let parameters: Map<String, Value> =
                parameters.iter().map(|(name, held)| (name.clone(), Value::String(text(held)))).collect();
            serde_json::json!({ "code": code, "parameters": parameters })
        }
    }
}

/// An answer as it came: JSON with its members, anything else as one text.
pub(super) fn answer(came: &str) -> Value {
    match serde_json::from_str::<Value>(came) {
        Ok(parsed) => value(&parsed),
        // The beginning of an answer is seldom JSON; what looks like a member's name may be a value.
        Err(_) => Value::String(text(came)),
    }
}

/// A mapping: headings and values are the planner's, fields and choices are the contract's and Takt's.
pub(super) fn mapping(kept: &Value) -> Value {
    let Value::Object(members) = kept else { return value(kept) };
    let masked = members.iter().map(|(name, held)| {
        let held = match name.as_str() {
            "operation" | "list" | "headerRow" | "fillMerged" | "blank" => held.clone(),
            "columns" | "formats" => by_heading(held),
            "sheets" => held.as_array().into_iter().flatten().map(mapping).collect(),
            "values" => by_field(held),
            _ => value(held),
        };
        (name.clone(), held)
    });
    Value::Object(masked.collect())
}

/// Two headings of one shape are told apart by a number.
fn by_heading(held: &Value) -> Value {
    let members = held.as_object().into_iter().flatten().zip(1..);
    Value::Object(
        members.map(|((heading, said), number)| (format!("{number}: {}", text(heading)), said.clone())).collect(),
    )
}

fn by_field(held: &Value) -> Value {
    let members = held.as_object().into_iter().flatten();
    let values = |said: &Value| {
        let pairs = said.as_object().into_iter().flatten().zip(1..);
        Value::Object(pairs.map(|((from, to), number)| (format!("{number}: {}", text(from)), value(to))).collect())
    };
    Value::Object(members.map(|(field, said)| (field.clone(), values(said))).collect())
}

/// A line of a log: when, how grave and where stay; what it says becomes a shape, but for the names of its fields.
pub(super) fn line(line: &str) -> String {
    let Some((place, message)) = line.split_once(": ") else { return text(line) };
    let known = place.split_whitespace().all(is_place);
    if !known {
        return text(line);
    }
    let words = message.split(' ').map(|word| match word.split_once('=') {
        Some((name, said)) if is_name(name) => format!("{name}={}", text(said)),
        _ => text(word),
    });
    format!("{place}: {}", words.collect::<Vec<_>>().join(" "))
}

/// A moment, a level, or one of Takt's own modules.
fn is_place(word: &str) -> bool {
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
        assert_eq!(text("Müller 4711-ß é"), "xxxxxx 0000-x x");
        assert_eq!(
            value(&json!({ "code": "A1", "quantity": 13.75, "on": true })),
            json!({
                "code": "x0", "quantity": "number 00.00", "on": true
            })
        );
    }

    #[test]
    fn a_mapping_keeps_fields_and_loses_headings() {
        let kept = json!({ "operation": "materials.sync", "columns": { "Teil Nr": "code" }, "excluded": ["A-1"] });
        assert_eq!(
            mapping(&kept),
            json!({
                "operation": "materials.sync", "columns": { "1: xxxx xx": "code" }, "excluded": ["x-0"]
            })
        );
    }

    #[test]
    fn a_log_line_keeps_its_place() {
        let told =
            "2026-11-22T00:13:39.123Z  INFO takt_engine::submission: gone to https://a.b/c?token=Abc submission=17";
        let shape =
            "2026-11-22T00:13:39.123Z  INFO takt_engine::submission: xxxx xx xxxxx://x.x/x?xxxxx=xxx submission=00";
        assert_eq!(line(told), shape);
        assert_eq!(line("Authorization: Bearer abc"), "xxxxxxxxxxxxx: xxxxxx xxx");
    }
}
