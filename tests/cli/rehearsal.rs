//! `takt plant --from-site`: a site with its own interface is copied, and the copy behaves like the site.

use std::{collections::BTreeMap, fs, time::Duration};

use serde_json::{Value, json};
use takt_tests::{Console, Person, Program, READ_OPERATIONS, SecondPlant, TEMPLATE_PROCESSES, Takt};

use crate::support::{ORDERS, orders_csv, signed_in};

const COPY: &str = "works rehearsal";
const TIMEOUT: Duration = Duration::from_secs(120);

async fn plant_with_document() -> (SecondPlant, Console) {
    let plant = SecondPlant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    (plant, console)
}

/// Starts a copy and returns its first line of output.
fn start_copy(takt: &Takt, options: &[&str]) -> (Program, Value) {
    let mut program = takt.start(&[&["plant", "--from-site", "works"], options].concat());
    let line = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    (program, line)
}

fn list_rows(takt: &Takt, site: &str, operation: &str, more: &[&str]) -> Vec<Value> {
    let fixed = ["list", operation, "--site", site, "--format", "json"];
    let ran = takt.run(&[&fixed[..], more].concat());
    assert_eq!(ran.code, Some(0), "{operation} of {site}: {}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn send(takt: &Takt, site: &str, file: &str) -> Value {
    let file = takt.file(file);
    let mut arguments = vec!["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", site, "--yes", "--json"];
    arguments.extend(["--without-lookup", "--no-preview"]);
    let ran = takt.run(&arguments);
    assert!(ran.code == Some(1) || ran.code == Some(0), "{}{}", ran.out, ran.err);
    Value::Array(ran.json())
}

#[tokio::test]
async fn a_copy_shows_what_the_site_shows_and_takes_what_the_site_would_take() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let before: Vec<_> = plant.log().await.into_iter().filter(|entry| entry["operation"].is_string()).collect();
    let (mut running, line) = start_copy(takt, &[]);
    let copied = &line["copied"];
    let asked = plant.log().await.len() - before.len();
    assert!(copied["requests"].as_u64().unwrap() > 30 && asked >= 30, "{copied} {asked}");
    assert!(plant.log().await.iter().all(|entry| entry["applied"].as_array().is_none_or(Vec::is_empty)));
    assert_eq!(
        (&line["site"], &copied["uneven"], &copied["remarks"]),
        (&json!(COPY), &json!([]), &json!([])),
        "{copied}"
    );
    let copied_lists = |list: &Value| (list["operation"].as_str().unwrap().to_owned(), list["kept"].as_u64().unwrap());
    let copied_lists: BTreeMap<_, _> = copied["lists"].as_array().unwrap().iter().map(copied_lists).collect();
    assert_eq!(
        (copied_lists.len(), copied_lists["work-orders.details"]),
        (10, plant.state("work-orders").await.len() as u64)
    );
    let skipped_lists: Vec<_> = copied["skipped"].as_array().unwrap().iter().collect();
    assert!(
        skipped_lists.len() == 1 && skipped_lists[0]["code"].is_null(),
        "only what a copy has no place for: {skipped_lists:?}"
    );
    assert!(running.error_text().contains("--site \"works rehearsal\""), "{}", running.error_text());

    for (operation, _) in READ_OPERATIONS {
        let more: &[&str] = if operation == TEMPLATE_PROCESSES { &["--param", "templateId=1"] } else { &["--all"] };
        let (ours, theirs) = (list_rows(takt, COPY, operation, more), list_rows(takt, "works", operation, more));
        assert_eq!(ours, theirs, "{operation}");
    }
    let narrowed = ["--code", first_order_of_site(takt).as_str(), "--all"].map(str::to_owned);
    let narrowed: Vec<&str> = narrowed.iter().map(String::as_str).collect();
    let (ours, theirs) =
        (list_rows(takt, COPY, "work-orders.list", &narrowed), list_rows(takt, "works", "work-orders.list", &narrowed));
    assert!(!ours.is_empty() && ours == theirs);

    let _ = takt.write("orders.csv", orders_csv(900_000, 6) + "WO-900006;010;MAT-NONE;4\n");
    let rehearsed = send(takt, COPY, "orders.csv");
    let (row, summary) = (&rehearsed[0], rehearsed.as_array().unwrap().last().unwrap());
    assert_eq!((&summary["accepted"], &summary["rejected"], &summary["site"]), (&json!(6), &json!(1), &json!(COPY)));
    let reason = row["reasons"][0].as_str().unwrap();
    assert!(reason.starts_with("ArticleNumber: ") && reason.contains("MAT-NONE"), "{reason}");
    assert_eq!(list_rows(takt, COPY, "work-orders.list", &["--code", "WO-900001"]).len(), 1);
    assert!(
        plant.applied(ORDERS).await.is_empty()
            && list_rows(takt, "works", "work-orders.list", &["--code", "WO-900001"]).is_empty()
    );
    #[cfg(unix)]
    assert_eq!(running.terminate().code(), Some(0));
    running.kill();
    let gone = takt.run(&["list", "materials.list", "--site", COPY]);
    assert_eq!(gone.code, Some(5), "{}", gone.err);
    let (_running, line) = start_copy(takt, &["--mask-people"]);
    assert_eq!((&line["site"], &line["copied"]["peopleMasked"]), (&json!(COPY), &json!(true)));
    assert!(list_rows(takt, COPY, "work-orders.list", &["--code", "WO-900001"]).is_empty(), "a new copy");
    let (masked, theirs) = (
        list_rows(takt, COPY, "labor-times.list", &["--all"]),
        list_rows(takt, "works", "labor-times.list", &["--all"]),
    );
    assert_eq!(masked.len(), theirs.len());
    let text = json!(masked).to_string();
    for row in theirs {
        let name = row["employeeName"].as_str().unwrap();
        assert!(!text.contains(name), "{name}");
    }
}

