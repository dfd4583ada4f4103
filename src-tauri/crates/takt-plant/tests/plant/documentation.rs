//! Tests that the documentation pages are complete, correct, accessible, in four languages, and without scripts.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::Value;
use takt_contract::OperationKind;

use crate::{
    contract_check::schema_violations,
    fixture::{Answer, Fixture},
};

const PAGES: [&str; 5] = ["/", "/events", "/errors", "/access", "/practice"];
const LANGUAGES: [&str; 4] = ["en", "de", "es", "pt"];

impl Fixture {
    async fn fetch_page(&self, path: &str, language: &str) -> String {
        let request = self.client.get(self.url(path)).header("accept-language", language);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        answer.text().await.unwrap()
    }

    fn page_paths(&self) -> Vec<String> {
        let operations = self.contract.operations().iter().map(|operation| format!("/operations/{}", operation.id));
        PAGES.into_iter().map(str::to_owned).chain(operations).collect()
    }
}

/// Returns all texts between `from` and `to`.
fn texts_between<'a>(html: &'a str, from: &'a str, to: &'a str) -> impl Iterator<Item = &'a str> {
    html.split(from).skip(1).filter_map(move |rest| rest.split_once(to)).map(|(inside, _)| inside)
}

fn unescape_html(html: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    pairs.into_iter().fold(html.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Returns the examples on a page, by their kind.
fn examples(html: &str) -> BTreeMap<String, String> {
    let figures = texts_between(html, "<pre class=\"", "</code></pre>");
    figures
        .filter_map(|figure| figure.split_once("\" lang=\"en\"><code>"))
        .map(|(kind, text)| (kind.to_owned(), unescape_html(text)))
        .collect()
}

fn parse_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

#[tokio::test]
async fn every_page_is_sound_in_every_language() {
    let fixture = Fixture::new().await;
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in fixture.page_paths() {
        for language in LANGUAGES {
            let html = fixture.fetch_page(&path, language).await;
            assert!(html.contains(&format!("<html lang=\"{language}\">")), "{path}");
            assert!(!html.contains("<script") && !html.contains(" style=") && !html.contains("javascript:"), "{path}");
            assert!(html.contains("<nav aria-label=") && html.matches("<main").count() == 1, "{path}");
            let levels: Vec<u8> = texts_between(&html, "<h", ">")
                .filter_map(|tag| tag.chars().next()?.to_digit(10).map(|level| level as u8))
                .collect();
            assert!(
                levels.first() == Some(&1) && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1),
                "{path} {levels:?}"
            );
            let ids: Vec<&str> = texts_between(&html, " id=\"", "\"").collect();
            assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{path}: {ids:?}");
            for table in texts_between(&html, "<table>", "</table>") {
                assert!(table.contains("<caption") && table.contains("<th scope=\"col\">"), "{path}");
                assert!(table.matches("<tr>").count() == 1 + table.matches("<th scope=\"row\">").count(), "{path}");
            }
            let words = html.split(|character: char| !(character.is_alphanumeric() || "._-".contains(character)));
            let keys = [
                "field.",
                "type.",
                "rule.",
                "operation.",
                "parameter.",
                "assumption.",
                "control.",
                "practice.",
                "fault.",
                "papers.",
            ];
            let unsaid: Vec<&str> =
                words.filter(|word| keys.iter().any(|key| word.starts_with(key) && word.len() > key.len())).collect();
            assert!(unsaid.is_empty(), "{path} in {language} lacks {unsaid:?}");
            said.entry(path.clone()).or_default().insert(html);
        }
    }
    assert!(said.values().all(|pages| pages.len() == LANGUAGES.len()), "four languages, four pages");
}

#[tokio::test]
async fn every_link_leads_somewhere() {
    let fixture = Fixture::new().await;
    let mut pages = BTreeMap::new();
    for path in fixture.page_paths() {
        let html = fixture.fetch_page(&path, "en").await;
        pages.insert(path, html);
    }
    for (path, html) in &pages {
        for link in texts_between(html, "href=\"", "\"").map(unescape_html) {
            let (page, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let page = if page.is_empty() { path } else { page };
            if page.starts_with("/identity") || page == "/openapi.json" {
                assert_eq!(fixture.client.get(fixture.url(page)).send().await.unwrap().status(), 200);
                continue;
            }
            let target = pages.get(page).unwrap_or_else(|| panic!("{path} links to {link}"));
            assert!(anchor.is_empty() || target.contains(&format!(" id=\"{anchor}\"")), "{path} links to {link}");
        }
    }
}

#[tokio::test]
async fn an_operations_page_says_all_that_the_contract_says() {
    let fixture = Fixture::new().await;
    for operation in fixture.contract.operations() {
        let html = fixture.fetch_page(&format!("/operations/{}", operation.id), "en").await;
        let has = |text: &str| assert!(html.contains(&format!("<code>{text}</code>")), "{} lacks {text}", operation.id);
        has(&format!("{} {}", operation.method, operation.path));
        has(&operation.id);
        for parameter in &operation.parameters {
            has(&parameter.name);
        }
        for name in ["page", "limit", "X-Pagination-Total", "X-Pagination-Pages", "X-Pagination-Current"] {
            assert_eq!(html.contains(&format!("<code>{name}</code>")), operation.paged, "{} {name}", operation.id);
        }
        has("X-RateLimit-Remaining");
        for shape in operation.request.iter().chain(&operation.answer) {
            for (path, field) in shape.fields_with_paths() {
                let is_span = |field: &takt_contract::Field| field.kind == takt_contract::FieldKind::TimeSpan;
                if shape.fields.iter().any(|top| is_span(top) && path.starts_with(&format!("{}.", top.name))) {
                    continue;
                }
                let carriers: Vec<&str> = path.split('.').collect();
                assert!(html.contains(&format!("{}</code>", field.name)), "{} lacks {carriers:?}", operation.id);
            }
        }
        let node = &fixture.contract.document()["paths"][&operation.path][operation.method.to_lowercase()];
        for status in node["responses"].as_object().unwrap().keys() {
            assert!(html.contains(&format!("id=\"status-{status}\"")), "{} {status}", operation.id);
        }
        assert!(
            html.contains(&format!("curl -i -X {} &#39;{}/", operation.method, fixture.plant.base_url)),
            "{}",
            operation.id
        );
    }
}

#[tokio::test]
async fn every_example_fits_its_schema() {
    let fixture = Fixture::new().await;
    let document = fixture.contract.document();
    let at = |node: &Value| node["content"]["application/json"]["schema"].clone();
    for operation in fixture.contract.operations() {
        let examples = examples(&fixture.fetch_page(&format!("/operations/{}", operation.id), "en").await);
        let node = &document["paths"][&operation.path][operation.method.to_lowercase()];
        if let Some(body) = node.get("requestBody") {
            assert_eq!(
                schema_violations(&at(body), &parse_json(&examples["request"])),
                Vec::<String>::new(),
                "{}",
                operation.id
            );
        }
        for (status, response) in node["responses"].as_object().unwrap() {
            let response = response["$ref"].as_str().map_or(response, |at| document.pointer(&at[1..]).unwrap());
            let example = parse_json(&examples[&format!("answer-{status}")]);
            assert_eq!(schema_violations(&at(response), &example), Vec::<String>::new(), "{} {status}", operation.id);
        }
    }
    let errors = examples(&fixture.fetch_page("/errors", "en").await);
    for response in document["components"]["responses"].as_object().unwrap().values() {
        let example = parse_json(&errors[&format!("answer-{}", response["x-takt-status"])]);
        assert_eq!(schema_violations(&at(response), &example), Vec::<String>::new());
    }
    let events = examples(&fixture.fetch_page("/events", "en").await);
    for hook in document["webhooks"].as_object().unwrap().values().map(|hook| &hook["post"]) {
        let example = parse_json(&events[&format!("event-{}", hook["x-takt-event-id"])]);
        assert_eq!(schema_violations(&at(&hook["requestBody"]), &example), Vec::<String>::new());
        assert_eq!(example["Id"], hook["x-takt-event-id"]);
        assert_eq!(example.get("EmployeeBadge").is_none(), hook["x-takt-payload"] == "material supply payload");
        let reply = at(&hook["responses"]["200"]);
        assert!(reply.is_null() || schema_violations(&reply, &parse_json(&events["reply"])).is_empty());
    }
    assert_eq!(events.keys().filter(|kind| kind.starts_with("event-")).count(), 12);
}

/// All example requests succeed as shown.
#[tokio::test]
async fn every_call_that_is_shown_is_answered_well() {
    let fixture = Fixture::new().await;
    let deletes = |kind| kind == OperationKind::Delete;
    for operation in fixture.contract.operations() {
        let call = examples(&fixture.fetch_page(&format!("/operations/{}", operation.id), "en").await)["curl"].clone();
        let address = texts_between(&call, " '", "' ").next().unwrap().to_owned();
        assert!(call.contains("-H \"Authorization: Bearer $ACCESS_TOKEN\""));
        let mut request =
            fixture.client.request(operation.method.parse::<Method>().unwrap(), address).bearer_auth(&fixture.planner);
        if let Some((_, body)) = call.split_once("-d '") {
            let body = body.strip_suffix('\'').unwrap().replace("'\\''", "'");
            request = request.header("content-type", "application/json").body(body);
        }
        let answer = Answer::read(request.send().await.unwrap()).await;
        assert_eq!(answer.status, 200, "{} {:?}", operation.id, answer.body);
        assert!(
            deletes(operation.kind) || answer.body.get("errorCount").is_none_or(|count| *count == 0),
            "{:?}",
            answer.body
        );
    }
}

#[tokio::test]
async fn what_comes_from_outside_is_harmless_and_what_is_unknown_is_said() {
    let fixture = Fixture::new().await;
    let hostile = "\"><script>alert(1)</script>$(reboot)'";
    for path in ["/access", "/operations/materials.list"] {
        let request = fixture.client.get(fixture.url(path)).header("host", hostile);
        let html = request.send().await.unwrap().text().await.unwrap();
        assert!(!html.contains("<script") && !html.contains("reboot"), "{path}");
    }
    let material = serde_json::json!({"code": "MAT-1001", "description": "it's <b>'; rm"});
    fixture.send_batch("materials.sync", serde_json::json!([material])).await;
    for id in ["nothing", "%3Cscript%3E", "materials.list%2F..", "%FF%FE"] {
        let answer = fixture.client.get(fixture.url(&format!("/operations/{id}"))).send().await.unwrap();
        assert_eq!(answer.status(), 404);
        let html = answer.text().await.unwrap();
        assert!(html.contains("The interface description has no such operation.") && !html.contains("<script"), "{id}");
    }
}

/// All documented addresses of the control interface exist.
#[tokio::test]
async fn the_control_interface_is_as_it_is_shown() {
    let fixture = Fixture::new().await;
    let html = fixture.fetch_page("/practice", "en").await;
    let mut addresses = 0;
    for call in texts_between(&html, "<th scope=\"row\"><code>", "</code>") {
        let Some((method, address)) = call.split_once(' ') else { continue };
        let address = address.replace("{resource}", "materials").replace("{code}", "WO-9").replace("{verb}", "begin");
        let address = address.replace("{id}", "999").replace("{name}", "nobody");
        let request = fixture.client.request(method.parse().unwrap(), &address).bearer_auth(&fixture.plant.control_key);
        let answer = request.body("{}").send().await.unwrap();
        assert!(![401, 405].contains(&answer.status().as_u16()), "{call} {}", answer.status());
        let text = answer.text().await.unwrap();
        assert!(!text.contains("no such address"), "{call}: {text}");
        addresses += 1;
    }
    assert!(addresses > 15);
    for kind in takt_plant::FaultKind::all() {
        assert!(html.contains(&format!("<code>{}:0.1</code>", kind.name())), "{}", kind.name());
    }
}
