//! A document of 50,000 lines: how long it takes to open, and how much memory. Measured in an optimised build:
//! `cargo test --release -p takt-openapi --test reader large -- --ignored --nocapture`.

use std::{fmt::Write as _, fs, time::Instant};

use takt_openapi::Document;

use super::read;

const LINES: usize = 50_000;

/// Operations with shapes of twenty members each, until there are lines enough.
fn document() -> serde_json::Value {
    let mut paths = serde_json::Map::new();
    let mut schemas = serde_json::Map::new();
    let member = |index: usize| serde_json::json!({ "type": "string", "nullable": true, "maxLength": index + 10 });
    for index in 0..LINES / 100 {
        let properties: serde_json::Map<_, _> =
            (0..20).map(|field| (format!("field{field}Of{index}"), member(field))).collect();
        schemas.insert(format!("Row{index}"), serde_json::json!({ "type": "object", "properties": properties }));
        let list =
            serde_json::json!({ "type": "array", "items": { "$ref": format!("#/components/schemas/Row{index}") } });
        let content = serde_json::json!({ "application/json": { "schema": list }, "text/json": { "schema": list } });
        let answer = serde_json::json!({ "200": { "description": "OK", "content": content } });
        let page = serde_json::json!({ "name": "page", "in": "query", "schema": { "type": "integer" } });
        paths.insert(
            format!("/api/v1/Things{index}"),
            serde_json::json!({ "get": { "tags": [format!("Tag{index}")], "parameters": [page], "responses": answer } }),
        );
    }
    serde_json::json!({ "openapi": "3.0.1", "paths": paths, "components": { "schemas": schemas } })
}

/// JSON's objects and lists as YAML in blocks.
fn yaml(value: &serde_json::Value, indent: usize, text: &mut String) {
    let front = " ".repeat(indent);
    match value {
        serde_json::Value::Object(members) => {
            for (name, member) in members {
                write!(text, "\n{front}{}:", serde_json::Value::from(name.as_str())).unwrap();
                yaml(member, indent + 2, text);
            }
        }
        serde_json::Value::Array(parts) => {
            for part in parts {
                write!(text, "\n{front}-").unwrap();
                yaml(part, indent + 2, text);
            }
        }
        other => write!(text, " {other}").unwrap(),
    }
}

/// The most memory that this process had, in MB.
fn peak() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()? / 1024)
}

#[test]
#[ignore = "measures; its figures mean something in an optimised build only"]
fn fifty_thousand_lines() {
    let json = serde_json::to_string_pretty(&document()).unwrap();
    let mut block = String::new();
    yaml(&document(), 0, &mut block);
    for (name, text) in [("JSON", json), ("YAML", block)] {
        let before = peak();
        let begin = Instant::now();
        let document = Document::read(text.as_bytes());
        let seconds = begin.elapsed().as_secs_f64();
        let operations = document.unwrap().operations().len();
        println!(
            "{name}: {} lines, {} kB, {operations} operations in {seconds:.3} s; peak {before:?} MB before, {:?} MB after",
            text.lines().count(),
            text.len() / 1024,
            peak()
        );
        assert!(seconds < 2.0, "{name} took {seconds} s");
    }
    assert!(peak().is_none_or(|peak| peak < 300), "{:?} MB", peak());
}

#[test]
fn what_is_measured_is_a_document() {
    let mut block = String::new();
    yaml(&document(), 0, &mut block);
    let document = read(&block);
    assert_eq!(document.operations().len(), LINES / 100);
}
