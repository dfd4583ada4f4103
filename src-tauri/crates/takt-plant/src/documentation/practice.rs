//! `/practice`: the control interface and the faults, neither of which is part of the service.

use super::{
    plant_urls::PlantUrls,
    sheet::{Sheet, code},
};
use crate::{FaultKind, Plant};

/// Method, path, example body and text key of each control. The text's key is `control.` and the last item.
const CONTROLS: [(&str, &str, &str, &str); 22] = [
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

pub(super) fn write(plant: &Plant, urls: &PlantUrls, sheet: &mut Sheet) {
    let lead = sheet.text("practice.lead");
    sheet.paragraph(&lead);
    let title = sheet.text("practice.control");
    sheet.heading(2, "control", &title);
    let key = sheet.text("practice.key");
    sheet.paragraph(&format!("{key} {}", code("Authorization: Bearer $CONTROL_KEY")));
    let rows = CONTROLS.iter().map(|(method, path, body, key)| {
        let body = if body.is_empty() { String::new() } else { code(body) };
        vec![code(&format!("{method} {}{path}", urls.control())), sheet.text(&format!("control.{key}")), body]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    sheet.table(&title, &["home.call", "home.purpose", "practice.body"], &rows);
    let title = sheet.text("practice.faults");
    sheet.heading(2, "faults", &title);
    let lead = sheet.text("practice.faults_lead");
    sheet.paragraph(&lead);
    let latency = vec![code("latency=50"), sheet.text("fault.latency")];
    let kinds = FaultKind::all()
        .map(|kind| vec![code(&format!("{}:0.1", kind.name())), sheet.text(&format!("fault.{}", kind.name()))]);
    let rows: Vec<Vec<String>> = std::iter::once(latency).chain(kinds).collect();
    sheet.table(&title, &["practice.fault", "practice.effect"], &rows);
    let seed = sheet.text_with("practice.seed", &plant.config.fault_seed.to_string());
    sheet.paragraph(&seed);
}
