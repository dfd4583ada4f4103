//! Compares Takt's requests and the plant's responses in a session with the contract document. The comparison must use
//! only the document.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use takt_tests::{Exchange, Person, Plant, READ_OPERATIONS, Relay, TEMPLATE_PROCESSES, Takt, sample_path};

/// The contract document, which is used for JSON Schema validation.
struct Document(Value);

impl Document {
    fn resolve_reference<'a>(&'a self, node: &'a Value) -> &'a Value {
        node["$ref"].as_str().map_or(node, |at| self.0.pointer(&at[1..]).unwrap())
    }

    /// Returns the first errors of a value, according to a schema in the document.
    fn schema_errors(&self, schema: &Value, value: &Value) -> Vec<String> {
        let root = json!({ "allOf": [schema], "components": self.0["components"] });
        let validator = jsonschema::options().should_validate_formats(true).build(&root).unwrap();
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).take(5).collect()
    }

    /// Returns the operation for a path, and the values of its path parameters.
    fn operation(&self, method: &str, path: &str) -> Option<(&Value, Vec<(String, String)>)> {
        self.0["paths"].as_object().unwrap().iter().find_map(|(pattern, item)| {
            let (wanted, pieces) = (pattern.split('/'), path.split('/').collect::<Vec<_>>());
            let mut values = Vec::new();
            let fits = wanted.clone().count() == pieces.len()
                && wanted.zip(&pieces).all(|(wanted, piece)| {
                    let name = wanted.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
                    values.extend(name.map(|name| (name.to_owned(), (*piece).to_owned())));
                    name.is_some() || wanted == *piece
                });
            let operation = item.get(method.to_lowercase())?;
            fits.then_some((operation, values))
        })
    }

    fn complaints(&self, exchange: &Exchange) -> Vec<String> {
        let (path, query) = exchange.target.split_once('?').unwrap_or((&exchange.target, ""));
        let Some((operation, mut values)) = self.operation(&exchange.method, path) else {
            return vec!["the document has no such operation".to_owned()];
        };
        values.extend(reqwest::Url::parse(&format!("http://x/?{query}")).unwrap().query_pairs().into_owned());
        let mut found = Vec::new();
        let parameters: Vec<&Value> =
            operation["parameters"].as_array().into_iter().flatten().map(|raw| self.resolve_reference(raw)).collect();
        for (name, text) in values {
            let Some(parameter) = parameters.iter().find(|parameter| parameter["name"] == name) else {
                found.push(format!("the document has no parameter {name}"));
                continue;
            };
            let value = if parameter["schema"]["type"] == "integer" {
                text.parse::<i64>().map_or(json!(text), Value::from)
            } else {
                json!(text)
            };
            found.extend(
                self.schema_errors(&parameter["schema"], &value).iter().map(|misfit| format!("{name}: {misfit}")),
            );
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        match (body.is_null(), exchange.sent.is_null()) {
            (true, true) => {}
            (false, false) => found.extend(self.schema_errors(body, &exchange.sent)),
            _ => found.push("a body that isn't in the document, or none".to_owned()),
        }
        let response = self.resolve_reference(&operation["responses"][exchange.status.to_string()]);
        if response.is_null() {
            found.push(format!("the document has no status {} here", exchange.status));
            return found;
        }
        found.extend(self.schema_errors(&response["content"]["application/json"]["schema"], &exchange.answered));
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = self.resolve_reference(header);
            let Some((_, text)) = exchange.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) else {
                continue;
            };
            let value = if header["schema"]["type"] == "integer" {
                text.parse::<i64>().map_or(json!(text), Value::from)
            } else {
                json!(text)
            };
            found
                .extend(self.schema_errors(&header["schema"], &value).iter().map(|misfit| format!("{name}: {misfit}")));
        }
        found
    }
}

/// Adds the plant behind the relay as a site, with only the required options, and signs in.
async fn sign_in_through_relay(plant: &Plant, relay: &Relay) -> Takt {
    let takt = Takt::new();
    let arguments = [
        "site",
        "add",
        "works",
        "--base-url",
        relay.url(),
        "--auth-url",
        plant.member("auth_url"),
        "--client-id",
        plant.member("client_id"),
        "--kind",
        "test",
        "--client-secret-stdin",
    ];
    let added = takt.run_with(&arguments, &format!("{}\n", plant.member("client_secret")));
    assert_eq!(added.code, Some(0), "{}", added.err);
    let ran = takt.sign_in("works", Person::Planner).await;
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    takt
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_header_that_cannot_be_is_told_once_at_the_end() {
    let plant = Plant::start(&[]);
    let relay = Relay::replacing(&plant.address(), ("x-ratelimit-limit: 600", "x-ratelimit-limit: -60"));
    let takt = sign_in_through_relay(&plant, &relay).await;
    let file = sample_path("materials.sync.xlsx");
    let file = file.to_str().unwrap();
    for arguments in [
        &["list", "work-orders.list", "--all"] as &[&str],
        &["sync", file, "--to", "materials.sync", "--yes", "--skip-errors", "--batch-size", "2"],
    ] {
        let ran = takt.run(&[arguments, &["--site", "works"]].concat());
        assert_eq!(ran.err.matches("“-60”").count(), 1, "{}", ran.err);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_of_a_session_and_every_answer_is_as_the_document_says() {
    let plant = Plant::start(&[]);
    let relay = Relay::start(&plant.address());
    let takt = sign_in_through_relay(&plant, &relay).await;
    let run = |arguments: &[&str]| {
        let ran = takt.run(&[arguments, &["--site", "works"]].concat());
        assert!(matches!(ran.code, Some(0 | 1)), "{arguments:?}: {:?} {}", ran.code, ran.err);
    };
    for (read, _) in READ_OPERATIONS {
        let parameter: &[&str] = if read == TEMPLATE_PROCESSES { &["--param", "templateId=1"] } else { &[] };
        run(&[&["list", read], parameter].concat());
    }
    for span in [["--from", "today"], ["--from", "2020-01-01"], ["--to", "next-shift"], ["--from", "2020-01-01T06:00"]]
    {
        run(&["list", "work-orders.list", span[0], span[1]]);
    }
    run(&["templates", "1-12"]);
    for name in [
        "materials.sync",
        "inspection-processes.sync",
        "work-orders.sync",
        "work-orders.planning-dates",
        "work-orders.execution",
        "work-orders.properties",
        "stock.sync",
        "inspections.sync",
        "inspections.execution",
        "inspections.properties",
        "consumed-lots.sync",
        "template-processes.delete",
    ] {
        let file = sample_path(&format!("{name}.xlsx"));
        run(&["sync", file.to_str().unwrap(), "--to", name, "--yes", "--skip-errors"]);
    }
    let asked = takt.run_with(&["graphql", "--site", "works"], "{ workOrders(limit: 2) { total items { code } } }");
    assert_eq!(asked.code, Some(0), "{}", asked.err);
    let document = reqwest::get(format!("{}/openapi.json", plant.member("base_url"))).await.unwrap();
    let document = Document(document.json().await.unwrap());
    let (mut complaints, mut used) = (BTreeSet::new(), BTreeSet::new());
    for exchange in relay.exchanges() {
        let Exchange { method, target, status, .. } = &exchange;
        let found = document.complaints(&exchange);
        complaints.extend(found.into_iter().map(|complaint| format!("{method} {target} {status}: {complaint}")));
        let path = target.split('?').next().unwrap_or_default();
        used.extend(document.operation(method, path).map(|(operation, _)| operation["operationId"].to_string()));
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
    assert!(used.len() >= 24, "the session used {used:?}");
}
