//! The main job on a site with its own interface, of which Takt knows only the document. Results are compared with the
//! log of the practice plant behind it.

mod sending;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{Timestamp, civil, tz::TimeZone};
use serde_json::{Value, json};
use takt_tests::{ANY_PORT, Console, Person, READ_OPERATIONS, SecondPlant, TEMPLATE_PROCESSES, Takt};

use crate::support::{ORDERS, signed_in};

/// The contract's operations, each with its method and path at the site.
const OPERATIONS: [(&str, &str); 25] = [
    ("templates.processes", "GET /mes/v2/process-templates/{templateId}/processes"),
    ("template-processes.delete", "POST /mes/v2/process-templates/links/bulk-delete"),
    ("graphql", "POST /graphql"),
    ("materials.list", "GET /mes/v2/articles"),
    ("materials.sync", "POST /mes/v2/articles/import"),
    ("work-orders.list", "GET /mes/v2/production-orders"),
    ("work-orders.details", "GET /mes/v2/production-orders/details"),
    ("work-orders.sync", "PUT /mes/v2/production-orders"),
    ("work-orders.execution", "PUT /mes/v2/production-orders/progress"),
    ("work-orders.properties", "PUT /mes/v2/production-orders/attributes"),
    ("work-orders.planning-dates", "POST /mes/v2/production-orders/reschedule"),
    ("stock.sync", "POST /mes/v2/inventory/import"),
    ("alerts.list", "GET /mes/v2/alarms"),
    ("labor-times.list", "GET /mes/v2/time-tracking/entries"),
    ("inspections.list", "GET /mes/v2/inspection-orders"),
    ("inspections.sync", "POST /mes/v2/inspection-orders/import"),
    ("inspections.execution", "PUT /mes/v2/inspection-orders/progress"),
    ("inspections.properties", "PUT /mes/v2/inspection-orders/attributes"),
    ("inspection-processes.list", "GET /mes/v2/processes"),
    ("inspection-processes.sync", "POST /mes/v2/processes/import"),
    ("quality-checks.list", "GET /mes/v2/quality-checks"),
    ("consumed-lots.list", "GET /mes/v2/consumptions"),
    ("consumed-lots.sync", "POST /mes/v2/consumptions/import"),
    ("order-history.list", "GET /mes/v2/production-orders/history"),
    ("work-stations.list", "GET /mes/v2/work-centers"),
];
/// The name of another site, which is the practice plant with the built-in contract.
const PRACTICE_PLANT_SITE: &str = "behind";

async fn plant_with_document() -> (SecondPlant, Console) {
    let plant = SecondPlant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    (plant, console)
}

/// Adds the practice plant behind the second plant as a site.
async fn add_practice_plant(takt: &Takt, plant: &SecondPlant) {
    let address = format!("http://{}", plant.address_behind());
    let mut arguments =
        vec!["site", "add", PRACTICE_PLANT_SITE, "--base-url", &address, "--auth-url", plant.member("auth_url")];
    arguments.extend(["--client-id", plant.member("client_id"), "--time-zone", plant.member("time_zone")]);
    arguments.extend(["--kind", "test", "--client-secret-stdin"]);
    arguments.extend(["--redirect-uri", ANY_PORT]);
    let added = takt.run_with(&arguments, &format!("{}\n", plant.member("client_secret")));
    assert_eq!(added.code, Some(0), "{}", added.err);
    let signed_in = takt.sign_in(PRACTICE_PLANT_SITE, Person::Planner).await;
    assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);
}

