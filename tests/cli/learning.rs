//! A site with its own interface and without a document. Its paths are set by the user, and its responses determine the
//! rest.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use takt_tests::{Console, Person, READ_OPERATIONS, SITE, SecondPlant, TEMPLATE_PROCESSES, Takt};

use crate::support::{ORDERS, check_agreement, orders_csv, read_report, signed_in};

const MAX_REQUESTS: u64 = 30;

/// The options that set the paths of the site's operations.
const PATH_OPTIONS: [&str; 17] = [
    "templates.processes=GET:/mes/v2/process-templates/{templateId}/processes",
    "materials.list=GET:/mes/v2/articles",
    "materials.sync=POST:/mes/v2/articles/import",
    "work-orders.list=GET:/mes/v2/production-orders",
    "work-orders.details=GET:/mes/v2/production-orders/details",
    "work-orders.sync=PUT:/mes/v2/production-orders",
    "work-orders.properties=PUT:/mes/v2/production-orders/attributes",
    "stock.sync=POST:/mes/v2/inventory/import",
    "alerts.list=GET:/mes/v2/alarms",
    "labor-times.list=GET:/mes/v2/time-tracking/entries",
    "inspections.list=GET:/mes/v2/inspection-orders",
    "inspection-processes.list=GET:/mes/v2/processes",
    "quality-checks.list=GET:/mes/v2/quality-checks",
    "consumed-lots.list=GET:/mes/v2/consumptions",
    "order-history.list=GET:/mes/v2/production-orders/history",
    "work-stations.list=GET:/mes/v2/work-centers",
    "graphql=POST:/graphql",
];

