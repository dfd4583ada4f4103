//! Checks the status, headers and body of every response against the contract. For unknown addresses and methods, the
//! status must be 401, 404 or 429.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock},
};

use jsonschema::Validator;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use takt_contract::{Contract, Operation, OperationKind, wire::duration::parse_ticks};

/// Paths that aren't part of the service: sign-in, control interface and pages.
const PLANT_PATHS: [&str; 9] = [
    "/identity/",
    "/.well-known/",
    "/control/",
    "/openapi.json",
    "/operations/",
    "/events",
    "/errors",
    "/access",
    "/practice",
];
const LIMIT_HEADERS: [&str; 3] = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const PAGE_HEADERS: [&str; 3] = ["x-pagination-total", "x-pagination-pages", "x-pagination-current"];
/// The statuses and bodies of responses to addresses that aren't in the contract.
const UNKNOWN_ADDRESS_ANSWERS: [(u16, &str); 3] = [(401, "ErrorBody"), (404, "ErrorBody"), (429, "RateLimitBody")];

static CONTRACT_CHECK: LazyLock<ContractCheck> = LazyLock::new(ContractCheck::new);

#[derive(Debug, Clone, Copy)]
pub(crate) struct ObservedAnswer<'a> {
    pub(crate) method: Option<&'a str>,
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a Value,
}

/// Returns how a response violates the contract.
pub(crate) fn violations_of(seen: ObservedAnswer<'_>) -> Vec<String> {
    if seen.path == "/" || PLANT_PATHS.iter().any(|own| seen.path.starts_with(own)) {
        return Vec::new();
    }
    CONTRACT_CHECK.violations_of(seen)
}

/// Returns how a payload violates the schema of its event.
pub(crate) fn event_violations(event: &str, payload: &Value) -> Vec<String> {
    let webhook = &CONTRACT_CHECK.contract.document()["webhooks"][event]["post"];
    let schema = &webhook["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    let name = schema.as_str().unwrap().rsplit('/').next().unwrap();
    schema_errors(CONTRACT_CHECK.component_validator(name), payload)
}

/// Returns how a body violates a schema.
pub(crate) fn schema_violations(schema: &Value, body: &Value) -> Vec<String> {
    schema_errors(&CONTRACT_CHECK.compile_schema(schema), body)
}

/// Returns the operation with this path.
pub(crate) fn operation_at(path: &str) -> Option<&'static Operation> {
    CONTRACT_CHECK.contract.operations().iter().find(|operation| matches_path(&operation.path, path))
}

struct ContractCheck {
    contract: Contract,
    /// The schemas of responses, by operation and status.
    answers: BTreeMap<(String, u16), (Value, OnceLock<Validator>)>,
    components: BTreeMap<String, OnceLock<Validator>>,
}

impl ContractCheck {
    fn new() -> Self {
        let contract = Contract::builtin().unwrap();
        let document = contract.document();
        let mut answers = BTreeMap::new();
        for operation in contract.operations() {
            let responses = &document["paths"][&operation.path][operation.method.to_lowercase()]["responses"];
            for (status, response) in responses.as_object().unwrap() {
                let response = response["$ref"].as_str().map_or(response, |at| document.pointer(&at[1..]).unwrap());
                let schema = response["content"]["application/json"]["schema"].clone();
                answers.insert((operation.id.clone(), status.parse().unwrap()), (schema, OnceLock::new()));
            }
        }
        let names = document["components"]["schemas"].as_object().unwrap().keys();
        let components = names.map(|name| (name.clone(), OnceLock::new())).collect();
        Self { contract, answers, components }
    }

    fn violations_of(&self, seen: ObservedAnswer<'_>) -> Vec<String> {
        let mut violations = self.header_violations(seen);
        let operation = operation_at(seen.path);
        // A response with 405 is documented for the operation, although the method is another.
        let known = operation.and_then(|operation| self.answers.get(&(operation.id.clone(), seen.status)));
        let operation = operation.filter(|operation| seen.method.is_none_or(|method| method == operation.method));
        match (known, UNKNOWN_ADDRESS_ANSWERS.iter().find(|(status, _)| *status == seen.status)) {
            (Some((schema, validator)), _) => {
                violations.extend(schema_errors(validator.get_or_init(|| self.compile_schema(schema)), seen.body));
            }
            (None, Some((_, name))) => violations.extend(schema_errors(self.component_validator(name), seen.body)),
            (None, None) => violations.push("the contract has no such status here".to_owned()),
        }
        if let Some(operation) = operation.filter(|_| (200..300).contains(&seen.status)) {
            violations.extend(success_violations(operation, seen));
        }
        violations
    }

    fn header_violations(&self, seen: ObservedAnswer<'_>) -> Vec<String> {
        let mut violations = Vec::new();
        if seen.headers.get("content-type").is_none_or(|kind| kind != "application/json") {
            violations.push(format!("the content type is {:?}", seen.headers.get("content-type")));
        }
        let missing = LIMIT_HEADERS.iter().filter(|name| !seen.headers.contains_key(**name));
        violations.extend(missing.map(|name| format!("{name} is missing")));
        violations
    }

    fn component_validator(&self, name: &str) -> &Validator {
        let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
        self.components[name].get_or_init(|| self.compile_schema(&schema))
    }

    fn compile_schema(&self, schema: &Value) -> Validator {
        let root = json!({ "allOf": [schema], "components": self.contract.document()["components"] });
        let is_time =
            |text: &str| text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok();
        let with_offset = |text: &str| text.parse::<jiff::Timestamp>().is_ok();
        jsonschema::options()
            .should_validate_formats(true)
            .with_format("iso-date-time", is_time)
            .with_format("date-time", with_offset)
            .with_format("duration-hms", |text: &str| parse_ticks(text).is_some())
            .build(&root)
            .unwrap()
    }
}

/// Checks rules beyond the schema. A list must have pagination headers, and the counts of a batch must add up.
fn success_violations(operation: &Operation, seen: ObservedAnswer<'_>) -> Vec<String> {
    let mut violations = Vec::new();
    if operation.paged {
        let number = |name: &str| seen.headers.get(name)?.to_str().ok()?.parse::<u64>().ok();
        let missing = PAGE_HEADERS.iter().filter(|name| number(name).is_none());
        violations.extend(missing.map(|name| format!("{name} is missing")));
    }
    if matches!(operation.kind, OperationKind::Sync | OperationKind::Delete) {
        let count = |name: &str| seen.body[name].as_u64().unwrap_or_default();
        let results = seen.body["results"].as_array().map_or(&[][..], Vec::as_slice);
        let good = results.iter().filter(|result| result["success"] == true).count() as u64;
        let (total, success, errors) = (count("totalItems"), count("successCount"), count("errorCount"));
        if total != results.len() as u64 || success != good || success + errors != total {
            violations.push(format!("{total} ≠ {success} + {errors}, or not {good} of {}", results.len()));
        }
        let unreasoned = |result: &Value| result["success"] == result["errors"].is_array();
        if operation.kind == OperationKind::Sync && results.iter().any(unreasoned) {
            violations.push("a refused item has no reason, or an accepted one has".to_owned());
        }
    }
    violations
}

fn schema_errors(validator: &Validator, body: &Value) -> Vec<String> {
    validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).take(5).collect()
}

fn matches_path(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) => return true,
            (Some(pattern), Some(piece)) if pattern.starts_with('{') || pattern == piece => {}
            _ => return false,
        }
    }
}
