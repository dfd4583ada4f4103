//! `/practice` documents the control interface and the faults, which aren't part of the service.

use super::page_builder::{PageBuilder, format_code};
use crate::{FaultKind, Plant, plant_urls::PlantUrls};

/// The method, path, example body and text key of each request. The prefix `control.` is added to the key.
const CONTROL_REQUESTS: [(&str, &str, &str, &str); 22] = [
    ("GET", "/log", "", "log"),
    ("GET", "/overview", "", "overview"),
    ("GET", "/state/{resource}", "", "state"),
    ("POST", "/reset", "", "reset"),
    ("POST", "/faults", r#"{"faults": ["error-500:0.1", "latency=50"], "seed": 1}"#, "faults"),
    ("GET", "/clock", "", "clock"),
    ("POST", "/clock", r#"{"advance": "01:00:00"}"#, "advance"),
    ("POST", "/expire", r#"{"codes": true, "accessTokens": true, "refreshTokens": true}"#, "expire"),
    ("POST", "/work-orders/{code}/{verb}", r#"{"operationCode": "010"}"#, "order"),
    ("POST", "/alerts", r#"{"workStationCode": "WS-01", "note": "…"}"#, "alert"),
    ("POST", "/alerts/{id}/{verb}", "", "alert_verb"),
    ("POST", "/supplies/{id}/pay", "", "supply"),
    ("GET", "/targets", "", "targets"),
    ("POST", "/targets", r#"{"url": "http://127.0.0.1:9000/"}"#, "target"),
    ("DELETE", "/targets/{id}", "", "target_gone"),
    ("GET", "/events", "", "events"),
    ("POST", "/events", r#"{"event": 2, "workOrderCode": "WO-260001"}"#, "fire"),
    ("GET", "/events/{id}", "", "event"),
    ("POST", "/events/{id}/retry", "", "retry"),
    ("POST", "/snapshots", r#"{"name": "before"}"#, "snapshot"),
    ("POST", "/snapshots/{name}/restore", "", "restore"),
    ("DELETE", "/snapshots/{name}", "", "forget"),
];

pub(super) fn write_page(plant: &Plant, urls: &PlantUrls, page: &mut PageBuilder) {
    let lead = page.html_text("practice.lead");
    page.add_paragraph(&lead);
    let title = page.html_text("practice.control");
    page.add_heading(2, "control", &title);
    let key = page.html_text("practice.key");
    page.add_paragraph(&format!("{key} {}", format_code("Authorization: Bearer $CONTROL_KEY")));
    let rows = CONTROL_REQUESTS.iter().map(|(method, path, body, key)| {
        let body = if body.is_empty() { String::new() } else { format_code(body) };
        vec![
            format_code(&format!("{method} {}{path}", urls.control_url())),
            page.html_text(&format!("control.{key}")),
            body,
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    page.add_table(&title, &["home.call", "home.purpose", "practice.body"], &rows);
    let title = page.html_text("practice.faults");
    page.add_heading(2, "faults", &title);
    let lead = page.html_text("practice.faults_lead");
    page.add_paragraph(&lead);
    let latency = vec![format_code("latency=50"), page.html_text("fault.latency")];
    let kinds = FaultKind::all().map(|kind| {
        vec![format_code(&format!("{}:0.1", kind.name())), page.html_text(&format!("fault.{}", kind.name()))]
    });
    let rows: Vec<Vec<String>> = std::iter::once(latency).chain(kinds).collect();
    page.add_table(&title, &["practice.fault", "practice.effect"], &rows);
    let seed = page.html_text_with("practice.seed", &plant.config.fault_seed.to_string());
    page.add_paragraph(&seed);
}
