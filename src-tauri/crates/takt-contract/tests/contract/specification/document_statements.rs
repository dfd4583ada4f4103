//! Reads the document's parts marked as specified as canonical statements.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

type Members = Map<String, Value>;

pub(crate) fn read_statements(document: &Value) -> BTreeSet<String> {
    let mut reader = DocumentStatements { document, statements: BTreeSet::new() };
    for tag in document["tags"].as_array().unwrap() {
        reader.add(format!("area|{}|{}", text(&tag["name"]), text(&tag["description"])));
    }
    reader.read_schemas();
    reader.read_operations();
    reader.read_authentication();
    reader.read_events();
    reader.read_errors();
    reader.read_limits();
    reader.statements
}

/// Returns JSON pointers to specified members whose removal must be noticed.
pub(crate) fn specified_members(document: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    for (name, schema) in object(&document["components"]["schemas"]) {
        for (property, node) in schema["properties"].as_object().into_iter().flatten() {
            if is_specified(node) && is_specified(schema) {
                pointers.push(format!("/components/schemas/{name}/properties/{property}"));
            }
        }
    }
    for group in ["/components/headers", "/components/responses"] {
        let specified = object(document.pointer(group).unwrap()).iter().filter(|(_, part)| is_specified(part));
        pointers.extend(specified.map(|(name, _)| format!("{group}/{name}")));
    }
    pointers.extend(["Page", "Limit"].map(|name| format!("/components/parameters/{name}")));
    pointers.extend(object(&document["webhooks"]).keys().map(|name| format!("/webhooks/{name}")));
    pointers.extend(object(&document["paths"]).keys().map(|path| format!("/paths/{}", path.replace('/', "~1"))));
    pointers
}

struct DocumentStatements<'a> {
    document: &'a Value,
    statements: BTreeSet<String>,
}

impl<'a> DocumentStatements<'a> {
    fn add(&mut self, statement: String) {
        self.statements.insert(statement);
    }

