//! Checks that the words of the specification support every mark in the document. Keywords without a quote must be
//! marked as assumed.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{SPECIFICATION, contract_document, markdown::parse_first_table};

/// Keywords and marks of the document, with the words of the specification that support them.
const QUOTES: [(&str, &str); 22] = [
    ("format iso-date-time", "ISO 8601 date-time"),
    ("format duration-hms", "durations are strings of the form `hh:mm:ss`"),
    ("Page schema.minimum 1", "| page | query parameter | page number, starts at 1 |"),
    ("PaginationCurrent schema.minimum 1", "page number, starts at 1"),
    ("Limit schema.maximum 100", "| limit | query parameter | items per page, maximum 100 |"),
    ("templateId required true", "| Path parameter | `templateId` (numeric) |"),
    ("Code schema.type string", "| Query parameter | `Code` (string) |"),
    ("MaterialSupplyPayload not", "absent from the material supply payload"),
    ("ProductionAlertPayload properties", "filled for event 0"),
    ("MaterialSupplyPayload properties", "filled for event 8"),
    ("WorkOrderPayload properties", "filled for work order and validation payloads"),
    ("ValidationPayload properties", "filled for work order and validation payloads"),
    ("templates.processes 200", "| 200 | JSON object with `inspectionsProcesses`: array of process of a template"),
    ("templates.processes 412", "| 412 | validation error body (see Errors) |"),
    ("templates.processes 500", "| 500 | internal error body (see Errors) |"),
    ("every operation 401", "a missing, invalid or expired token yields status 401"),
    ("every operation 403", "a valid token without permission yields 403"),
    ("every operation 429", "When the limit is exceeded the status is 429"),
    ("templates.processes method, path", "| Path | `/api/v1/ProcessExecutionTemplates/{templateId}/Processes` |"),
    ("template-processes.delete method, path", "| Path | `/api/v1/ProcessExecutionTemplateProcesses/batch` |"),
    ("graphql method, path", "`POST /graphql` exists (work order query)"),
    ("every operation security oauth2", "All requests carry the header `Authorization`"),
];

/// Keywords that restrict a value. Types aren't included, since they are compared field by field.
const KEYWORDS: [&str; 19] = [
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "enum",
    "const",
    "default",
    "required",
    "not",
    "schema.type",
    "schema.format",
    "schema.minimum",
    "schema.maximum",
    "schema.default",
];

struct Marks {
    document: Value,
    used: BTreeSet<&'static str>,
    unsupported: Vec<String>,
}

impl Marks {
    /// Records that a statement has a quote, or that it has none.
    fn check_statement(&mut self, statement: &str, at: &str) {
        match QUOTES.iter().find(|(known, _)| *known == statement) {
            Some((known, _)) => drop(self.used.insert(known)),
            None => self.unsupported.push(format!("{at}: {statement}")),
        }
    }

    fn check_node(&mut self, at: &str, name: &str, node: &Value) {
        let resolved = self.resolve(node);
        for keyword in KEYWORDS {
            let value = match keyword.strip_prefix("schema.") {
                Some(inner) => resolved.get("schema").and_then(|schema| schema.get(inner)),
                None => resolved.get(keyword),
            };
            let Some(value) = value.filter(|_| node["x-takt-assumed"].get(keyword).is_none()) else { continue };
            let statement = match (keyword, value) {
                ("format", Value::String(format)) => format!("format {format}"),
                ("not", _) => format!("{name} not"),
                (_, Value::String(text)) => format!("{name} {keyword} {text}"),
                (_, other) => format!("{name} {keyword} {other}"),
            };
            self.check_statement(&statement, at);
        }
        // A schema that narrows the envelope describes which members are set.
        if resolved.contains_key("allOf") {
            let narrowed: Vec<&String> = resolved["properties"].as_object().unwrap().keys().collect();
            assert!(narrowed.iter().all(|member| *member != "Id" || node["x-takt-assumed"]["Id"].is_string()), "{at}");
            self.check_statement(&format!("{name} properties"), at);
        }
    }

    /// Returns a node merged with the targets of its references.
    fn resolve(&self, node: &Value) -> Map<String, Value> {
        let mut resolved = Map::new();
        let referred = node["$ref"].as_str().map(|at| self.document.pointer(&at[1..]).unwrap().clone());
        let branches = node["anyOf"].as_array().cloned().unwrap_or_default();
        for part in referred.iter().chain(&branches) {
            // The provenance of another object doesn't apply to this node.
            let own = self.resolve(part);
            if !own.contains_key("properties") {
                resolved.extend(own.into_iter().filter(|(name, _)| !name.starts_with("x-takt-")));
            }
        }
        resolved.extend(node.as_object().unwrap().clone());
        resolved
    }