fn set_contract(takt: &Takt, arguments: &[&str]) {
    let ran = takt.run(&[&["contract", "set", "--site", SITE], arguments].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

/// Learns the contract, applies it, and returns the lines of JSON output.
fn learn_contract(takt: &Takt) -> Vec<Value> {
    let ran = takt.run(&["contract", "test", "--site", SITE, "--take", "--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran.json()
}

fn evidence_lines<'a>(lines: &'a [Value], operation: &str, kind: &str) -> Vec<&'a Value> {
    let of_operation = lines.iter().filter(|line| line["type"] == "evidence" && line["operation"] == operation);
    of_operation.filter(|line| line["kind"] == kind).collect()
}

/// Returns a site with paths from the user and a learned contract, and the lines of JSON output.
async fn plant_with_learned_contract() -> (SecondPlant, Console, Vec<Value>) {
    let plant = SecondPlant::start_without_document(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let addresses: Vec<&str> = PATH_OPTIONS.iter().flat_map(|address| ["--at", address]).collect();
    set_contract(&console.takt, &addresses);
    let lines = learn_contract(&console.takt);
    (plant, console, lines)
}

#[tokio::test]
async fn where_no_list_answers_nothing_is_taken_and_a_person_is_asked_for_the_addresses() {
    let plant = SecondPlant::start_without_document(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let ran = console.takt.run(&["contract", "test", "--site", SITE, "--take"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("takt contract set --at"), "{}", ran.err);
    let versions = console.takt.run(&["contract", "versions", "--site", SITE, "--json"]);
    assert_eq!(versions.out, "");
}

#[tokio::test]
async fn answers_teach_names_lists_pages_and_forms_and_say_why() {
    let (plant, console, lines) = plant_with_learned_contract().await;
    let takt = &console.takt;
    let requests = lines.last().unwrap()["requests"].as_u64().unwrap();
    println!("learning took {requests} requests");
    assert!(requests <= MAX_REQUESTS, "{requests}");
    let log = plant.log().await;
    let mut of_service = log.iter().filter(|entry| entry["path"].as_str().unwrap().starts_with("/api/"));
    assert!(of_service.all(|entry| entry["method"] == "GET"), "nothing is written");

    let orders = "work-orders.list";
    assert_eq!(evidence_lines(&lines, orders, "list")[0]["name"], "Data.Items");
    let members = evidence_lines(&lines, orders, "member");
    let code = members.iter().find(|line| line["field"] == "code").unwrap();
    assert_eq!((&code["name"], &code["count"], &code["of"]), (&json!("OrderNumber"), &json!(25), &json!(25)));
    assert!(!evidence_lines(&lines, orders, "offset").is_empty());
    assert_eq!(evidence_lines(&lines, orders, "codes")[0]["field"], "type");
    let tried = lines.iter().find(|line| line["kind"] == "page-parameter").unwrap();
    assert_eq!((&tried["name"], &tried["count"]), (&json!("PageIndex"), &json!(1)));
    let size = evidence_lines(&lines, tried["operation"].as_str().unwrap(), "page-size")[0];
    assert_eq!(size["count"], 25);

    for (operation, name) in READ_OPERATIONS {
        let mut arguments = vec!["list", operation, "--site", SITE, "--format", "json", "--all"];
        arguments.extend(if operation == TEMPLATE_PROCESSES { &["--param", "templateId=1"][..] } else { &[] });
        let listed = takt.run(&arguments);
        assert_eq!(listed.code, Some(0), "{operation}: {}", listed.err);
        let rows: Vec<Value> = serde_json::from_str(&listed.out).unwrap();
        let held = plant.state(name).await;
        assert!(
            operation == TEMPLATE_PROCESSES || rows.len() == held.len(),
            "{operation}: {} of {}",
            rows.len(),
            held.len()
        );
        assert!(!rows.is_empty(), "{operation}");
    }
    let listed = takt.run(&["list", orders, "--site", SITE, "--format", "json", "--all"]);
    let codes: BTreeSet<String> = serde_json::from_str::<Vec<Value>>(&listed.out)
        .unwrap()
        .iter()
        .map(|row| row["code"].as_str().unwrap().to_owned())
        .collect();
    let held: BTreeSet<String> =
        plant.state("work-orders").await.iter().map(|row| row["code"].as_str().unwrap().to_owned()).collect();
    assert_eq!(codes, held);
}

#[tokio::test]
async fn what_was_learned_is_tried_with_one_row_and_then_some_are_accepted_and_others_not() {
    let (plant, console, lines) = plant_with_learned_contract().await;
    let takt = &console.takt;
    assert_eq!(evidence_lines(&lines, ORDERS, "read-side")[0]["name"], "work-orders.list");
    // The format of the batch response is unknown until a row has been sent.
    let results = ["--results", "Failures", "--only-failures", "--reasons", "Messages", "--index", "Index"];
    set_contract(takt, &[&[ORDERS][..], &results, &["--counts", "Total,Succeeded,Failed"]].concat());
    let one = takt.write("one.csv", orders_csv(900_100, 3));
    let trial = ["sync", one.to_str().unwrap(), "--to", ORDERS, "--site", SITE, "--without-lookup"];
    let unproven = |takt: &Takt| -> bool {
        let shown = takt.run(&["operations", "--site", SITE, "--json"]).json();
        shown.iter().find(|line| line["id"] == ORDERS).unwrap()["untried"] == true
    };
    assert!(unproven(takt));
    let hinted = takt.run(&trial);
    assert!(hinted.code == Some(2) && hinted.err.contains("--trial 1"), "{}", hinted.err);
    let tried = takt.run(&[&trial[..], &["--trial", "1", "--yes"]].concat());
    assert!(!tried.err.contains("--trial 1") && !unproven(takt), "{}{}", tried.out, tried.err);
    let versions = takt.run(&["contract", "versions", "--site", SITE, "--json"]).json();
    assert_eq!(versions[0]["source"], "trial", "{versions:?}");
    let csv =
        orders_csv(900_000, 6) + "WO-900006;010;MAT-NONE;4\n" + orders_csv(900_007, 3).split_once('\n').unwrap().1;
    let file = takt.write("orders.csv", csv);
    let out = takt.file("r.xlsx");
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let sync =
        ["sync", file, "--to", ORDERS, "--site", SITE, "--yes", "--json", "--without-lookup", "--batch-size", "4"];
    let sent = takt.run(&[&sync[..], &["--report", out]].concat());
    let summary = sent.summary();
    let counts = ["accepted", "rejected", "unconfirmed", "pending"].map(|name| summary[name].as_u64().unwrap());
    assert_eq!((sent.code, counts), (Some(1), [9, 1, 0, 0]), "{}{}", sent.out, sent.err);
    let line = &sent.json()[0];
    assert_eq!((&line["row"], &line["key"]), (&json!(8), &json!("WO-900006 · 010")));
    assert!(line["reasons"][0].as_str().unwrap().contains("MAT-NONE"), "{line}");
    let mut applied = plant.applied(ORDERS).await;
    assert_eq!(applied.remove("WO-900100 · 010").unwrap().accepted, 1, "the trial's row");
    check_agreement(&read_report(takt, "r.xlsx"), &applied);
}

#[tokio::test]
async fn what_answers_have_otherwise_is_noted_without_a_value_and_learned_from() {
    let plant = SecondPlant::start_without_document(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    set_contract(takt, &["--at", "materials.list=GET:/mes/v2/articles"]);
    set_contract(takt, &["materials.list", "--list", "Data.Items"]);
    let noted = |takt: &Takt| -> Vec<Value> {
        let checked = takt.run(&["site", "check", SITE, "--json"]);
        let lines = checked.json().into_iter().filter_map(|line| line.get("drift").cloned());
        lines.filter(|entry| entry["operation"] == "materials.list").collect()
    };
    let listed = takt.run(&["list", "materials.list", "--site", SITE, "--format", "json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    let entries = noted(takt);
    let of = |member: &str, kind: &str| {
        let found = entries.iter().find(|entry| entry["member"] == member && entry["kind"] == kind);
        found.unwrap_or_else(|| panic!("{member} {kind}: {entries:?}")).clone()
    };
    assert_eq!(of("ArticleNumber", "came")["found"], "text aaa-9999");
    assert_eq!(of("code", "went")["expected"], "text");
    assert!(of("code", "went")["count"].as_u64().unwrap() >= 1);
    assert!(entries.iter().all(|entry| !entry.to_string().contains("MAT-")), "no value is kept: {entries:?}");
    let shown = takt.run(&["site", "check", SITE]);
    assert!(shown.out.contains("“ArticleNumber” is new (text aaa-9999)"), "{}", shown.out);
    assert!(shown.err.contains("takt contract test --site"), "{}", shown.err);
    learn_contract(takt);
    let listed = takt.run(&["list", "materials.list", "--site", SITE, "--format", "json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    assert_eq!(noted(takt), Vec::<Value>::new(), "the contract in force says so now");
}