/// Returns the code of the site's first order.
fn first_order_of_site(takt: &Takt) -> String {
    list_rows(takt, "works", "work-orders.list", &[])[0]["code"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_was_rehearsed_is_compared_with_what_then_happened() {
    let (_plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let (_running, _) = start_copy(takt, &[]);
    let _ = takt.write("orders.csv", orders_csv(900_000, 4) + "WO-900005;010;MAT-NEW;4\nWO-900006;010;MAT-NONE;4\n");
    let number = |sent: &Value| sent.as_array().unwrap().last().unwrap()["submission"].to_string();
    let rehearsal = number(&send(takt, COPY, "orders.csv"));
    let nothing = takt.run(&["history", &rehearsal, "--compare"]);
    assert_eq!(nothing.code, Some(2), "{}{}", nothing.out, nothing.err);
    // The material is added to the site only, after the copy was made.
    let file = takt.write("materials.csv", "code;description;uoM\nMAT-NEW;Bolt;pcs\n");
    let ran =
        takt.run(&["sync", file.to_str().unwrap(), "--to", "materials.sync", "--site", "works", "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let real = number(&send(takt, "works", "orders.csv"));
    for asked in [&["history", &real, "--compare"][..], &["history", &rehearsal, "--compare", &real]] {
        let ran = takt.run(&[asked, &["--json"]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let summary = ran.summary();
        let told = ["rehearsal", "real", "same", "different", "onlyRehearsed", "onlyReal"]
            .map(|name| summary[name].to_string());
        assert_eq!(told, [&*rehearsal, &*real, "5", "1", "0", "0"], "{summary}");
        assert_eq!(summary["sameFile"], true);
        let line = &ran.json()[0];
        assert_eq!(line["key"], "WO-900005 · 010");
        let results = ["rehearsed", "real"].map(|name| line[name]["result"].as_str().unwrap_or_default().to_owned());
        assert_eq!(results, ["rejected", "accepted"], "{line}");
        assert!(line["rehearsed"]["reasons"][0].as_str().unwrap().contains("MAT-NEW"), "{line}");
    }
    let shown = takt.run(&["history", &real, "--compare"]);
    assert!(shown.out.contains("MAT-NEW") && !shown.out.contains("WO-900001"), "{}", shown.out);
}

#[tokio::test]
async fn a_list_that_is_refused_is_said_and_the_others_are_copied() {
    let plant = SecondPlant::start_without_document(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let document = fs::read_to_string(SecondPlant::document()).unwrap();
    let document = document
        .replace("/mes/v2/alarms:", "/mes/v2/alarm-list:")
        .replace("/mes/v2/production-orders/details:", "/mes/v2/production-orders/detail-list:");
    let file = takt.write("document.yaml", document);
    let ran = takt.run(&["contract", "take", file.to_str().unwrap(), "--site", "works"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let (running, line) = start_copy(takt, &[]);
    let skipped = line["copied"]["skipped"].as_array().unwrap();
    for operation in ["alerts.list", "work-orders.details"] {
        let told = skipped.iter().find(|list| list["operation"] == operation).unwrap_or_else(|| panic!("{skipped:?}"));
        assert!(told["code"].is_string(), "{told}");
        assert!(running.error_text().contains(operation), "{}", running.error_text());
    }
    let (ours, theirs) = (
        list_rows(takt, COPY, "work-orders.list", &["--all"]),
        list_rows(takt, "works", "work-orders.list", &["--all"]),
    );
    assert!(!ours.is_empty() && ours == theirs, "the shorter list stands in for the longer one");
    let again = takt.run(&["plant", "--from-site", COPY]);
    assert_eq!(again.code, Some(2), "a copy isn't copied: {}", again.err);
    let unknown = takt.run(&["plant", "--from-site", "nowhere"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
}