    fn check_descendants(&mut self, at: &str, name: &str, node: &Value) {
        let Some(members) = node.as_object() else {
            for (index, part) in node.as_array().into_iter().flatten().enumerate() {
                let named = part["name"].as_str().unwrap_or(name).to_owned();
                self.check_descendants(&format!("{at}/{index}"), &named, part);
            }
            return;
        };
        if node["x-takt-provenance"]["level"] == "specified" {
            self.check_node(at, name, node);
        }
        for (member, child) in members {
            self.check_descendants(&format!("{at}/{member}"), member, child);
        }
    }

    /// Checks the marks for area, method, path, purpose and statuses of an operation.
    fn check_operation(&mut self, path: &str, method: &str, operation: &Value) {
        let id = operation["operationId"].as_str().unwrap();
        let statements = &operation["x-takt-statements"];
        let is_specified = |name: &str| match statements[name]["level"].as_str() {
            Some("specified") => true,
            Some("assumed") => false,
            other => panic!("{id} says {other:?} of its {name}"),
        };
        assert!(is_specified("area") && is_specified("purpose"), "{id}");
        if is_specified("path") {
            assert!(is_specified("method") && SPECIFICATION.contains(path), "{id}");
            self.check_statement(&format!("{id} method, path"), id);
        } else {
            let rows = parse_first_table(SPECIFICATION, "Other operations");
            let (area, purpose) = (operation["tags"][0].as_str().unwrap(), operation["summary"].as_str().unwrap());
            let row = rows.iter().find(|row| (row[0], row[2]) == (area, purpose)).unwrap_or_else(|| panic!("{id}"));
            assert_eq!(is_specified("method"), row[1] != "—", "{id}: the table says {}", row[1]);
            assert!(!is_specified("method") || row[1] == method.to_uppercase(), "{id}");
        }
        let statuses = operation["x-takt-statuses"].as_object().unwrap();
        assert_eq!(
            statuses.keys().collect::<BTreeSet<_>>(),
            operation["responses"].as_object().unwrap().keys().collect()
        );
        for (status, provenance) in statuses.iter().filter(|(_, provenance)| provenance["level"] == "specified") {
            let everywhere = matches!(status.as_str(), "401" | "403" | "429");
            assert!(provenance["source"].is_string(), "{id} {status}");
            self.check_statement(&format!("{} {status}", if everywhere { "every operation" } else { id }), id);
        }
        for status in ["401", "403", "429"] {
            assert_eq!(statuses[status]["level"], "specified", "{id} {status}");
        }
    }
}

#[test]
fn every_specified_mark_stands_on_words_of_the_specification() {
    let document = contract_document();
    let mut marks = Marks { document: document.clone(), used: BTreeSet::new(), unsupported: Vec::new() };
    for group in ["components", "paths", "webhooks"] {
        marks.check_descendants(group, group, &document[group]);
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        item.as_object().unwrap().iter().for_each(|(method, operation)| marks.check_operation(path, method, operation));
    }
    marks.check_statement("every operation security oauth2", "security");
    assert!(marks.unsupported.is_empty(), "specified, and nobody says so:\n{}", marks.unsupported.join("\n"));
    for (statement, quote) in QUOTES {
        assert!(SPECIFICATION.contains(quote), "the specification doesn't say: {quote}");
        assert!(marks.used.contains(statement), "the document doesn't say: {statement}");
    }
}

/// Checks that keywords about which the specification is silent are marked as assumed.
#[test]
fn what_the_specification_is_silent_about_is_assumed() {
    let document = contract_document();
    let reason = |pointer: &str, keyword: &str| {
        let node = document.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
        assert!(node["x-takt-assumed"][keyword].as_str().is_some_and(|why| why.len() > 20), "{pointer} {keyword}");
    };
    reason("/components/parameters/Limit", "schema.default");
    reason("/components/parameters/Limit", "schema.minimum");
    reason("/components/parameters/Page", "schema.default");
    reason("/components/headers/RateLimitReset", "schema.format");
    reason("/components/schemas/WorkOrderEntry/properties/LaborPredictedTime", "pattern");
    reason("/paths/~1api~1v1~1ProcessExecutionTemplates~1{templateId}~1Processes/get/parameters/1", "required");
    reason("", "security");
    for name in ["TimeSpan", "TemplateProcess", "TemplateProcessLink", "WorkOrderEntry", "Event", "RateLimitBody"] {
        reason(&format!("/components/schemas/{name}"), "required");
    }
    let webhooks = document["webhooks"].as_object().unwrap();
    for name in webhooks.keys() {
        for keyword in ["method", "responses", "security"] {
            reason(&format!("/webhooks/{name}/post"), keyword);
        }
        assert_eq!(document["webhooks"][name]["post"]["responses"]["200"]["x-takt-provenance"]["level"], "assumed");
    }
}
