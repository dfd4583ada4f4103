//! Checks the output of commands with `--json` against the schemas in `docs/json`. Each line must match its schema,
//! which allows no further members.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};

use crate::paths;

/// Global options with a value, which aren't part of a command's name.
const GLOBAL_OPTIONS: [&str; 2] = ["--site", "--confirm"];
const JSON: &str = "--json";
/// The command that prints JSON without `--json`.
const JSON_COMMAND: &str = "plant";

/// Panics if a complete line of JSON output doesn't match its schema. Ignores other output.
pub(crate) fn check(command: &Command, out: &str) {
    let arguments: Vec<String> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    let is_takt = PathBuf::from(command.get_program()).file_stem().is_some_and(|name| name == "takt");
    let name = schema_name(&arguments);
    if is_takt && (name == JSON_COMMAND || arguments.iter().any(|word| word == JSON)) {
        check_lines(&name, out.rfind('\n').map_or("", |end| &out[..end]));
    }
}

/// Checks a command's lines against the schema of that name.
fn check_lines(name: &str, lines: &str) {
    let file = schema_file(name);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema is one");
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error} in {line}"));
        assert!(validator.is_valid(&value), "{}: {}\n{line}", file.display(), closest_errors(&schema, &value));
    }
}

/// Returns the errors against the kind of line that the value matches best.
fn closest_errors(schema: &Value, value: &Value) -> String {
    let kinds = schema["anyOf"].as_array().expect("a schema lists its kinds of lines");
    let errors = |kind: &Value| {
        let alone = json!({ "$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": kind["$ref"] });
        let validator = jsonschema::validator_for(&alone).expect("a part of a schema is one");
        let messages: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        (kind["$ref"].to_string(), messages)
    };
    let closest = kinds.iter().map(errors).min_by_key(|(_, messages)| messages.len());
    closest.map_or_else(String::new, |(kind, messages)| format!("no {kind}: {}", messages.join("; ")))
}

/// Returns the name of a command's schema, such as `site-check` for `takt --site works site check --json`.
fn schema_name(arguments: &[String]) -> String {
    let mut words = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if GLOBAL_OPTIONS.contains(&word.as_str()) {
            rest.next();
        } else if !word.starts_with("--") {
            words.push(word.as_str());
        }
    }
    let (first, second) = (words.first().copied().unwrap_or_default(), words.get(1).copied().unwrap_or_default());
    let both = format!("{first}-{second}");
    let is_word = !second.is_empty() && second.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
    if is_word && schema_file(&both).is_file() { both } else { first.to_owned() }
}

fn schema_file(name: &str) -> PathBuf {
    paths::repository().join("docs/json").join(format!("{name}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_command_is_known_by_its_words() {
        assert_eq!(schema_name(&words("--site works site check --json")), "site-check");
        assert_eq!(schema_name(&words("check orders --json")), "check");
        assert_eq!(schema_name(&words("forward list --json --site works")), "forward-list");
    }

    #[test]
    #[should_panic(expected = "'further' was unexpected")]
    fn a_member_too_many_is_told() {
        check_lines("vault-status", r#"{"vault":"memory","further":1}"#);
    }

    #[test]
    #[should_panic(expected = "vault-status.json")]
    fn a_member_that_is_missing_is_told() {
        check_lines("vault-status", "{}");
    }
}
