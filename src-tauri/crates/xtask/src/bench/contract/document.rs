//! An OpenAPI document of many lines, as JSON and as YAML.

use serde_json::{Map, Value, json};

/// Lines that an operation and its shape take, at least.
const LINES_EACH: usize = 100;
const MEMBERS_EACH: usize = 20;

/// Operations with shapes of twenty members each, until there are lines enough.
pub(super) fn document(lines: usize) -> Value {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    let member = |index: usize| json!({ "type": "string", "nullable": true, "maxLength": index + 10 });
    for index in 0..lines / LINES_EACH {
        let properties: Map<_, _> =
            (0..MEMBERS_EACH).map(|field| (format!("field{field}Of{index}"), member(field))).collect();
        schemas.insert(format!("Row{index}"), json!({ "type": "object", "properties": properties }));
        let list = json!({ "type": "array", "items": { "$ref": format!("#/components/schemas/Row{index}") } });
        let content = json!({ "application/json": { "schema": list }, "text/json": { "schema": list } });
        let answer = json!({ "200": { "description": "OK", "content": content } });
        let page = json!({ "name": "page", "in": "query", "schema": { "type": "integer" } });
        let read = json!({ "tags": [format!("Tag{index}")], "parameters": [page], "responses": answer });
        paths.insert(format!("/api/v1/Things{index}"), json!({ "get": read }));
    }
    json!({ "openapi": "3.0.1", "paths": paths, "components": { "schemas": schemas } })
}

/// JSON's objects and lists as YAML in blocks.
pub(super) fn yaml(document: &Value) -> String {
    let mut text = String::new();
    block(document, 0, &mut text);
    text
}

fn block(value: &Value, indent: usize, text: &mut String) {
    let front = " ".repeat(indent);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                text.push_str(&format!("\n{front}{}:", Value::from(name.as_str())));
                block(member, indent + 2, text);
            }
        }
        Value::Array(parts) => {
            for part in parts {
                text.push_str(&format!("\n{front}-"));
                block(part, indent + 2, text);
            }
        }
        other => text.push_str(&format!(" {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same_and_have_lines_enough() {
        let document = document(1_000);
        let text = yaml(&document);
        assert!(
            text.lines().count() > 400 && serde_json::to_string_pretty(&document).unwrap().lines().count() >= 1_000
        );
        assert_eq!(serde_saphyr::from_str::<Value>(&text).unwrap(), document);
        assert_eq!(document["paths"].as_object().unwrap().len(), 10);
    }
}