fn list_rows(takt: &Takt, site: &str, operation: &str, more: &[&str]) -> Vec<Value> {
    let fixed = ["list", operation, "--site", site, "--format", "json"];
    let ran = takt.run(&[&fixed[..], more].concat());
    assert_eq!(ran.code, Some(0), "{operation} of {site}: {}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn result_counts(summary: &Value) -> [u64; 4] {
    ["accepted", "rejected", "unconfirmed", "pending"].map(|name| summary[name].as_u64().unwrap())
}

/// Normalizes date-times and durations, which have several notations. Durations become seconds.
fn normalize(value: &Value, zone: &TimeZone) -> Value {
    match value {
        Value::Object(members) => match members.get("totalSeconds") {
            Some(seconds) => json!(seconds.as_f64()),
            None => members.iter().map(|(name, value)| (name.clone(), normalize(value, zone))).collect(),
        },
        Value::Array(items) => items.iter().map(|item| normalize(item, zone)).collect(),
        Value::String(text) => match (text.parse::<Timestamp>(), text.parse::<civil::DateTime>()) {
            (Ok(moment), _) => json!(moment.as_second()),
            (_, Ok(moment)) if text.len() > 10 => {
                json!(moment.to_zoned_datetime(zone.clone()).unwrap().timestamp().as_second())
            }
            _ => parse_duration(text).map_or_else(|| value.clone(), |seconds| json!(seconds)),
        },
        Value::Number(number) => json!(number.as_f64()),
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

/// Parses a duration such as `1.02:30:00.5` to seconds.
fn parse_duration(text: &str) -> Option<f64> {
    let (days, clock) = text.split_once('.').filter(|(days, _)| !days.contains(':')).unwrap_or(("0", text));
    let parts: Vec<f64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = parts[..] else { return None };
    Some(days.parse::<f64>().ok()? * 86_400.0 + hours * 3600.0 + minutes * 60.0 + seconds)
}

/// Renames values that differ between the document and the contract, and that Takt can't match.
fn rename_values(operation: &str, row: &mut Value) {
    if operation == "alerts.list" {
        // The contract has only numbers for this field.
        let states = [("Open", 0.0), ("Acknowledged", 1.0), ("Closed", 2.0)];
        row["status"] = json!(states.iter().find(|(name, _)| row["status"] == *name).unwrap().1);
    }
    for stoppage in row.get_mut("programmedStoppages").and_then(Value::as_array_mut).into_iter().flatten() {
        let reason = stoppage.as_object_mut().unwrap().remove("reason").unwrap();
        stoppage["description"] = reason;
    }
}

/// Returns the method and path of each operation in the site's contract, by the operation's ID.
fn contract_operations(takt: &Takt) -> BTreeMap<String, String> {
    let ran = takt.run(&["operations", "--site", "works", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let operations = ran.json().into_iter();
    let text = |operation: &Value, name: &str| operation[name].as_str().unwrap().to_owned();
    let entry = |operation: Value| {
        (text(&operation, "id"), format!("{} {}", text(&operation, "method"), text(&operation, "path")))
    };
    operations.map(entry).collect()
}

#[tokio::test]
async fn operations_are_found_by_the_document_alone() {
    let (_plant, console) = plant_with_document().await;
    let found = contract_operations(&console.takt);
    for (id, expected) in OPERATIONS {
        let actual = found.get(id).unwrap_or_else(|| panic!("{id} is missing in {found:?}"));
        assert_eq!(actual, expected, "{id}");
    }
    let more: Vec<_> = found.iter().filter(|(id, _)| OPERATIONS.iter().all(|(known, _)| known != id)).collect();
    let paths: BTreeSet<&str> = more.iter().map(|(_, path)| path.as_str()).collect();
    assert_eq!(paths, ["GET /mes/v2/tools", "POST /mes/v2/tool-calibrations"].into());
}

#[tokio::test]
async fn what_takt_does_not_know_is_listed_and_sent() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let found = contract_operations(takt);
    let of = |wanted: &str| found.iter().find(|(_, path)| *path == wanted).unwrap().0.as_str();
    let rows = list_rows(takt, "works", of("GET /mes/v2/tools"), &["--all"]);
    assert!(rows.len() == 64 && rows[63]["toolNumber"] == "T-0064", "{rows:?}");
    let csv =
        "ToolNumber;CalibratedAt;Deviation;Passed\nT-0001;2026-11-20 08:00;0.25;yes\nT-NONE;2026-11-20 08:00;0.5;no\n";
    let file = takt.write("calibrations.csv", csv);
    let ran = takt.run(&[
        "sync",
        file.to_str().unwrap(),
        "--to",
        of("POST /mes/v2/tool-calibrations"),
        "--site",
        "works",
        "--yes",
        "--json",
    ]);
    assert_eq!((ran.code, result_counts(&ran.summary())), (Some(1), [1, 1, 0, 0]), "{}{}", ran.out, ran.err);
    assert!(ran.json()[0]["reasons"].to_string().contains("T-NONE"), "{}", ran.out);
    let stored = json!({ "ToolNumber": "T-0001", "CalibratedAt": "2026-11-20T08:00:00+01:00", "Deviation": 0.25, "Passed": true });
    assert_eq!(plant.calibrations(), [stored]);
}

#[tokio::test]
async fn every_list_is_read_in_the_words_of_the_contract() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    add_practice_plant(takt, &plant).await;
    let zone = TimeZone::get(plant.member("time_zone")).unwrap();
    for (operation, _) in READ_OPERATIONS {
        let more: &[&str] = if operation == TEMPLATE_PROCESSES { &["--param", "templateId=1"] } else { &["--all"] };
        let (ours, theirs) =
            (list_rows(takt, "works", operation, more), list_rows(takt, PRACTICE_PLANT_SITE, operation, more));
        assert_eq!(ours.len(), theirs.len(), "{operation}");
        for (our, their) in ours.iter().zip(&theirs) {
            let mut our = normalize(our, &zone);
            rename_values(operation, &mut our);
            assert_eq!(our, normalize(their, &zone), "{operation}");
        }
    }
}

#[tokio::test]
async fn lists_are_narrowed() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    add_practice_plant(takt, &plant).await;
    let codes = |site: &str, more: &[&str]| -> Vec<Value> {
        let rows = list_rows(takt, site, "work-orders.list", more);
        rows.iter().map(|row| json!([row["code"], row["operationCode"]])).collect()
    };
    let all = codes("works", &["--all"]);
    let code = all[7][0].as_str().unwrap();
    for more in [&["--code", code, "--all"][..], &["--from", "last-7-days", "--all"], &["--to", "2026-11-20", "--all"]]
    {
        let ours = codes("works", more);
        assert!(ours == codes(PRACTICE_PLANT_SITE, more) && ours.len() < all.len(), "{more:?}: {}", ours.len());
    }
}

#[tokio::test]
async fn a_workbook_is_checked_against_what_the_site_holds() {
    let (_plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let csv = "code;operationCode;materialCode;requestedQuantity;workStationCode;type;beginPlanned;endPlanned\n\
        WO-1;010;MAT-1001;5;WS-01;Rework;2027-03-01 08:00;2027-03-01 12:00\n\
        WO-2;010;MAT-NONE;5;WS-01;Rework;2027-03-01 08:00;2027-03-01 12:00\n\
        WO-3;010;MAT-1001;5;WS-NONE;Rework;2027-03-01 08:00;2027-03-01 12:00\n\
        WO-4;010;MAT-1001;5;WS-01;Sculpture;2027-03-01 08:00;2027-03-01 12:00\n";
    let file = takt.write("orders.csv", csv);
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--json"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    let mut lines = ran.json();
    assert_eq!(lines.pop().unwrap()["items"], 4);
    let errors = lines.iter().filter(|line| line["severity"] == "error");
    let found: Vec<_> = errors.map(|line| (line["row"].as_u64().unwrap(), line["field"].as_str().unwrap())).collect();
    assert_eq!(found, [(3, "materialCode"), (4, "workStationCode"), (5, "type")], "{}", ran.out);
}

#[tokio::test]
async fn what_would_change_is_shown_and_what_is_the_same_stays() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let csv = "code;operationCode;materialCode;requestedQuantity;type;beginPlanned;endPlanned;laborPredictedTime\n\
        WO-9001;010;MAT-1001;5;Rework;2027-03-01 08:00;2027-03-01 12:00;01:30:00\n\
        WO-9002;010;MAT-1001;6;Production;2027-07-01 08:00;2027-07-01 12:00;26:00:00\n";
    let sync = |name: &str, csv: String| {
        let file = takt.write(name, csv);
        let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        ["accepted", "skipped", "requests"].map(|name| ran.summary()[name].as_u64().unwrap())
    };
    assert_eq!(sync("orders.csv", csv.to_owned()), [2, 0, 1]);
    let held = plant.state("work-orders").await;
    let second = held.iter().find(|row| row["code"] == "WO-9002").unwrap();
    assert_eq!((&second["type"], &second["laborPredictedTime"]["totalHours"]), (&json!("Production"), &json!(26)));
    let zone = TimeZone::get(plant.member("time_zone")).unwrap();
    assert_eq!(
        normalize(&second["beginPlanned"], &zone),
        normalize(&json!("2027-07-01T08:00:00+02:00"), &zone),
        "{second}"
    );
    assert_eq!(sync("again.csv", csv.to_owned()), [0, 2, 0], "both are there like this");

    let file = takt.write("other.csv", csv.replace(";6;Production", ";7;Prototype"));
    let ran = takt.run(&["preview", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let summary = ran.summary();
    let counts = ["total", "new", "changed", "same"].map(|name| summary[name].as_u64().unwrap());
    assert_eq!(counts, [2, 0, 1, 1], "{}", ran.out);
    let fields = ran.json()[0]["fields"].as_array().unwrap().clone();
    let changes: BTreeSet<String> =
        fields.iter().map(|field| format!("{}: {} → {}", field["field"], field["old"], field["new"])).collect();
    let expected = ["\"requestedQuantity\": 6 → 7", "\"type\": \"Production\" → \"Prototype\""];
    assert_eq!(changes, expected.map(str::to_owned).into());
}