    fn component(&self, group: &str) -> &'a Members {
        object(&self.document["components"][group])
    }

    /// Reads the schemas. Error bodies are read with their statuses. The four payloads are skipped, since they only
    /// narrow the envelope.
    fn read_schemas(&mut self) {
        for (name, schema) in self.component("schemas") {
            let elsewhere = name.ends_with("Body") || schema.get("allOf").is_some();
            if is_specified(schema) && !elsewhere {
                self.read_members("field", name, schema);
            }
        }
    }

    fn read_members(&mut self, kind: &str, owner: &str, schema: &Value) {
        for (name, node) in object(&schema["properties"]) {
            if is_specified(node) {
                self.add(format!("{kind}|{owner}.{name}|{}", self.short_type(node)));
                if let Some(note) = node.get("description") {
                    self.add(format!("note|{owner}.{name}|{}", text(note)));
                }
            }
        }
    }

    fn read_operations(&mut self) {
        for (path, item) in object(&self.document["paths"]) {
            for (method, operation) in object(item) {
                let (purpose, method) = (text(&operation["summary"]), method.to_uppercase());
                if path == "/graphql" {
                    self.add(format!("graphql|{method} {path}"));
                } else if is_specified(operation) {
                    self.read_specified_operation(purpose, &method, path, operation);
                    continue;
                }
                let unlisted = operation["x-takt-statements"]["method"]["level"] == "assumed";
                let method = if unlisted { "—" } else { &method };
                self.add(format!("operation|{}|{method}|{purpose}", text(&operation["tags"][0])));
            }
        }
    }

    fn read_specified_operation(&mut self, purpose: &str, method: &str, path: &str, operation: &Value) {
        let mut item = |name: &str, value: String| self.add(format!("item|{purpose}|{name}|{value}"));
        item("Method", method.to_owned());
        item("Path", path.to_owned());
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let place = if parameter["in"] == "path" { "Path parameter" } else { "Query parameter" };
            let kind = if parameter["schema"]["type"] == "integer" { "numeric" } else { "string" };
            item(place, format!("{} {kind}", text(&parameter["name"])));
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let request = self.sole_member(body).unwrap_or_else(|| "none".to_owned());
        self.add(format!("item|{purpose}|Request body|{request}"));
        let answer = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        if let Some(reference) = answer.get("$ref") {
            self.add(format!("item|{purpose}|Response body|{{{}}}", last_step(text(reference))));
        }
        for (status, provenance) in object(&operation["x-takt-statuses"]) {
            let own = text(&provenance["source"]).starts_with("Endpoints, fully specified operation");
            if provenance["level"] != "specified" || !own {
                continue;
            }
            let response = self.resolve_reference(&operation["responses"][status]);
            let schema = &response["content"]["application/json"]["schema"];
            let value = self.sole_member(schema).unwrap_or_else(|| self.short_type(schema));
            self.add(format!("item|{purpose}|{status}|{value}"));
        }
    }

    fn sole_member(&self, schema: &Value) -> Option<String> {
        let (name, node) = schema.get("properties")?.as_object()?.iter().next()?;
        Some(format!("{name} {}", self.short_type(node)))
    }

    fn read_authentication(&mut self) {
        let scheme = &self.document["components"]["securitySchemes"]["oauth2"];
        let flow = &scheme["flows"]["authorizationCode"];
        let (authorize, token) = (&scheme["x-takt-authorize-request"], &scheme["x-takt-token-request"]);
        self.add(format!("auth|Authorize endpoint|{} {}", text(&authorize["method"]), text(&flow["authorizationUrl"])));
        self.add(format!("auth|Token endpoint|{} {}", text(&token["method"]), text(&flow["tokenUrl"])));
        let scopes: Vec<&str> = object(&flow["scopes"]).keys().map(String::as_str).collect();
        for scope in &scopes {
            self.add(format!("auth|scope|{scope}"));
        }
        for (name, request) in [("authorize", authorize), ("token", token)] {
            for parameter in request["parameters"].as_array().unwrap() {
                let (parameter, value) = (text(&parameter["name"]), text(&parameter["value"]));
                if matches!(value, "<CLIENT_ID>" | "<CLIENT_SECRET>") {
                    self.add(format!("auth|credential|{value}"));
                }
                let filled_in = value.starts_with('<') || value == scopes.join(" ");
                self.add(format!("auth|{name}|{parameter}|{}", if filled_in { "" } else { value }));
            }
        }
        self.add(format!("auth|token content|{}", text(&token["contentType"])));
        self.add(format!("auth|header|Authorization: {}", text(&scheme["x-takt-authorization-header"]["value"])));
    }

    fn read_events(&mut self) {
        for (name, item) in object(&self.document["webhooks"]) {
            let event = &item["post"];
            let (id, payload) = (&event["x-takt-event-id"], text(&event["x-takt-payload"]));
            self.add(format!("event|{id}|{name}|{}|{payload}", text(&event["summary"])));
        }
    }

    fn read_errors(&mut self) {
        for (_, item) in object(&self.document["paths"]) {
            for (_, operation) in object(item) {
                self.add(format!("status|200|{}", text(&operation["responses"]["200"]["description"])));
            }
        }
        for response in self.component("responses").values().filter(|response| is_specified(response)) {
            let status = response["x-takt-status"].to_string();
            self.add(format!("status|{status}|{}", text(&response["description"])));
            let body = self.resolve_reference(&response["content"]["application/json"]["schema"]);
            self.read_members("body", &status, body);
        }
    }

    fn read_limits(&mut self) {
        for header in self.component("headers").values().filter(|header| is_specified(header)) {
            let (name, meaning) = (text(&header["x-takt-header"]), text(&header["description"]));
            if name.starts_with("X-RateLimit-") {
                self.add(format!("header|{name}|{meaning}"));
            } else {
                self.add(format!("page|{name}|response header|{meaning}"));
            }
        }
        for parameter in self.component("parameters").values().filter(|parameter| is_specified(parameter)) {
            let (name, meaning) = (text(&parameter["name"]), text(&parameter["description"]));
            self.add(format!("page|{name}|{} parameter|{meaning}", text(&parameter["in"])));
        }
    }

    /// Returns the short form of a type, as for the specification, for example `string`, `date-time?`, `[RawMaterial]`,
    /// `{TimeSpan}`.
    fn short_type(&self, node: &Value) -> String {
        if let Some(branches) = node.get("anyOf").and_then(Value::as_array) {
            return match branches.as_slice() {
                [branch, null] if null["type"] == "null" => format!("{}?", self.short_type(branch)),
                _ => "?".to_owned(),
            };
        }
        if let Some(reference) = node.get("$ref") {
            let target = self.resolve_reference(node);
            let is_object = target["type"] == "object";
            return if is_object { format!("{{{}}}", last_step(text(reference))) } else { self.short_type(target) };
        }
        let null = node["type"].as_array().is_some_and(|types| types.iter().any(|kind| kind == "null"));
        let kind = node["type"].as_str().or_else(|| node["type"][0].as_str()).unwrap_or("?");
        let bare = match (kind, node["format"].as_str()) {
            ("array", _) => format!("[{}]", self.short_type(&node["items"]).trim_matches(['{', '}'])),
            ("string", Some("date-time" | "iso-date-time")) => "date-time".to_owned(),
            ("string", None) if node["pattern"].as_str().is_some_and(is_date_time_or_empty) => {
                "date-time or empty".to_owned()
            }
            ("string", Some("duration-hms")) => "duration".to_owned(),
            (kind, _) => kind.to_owned(),
        };
        format!("{bare}{}", if null { "?" } else { "" })
    }

    fn resolve_reference(&self, node: &'a Value) -> &'a Value {
        match node.get("$ref") {
            Some(reference) => self.document.pointer(text(reference).trim_start_matches('#')).unwrap_or(&Value::Null),
            None => node,
        }
    }
}

/// Returns whether a pattern allows a date-time or an empty text.
fn is_date_time_or_empty(pattern: &str) -> bool {
    pattern.starts_with("^([0-9]{4}-") && pattern.ends_with(")?$")
}

fn is_specified(node: &Value) -> bool {
    node["x-takt-provenance"]["level"] == "specified"
}

fn object(node: &Value) -> &Members {
    static EMPTY: std::sync::OnceLock<Members> = std::sync::OnceLock::new();
    node.as_object().unwrap_or_else(|| EMPTY.get_or_init(Members::new))
}

fn text(node: &Value) -> &str {
    node.as_str().unwrap_or("?")
}

fn last_step(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}
